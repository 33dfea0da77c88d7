"""What many runs earned on one problem: the reading of `arena.results` across runs, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from arena.effective import effective_points
from arena.models import (
    AnswerScore,
    CallError,
    JudgeError,
    Judgment,
    Reply,
    RevisionProblem,
    Run,
    ScoreError,
    Scorer,
    Withdrawal,
)
from arena.results import EFFECTIVE, LevelScore, SampleResult, blank_sample, combine_sample, problem_facts

Sample = tuple[int, int]  # run's primary key, repeat


@dataclass(frozen=True, slots=True)
class RunSample:
    """One run's sample of the problem, as `scorer` sees it; uuid is the reply's, None where there is none."""

    run: Run
    scorer: Scorer
    result: SampleResult
    uuid: UUID | None = None


def judged_scorers(problem_id: int, runs: Sequence[Run]) -> dict[int, set[int]]:
    """Run -> the scorers that have judged its replies to this problem; one query."""
    found: dict[int, set[int]] = {}
    rows = Judgment.objects.filter(reply__problem_id=problem_id, reply__run__in=runs).order_by()
    for run_id, scorer_id in rows.values_list("reply__run_id", "scorer_id").distinct():
        found.setdefault(run_id, set()).add(scorer_id)
    return found


def read_problem_results(
    entry: RevisionProblem, runs: Sequence[Run], scorers: Mapping[int, Scorer], *, basis: str = EFFECTIVE
) -> list[RunSample]:
    """Every sample of the problem in these runs, run by run and repeat by repeat.

    scorers: run -> the scorer to read. A run that neither answered the problem nor failed on it was never asked: left
    out. entry: with `problem.subset` loaded.
    """
    fact = problem_facts([entry.problem_id])[entry.problem_id]
    replies = _replies(entry.problem_id, runs)
    errors = CallError.objects.filter(run__in=runs, problem_id=entry.problem_id, is_final=True)
    failed = set(errors.values_list("run_id", "repeat"))
    ruling = {reply.pk: scorers[reply.run_id].pk for reply in replies.values()}
    levels = _levels(ruling, scorers, basis)
    failures = _failures(ruling)
    asked = {run_id for run_id, _ in (*replies, *failed)}
    samples = []
    for run in runs:
        for repeat in range(run.repeats) if run.pk in asked else ():
            blank = blank_sample(entry, fact, repeat)
            reply = replies.get((run.pk, repeat))
            if reply is None:
                status = "call_failed" if (run.pk, repeat) in failed else "open"
                samples.append(RunSample(run, scorers[run.pk], replace(blank, status=status)))
                continue
            is_official = scorers[run.pk].params.get("policy") == "official"
            found = levels.get(reply.pk, {})
            result = combine_sample(blank, fact, reply, found, failures.get(reply.pk, "open"), is_official)
            samples.append(RunSample(run, scorers[run.pk], result, reply.uuid))
    return samples


def _replies(problem_id: int, runs: Sequence[Run]) -> dict[Sample, Reply]:
    withdrawn = Withdrawal.objects.filter(reply__problem_id=problem_id).values("reply_id")
    rows = Reply.objects.filter(problem_id=problem_id, run__in=runs).exclude(pk__in=withdrawn)
    fields = ("uuid", "run_id", "problem_id", "repeat", "prompt_tokens", "completion_tokens", "latency_ms", "cost_usd")
    return {(reply.run_id, reply.repeat): reply for reply in rows.only("pk", *fields)}


def _levels(ruling: Mapping[int, int], scorers: Mapping[int, Scorer], basis: str) -> dict[int, dict[str, LevelScore]]:
    """Reply -> level -> score, under the scorer that rules the reply."""
    judgments = Judgment.objects.filter(reply_id__in=list(ruling), scorer_id__in=set(ruling.values()))
    changed = effective_points(judgments) if basis == EFFECTIVE else {}
    right = _count_right(judgments) if any(s.params.get("policy") == "official" for s in scorers.values()) else {}
    found: dict[int, dict[str, LevelScore]] = {}
    for judgment in judgments.defer("details", "explanation"):
        if ruling[judgment.reply_id] != judgment.scorer_id:
            continue
        is_changed = judgment.pk in changed
        n_right, n_answers = right.get(judgment.pk, (0, 0))
        found.setdefault(judgment.reply_id, {})[judgment.level] = LevelScore(
            "scored" if is_changed else judgment.status,
            float(changed.get(judgment.pk, judgment.points)),
            float(judgment.max_points),
            n_right,
            n_answers,
            judgment.answer,
            judgment.answer_class,
            judgment.pk,
            is_changed,
        )
    return found


def _count_right(judgments: object) -> dict[int, tuple[int, int]]:
    counts: dict[int, tuple[int, int]] = {}
    rows = AnswerScore.objects.filter(judgment__in=judgments)  # type: ignore[misc]
    for judgment_id, matched_by in rows.values_list("judgment_id", "matched_by"):
        right, total = counts.get(judgment_id, (0, 0))
        counts[judgment_id] = (right + bool(matched_by), total + 1)
    return counts


def _failures(ruling: Mapping[int, int]) -> dict[int, str]:
    """Reply -> why its ruling scorer has no outcome."""
    found: dict[int, str] = {}
    judges = JudgeError.objects.filter(reply_id__in=list(ruling), is_final=True).order_by()
    for reply_id, scorer_id in judges.values_list("reply_id", "judge__scorers").distinct():
        if ruling[reply_id] == scorer_id:
            found[reply_id] = "judge_failed"
    faults = ScoreError.objects.filter(reply_id__in=list(ruling))
    for reply_id, scorer_id in faults.values_list("reply_id", "scorer_id"):
        if ruling[reply_id] == scorer_id:
            found[reply_id] = "error"
    return found
