"""Which samples a run has, and which of them still need work: a set difference, nothing else is remembered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from arena.models import (
    CallError,
    DatasetRevision,
    JudgeError,
    Judgment,
    Level,
    Problem,
    Reply,
    RevisionProblem,
    Run,
    ScoreError,
)
from arena.results import can_grade_by

Sample = tuple[int, int]  # problem's primary key, repeat
STEP_PURPOSES = ("criterion", "scheme")


def entries_of(revision: DatasetRevision, split: str, read: Sequence[str] = ()) -> list[RevisionProblem]:
    """All problems of one revision and split in official order; callers may follow `.problem.subset`.

    read: the only fields that are loaded, where a caller reads many.
    """
    entries = RevisionProblem.objects.filter(revision=revision, split=split).only(*read)
    return list(entries.select_related("problem__subset").order_by("position"))


def planned_entries(run: Run, entries: Iterable[RevisionProblem] | None = None) -> list[RevisionProblem]:
    """The run's problems in official order, subset by subset limited; callers may follow `.problem`.

    entries: all of its revision and split, where a caller has them already.
    """
    if entries is None:
        entries = entries_of(run.revision, run.split)
    wanted = set(run.subsets)
    kept: list[RevisionProblem] = []
    seen: dict[str, int] = {}
    for entry in entries:
        slug = entry.problem.subset.slug
        if wanted and slug not in wanted:
            continue
        seen[slug] = seen.get(slug, 0) + 1
        if run.limit is None or seen[slug] <= run.limit:
            kept.append(entry)
    return kept


def planned_problem_ids(run: Run) -> list[int]:
    return [entry.problem_id for entry in planned_entries(run)]


def with_references(problems: QuerySet[Problem]) -> QuerySet[Problem]:
    """Everything that prompting and scoring read, in a fixed number of queries."""
    return problems.select_related("subset").prefetch_related("answers", "criteria", "figures__image")


def levels_of(problem: Problem) -> tuple[str, ...]:
    """The levels a reply to this problem is graded on; empty where nothing is known to grade it by.

    Reads prefetched answers and criteria.
    """
    levels = []
    if can_grade_by([answer.value for answer in problem.answers.all()]):
        levels.append(Level.ANSWER.value)
    if problem.criteria.all():
        levels.append(Level.STEP.value)
    return tuple(levels)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. open: samples that still need work, in official order, leased ones included."""

    planned: int
    replied: int
    scored: int
    failed: int
    open: tuple[Sample, ...]

    @property
    def closed(self) -> int:
        return self.planned - len(self.open)


def read_progress(run: Run) -> Progress:
    """Counts and open samples, from the tables of truth alone."""
    problem_ids = planned_problem_ids(run)
    levels = _levels_by_problem(problem_ids)
    replies = {
        (problem, repeat): pk
        for pk, problem, repeat in Reply.objects.filter(run=run).values_list("pk", "problem_id", "repeat")
    }
    judged = set(Judgment.objects.of_run(run, run.scorer).values_list("reply_id", "level"))
    failed_levels = _failed_levels(run)
    failed_calls = set(
        CallError.objects.filter(run=run, is_final=True, round=run.round).values_list("problem_id", "repeat")
    )
    open_samples, scored, failed, replied = [], 0, 0, 0
    for repeat in range(run.repeats):
        for problem in problem_ids:
            sample = (problem, repeat)
            reply = replies.get(sample)
            replied += reply is not None
            if reply is None:
                if sample in failed_calls or run.provenance == Run.Provenance.UPLOADED:
                    failed += 1
                else:
                    open_samples.append(sample)
                continue
            wanted = levels.get(problem, ())
            states = [(reply, level) in judged for level in wanted]
            if wanted and all(states):
                scored += 1
            elif all((reply, level) in judged or (reply, level) in failed_levels for level in wanted):
                failed += 1
            else:
                open_samples.append(sample)
    return Progress(len(problem_ids) * run.repeats, replied, scored, failed, tuple(open_samples))


def has_scored_sample(run: Run) -> bool:
    """Whether one scorer has graded at least one reply on every level that its problem has."""
    levels = _levels_by_problem(planned_problem_ids(run))
    judged: dict[tuple[int, int], set[str]] = {}
    rows = Judgment.objects.filter(reply__run=run).values_list("reply_id", "reply__problem_id", "scorer_id", "level")
    for reply, problem, scorer, level in rows.iterator():
        found = judged.setdefault((reply, scorer), set())
        found.add(level)
        wanted = levels.get(problem)
        if wanted and found.issuperset(wanted):
            return True
    return False


def _levels_by_problem(problem_ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
    ids = list(problem_ids)
    found: dict[int, tuple[str, ...]] = {}
    for start in range(0, len(ids), 2000):
        problems = Problem.objects.filter(pk__in=ids[start : start + 2000]).prefetch_related("answers", "criteria")
        found.update({problem.pk: levels_of(problem) for problem in problems.only("pk")})
    return found


def _failed_levels(run: Run) -> set[tuple[int, str]]:
    errors = JudgeError.objects.filter(reply__run=run, is_final=True, round=run.round)
    failed = {
        (reply, Level.STEP.value if purpose in STEP_PURPOSES else Level.ANSWER.value)
        for reply, purpose in errors.values_list("reply_id", "purpose")
    }
    score_errors = ScoreError.objects.filter(reply__run=run, scorer=run.scorer, round=run.round)
    broken = set(score_errors.values_list("reply_id", flat=True))
    return failed | {(reply, level.value) for reply in broken for level in Level}
