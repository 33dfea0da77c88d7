"""What judge and people said of the same parts: the rows behind every number of the agreement page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from arena.effective import PartId, decided_parts
from arena.models import AnswerScore, Benchmark, CriterionScore, Judgment, Review, ReviewItem, Run
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.reviews import judge_names


@dataclass(frozen=True, slots=True)
class Pair:
    """One part: the judge's points and the people's, as settled. share_*: of the part's maximum, 0 to 1.

    cluster: the problem (with its parent), what is resampled. reply_id: whose parts sum to a total. is_random: of the
    random sample. own_family: judge and model are of one family; None where the judge is a rule.
    """

    part: PartId
    benchmark: str
    judge: str
    kind: str
    language: str
    model: str
    own_family: bool | None
    maximum: float
    machine: float
    human: float
    cluster: str
    reply_id: int
    external_id: str
    is_random: bool
    date: datetime

    @property
    def share_machine(self) -> float:
        return self.machine / self.maximum if self.maximum else 0.0

    @property
    def share_human(self) -> float:
        return self.human / self.maximum if self.maximum else 0.0


@dataclass(frozen=True, slots=True)
class Rating:
    """One reviewer's first, blind word on a part, as a share of its maximum."""

    part: PartId
    reviewer_id: int
    share: float
    benchmark: str
    cluster: str


def collect_pairs(benchmark: str = "") -> tuple[list[Pair], list[Rating]]:
    """Settled parts that were reviewed blind through the queue, and the single ratings behind them.

    Overrides made on a reply's page were made in view of the verdict and are one-sided: they measure no judge.
    """
    items = ReviewItem.objects.filter(
        is_calibration=False, reviews__is_blind=True, reply__run__in=Run.objects.on_board(), reply__withdrawals=None
    )
    if benchmark:
        items = items.filter(reply__run__revision__benchmark__slug=benchmark)
    reviews = list(
        Review.objects.filter(is_blind=True, item__in=items)
        .order_by("created_at", "pk")
        .values_list(
            "criterion_score_id", "answer_score_id", "reviewer_id", "points", "judgment_id", "created_at",
            "item__inclusion_probability",
        )
    )  # fmt: skip
    judgments = Judgment.objects.filter(pk__in={review[4] for review in reviews})
    decided, titles = decided_parts(judgments), benchmark_titles()
    facts = {**_criterion_facts(judgments, titles), **_answer_facts(judgments, titles)}
    judges = judge_names(list({fact.scorer_id for fact in facts.values()}))
    pairs: dict[PartId, Pair] = {}
    ratings: dict[tuple[PartId, int], Rating] = {}
    for criterion, answer, reviewer, points, _, created_at, chance in reviews:
        part: PartId = ("c", criterion) if criterion is not None else ("a", answer)
        fact = facts[part]
        share = float(points) / fact.maximum if fact.maximum else 0.0
        ratings.setdefault((part, reviewer), Rating(part, reviewer, share, fact.benchmark, fact.cluster))
        if part in decided:
            pairs[part] = _pair(part, fact, float(decided[part][1]), judges, chance is not None, created_at)
    return list(pairs.values()), list(ratings.values())


@dataclass(frozen=True, slots=True)
class _Fact:
    points: float
    maximum: float
    kind: str
    scorer_id: int
    benchmark: str
    language: str
    model: str
    organisation: str
    cluster: str
    reply_id: int
    external_id: str


_REPLY_FACTS = (
    "judgment__scorer_id", "judgment__reply__run__revision__benchmark__slug", "judgment__reply__problem__language",
    "judgment__reply__run__entrant__name", "judgment__reply__run__entrant__organisation",
    "judgment__reply__problem__cluster", "judgment__reply_id", "judgment__reply__problem__external_id",
)  # fmt: skip


def _criterion_facts(judgments: QuerySet[Judgment], titles: Mapping[str, str]) -> dict[PartId, _Fact]:
    rows = CriterionScore.objects.filter(judgment__in=judgments).values_list(
        "pk", "points", "criterion__max_points", *_REPLY_FACTS
    )
    return {("c", pk): _fact(points, maximum, "criterion", rest, titles) for pk, points, maximum, *rest in rows}


def _answer_facts(judgments: QuerySet[Judgment], titles: Mapping[str, str]) -> dict[PartId, _Fact]:
    rows = AnswerScore.objects.filter(judgment__in=judgments).values_list(
        "pk", "points", "answer__points", "judgment__max_points", "judgment_id", "answer__kind", *_REPLY_FACTS
    )
    rows = list(rows)
    n_answers: dict[int, int] = {}
    for row in rows:
        n_answers[row[4]] = n_answers.get(row[4], 0) + 1
    return {
        ("a", pk): _fact(points, whole if n_answers[judgment] == 1 else own, f"answer: {kind}", rest, titles)
        for pk, points, own, whole, judgment, kind, *rest in rows
    }


def benchmark_titles() -> dict[str, str]:
    return {benchmark.slug: localised(benchmark, "title") for benchmark in Benchmark.objects.all()}


def _fact(points: object, maximum: object, kind: str, rest: Sequence, titles: Mapping[str, str]) -> _Fact:  # type: ignore[type-arg]
    scorer, benchmark, language, model, organisation, cluster, reply_id, external_id = rest
    return _Fact(
        float(points),  # type: ignore[arg-type]
        float(maximum),  # type: ignore[arg-type]
        kind,
        scorer,
        titles[benchmark],
        language,
        model,
        organisation,
        cluster or external_id,
        reply_id,
        external_id,
    )


def _pair(part: PartId, fact: _Fact, human: float, judges: Mapping[int, str], is_random: bool, date: datetime) -> Pair:
    judge = judges[fact.scorer_id]
    return Pair(
        part=part,
        benchmark=fact.benchmark,
        judge=judge,
        kind=fact.kind,
        language=fact.language,
        model=fact.model,
        own_family=None if judge.startswith("rule: ") else is_one_family(judge, fact.model, fact.organisation),
        maximum=fact.maximum,
        machine=fact.points,
        human=human,
        cluster=fact.cluster,
        reply_id=fact.reply_id,
        external_id=fact.external_id,
        is_random=is_random,
        date=date,
    )


def is_one_family(judge: str, model: str, organisation: str = "") -> bool:
    """Whether one of the judges shares its first word with the model or its maker: `gpt-4o` and `GPT-5`."""
    families = {family_of(model), family_of(organisation)} - {""}
    return any(family_of(name) in families for name in judge.split(", "))


def family_of(name: str) -> str:
    """The first word of letters, in lower case, after the maker's prefix of a path (`qwen/qwen3-max`)."""
    match = re.search(r"[^\W\d_]+", name.rsplit("/", 1)[-1])
    return match[0].lower() if match else ""


def months_of(pairs: Iterable[Pair]) -> list[str]:
    return sorted({f"{pair.date:%Y-%m}" for pair in pairs})
