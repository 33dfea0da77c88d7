"""Battles as people meet them: shown blind, voted once, revealed to who voted; and what does not count."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Battle, BattleServing, Run, User, Vote, VoteExclusion
from arena.services.audit import record_event
from arena.services.leaks import check_reply
from arena.services.pairing import Filters, Match, choose_side, find_match, measure_style
from arena.services.voters import Voter, check_serving_cap, check_vote_caps
from arena.signals import votes_changed

LEFT, RIGHT, TIE, BOTH_BAD = "left", "right", "tie", "both_bad"
CHOICES = (LEFT, RIGHT, TIE, BOTH_BAD)
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Cast:
    """A vote and whether this call made it; a second one gets the first's result."""

    vote: Vote
    is_new: bool


def serve_battle(voter: Voter, filters: Filters, *, after: UUID | None = None) -> BattleServing | None:
    """The battle this voter is to judge: the one left open, else a new one; None where nothing is left.

    after: a battle on screen; then the next one is served ahead and its clock does not start. Raises TooMany.
    """
    waiting = open_servings(voter, filters)
    serving = (waiting.exclude(battle__uuid=after) if after else waiting).first()
    if serving is None:
        check_serving_cap(voter)
        serving = _draw(voter, filters)
    if serving is not None and after is None and serving.shown_at is None:
        serving.shown_at = timezone.now()
        serving.save(update_fields=["shown_at"])
    return serving


def open_servings(voter: Voter, filters: Filters) -> QuerySet[BattleServing]:
    """Shown to this voter and neither judged nor skipped, while both replies still stand on a board."""
    voted = Vote.objects.filter(battle=OuterRef("battle"), voter=voter.key)
    servings = BattleServing.objects.filter(
        ~Exists(voted), voter=voter.key, skipped_at=None, battle__benchmark__is_public=True
    ).filter(_both_stand())
    for name, path in (("benchmark", "benchmark__slug"), ("field", "field__iexact"), ("language", "language")):
        if value := getattr(filters, name):
            servings = servings.filter(**{f"battle__{path}": value})
    return servings.select_related("battle").order_by("served_at", "pk")


def _both_stand() -> Q:
    """Of servings: neither reply nor its run is withdrawn."""
    boards = Run.objects.on_board().values("pk")
    return Q(
        battle__reply_a__run__in=boards,
        battle__reply_b__run__in=boards,
        battle__reply_a__withdrawals=None,
        battle__reply_b__withdrawals=None,
    )


def _draw(voter: Voter, filters: Filters) -> BattleServing | None:
    for attempt in range(_TRIES):
        had = BattleServing.objects.filter(voter__in=voter.keys).values_list("pairing", flat=True)
        taken = frozenset(had)
        seed = hashlib.sha256(f"arena:{voter.key}:{len(taken)}:{attempt}".encode()).hexdigest()
        rng = random.Random(seed)
        match = find_match(filters, rng, taken=taken, without_owner=voter.user_id, origin=Battle.Origin.PEOPLE)
        if match is None:
            return None
        try:
            with transaction.atomic():
                battle = get_battle(match, Battle.Origin.PEOPLE, seed)
                return BattleServing.objects.create(
                    battle=battle,
                    voter=voter.key,
                    pairing=match.pairing,
                    swapped=choose_side(battle.entrant_a_id, battle.entrant_b_id, rng),
                )
        except IntegrityError:  # another tab of this voter drew the same: draw again
            continue
    return None


def get_battle(match: Match, origin: str, seed: str) -> Battle:
    """The battle of these two replies, made where it is new."""
    a, b = match.reply_a, match.reply_b
    return Battle.objects.get_or_create(
        key=f"{origin}:{a.pk}:{b.pk}",
        defaults={
            "origin": origin,
            "entrant_a": a.run.entrant,
            "entrant_b": b.run.entrant,
            "reply_a": a,
            "reply_b": b,
            "benchmark": match.run.revision.benchmark,
            "problem": match.problem,
            "question": match.problem.external_id,
            "field": match.problem.field,
            "language": match.problem.language,
            "seed": seed,
            "style": {"a": measure_style(match.leaks_a.text), "b": measure_style(match.leaks_b.text)},
            "leaks_a": match.leaks_a.n_hits,
            "leaks_b": match.leaks_b.n_hits,
        },
    )[0]


def shown_texts(battle: Battle) -> tuple[str, str]:
    """Both replies as the battle shows them, names masked, a first."""
    problem = battle.problem
    return tuple(check_reply(reply, problem).text for reply in (battle.reply_a, battle.reply_b))  # type: ignore[return-value, arg-type]


