"""What a run's samples earned: the one reading of the records that standings, pages and commands share.

basis `machine` is what rule and judge gave; `effective` puts people's overrides in their place, then chooses scheme
and level anew, since an override may change which one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from itertools import starmap

from django.db.models import QuerySet

from arena.effective import effective_points
from arena.models import (
    Answer,
    AnswerScore,
    CallError,
    Criterion,
    JudgeError,
    Judgment,
    Level,
    Reply,
    RevisionProblem,
    Run,
    ScoreError,
    Scorer,
    Withdrawal,
)
from scoring.combine import combine_max, combine_step_else_answer

MACHINE = "machine"
EFFECTIVE = "effective"
OTHER_OF_TWO = {"YES": "NO", "NO": "YES"}


@dataclass(frozen=True, slots=True)
class LevelScore:
    """One level's outcome. points as counted; is_reviewed: people changed them (basis effective)."""

    status: str
    points: float
    max_points: float
    n_right: int = 0
    n_answers: int = 0
    answer: str = ""
    answer_class: str = ""
    judgment_id: int = 0
    is_reviewed: bool = False
    string_match: float | None = None


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One planned sample. points is None while unscored; then it lies in [low, high].

    ratio: awarded / attainable as the seed's `accuracy` counts it, None while unknown. reference: the first reference
    answer (a label for choices and yes/no). status: of the level that counts, `open` while nothing is final.
    string_match: PhyX, 1 where the released string match accepts the answer.
    """

    problem_id: int
    external_id: str
    subset: str
    cluster: str
    repeat: int
    max_points: float
    reply_id: int | None = None
    status: str = "open"
    points: float | None = None
    low: float = 0.0
    high: float = 0.0
    ratio: float | None = None
    counted_level: str = ""
    levels: Mapping[str, LevelScore] | None = None
    answer: str = ""
    answer_class: str = ""
    string_match: float | None = None
    reference: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_ms: int | None = None
    cost_usd: float | None = None

    @property
    def is_scored(self) -> bool:
        return self.points is not None


def read_results(
    run: Run,
    *,
    entries: Sequence[RevisionProblem],
    scorer: Scorer | None = None,
    basis: str = MACHINE,
    facts: Mapping[int, ProblemFacts] | None = None,
    until: datetime | None = None,
) -> list[SampleResult]:
    """Every planned sample of a run, in official order and repeat by repeat; a fixed number of queries.

    entries: the run's planned problems (services.samples.planned_entries), with `problem.subset` loaded.
    facts: of these problems (and maybe others), where a caller reads several runs. until: what had been judged and
    decided then; a reply withdrawn since stays away.
    """
    scorer = scorer or run.scorer
    return assemble_results(
        run,
        entries,
        {(reply.problem_id, reply.repeat): reply for reply in _replies(run)},
        read_levels(run, scorer, basis, until),
        facts=facts,
        failures=_failures(run, scorer),
        is_official=scorer.params.get("policy") == "official",
    )


def assemble_results(
    run: Run,
    entries: Sequence[RevisionProblem],
    replies: Mapping[tuple[int, int], Reply | ReplyFacts],
    levels: Mapping[int, Mapping[str, LevelScore]],
    *,
    facts: Mapping[int, ProblemFacts] | None = None,
    failures: Failures | None = None,
    is_official: bool = False,
) -> list[SampleResult]:
    """The samples that these replies (by problem and repeat) and levels (by reply) make, in order."""
    facts = facts if facts is not None else problem_facts(entry.problem_id for entry in entries)
    failures = failures or Failures()
    results = []
    for repeat in range(run.repeats):
        for entry in entries:
            fact = facts[entry.problem_id]
            blank = blank_sample(entry, fact, repeat)
            reply = replies.get((entry.problem_id, repeat))
            if reply is None:
                kind = "call_failed" if (entry.problem_id, repeat) in failures.calls else "open"
                results.append(replace(blank, status=kind))
                continue
            reason = failures.reason(reply.pk)
            results.append(combine_sample(blank, fact, reply, levels.get(reply.pk, {}), reason, is_official))
    return results


def blank_sample(entry: RevisionProblem, fact: ProblemFacts, repeat: int) -> SampleResult:
    """A sample of which nothing is known yet."""
    problem = entry.problem
    return SampleResult(
        problem_id=problem.pk,
        external_id=entry.external_id,
        subset=problem.subset.slug,
        cluster=problem.cluster or entry.external_id,
        repeat=repeat,
        max_points=float(problem.max_points),
        high=float(problem.max_points),
        reference=fact.reference,
    )


@dataclass(frozen=True, slots=True)
class ProblemFacts:
    """Which levels a problem is graded on, and its reference where it has exactly one answer."""

    has_answer: bool
    has_step: bool
    reference: str


@dataclass(frozen=True, slots=True)
class Failures:
    """Why samples have no points. calls: problem and repeat whose call failed; judges, errors: replies."""

    calls: frozenset[tuple[int, int]] = frozenset()
    judges: frozenset[int] = frozenset()
    errors: frozenset[int] = frozenset()

    def reason(self, reply_id: int) -> str:
        if reply_id in self.errors:
            return "error"
        return "judge_failed" if reply_id in self.judges else "open"


def problem_facts(problem_ids: Iterable[int]) -> dict[int, ProblemFacts]:
    """Which levels each problem has."""
    ids = list(problem_ids)
    answers: dict[int, list[str]] = {pk: [] for pk in ids}
    with_scheme: set[int] = set()
    for start in range(0, len(ids), 2000):
        some = ids[start : start + 2000]
        for pk, value in Answer.objects.filter(problem__in=some).order_by().values_list("problem_id", "value"):
            answers[pk].append(value)
        schemes = Criterion.objects.filter(problem__in=some).order_by().values_list("problem_id", flat=True)
        with_scheme.update(schemes.distinct())
    return {
        pk: ProblemFacts(can_grade_by(values), pk in with_scheme, values[0] if len(values) == 1 else "")
        for pk, values in answers.items()
    }


def can_grade_by(references: Collection[str]) -> bool:
    """Whether a problem has answers to compare with; an empty one can only be graded by a marking scheme."""
    return bool(references) and all(value.strip() for value in references)


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """What a sample takes from its reply; a board reads a million of them."""

    pk: int
    problem_id: int
    repeat: int
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int | None
    cost_usd: Decimal | None


def _replies(run: Run) -> Iterable[ReplyFacts]:
    withdrawn = Withdrawal.objects.filter(reply__run=run).values("reply_id")
    names = [field.name for field in fields(ReplyFacts)]
    return starmap(ReplyFacts, Reply.objects.filter(run=run).exclude(pk__in=withdrawn).values_list(*names))


def _failures(run: Run, scorer: Scorer) -> Failures:
    return Failures(
        calls=frozenset(CallError.objects.filter(run=run, is_final=True).values_list("problem_id", "repeat")),
        judges=frozenset(
            JudgeError.objects.filter(reply__run=run, judge__in=scorer.judges.all(), is_final=True).values_list(
                "reply_id", flat=True
            )
        ),
        errors=frozenset(ScoreError.objects.filter(reply__run=run, scorer=scorer).values_list("reply_id", flat=True)),
    )


def judgments_of(run: Run, scorer: Scorer, until: datetime | None = None) -> QuerySet[Judgment]:
    found = Judgment.objects.of_run(run, scorer)
    return found if until is None else found.filter(created_at__lte=until)


def read_levels(
    run: Run, scorer: Scorer, basis: str = MACHINE, until: datetime | None = None
) -> dict[int, dict[str, LevelScore]]:
    """Reply -> level -> its outcome under this scorer."""
    judgments = judgments_of(run, scorer, until)
    right = _right_answers(judgments) if scorer.params.get("policy") == "official" else {}
    reviewed = effective_points(judgments, until) if basis == EFFECTIVE else {}
    found: dict[int, dict[str, LevelScore]] = {}
    matches = _string_matches(run, judgments)
    rows = judgments.values_list("pk", "reply_id", "level", "status", "points", "max_points", "answer", "answer_class")
    for pk, reply_id, level, status, points, max_points, answer, answer_class in rows:
        n_right, n_answers = right.get(pk, (0, 0))
        if pk in reviewed:
            points, status = reviewed[pk], "scored"
        found.setdefault(reply_id, {})[level] = LevelScore(
            status, float(points), float(max_points), n_right, n_answers, answer, answer_class, pk, pk in reviewed,
            matches.get(pk),
        )  # fmt: skip
    return found


def _string_matches(run: Run, judgments: QuerySet[Judgment]) -> dict[int, float]:
    """Judgment -> what the released string match says; only PhyX keeps it beside its judgments."""
    if run.revision.benchmark.slug != "phyx_oe":
        return {}
    kept = judgments.values_list("pk", "details__string_match")
    return {pk: float(accepts) for pk, accepts in kept if accepts is not None}


def _right_answers(judgments: QuerySet[Judgment]) -> dict[int, tuple[int, int]]:
    """Judgment -> (answers with full points, answers); only policy `official` of HiPhO counts this way."""
    counts: dict[int, tuple[int, int]] = {}
    scores = AnswerScore.objects.filter(judgment__in=judgments)
    for judgment_id, matched_by in scores.values_list("judgment_id", "matched_by"):
        right, total = counts.get(judgment_id, (0, 0))
        counts[judgment_id] = (right + bool(matched_by), total + 1)
    return counts


def combine_sample(
    blank: SampleResult,
    fact: ProblemFacts,
    reply: Reply | ReplyFacts,
    levels: Mapping[str, LevelScore],
    failure: str,
    is_official: bool,
) -> SampleResult:
    """The sample's points from its levels. failure: why it has none, where it has none."""
    answer, step = levels.get(Level.ANSWER), levels.get(Level.STEP)
    points = combine_max(
        answer.points if answer else None,
        step.points if step else None,
        has_answer=fact.has_answer,
        has_step=fact.has_step,
        max_points=blank.max_points,
    )
    counted = levels.get(points.level)
    ratio = combine_step_else_answer(
        _answer_ratio(answer, is_official) if answer else None,
        step.points / step.max_points if step and step.max_points else None,
        has_answer=fact.has_answer,
        has_step=fact.has_step,
        max_points=1.0,
    )
    status = counted.status if counted else failure
    if not (fact.has_answer or fact.has_step):
        status = "unscorable"
    return replace(
        blank,
        reply_id=reply.pk,
        status=status,
        points=points.points,
        low=points.low,
        high=points.high,
        ratio=ratio.points,
        counted_level=points.level,
        levels=levels,
        answer=_answer_given(answer, fact) if answer else "",
        answer_class=answer.answer_class if answer else "",
        string_match=answer.string_match if answer else None,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        latency_ms=reply.latency_ms,
        cost_usd=None if reply.cost_usd is None else float(reply.cost_usd),
    )


def _answer_given(answer: LevelScore, fact: ProblemFacts) -> str:
    """The answer as counted: a reviewer who says right or wrong also says what a choice or yes/no metric counts.

    Full points: the reply gave the reference. None where the machine had read the reference: of yes and no it gave the
    other one, of several options none that is known.
    """
    if not answer.is_reviewed or not fact.reference:
        return answer.answer
    if answer.points >= answer.max_points:
        return fact.reference
    if answer.answer != fact.reference:
        return answer.answer
    return OTHER_OF_TWO.get(fact.reference, "") if answer.points <= 0 else ""


def _answer_ratio(answer: LevelScore, is_official: bool) -> float:
    if is_official and answer.n_answers > 1 and not answer.is_reviewed:
        return answer.n_right / answer.n_answers
    return answer.points / answer.max_points if answer.max_points else 0.0


def count_outcomes(results: Iterable[SampleResult]) -> dict[str, int]:
    """Status -> samples; `open` (not asked yet) is no outcome."""
    return dict(Counter(result.status for result in results if result.status != "open"))
