"""One queue item as the person before it may see it: blind until they have committed, then with everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.core.cache import cache
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import (
    Answer,
    AnswerScore,
    CriterionScore,
    ErrorClass,
    Level,
    ReviewDraft,
    ReviewItem,
    ReviewSlot,
    User,
)
from arena.review_parts import Part, parts_to_decide
from arena.review_states import PartState, part_states
from arena.roles import Rank, is_own_model, rank_on
from leaderboard.rendering.blind import mask_names
from leaderboard.rendering.figures import FigureView, figures_not_placed
from leaderboard.rendering.markdown import render_cached
from leaderboard.selectors.catalog import Place, localised
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.problem_parts import (
    TEXTBOX_LANGUAGES,
    figure_views,
    name_scheme,
    render,
    render_quote,
)
from leaderboard.sentences import say_sentence

UNITS = tuple(Decimal(text) for text in ("0.1", "0.2", "0.25", "0.5", "1", "2", "2.5", "5", "10", "20", "25", "50"))
MOST_OPTIONS = 9  # keys 1 to 9 beside 0


@dataclass(frozen=True, slots=True)
class PointOption:
    """One choice of points; key: the number key that gives it."""

    key: str
    value: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one person said of a part; who: "Reviewer A", never a name before the item is decided."""

    who: str
    points: str
    reason: SafeString
    evidence: SafeString


@dataclass(frozen=True, slots=True)
class PartForm:
    """One part to decide, with what was typed so far."""

    key: str
    number: int
    text: SafeString
    maximum: str
    options: tuple[PointOption, ...]
    other: str
    reason: str
    evidence: str
    is_disputed: bool
    opinions: tuple[Opinion, ...]
    machine: str  # empty while blind
    machine_reason: SafeString
    final: str
    mine: str


