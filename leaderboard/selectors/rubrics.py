"""The points of one reply, part by part: criteria by scheme and reference answers, with evidence, reasons, reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from arena.effective import effective_parts
from arena.models import AnswerScore, CriterionScore, Judgment, Level, Review, ReviewItem
from leaderboard.selectors.eed_views import EedView, view_eed
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.kinds import say_flag
from leaderboard.selectors.problem_parts import (
    LONGEST_QUOTE,
    NOT_IN_A_LINK,
    name_scheme,
    outcome_of,
    print_marks,
    render,
    render_formula_text,
    render_quote,
    withheld,
)
from leaderboard.sentences import knows_sentence, say_sentence

MOST_NOTCHES = 20
Changed = Mapping[tuple[str, int], tuple[int, Decimal]]


@dataclass(frozen=True, slots=True)
class ReviewNote:
    """A person's decision on one part. is_counted: it is what the part's points rest on now."""

    reviewer: str
    decision: str
    points: str
    reason: str
    date: datetime


@dataclass(frozen=True, slots=True)
class PartRow:
    """One criterion or reference answer: maximum, awarded by the machine, counted after review, evidence, reason.

    key: `c0-1` (scheme, criterion) or `a0`. place: the raw text's offsets of the evidence, None where it has none;
    href: where the page shows it ("" for none). notches: "full", "half" or "" each. is_quoted: the reason is a judge's
    own words, in whatever language.
    """

    key: str
    number: int
    text: SafeString
    maximum: str
    awarded: str
    counted: str
    is_changed: bool
    notches: tuple[str, ...]
    outcome: str
    evidence: str
    quote: SafeString
    place: tuple[int, int] | None
    matched_by: str
    reason: SafeString
    is_quoted: bool
    notes: tuple[ReviewNote, ...]
    form_action: str
    href: str = ""

    @property
    def target(self) -> str:
        """The criterion's name in `?criterion=`; empty for an answer."""
        return "s" + self.key[1:].replace("-", "c") if self.key.startswith("c") else ""

    @property
    def is_linked(self) -> bool:
        """Whether the quote itself may be the link; what scrolls or is a block of its own may not stand in one."""
        return not NOT_IN_A_LINK.search(self.quote)

    @property
    def is_lost(self) -> bool:
        """Whether the judge quotes words that are not in the reply."""
        return bool(self.evidence) and self.place is None and self.key.startswith("c")


@dataclass(frozen=True, slots=True)
class PartGroup:
    """A marking scheme, or the reference answers, with a total that adds up visibly.

    is_best: of the schemes the one with the most points; is_counted: the sample's points are this total.
    """

    key: str
    label: str
    level: str
    is_best: bool
    is_counted: bool
    rows: tuple[PartRow, ...]
    sum_text: str
    total: str
    maximum: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """Everything the points of a reply rest on, under one scorer. eed: of an answer that is an expression."""

    schemes: tuple[PartGroup, ...] = ()
    answers: PartGroup | None = None
    eed: EedView | None = None
    flags: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[PartGroup, ...]:
        return (*self.schemes, *((self.answers,) if self.answers else ()))


def read_rubric(reply_id: int, scorer_id: int, counted_level: str, *, is_hidden: bool) -> Rubric:
    """A fixed number of queries. is_hidden: references are withheld, and with them whatever would tell them."""
    judgments = list(
        Judgment.objects.filter(reply_id=reply_id, scorer_id=scorer_id).prefetch_related(
            "criterion_scores__criterion", "criterion_scores__reviews__reviewer", "criterion_scores__reviews__item",
            "criterion_scores__adjudications__adjudicator", "criterion_scores__adjudications__item",
            "answer_scores__answer", "answer_scores__reviews__reviewer", "answer_scores__reviews__item",
            "answer_scores__adjudications__adjudicator", "answer_scores__adjudications__item",
        )
    )  # fmt: skip
    changed = effective_parts(Judgment.objects.filter(pk__in=[judgment.pk for judgment in judgments]))
    rubric = Rubric(flags=_flags(judgments))
    for judgment in judgments:
        is_level = judgment.level == counted_level
        if judgment.level == Level.STEP:
            rubric = replace(rubric, schemes=_scheme_groups(judgment, changed, is_level, is_hidden))
        else:
            eed = None if is_hidden else _eed(judgment)
            rubric = replace(rubric, answers=_answer_group(judgment, changed, is_level, is_hidden), eed=eed)
    return rubric