def find_serving(voter: Voter, uuid: UUID) -> BattleServing:
    """What this voter was shown. Raises Refused for any other battle, so that nothing of it is told, and for one of
    which a reply was withdrawn since: it is shown no more, nor voted on.
    """
    shown = BattleServing.objects.filter(battle__uuid=uuid, voter=voter.key)
    serving = (
        shown.filter(_both_stand())
        .select_related(
            "battle__entrant_a",
            "battle__entrant_b",
            "battle__reply_a__run__entrant",
            "battle__reply_a__run__endpoint",
            "battle__reply_b__run__entrant",
            "battle__reply_b__run__endpoint",
            "battle__problem__subset",
            "battle__benchmark",
        )
        .first()
    )
    if serving is None and shown.exists():
        raise Refused("battle", _("a reply of this battle was withdrawn"))
    if serving is None:
        raise Refused("battle", _("this battle was not shown to you"))
    return serving


def find_vote(serving: BattleServing) -> Vote | None:
    return Vote.objects.filter(battle=serving.battle_id, voter=serving.voter).first()


def open_answer(voter: Voter, uuid: UUID) -> BattleServing:
    """Note that the reference answer was opened; the first time counts. Raises Refused."""
    serving = find_serving(voter, uuid)
    BattleServing.objects.filter(pk=serving.pk, answer_opened_at=None).update(answer_opened_at=timezone.now())
    serving.refresh_from_db(fields=["answer_opened_at"])
    return serving


def skip_battle(voter: Voter, uuid: UUID) -> None:
    """Put a battle away unjudged; it does not come back and its names stay hidden. Raises Refused."""
    serving = find_serving(voter, uuid)
    BattleServing.objects.filter(pk=serving.pk, skipped_at=None).update(skipped_at=timezone.now())


def cast_vote(voter: Voter, uuid: UUID, choice: str) -> Cast:
    """One vote. A double click, replay or race gets the first one's result. Raises Refused, TooMany."""
    serving = find_serving(voter, uuid)
    if choice not in CHOICES:
        raise Refused(
            "choice", _("%(choice)r is none of %(known)s") % {"choice": choice[:40], "known": ", ".join(CHOICES)}
        )
    first = find_vote(serving)
    if first is not None:
        return Cast(first, False)
    if serving.skipped_at is not None:
        raise Refused("battle", _("you have skipped this battle"))
    check_vote_caps(voter)
    try:
        with transaction.atomic():
            vote = Vote.objects.create(
                battle=serving.battle,
                voter=voter.key,
                pool=voter.pool,
                outcome=_outcome(choice, serving.swapped),
                swapped=serving.swapped,
                seconds=_seconds(serving),
                answer_opened=serving.answer_opened_at is not None,
                address=voter.address,
            )
            BattleServing.objects.filter(pk=serving.pk, revealed_at=None).update(revealed_at=timezone.now())
    except IntegrityError:  # another request of this voter came first
        return Cast(Vote.objects.get(battle=serving.battle_id, voter=voter.key), False)
    votes_changed.send(sender=Vote, pools=[voter.pool])
    return Cast(vote, True)


def _outcome(choice: str, swapped: bool) -> str:
    if choice in (TIE, BOTH_BAD):
        return choice
    return "a" if (choice == LEFT) != swapped else "b"


def _seconds(serving: BattleServing) -> float:
    """From the moment it can have been on screen: it was shown, and the battle before it was judged."""
    before = (
        Vote.objects.filter(voter=serving.voter).order_by("-created_at").values_list("created_at", flat=True).first()
    )
    start = serving.shown_at or serving.served_at
    return round((timezone.now() - (max(start, before) if before else start)).total_seconds(), 2)


def exclude_votes(votes: Iterable[Vote], reason: str, by: User | None) -> int:
    """Take votes out of the ratings, each with the reason; returns how many were in."""
    return _decide(votes, reason, by, is_excluded=True)


def restore_votes(votes: Iterable[Vote], reason: str, by: User | None) -> int:
    """Take excluded votes back in; returns how many were out."""
    return _decide(votes, reason, by, is_excluded=False)


def _decide(votes: Iterable[Vote], reason: str, by: User | None, *, is_excluded: bool) -> int:
    reason = reason.strip()[:300]
    if not reason:
        raise Refused("reason", _("say why"))
    chosen = list(votes)
    out = excluded_ids()
    changed = [vote for vote in chosen if (vote.pk in out) != is_excluded]
    with transaction.atomic():
        VoteExclusion.objects.bulk_create(
            VoteExclusion(vote=vote, is_excluded=is_excluded, reason=reason, by=by) for vote in changed
        )
        for voter in sorted({vote.voter for vote in changed}):
            act = "exclude-votes" if is_excluded else "restore-votes"
            n = sum(vote.voter == voter for vote in changed)
            record_event(by, act, f"voter:{voter}", {}, {"reason": reason, "votes": n})
    if changed:
        votes_changed.send(sender=VoteExclusion, pools=sorted({vote.pool for vote in changed}))
    return len(changed)


def excluded_ids() -> set[int]:
    """Votes whose newest decision takes them out."""
    state = dict(VoteExclusion.objects.order_by("pk").values_list("vote_id", "is_excluded"))
    return {pk for pk, is_excluded in state.items() if is_excluded}
