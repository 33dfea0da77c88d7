"""A reply as reviewers see it: the parts to decide, with their maxima, under one scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import AnswerScore, CriterionScore, Judgment, Level, Reply, ReviewItem, Scorer
from scoring.judge import anchor_quote


@dataclass(frozen=True, slots=True)
class Part:
    """One criterion (`s0c1`) or reference answer (`a0`) of a judged reply."""

    key: str
    level: str
    score: CriterionScore | AnswerScore
    maximum: Decimal

    @property
    def points(self) -> Decimal:
        """The machine's."""
        return self.score.points

    @property
    def columns(self) -> dict[str, CriterionScore | AnswerScore | None]:
        """The part as columns of a Review or an Adjudication."""
        is_criterion = isinstance(self.score, CriterionScore)
        return {
            "criterion_score": self.score if is_criterion else None,
            "answer_score": None if is_criterion else self.score,
        }  # type: ignore[return-value]


def parts_of(reply: Reply, scorer: Scorer) -> tuple[Part, ...]:
    """All parts of the reply under this scorer: schemes in order, then the final answers."""
    judgments = Judgment.objects.filter(reply=reply, scorer=scorer)
    criteria = CriterionScore.objects.filter(judgment__in=judgments).select_related("criterion", "judgment__reply__run")
    answers = AnswerScore.objects.filter(judgment__in=judgments).select_related("answer", "judgment__reply__run")
    scored = sorted(answers, key=lambda score: score.answer.position)
    return (
        *(
            Part(score.criterion.target, Level.STEP.value, score, score.criterion.max_points)
            for score in sorted(criteria, key=lambda score: (score.criterion.scheme, score.criterion.position))
        ),
        *(
            Part(f"a{score.answer.position}", Level.ANSWER.value, score, _maximum(score, len(scored)))
            for score in scored
        ),
    )


def parts_to_decide(item: ReviewItem) -> tuple[Part, ...]:
    """The parts the item asks about: its one criterion, or all."""
    parts = parts_of(item.reply, item.scorer)
    if item.focus_id is None:
        return parts
    return tuple(part for part in parts if getattr(part.score, "criterion_id", None) == item.focus_id)


def part_of(score: CriterionScore | AnswerScore) -> Part:
    """The part that this row is."""
    if isinstance(score, CriterionScore):
        return Part(score.criterion.target, Level.STEP.value, score, score.criterion.max_points)
    n_answers = AnswerScore.objects.filter(judgment_id=score.judgment_id).count()
    return Part(f"a{score.answer.position}", Level.ANSWER.value, score, _maximum(score, n_answers))


def _maximum(score: AnswerScore, n_answers: int) -> Decimal:
    """A single answer carries the level's points (PHYBench: 0 to 100), several carry their own."""
    return score.judgment.max_points if n_answers == 1 else score.answer.points


def read_points(text: Decimal | str, maximum: Decimal, field: str = "points") -> Decimal:
    """Points within [0, maximum], to four places. Raises Refused naming the field."""
    try:
        value = Decimal(str(text).strip()).quantize(Decimal("0.0001"))
    except InvalidOperation:
        raise Refused(field, _("%(text)s is no number") % {"text": repr(str(text)[:40])}) from None
    if not value.is_finite() or not 0 <= value <= maximum:
        raise Refused(field, _("must lie between 0 and %(most)s") % {"most": f"{maximum.normalize():f}"})
    return value


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of the reply with their offsets, None where they are not in it."""

    text: str = ""
    start: int | None = None
    end: int | None = None


def find_evidence(quote: str, reply: Reply) -> Evidence:
    """The place of a quote in the reply's text."""
    if not quote.strip():
        return Evidence()
    place = anchor_quote(quote, reply.text)
    return Evidence(quote.strip(), *place) if place else Evidence(quote.strip())


def keys_of(parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(part.key for part in parts)