@dataclass(frozen=True, slots=True)
class PartGroup:
    """A marking scheme or the final answers. is_answers: each part's text is the reference."""

    label: str
    parts: tuple[PartForm, ...]
    is_answers: bool


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Everything on an item's page. mode: preview, form, done, adjudicate, or closed (nothing to do for this person).

    What is empty while blind: model, reply_url, details, machine points.
    """

    item: ReviewItem
    mode: str
    benchmark: str
    problem: str
    subset: str
    language: str
    reasons: tuple[str, ...]
    details: tuple[SafeString, ...]
    context: SafeString
    statement: SafeString
    solution: SafeString
    figures: tuple[FigureView, ...]
    text: SafeString
    raw: str
    reasoning: SafeString
    groups: tuple[PartGroup, ...]
    draft: Mapping[str, str]
    revised_ms: int
    seconds: int
    claimed_until: datetime | None
    error_classes: tuple[tuple[str, str, bool], ...]
    model: str
    reply_url: str
    is_again: bool
    may_adjudicate: bool
    may_calibrate: bool
    state_label: str
    n_submitted: int


def find_item(uuid: object, user: User | object) -> ReviewItem:
    """The item, where this person reviews its benchmark. Raises Http404."""
    item = (
        ReviewItem.objects.filter(uuid=uuid)
        .select_related(
            "reply__run__entrant", "reply__run__revision__benchmark", "reply__problem__subset", "scorer", "focus"
        )
        .first()
    )
    if item is None or rank_on(user, item.reply.run.revision.benchmark_id) < Rank.REVIEWER:
        raise Http404
    return item


def read_item(
    item: ReviewItem, user: User, *, again: bool = False, ruling: bool = False, typed: Mapping[str, str] | None = None
) -> ItemPage:
    """again: a reviewer takes up their own decision anew. ruling: a senior decides. typed: a refused form, kept."""
    slot = item.slots.filter(reviewer=user).first()
    again = again and slot is not None and slot.submitted_at is not None
    may_rule = _may_rule(item, user, slot)
    mode = _mode(item, user, slot, again=again, ruling=ruling and may_rule, may_rule=may_rule)
    is_open = mode in ("done", "closed") or again
    draft = ReviewDraft.objects.filter(item=item, reviewer=user).first()
    values = typed if typed is not None else (draft.data if draft else {})
    run, problem = item.reply.run, item.reply.problem
    benchmark = run.revision.benchmark
    place = Place(benchmark, run.revision, run.split, (run.split,))
    figures = figure_views(place, problem)
    names = () if is_open else (run.entrant.name, run.entrant.slug, run.entrant.organisation)
    text = item.reply.text if is_open else mask_names(item.reply.text, names)
    reasoning = item.reply.reasoning if is_open else mask_names(item.reply.reasoning, names)
    is_hidden = Answer.objects.filter(problem=problem, is_hidden=True).exists()
    return ItemPage(
        item=item,
        mode=mode,
        benchmark=localised(benchmark, "title"),
        problem=problem.external_id,
        subset=say_subset(problem.subset),
        language=TEXTBOX_LANGUAGES.get(problem.language, problem.language),
        reasons=tuple(r.get_policy_display() for r in item.reasons.all()) if not item.is_calibration else _disguise(),
        details=tuple(render(say_sentence(r.detail)) for r in item.reasons.all() if r.detail) if is_open else (),
        context=render(problem.context, figures),
        statement=render(problem.statement, figures),
        solution=render("" if is_hidden else problem.solution),
        figures=tuple(figures_not_placed([problem.context, problem.statement], figures)),
        text=render_cached(text, cache, open_think=True) if text.strip() else SafeString(""),
        raw=text,
        reasoning=render(reasoning),
        groups=_groups(item, mode, user, values, is_open=is_open),
        draft=values,
        revised_ms=draft.revised_ms if draft else 0,
        seconds=_whole_number(values.get("seconds")),
        claimed_until=slot.claimed_until if slot else None,
        error_classes=tuple((c.value, str(c.label), values.get("error_class") == c.value) for c in ErrorClass),
        model=run.entrant.name if is_open else "",
        reply_url=reverse("reply", args=[item.reply.uuid]) if is_open else "",
        is_again=again and mode == "form",
        may_adjudicate=may_rule and mode in ("done", "closed"),
        may_calibrate=mode in ("done", "closed")
        and item.state == ReviewItem.State.DONE
        and not item.is_calibration
        and rank_on(user, benchmark) >= Rank.MAINTAINER,
        state_label=str(item.get_state_display()),
        n_submitted=item.slots.filter(submitted_at__isnull=False).count(),
    )


def _disguise() -> tuple[str, ...]:
    """A known item looks like one of the random sample."""
    return (_("random sample"),)


def _mode(item: ReviewItem, user: User, slot: ReviewSlot | None, *, again: bool, ruling: bool, may_rule: bool) -> str:
    if ruling or (may_rule and item.state == ReviewItem.State.DISPUTED):
        return "adjudicate"
    if slot is not None and slot.submitted_at is not None:
        return "form" if again else "done"
    if slot is not None and slot.claimed_until is not None and slot.claimed_until > timezone.now():
        return "form"
    if is_own_model(user, item.reply.run.entrant_id):
        return "closed"
    return "preview" if item.state == ReviewItem.State.OPEN else "closed"


def _may_rule(item: ReviewItem, user: User, slot: ReviewSlot | None) -> bool:
    """Whether this person may settle the item: a senior, no party to it, not the model's submitter."""
    return (
        item.state != ReviewItem.State.OPEN
        and not item.is_calibration
        and rank_on(user, item.reply.run.revision.benchmark_id) >= Rank.SENIOR
        and not (slot is not None and slot.submitted_at is not None)
        and not is_own_model(user, item.reply.run.entrant_id)
    )


def _groups(
    item: ReviewItem, mode: str, user: User, typed: Mapping[str, str], *, is_open: bool
) -> tuple[PartGroup, ...]:
    states = (
        part_states(item)
        if is_open or mode == "adjudicate"
        else [PartState(part, (), None, None) for part in parts_to_decide(item)]
    )
    labels = _scheme_labels([state.part for state in states])
    groups: dict[str, list[PartForm]] = {}
    for state in states:
        group = groups.setdefault(labels[state.part.key], [])
        group.append(_form(item, state, mode, user, typed, len(group) + 1, is_open=is_open))
    answers = {labels[state.part.key] for state in states if state.part.level == Level.ANSWER}
    return tuple(PartGroup(label, tuple(parts), label in answers) for label, parts in groups.items())


