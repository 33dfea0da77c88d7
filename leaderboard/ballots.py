"""Votes from the records as arrays: which of them count in one scope, and battles re-expressed from scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Q, QuerySet
from numpy.typing import NDArray

from arena.models import PEOPLE, Battle, Benchmark, Entrant, Pool, Problem, Run, Vote, VoteExclusion
from arena.services.pairing import Filters, candidate_runs
from leaderboard.models import RunVectors
from leaderboard.statistics.votes import Votes, battles_from_scores, build_votes
from leaderboard.vectors import unpack

PEOPLE_POOL, SCORES_POOL = "people", "scores"
POOLS: dict[str, tuple[str, ...]] = {
    PEOPLE_POOL: PEOPLE,
    Pool.REVIEWER: (Pool.REVIEWER,),
    Pool.SIGNED_IN: (Pool.SIGNED_IN,),
    Pool.ANONYMOUS: (Pool.ANONYMOUS,),
    Pool.JUDGE: (Pool.JUDGE,),
    SCORES_POOL: (),
    Pool.IMPORTED_PEOPLE: (Pool.IMPORTED_PEOPLE,),
    Pool.IMPORTED_JUDGE: (Pool.IMPORTED_JUDGE,),
}
BY_PROBLEM = frozenset({Pool.JUDGE.value, Pool.IMPORTED_JUDGE.value, SCORES_POOL})
READ_AT_A_GLANCE = 500  # characters of both replies
STYLES = ("length", "formulas", "lists")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which votes a table is about; empty is all of the pool."""

    pool: str = PEOPLE_POOL
    benchmark: str = ""
    field: str = ""
    language: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Ballots:
    """Counted votes of a scope. entrants (m,): primary keys in the votes' model order.

    voters (U,): keys in unit order, where people are the unit. seconds (V,), NaN unknown. styles (V, 3): left minus
    right over their sum, NaN where the texts are not here.
    """

    entrants: tuple[int, ...]
    votes: Votes
    voters: tuple[str, ...]
    seconds: Floats
    styles: Floats
    n_excluded: int


def votes_of(scope: Scope) -> QuerySet[Vote]:
    """All votes of a scope, excluded ones too, whose replies still stand on a public board or came by import."""
    boards = Run.objects.on_board().values("pk")
    own = Q(battle__reply_a__run__in=boards, battle__reply_b__run__in=boards, battle__benchmark__is_public=True)
    votes = Vote.objects.filter(pool__in=POOLS[scope.pool]).filter(own | Q(battle__origin=Battle.Origin.IMPORTED))
    if scope.benchmark:
        votes = votes.filter(battle__benchmark__slug=scope.benchmark)
    for name in ("field", "language", "source"):
        if value := getattr(scope, name):
            votes = votes.filter(**{f"battle__{name}__iexact": value})  # data sets differ in the case of a field
    return votes


def excluded_votes() -> dict[int, str]:
    """Vote -> reason, of votes whose newest decision takes them out."""
    newest = {
        vote: (is_excluded, reason)
        for vote, is_excluded, reason in VoteExclusion.objects.order_by("pk").values_list(
            "vote_id", "is_excluded", "reason"
        )
    }
    return {vote: reason for vote, (is_excluded, reason) in newest.items() if is_excluded}


def read_ballots(scope: Scope) -> Ballots:
    """The counted votes of a scope as arrays, in order of arrival."""
    if scope.pool == SCORES_POOL:
        return _from_scores(scope)
    out = excluded_votes()
    rows = list(
        votes_of(scope)
        .order_by("pk")
        .values_list(
            "pk", "battle__entrant_a", "battle__entrant_b", "outcome", "swapped", "voter", "battle__source",
            "battle__question", "seconds", "battle__style",
        )
    )  # fmt: skip
    kept = [row for row in rows if row[0] not in out]
    by_problem = scope.pool in BY_PROBLEM
    labels = [f"{row[6]}:{row[7]}" if by_problem else row[5] for row in kept]
    units = list(dict.fromkeys(labels))  # codes in order of first appearance, as Votes counts them
    entrants = tuple(sorted({row[1] for row in kept} | {row[2] for row in kept}))
    place = {pk: index for index, pk in enumerate(entrants)}
    swapped = np.array([row[4] for row in kept], dtype=np.bool_)
    a, b = (np.array([place[row[side]] for row in kept], dtype=np.int64) for side in (1, 2))
    won = np.array([{"a": 1.0, "b": 0.0}.get(row[3], 0.5) for row in kept], dtype=np.float64)
    return Ballots(
        entrants=entrants,
        votes=build_votes(
            np.where(swapped, b, a),
            np.where(swapped, a, b),
            np.where(swapped, 1 - won, won),
            labels,
            n_models=len(entrants),
        ),
        voters=() if by_problem else tuple(units),
        seconds=np.array([_reading_time(row[8], row[9]) for row in kept], dtype=np.float64),
        styles=_styles([row[9] for row in kept], swapped),
        n_excluded=len(rows) - len(kept),
    )