def _scheme_groups(judgment: Judgment, changed: Changed, is_level: bool, is_hidden: bool) -> tuple[PartGroup, ...]:
    schemes: dict[int, list[CriterionScore]] = {}
    for score in sorted(judgment.criterion_scores.all(), key=lambda s: (s.criterion.scheme, s.criterion.position)):
        schemes.setdefault(score.criterion.scheme, []).append(score)
    totals = {n: sum((_counted(s, changed) for s in scores), Decimal(0)) for n, scores in schemes.items()}
    best = max(totals, key=lambda n: (totals[n], -n)) if totals else 0
    groups = []
    for scheme, scores in schemes.items():
        letter = name_scheme(scheme, len(schemes))
        rows = [_criterion_row(score, n, changed, is_hidden) for n, score in enumerate(scores, start=1)]
        groups.append(
            _group(
                f"s{scheme}",
                _("Scheme %(letter)s") % {"letter": letter} if letter else _("Marking scheme"),
                judgment,
                rows,
                total=totals[scheme],
                is_best=scheme == best,
                is_counted=is_level and scheme == best,
                explanation="" if is_hidden else judgment.explanation,
            )
        )
    return tuple(groups)


def _answer_group(judgment: Judgment, changed: Changed, is_level: bool, is_hidden: bool) -> PartGroup:
    scores = sorted(judgment.answer_scores.all(), key=lambda s: s.answer.position)
    rows = [_answer_row(score, n, judgment, changed, len(scores), is_hidden) for n, score in enumerate(scores, start=1)]
    moved = sum((_counted(score, changed) - score.points for score in scores), Decimal(0))
    return _group(
        "answers",
        _("Final answers") if len(scores) > 1 else _("Final answer"),
        judgment,
        rows,
        total=min(max(judgment.points + moved, Decimal(0)), judgment.max_points),
        is_best=True,
        is_counted=is_level,
        explanation="" if is_hidden else judgment.explanation,
    )


def _group(
    key: str,
    label: str,
    judgment: Judgment,
    rows: Sequence[PartRow],
    *,
    total: Decimal,
    is_best: bool,
    is_counted: bool,
    explanation: str,
) -> PartGroup:
    return PartGroup(
        key=key,
        label=label,
        level=str(judgment.level),
        is_best=is_best,
        is_counted=is_counted,
        rows=tuple(rows),
        sum_text=" + ".join(row.counted for row in rows) if len(rows) > 1 else "",
        total=print_marks(total, judgment.max_points),
        maximum=print_points(judgment.max_points),
        explanation=say_sentence(explanation) if judgment.status != "scored" else "",
    )


def _counted(score: CriterionScore | AnswerScore, changed: Changed) -> Decimal:
    kind = "c" if isinstance(score, CriterionScore) else "a"
    return changed.get((kind, score.pk), (0, score.points))[1]


def _criterion_row(score: CriterionScore, number: int, changed: Changed, is_hidden: bool) -> PartRow:
    criterion = score.criterion
    has_place = score.evidence_start is not None and score.evidence_end is not None
    evidence = score.evidence.strip()
    if is_hidden and evidence and not has_place:
        evidence = withheld()  # words that the reply does not hold may be the reference's
    return _part_row(
        f"c{criterion.scheme}-{criterion.position}",
        number,
        withheld() if is_hidden else render(criterion.text),
        score,
        criterion.max_points,
        _counted(score, changed),
        evidence=evidence,
        place=(score.evidence_start or 0, score.evidence_end or 0) if has_place else None,
        is_hidden=is_hidden,
        action=reverse("review-criterion", args=[score.pk]),
    )


def _answer_row(
    score: AnswerScore, number: int, judgment: Judgment, changed: Changed, n_answers: int, is_hidden: bool
) -> PartRow:
    """A single answer carries the level's points (PHYBench: 0 to 100), several carry their own."""
    answer = score.answer
    text = f"{answer.value} {answer.unit}".strip()
    return _part_row(
        f"a{answer.position}",
        number,
        withheld() if is_hidden else render_formula_text(text),
        score,
        judgment.max_points if n_answers == 1 else answer.points,
        _counted(score, changed),
        evidence=score.extracted.strip(),
        place=None,
        matched_by=score.matched_by,
        is_hidden=is_hidden,
        action=reverse("review-answer", args=[score.pk]),
    )


