"""What is on record about a reply beside its words: its receipt, its history, what failed, why it waits for people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import (
    Adjudication,
    JudgeError,
    Judgment,
    Level,
    Policy,
    Reply,
    Review,
    ReviewItem,
    ReviewReason,
    Run,
    Scorer,
)
from leaderboard.selectors.costs import cost_of_reply
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.kinds import say_finish, say_kind
from leaderboard.selectors.problem_parts import render, withheld
from leaderboard.selectors.rubrics import note_of
from leaderboard.sentences import join_words, knows_sentence, say_sentence

MOST_FAILURES = 20


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the reply's receipt. href: where it leads, if anywhere."""

    label: str
    value: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """One moment in a reply's life. by: `machine` or `person`; reason: a person's own words."""

    date: datetime
    text: str
    by: str
    reason: SafeString = SafeString("")


def read_queue_note(reply: Reply, scorer: Scorer) -> str:
    """Why the reply waits for people, if it does."""
    item = (
        ReviewItem.objects.filter(reply=reply, scorer=scorer, is_calibration=False)
        .exclude(state=ReviewItem.State.DONE)
        .prefetch_related("reasons")
        .first()
    )
    if item is None:
        return ""
    return join_words(dict.fromkeys(map(_queue_reason, item.reasons.all())))


def _queue_reason(reason: ReviewReason) -> str:
    """The policy; of a low confidence what it rests on, which the page shows anyway."""
    if reason.policy == Policy.LOW_CONFIDENCE and knows_sentence(reason.detail):
        return say_sentence(reason.detail)
    return str(reason.get_policy_display())


def read_facts(reply: Reply, run: Run, scorer: Scorer) -> tuple[Fact, ...]:
    """The reply's receipt: what was measured, with what, at what cost."""
    judges = list(scorer.judges.all())
    facts = [
        Fact(_("Run"), str(run.uuid)[:8], reverse("run", args=[run.uuid])),
        Fact(_("Scorer"), f"{scorer} ({scorer.digest[:8]})", reverse("scorer", args=[scorer.digest])),
        *(Fact(_("Judge"), f"{judge.model} ({_('prompt')} {judge.prompt_sha256[:8]})") for judge in judges),
        Fact(_("Judge calls"), _("words, cost, time") if judges else "", reverse("reply-judging", args=[reply.uuid])),
        Fact(_("Prompt"), run.prompt_digest[:12]),
        Fact(_("Input tokens"), _count(reply.prompt_tokens)),
        Fact(_("Output tokens"), _count(reply.completion_tokens)),
        Fact(_("of which reasoning"), _count(reply.reasoning_tokens)),
        Fact(_("Cost"), _cost(reply, run), reverse("run-costs", args=[run.uuid])),
        Fact(_("Latency"), f"{reply.latency_ms / 1000:.1f}{chr(8239)}s" if reply.latency_ms is not None else ""),
        Fact(_("Finish reason"), say_finish(reply.finish_reason)),
        Fact(_("Tries"), str(reply.tries) if reply.tries > 1 else ""),
        Fact(_("Origin"), _("measured here") if run.provenance == Run.Provenance.MEASURED else _("uploaded")),
        Fact(_("Received"), f"{reply.created_at:%Y-%m-%d %H:%M}"),
    ]
    return tuple(fact for fact in facts if fact.value)


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _cost(reply: Reply, run: Run) -> str:
    """Of an uploaded reply without tokens nothing is said; a measured one without a price says so."""
    cost = cost_of_reply(reply, run)
    if cost is None:
        return _("no known price") if reply.completion_tokens is not None else ""
    return f"${cost:.6f}".rstrip("0").rstrip(".")


def read_history(reply: Reply, *, is_hidden: bool) -> tuple[Event, ...]:
    """Reply, judgments under every scorer, reviews and rulings in time order; blind ones once their item is decided.

    is_hidden: the reference is withheld, and with it the reasons of those who had it before their eyes.
    """
    events = [Event(reply.created_at, _("reply received"), "machine")]
    for judgment in Judgment.objects.filter(reply=reply).select_related("scorer").defer("details"):
        level = _("step-level") if judgment.level == Level.STEP else _("answer-level")
        points = f"{print_points(judgment.points)} / {print_points(judgment.max_points)}"
        text = _tell(str(judgment.scorer), f"{level} {points}")
        events.append(Event(judgment.created_at, text, "machine"))
    reviews = Review.objects.filter(judgment__reply=reply).select_related(
        "reviewer", "item", "criterion_score__criterion", "answer_score__answer"
    )
    for review in reviews:
        if review.item is None or (review.item.state == ReviewItem.State.DONE and not review.item.is_calibration):
            note = note_of(review)
            decision = join_words((_part_name(review), f"{note.decision} {note.points}"))
            reason = withheld() if is_hidden else render(note.reason)
            events.append(Event(review.created_at, _tell(note.reviewer, decision), "person", reason))
    rulings = Adjudication.objects.filter(item__reply=reply, item__is_calibration=False).select_related(
        "adjudicator", "criterion_score__criterion", "answer_score__answer"
    )
    for ruling in rulings:
        decision = join_words((_part_name(ruling), f"{_('adjudicated')} {print_points(ruling.points)}"))
        reason = withheld() if is_hidden else render(ruling.reason)
        events.append(Event(ruling.created_at, _tell(ruling.adjudicator.username, decision), "person", reason))
    return tuple(sorted(events, key=lambda event: event.date))


def _tell(who: str, decision: str) -> str:
    return _("%(who)s: %(what)s") % {"who": who, "what": decision}


def _part_name(decision: Review | Adjudication) -> str:
    if decision.criterion_score is not None:
        return _("criterion %(n)d") % {"n": decision.criterion_score.criterion.position + 1}
    assert decision.answer_score is not None  # a constraint of the table
    return _("answer %(n)d") % {"n": decision.answer_score.answer.position + 1}


def read_failures(reply: Reply, scorer: Scorer, *, has_words: bool) -> tuple[str, ...]:
    """What judges and our own code failed with, newest first; without words only the kinds, and how often each."""
    errors = list(JudgeError.objects.filter(reply=reply).order_by("-pk")[: MOST_FAILURES + 1])
    faults = list(reply.score_errors.filter(scorer=scorer).order_by("-pk")[:3])
    if has_words:
        lines = [
            f"{say_kind(error.kind)}: {say_sentence(error.message)}" for error in (*errors[:MOST_FAILURES], *faults)
        ]
    else:
        counts = Counter(error.kind for error in (*errors[:MOST_FAILURES], *faults))
        lines = [f"{say_kind(kind)} × {n}" if n > 1 else say_kind(kind) for kind, n in counts.items()]
    if len(errors) > MOST_FAILURES:
        lines.append(_("and more"))
    return tuple(lines)