def _reading_time(seconds: float | None, style: dict[str, list[int]]) -> float:
    """Seconds, NaN where unknown or where both replies together are so short that a glance is reading."""
    is_short = bool(style) and style["a"][0] + style["b"][0] < READ_AT_A_GLANCE
    return np.nan if seconds is None or is_short else seconds


def _styles(rows: Sequence[dict[str, list[int]]], swapped: NDArray[np.bool_]) -> Floats:
    blank = [np.nan] * len(STYLES)
    a, b = (
        np.array([row.get(side, blank) for row in rows], dtype=np.float64).reshape(-1, len(STYLES)) for side in "ab"
    )
    total = a + b
    gap = np.divide(a - b, total, out=np.where(np.isnan(total), np.nan, 0.0), where=total > 0)
    return np.where(swapped[:, None], -gap, gap)


def _from_scores(scope: Scope) -> Ballots:
    """Who earned more points on the same problem: every pair of models on every problem both were scored on."""
    parts: list[tuple[tuple[int, ...], Votes]] = []
    runs = candidate_runs(Filters(benchmark=scope.benchmark))
    for revision, split in sorted({(run.revision_id, run.split) for run in runs}):
        here = [run for run in runs if (run.revision_id, run.split) == (revision, split)]
        parts.append(_score_battles(here, scope))
    entrants = tuple(sorted({pk for models, _ in parts for pk in models}))
    place = {pk: index for index, pk in enumerate(entrants)}
    first, second, outcome, unit, n_units = [], [], [], [], 0
    for models, votes in parts:
        to = np.array([place[pk] for pk in models], dtype=np.int64)
        first.append(to[votes.first] if votes.first.size else votes.first)
        second.append(to[votes.second] if votes.second.size else votes.second)
        outcome.append(votes.outcome)
        unit.append(votes.unit + n_units)
        n_units += int(votes.unit.max(initial=-1)) + 1
    empty = np.empty(0, dtype=np.int64)
    votes = build_votes(
        np.concatenate([empty, *first]),
        np.concatenate([empty, *second]),
        np.concatenate([np.empty(0), *outcome]),
        np.concatenate([empty, *unit]),
        n_models=len(entrants),
    )
    nothing = np.full(votes.first.size, np.nan)
    return Ballots(entrants, votes, (), nothing, np.full((votes.first.size, len(STYLES)), np.nan), 0)


def _score_battles(runs: Sequence[Run], scope: Scope) -> tuple[tuple[int, ...], Votes]:
    """Battles of the runs of one board, by the board's scorer and with reviews where a run has them."""
    chosen: dict[int, tuple[tuple[bool, bool], RunVectors]] = {}
    for row in RunVectors.objects.filter(run__in=runs).select_related("run__revision__benchmark"):
        fit = (row.scorer_id == row.run.revision.benchmark.scorer_id, row.basis == "effective")
        if row.run.entrant_id not in chosen or fit > chosen[row.run.entrant_id][0]:
            chosen[row.run.entrant_id] = (fit, row)
    vectors = {pk: unpack(row.data) for pk, (_, row) in chosen.items()}
    kept = {pk: (found.problem_ids, found.points) for pk, found in vectors.items()}
    problems = Problem.objects.filter(pk__in={int(pk) for ids, _ in kept.values() for pk in ids})
    for name in ("field", "language"):
        if value := getattr(scope, name):
            problems = problems.filter(**{f"{name}__iexact": value})
    clusters = {
        pk: cluster or external for pk, cluster, external in problems.values_list("pk", "cluster", "external_id")
    }
    columns = {pk: index for index, pk in enumerate(sorted(clusters))}
    scores = np.full((len(kept), len(columns)), np.nan)
    for line, (ids, points) in enumerate(kept.values()):
        means = np.where(np.isnan(points).any(axis=1), np.nan, points.sum(axis=1) / max(points.shape[1], 1))
        for pk, mean in zip(ids.tolist(), means, strict=True):
            if pk in columns:
                scores[line, columns[pk]] = mean
    return tuple(kept), battles_from_scores(scores, [clusters[pk] for pk in columns])


def names_of(entrants: Sequence[int]) -> dict[int, Entrant]:
    return Entrant.objects.in_bulk(list(entrants))


def public_benchmarks() -> list[Benchmark]:
    return list(Benchmark.objects.filter(is_public=True))