def _part_row(
    key: str,
    number: int,
    text: SafeString,
    score: CriterionScore | AnswerScore,
    maximum: Decimal,
    counted: Decimal,
    *,
    evidence: str,
    place: tuple[int, int] | None,
    is_hidden: bool,
    action: str,
    matched_by: str = "",
) -> PartRow:
    reason = "" if is_hidden else score.reason
    is_quoted = isinstance(score, CriterionScore) or not knows_sentence(reason)  # only judges mark criteria
    return PartRow(
        key=key,
        number=number,
        text=text,
        maximum=print_points(maximum),
        awarded=print_marks(score.points, maximum),
        counted=print_marks(counted, maximum),
        is_changed=counted != score.points,
        notches=_notches(counted, maximum),
        outcome=outcome_of("scored", float(counted), float(maximum)),
        evidence=evidence,
        quote=render_quote(evidence) if place else render_formula_text(Truncator(evidence).chars(LONGEST_QUOTE)),
        place=place,
        matched_by=matched_by,
        reason=render(reason if is_quoted else say_sentence(reason)),
        is_quoted=is_quoted,
        notes=_notes(score, is_hidden),
        form_action=action,
    )


def _notches(points: Decimal, maximum: Decimal) -> tuple[str, ...]:
    """A bar of tenths of a point, as long as the maximum; of ten notches where that would be too long or too short."""
    tenths = int(maximum * 10)
    count = tenths if 0 < tenths <= MOST_NOTCHES and maximum * 10 == tenths else 10
    halves = round(2 * count * points / maximum) if maximum > 0 else 0
    if points > 0:
        halves = max(halves, 1)
    if points < maximum:
        halves = min(halves, 2 * count - 1)
    return tuple("full" if halves >= 2 * n + 2 else "half" if halves == 2 * n + 1 else "" for n in range(count))


def _notes(score: CriterionScore | AnswerScore, is_hidden: bool) -> tuple[ReviewNote, ...]:
    """What people said, in time order. Blind reviews stay unseen until their item is decided; calibration always."""
    reviews = [review for review in score.reviews.all() if _is_open_to_all(review.item)]
    rulings = [ruling for ruling in score.adjudications.all() if not ruling.item.is_calibration]
    notes = [note_of(review) for review in reviews]
    notes += [
        ReviewNote(r.adjudicator.username, _("adjudicated"), print_points(r.points), r.reason, r.created_at)
        for r in rulings
    ]
    # Whoever wrote a reason had the reference before their eyes.
    notes = [replace(note, reason=withheld() if is_hidden else render(note.reason)) for note in notes]
    return tuple(sorted(notes, key=lambda note: note.date))


def _is_open_to_all(item: ReviewItem | None) -> bool:
    return item is None or (item.state == ReviewItem.State.DONE and not item.is_calibration)


def note_of(review: Review) -> ReviewNote:
    word = _("upheld") if review.decision == Review.Decision.UPHOLD else _("override")
    return ReviewNote(review.reviewer.username, word, print_points(review.points), review.reason, review.created_at)


def _eed(judgment: Judgment) -> EedView | None:
    scores = list(judgment.answer_scores.all())
    if len(scores) != 1 or not scores[0].extracted.strip():
        return None
    answer = scores[0]
    return view_eed(
        judgment.details,
        reference=render_formula_text(answer.answer.value, is_expression=True),
        answer=render_formula_text(answer.extracted, is_expression=True),
        points=judgment.points,
        explanation=answer.reason,
    )


def _flags(judgments: Sequence[Judgment]) -> tuple[str, ...]:
    found: list[str] = []
    for judgment in judgments:
        found += [say_flag(str(flag)) for flag in judgment.details.get("flags") or []]
        kinds = judgment.details.get("injection") or []
        found += [_("may instruct the grader: %(kind)s") % {"kind": say_sentence(kind)} for kind in kinds]
    return tuple(dict.fromkeys(found))
