"""What maintainers see of vote hygiene: anomaly scores, the quarantine, every exclusion, and what leaks were found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import LeakCheck, Vote, VoteExclusion
from leaderboard.ballots import Scope, names_of
from leaderboard.ratings import read_report
from leaderboard.selectors.arena import Option
from leaderboard.selectors.arena_scope import pool_label
from leaderboard.selectors.problem_parts import render
from leaderboard.statistics.voters import Reason, VoterScore

POOLS = ("people", "reviewer", "signed-in", "anonymous")
MOST_VOTERS, MOST_EXCLUSIONS, MOST_LEAKS = 200, 300, 50
DASH = "–"


@dataclass(frozen=True, slots=True)
class VoterRow:
    """One voter under the short form of their key; n_out: votes that a decision has taken out already."""

    key: str
    short: str
    n_votes: int
    agreement: str
    left: str
    favourite: str
    fast: str
    p: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExclusionRow:
    """One decision about one voter's votes."""

    date: datetime
    voter: str
    key: str
    n: int
    is_excluded: bool
    reason: SafeString
    by: str


@dataclass(frozen=True, slots=True)
class LeakRow:
    model: str
    reply: str
    words: str
    is_left_out: bool


@dataclass(frozen=True, slots=True)
class VotersPage:
    """The maintainers' page."""

    pools: tuple[Option, ...]
    n_votes: int
    n_voters: int
    n_held: int
    n_held_voters: int
    rows: tuple[VoterRow, ...]
    exclusions: tuple[ExclusionRow, ...]
    leaks: tuple[LeakRow, ...]
    n_checked: int
    n_masked: int
    n_left_out: int


def read_voters(pool: str) -> VotersPage:
    pool = pool if pool in POOLS else "people"
    report = read_report(Scope(pool))
    names = {i: entrant.name for pk, entrant in names_of(report.entrants).items() for i in [report.entrants.index(pk)]}
    scores = sorted(
        report.scores, key=lambda score: (not score.is_quarantined, score.p_corrected, score.p, -score.n_votes)
    )
    found = LeakCheck.objects.filter(n_hits__gt=0)
    return VotersPage(
        pools=tuple(Option(name, pool_label(name), name == pool) for name in POOLS),
        n_votes=report.n_votes + report.n_held,
        n_voters=len(report.scores),
        n_held=report.n_held,
        n_held_voters=len(report.held),
        rows=tuple(_row(score, report.voters, names) for score in scores[:MOST_VOTERS]),
        exclusions=_exclusions(),
        leaks=tuple(
            _leak(check) for check in found.select_related("reply__run__entrant").order_by("-n_hits")[:MOST_LEAKS]
        ),
        n_checked=LeakCheck.objects.count(),
        n_masked=found.filter(is_left_out=False).count(),
        n_left_out=found.filter(is_left_out=True).count(),
    )


def _row(score: VoterScore, voters: tuple[str, ...], names: dict[int, str]) -> VoterRow:
    key = voters[score.voter]
    favourite = DASH
    if score.favourite is not None:
        favourite = _("%(model)s: %(wins)g of %(n)d, %(expected).1f expected") % {
            "model": names[score.favourite],
            "wins": score.favourite_wins,
            "n": score.favourite_battles,
            "expected": score.favourite_expected,
        }
    return VoterRow(
        key=key,
        short=shorten(key),
        n_votes=score.n_votes,
        agreement=f"{_percent(score.agreement)} / {_percent(score.expected_agreement)}",
        left=_percent(score.left_share),
        favourite=favourite,
        fast=_percent(score.fast_share),
        p="< 0.0001" if score.p_corrected < 1e-4 else f"{score.p_corrected:.4f}",
        reasons=tuple(_reason(reason) for reason in score.reasons),
    )


def _percent(share: float | None) -> str:
    return DASH if share is None else f"{100 * share:.0f}{chr(8239)}%"


def _reason(reason: Reason) -> str:
    return {
        Reason.FIELD: _("votes against the field"),
        Reason.SIDE: _("votes for one side"),
        Reason.ONE_MODEL: _("votes for one model"),
        Reason.SPEED: _("votes too fast to have read"),
    }[reason]


def shorten(key: str) -> str:
    """`cookie-3f9a2c`: enough to tell voters apart on a page."""
    kind, _dash, digest = key.partition("-")
    return f"{kind}-{digest[:8]}"


def _exclusions() -> tuple[ExclusionRow, ...]:
    """Newest first, one row for all votes of a voter that were decided together."""
    rows = VoteExclusion.objects.select_related("vote", "by").order_by("-pk")[: 20 * MOST_EXCLUSIONS]
    groups: dict[tuple[str, bool, str, int | None, str], list[VoteExclusion]] = {}
    for row in rows:
        key = (row.vote.voter, row.is_excluded, row.reason, row.by_id, f"{row.created_at:%Y-%m-%d %H:%M}")
        groups.setdefault(key, []).append(row)
    return tuple(
        ExclusionRow(
            date=group[0].created_at,
            voter=shorten(voter),
            key=voter,
            n=len(group),
            is_excluded=is_excluded,
            reason=render(reason),
            by=group[0].by.username if group[0].by else "",
        )
        for (voter, is_excluded, reason, _by, _date), group in list(groups.items())[:MOST_EXCLUSIONS]
    )


def _leak(check: LeakCheck) -> LeakRow:
    words = ", ".join(dict.fromkeys(check.words))
    return LeakRow(check.reply.run.entrant.name, str(check.reply.uuid), words, check.is_left_out)


def votes_of_voter(key: str) -> list[Vote]:
    return list(Vote.objects.filter(voter=key))
