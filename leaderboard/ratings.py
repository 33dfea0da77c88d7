"""Rating tables of the arena: with and without quarantined voters, with style held equal, and kept for the API.

People's votes are resampled by voter; a judge is one voter, so its tables resample problems. Nothing is pooled over
these kinds: people, judges and scores are three tables that stand side by side.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Max

from arena.models import PEOPLE, Benchmark, Run, Vote, VoteExclusion, Withdrawal
from leaderboard.ballots import (
    BY_PROBLEM,
    POOLS,
    SCORES_POOL,
    STYLES,
    Ballots,
    Scope,
    excluded_votes,
    read_ballots,
    votes_of,
)
from leaderboard.models import Rating, RunVectors
from leaderboard.statistics.ratings import RatingTable, Ties, rate
from leaderboard.statistics.style import StyleTable, rate_with_style
from leaderboard.statistics.voters import VoterScore, keep_votes, score_voters
from leaderboard.statistics.votes import Votes, WinMatrix, count_wins

_KEPT_S = 600


@dataclass(frozen=True, slots=True)
class RatingReport:
    """A scope's ratings. entrants (m,): primary keys in model order.

    table: without quarantined voters; with_all: with them, the same object where there are none. excluded: reason ->
    votes taken out by a decision. voters, scores: anomaly scores in unit order, of people alone.
    """

    scope: Scope
    entrants: tuple[int, ...]
    table: RatingTable
    with_all: RatingTable
    wins: WinMatrix
    wins_with_all: WinMatrix
    n_votes: int
    n_held: int
    excluded: tuple[tuple[str, int], ...]
    voters: tuple[str, ...]
    scores: tuple[VoterScore, ...]

    @property
    def held(self) -> tuple[VoterScore, ...]:
        return tuple(score for score in self.scores if score.is_quarantined)


# A report kept by another version of this class must not be read back.
_SHAPE = hashlib.sha256(",".join(field.name for field in fields(RatingReport)).encode()).hexdigest()[:8]


def read_report(scope: Scope) -> RatingReport:
    """The report of a scope, made anew when a vote, an exclusion or a score has changed."""
    key = f"arena:report:{_SHAPE}:{hash_scope(scope)}:{_stamp(scope)}"
    report = cache.get(key)
    if report is None:
        report = make_report(scope)
        cache.set(key, report, _KEPT_S)
    return report  # type: ignore[no-any-return]


def hash_scope(scope: Scope) -> str:
    parts = (scope.pool, scope.benchmark, scope.field, scope.language, scope.source)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _stamp(scope: Scope) -> str:
    """What a report of the scope is a function of, as far as one needs to look to see that it changed."""
    tables = [RunVectors] if scope.pool == SCORES_POOL else [Vote, VoteExclusion]
    newest = [table.objects.aggregate(n=Max("pk"))["n"] or 0 for table in [*tables, Withdrawal]]
    boards = Run.objects.on_board().aggregate(n=Count("pk"), last=Max("published_at"))
    public = Benchmark.objects.filter(is_public=True).order_by("pk").values_list("pk", flat=True)
    return hashlib.sha256(repr((newest, boards["n"], boards["last"], list(public))).encode()).hexdigest()[:16]


def make_report(scope: Scope) -> RatingReport:
    ballots = read_ballots(scope)
    scores = _score_voters(scope, ballots)
    keep = keep_votes(ballots.votes, scores) if scores else np.ones(ballots.votes.first.size, dtype=np.bool_)
    kept = ballots.votes.select(keep)
    table = _rate(scope, kept)
    return RatingReport(
        scope=scope,
        entrants=ballots.entrants,
        table=table,
        with_all=table if keep.all() else _rate(scope, ballots.votes),
        wins=count_wins(kept),
        wins_with_all=count_wins(ballots.votes),
        n_votes=int(kept.first.size),
        n_held=int((~keep).sum()),
        excluded=_count_exclusions(scope) if ballots.n_excluded else (),
        voters=ballots.voters,
        scores=scores,
    )


def _score_voters(scope: Scope, ballots: Ballots) -> tuple[VoterScore, ...]:
    is_people = set(POOLS[scope.pool]) <= set(PEOPLE) and POOLS[scope.pool]
    if not is_people or not ballots.votes.first.size:
        return ()
    return score_voters(ballots.votes, ballots.seconds)


def _rate(scope: Scope, votes: Votes) -> RatingTable:
    ties = Ties.DAVIDSON if scope.pool == SCORES_POOL else Ties.HALF
    return rate(votes, ties=ties, unit_noun="problems" if scope.pool in BY_PROBLEM else "voters")


def _count_exclusions(scope: Scope) -> tuple[tuple[str, int], ...]:
    reasons = excluded_votes()
    here = votes_of(scope).filter(pk__in=reasons).values_list("pk", flat=True)
    return tuple(sorted(Counter(reasons[pk] for pk in here).items()))


@dataclass(frozen=True, slots=True)
class StyleReport:
    """Style-controlled ratings of the models that have votes with texts; entrants (m,) in model order.

    dropped: differences that never vary and so have no coefficient.
    """

    entrants: tuple[int, ...]
    table: StyleTable
    n_votes: int
    dropped: tuple[str, ...]


def read_style(scope: Scope, report: RatingReport) -> StyleReport | None:
    """Ratings with length, formulas and lists held equal; None where no style is known or none varies."""
    ballots = read_ballots(scope)
    keep = keep_votes(ballots.votes, report.scores) if report.scores else np.ones(ballots.votes.first.size, np.bool_)
    keep &= ~np.isnan(ballots.styles).any(axis=1)
    votes, styles = ballots.votes.select(keep), ballots.styles[keep]
    used = {name: styles[:, k] for k, name in enumerate(STYLES) if styles.size and np.std(styles[:, k]) > 0}
    if not used:
        return None
    active = np.unique(np.concatenate([votes.first, votes.second]))
    place = np.zeros(votes.n_models, dtype=np.int64)
    place[active] = np.arange(active.size)
    among = Votes(place[votes.first], place[votes.second], votes.outcome, votes.unit, int(active.size))
    table = rate_with_style(among, used, unit_noun="problems" if scope.pool in BY_PROBLEM else "voters")
    dropped = tuple(name for name in STYLES if name not in used)
    return StyleReport(tuple(ballots.entrants[i] for i in active), table, int(votes.first.size), dropped)


def rebuild_ratings(pools: Iterable[str] = ()) -> int:
    """Rebuild the stored ratings of some pools (all by default), over everything and per benchmark; returns rows."""
    touched = set(pools) or set(POOLS)
    names = [name for name, members in POOLS.items() if name in touched or touched & set(members)]
    rows = [row for name in names for scope in _stored_scopes(name) for row in _rows(make_report(scope))]
    with transaction.atomic():
        Rating.objects.filter(pool__in=names).delete()
        Rating.objects.bulk_create(rows)
    return len(rows)


def _stored_scopes(pool: str) -> list[Scope]:
    if pool == SCORES_POOL:
        slugs = list(Benchmark.objects.filter(is_public=True).values_list("slug", flat=True))
    else:
        slugs = list(votes_of(Scope(pool)).values_list("battle__benchmark__slug", flat=True).order_by().distinct())
    return [Scope(pool), *(Scope(pool, benchmark=slug) for slug in sorted(filter(None, slugs)))]


def _rows(report: RatingReport) -> list[Rating]:
    return [
        Rating(
            pool=report.scope.pool,
            benchmark=report.scope.benchmark,
            entrant_id=report.entrants[rating.model],
            rating=rating.rating,
            low=rating.low,
            high=rating.high,
            rank=rating.rank,
            rank_upper=rating.rank_upper,
            n_votes=rating.n_votes,
            wins=rating.wins,
            losses=rating.losses,
            ties=rating.ties,
            is_preliminary=rating.is_preliminary,
            note=rating.note,
        )
        for rating in report.table.ratings
        if rating.n_votes
    ]