def _scheme_labels(parts: Sequence[Part]) -> dict[str, str]:
    """Part key -> the heading it stands under."""
    schemes = sorted({part.score.criterion.scheme for part in parts if isinstance(part.score, CriterionScore)})
    labels = {}
    for part in parts:
        if part.level == Level.ANSWER:
            labels[part.key] = _("Final answers")
        elif isinstance(part.score, CriterionScore) and (
            letter := name_scheme(part.score.criterion.scheme, len(schemes))
        ):
            labels[part.key] = _("Marking scheme %(letter)s") % {"letter": letter}
        else:
            labels[part.key] = _("Marking scheme")
    return labels


def _form(
    item: ReviewItem, state: PartState, mode: str, user: User, typed: Mapping[str, str], number: int, *, is_open: bool
) -> PartForm:
    part, score = state.part, state.part.score
    mine = next((review for review in state.reviews if review.reviewer_id == user.pk), None)
    started = mine if is_open and mode == "form" else None
    chosen = typed.get(f"points-{part.key}", print_points(started.points) if started else "")
    values = point_values(part.maximum, part.level)
    return PartForm(
        key=part.key,
        number=number,
        text=_part_text(part),
        maximum=print_points(part.maximum),
        options=tuple(PointOption(str(n), value, value == chosen) for n, value in enumerate(values)),
        other=typed.get(f"other-{part.key}", chosen if chosen not in values else ""),
        reason=typed.get(f"reason-{part.key}", started.reason if started else ""),
        evidence=typed.get(f"evidence-{part.key}", started.evidence if started else ""),
        is_disputed=state.is_disputed(item.needed),
        opinions=_opinions(item, state, mode, is_open),
        machine=print_points(part.points) if is_open else "",
        machine_reason=render(_machine_reason(score)) if is_open else SafeString(""),
        final=print_points(state.points) if is_open and state.points is not None else "",
        mine=print_points(mine.points) if mine and is_open else "",
    )


def _machine_reason(score: CriterionScore | AnswerScore) -> str:
    """A rule's words in the reader's language; a judge's, who alone marks criteria, as they are."""
    return score.reason if isinstance(score, CriterionScore) else say_sentence(score.reason)


def _opinions(item: ReviewItem, state: PartState, mode: str, is_open: bool) -> tuple[Opinion, ...]:
    """To an adjudicator both reviews without names; to all others only once the item is decided."""
    is_decided = is_open and item.state == ReviewItem.State.DONE and not item.is_calibration
    if mode != "adjudicate" and not is_decided:
        if item.is_calibration and is_open and state.part.key in item.known:
            points = print_points(Decimal(item.known[state.part.key]))
            return (Opinion(_("Known"), points, SafeString(""), SafeString("")),)
        return ()
    said = [
        Opinion(
            _("Reviewer %(letter)s") % {"letter": chr(ord("A") + n)},
            print_points(review.points),
            render(review.reason),
            render_quote(review.evidence) if review.evidence.strip() else SafeString(""),
        )
        for n, review in enumerate(sorted(state.reviews, key=lambda review: review.reviewer_id))
    ]
    if state.adjudication and is_decided:
        ruling = state.adjudication
        said.append(Opinion(_("Adjudicator"), print_points(ruling.points), render(ruling.reason), SafeString("")))
    return tuple(said)


def _part_text(part: Part) -> SafeString:
    if isinstance(part.score, CriterionScore):
        return render_cached(part.score.criterion.text, cache)
    answer = part.score.answer
    return render(_("hidden reference answer") if answer.is_hidden else f"{answer.value} {answer.unit}".strip())


def point_values(maximum: Decimal, level: str) -> tuple[str, ...]:
    """Points to choose from. A final answer is right or wrong; a criterion has at most ten steps in the finest unit."""
    if level == Level.ANSWER:
        return (print_points(Decimal(0)), print_points(maximum))
    for unit in UNITS:
        steps = maximum / unit
        if steps == steps.to_integral_value() and 1 <= steps <= MOST_OPTIONS:
            return tuple(print_points(unit * n) for n in range(int(steps) + 1))
    half = (maximum / 2).quantize(Decimal("0.0001"))
    return tuple(dict.fromkeys((print_points(Decimal(0)), print_points(half), print_points(maximum))))


def _whole_number(value: object) -> int:
    text = str(value or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
