"""Battles between two models as arrays, and what must be checked before ratings are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from leaderboard.statistics.intervals import average_repeats
from leaderboard.statistics.resampling import BoolArray, FloatArray, IntArray, Labels, index_clusters

PRELIMINARY_BELOW = 30  # votes a model
_SAME_POINTS = 1e-9


@dataclass(frozen=True, slots=True)
class Votes:
    """V votes. `first`, `second` (V,): model positions 0..n_models-1, `first` being the side shown left.

    `outcome` (V,): 1 first won, 0 second won, 0.5 tie (both bad included). `unit` (V,): code of what varies
    independently and is resampled: the voter; for battles derived from scores, the parent problem.
    """

    first: IntArray
    second: IntArray
    outcome: FloatArray
    unit: IntArray
    n_models: int

    @property
    def n_units(self) -> int:
        return int(np.unique(self.unit).size)

    def select(self, keep: BoolArray) -> Votes:
        """The votes where `keep` (V,) is True; unit codes stay as they are."""
        return Votes(self.first[keep], self.second[keep], self.outcome[keep], self.unit[keep], self.n_models)


@dataclass(frozen=True, slots=True)
class WinMatrix:
    """`wins` (m, m): row over column, ties half a win to each; `battles` (m, m): how often they met."""

    wins: FloatArray
    battles: IntArray


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """Whether Bradley-Terry ratings exist at all. Every list holds model positions.

    `components`: groups within which each model is reached from each other by wins or ties; more than one means that
    some ratings have no finite value against the rest.
    """

    components: tuple[tuple[int, ...], ...]
    all_win: tuple[int, ...]
    all_loss: tuple[int, ...]
    preliminary: tuple[int, ...]
    without_votes: tuple[int, ...]

    @property
    def is_connected(self) -> bool:
        return len(self.components) <= 1


def build_votes(
    first: Sequence[int] | IntArray,
    second: Sequence[int] | IntArray,
    outcome: Sequence[float] | FloatArray,
    units: Labels | None = None,
    *,
    n_models: int | None = None,
) -> Votes:
    """Checked Votes; without `units` each vote is its own. Raises ValueError naming the first bad vote."""
    a, b = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    y = np.asarray(outcome, dtype=np.float64)
    if not a.shape == b.shape == y.shape or a.ndim != 1:
        raise ValueError(f"votes: first {a.shape}, second {b.shape} and outcome {y.shape} must be of one length")
    size = n_models if n_models is not None else int(max(a.max(initial=-1), b.max(initial=-1))) + 1
    _refuse("model position", (a < 0) | (b < 0) | (a >= size) | (b >= size))
    _refuse("a model against itself", a == b)
    _refuse("outcome other than 0, 0.5, 1", (y != 0) & (y != 0.5) & (y != 1))
    return Votes(a, b, y, index_clusters(units, a.size), size)


def _refuse(what: str, is_bad: BoolArray) -> None:
    if is_bad.any():
        raise ValueError(f"vote {int(np.argmax(is_bad))}: {what}")


def count_wins(votes: Votes) -> WinMatrix:
    """Wins (ties half) and battles of every ordered pair."""
    shape = (votes.n_models, votes.n_models)
    wins, battles = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    np.add.at(wins, (votes.first, votes.second), votes.outcome)
    np.add.at(wins, (votes.second, votes.first), 1 - votes.outcome)
    np.add.at(battles, (votes.first, votes.second), 1)
    return WinMatrix(wins, battles + battles.T)


def check_field(votes: Votes, *, by_wins: bool = False) -> FieldCheck:
    """Connectivity, models that only win or only lose, and models with too few votes.

    `by_wins`: ties do not connect. Davidson's model needs that: it can explain any tie by a large tie parameter.
    """
    matrix = count_wins(votes)
    edges = count_wins(votes.select(votes.outcome != 0.5)).wins if by_wins else matrix.wins
    n_votes = matrix.battles.sum(axis=1)
    total = matrix.wins.sum(axis=1)
    active = np.flatnonzero(n_votes > 0)
    _, label = csgraph.connected_components(sparse.csr_array(edges > 0), directed=True, connection="strong")
    groups = {int(code): tuple(int(i) for i in active if label[i] == code) for code in label[active]}
    return FieldCheck(
        components=tuple(groups.values()),
        all_win=tuple(int(i) for i in active if total[i] == n_votes[i]),
        all_loss=tuple(int(i) for i in active if total[i] == 0),
        preliminary=tuple(int(i) for i in active if n_votes[i] < PRELIMINARY_BELOW),
        without_votes=tuple(int(i) for i in np.flatnonzero(n_votes == 0)),
    )


def battles_from_scores(scores: FloatArray, clusters: Labels | None = None) -> Votes:
    """A battle of every two models on every problem both were scored on; equal points are a tie.

    `scores` (m, n) or (m, n, repeats), `clusters` one parent problem a problem: the unit to resample. These re-express
    the board, are rated with Davidson ties, labelled "from scores" and never pooled with votes.
    """
    array = np.asarray(scores, dtype=np.float64)
    values = average_repeats(array) if array.ndim == 3 else array
    codes = index_clusters(clusters, values.shape[1])
    first, second, outcome, unit = [], [], [], []
    for i, j in zip(*np.triu_indices(values.shape[0], 1), strict=True):
        gap = values[i] - values[j]
        shared = np.flatnonzero(~np.isnan(gap))
        first.append(np.full(shared.size, i, dtype=np.int64))
        second.append(np.full(shared.size, j, dtype=np.int64))
        outcome.append(np.where(np.abs(gap[shared]) <= _SAME_POINTS, 0.5, (gap[shared] > 0) + 0.0))
        unit.append(codes[shared])
    if not first:
        empty = np.empty(0, dtype=np.int64)
        return Votes(empty, empty, np.empty(0), empty, values.shape[0])
    return Votes(
        np.concatenate(first), np.concatenate(second), np.concatenate(outcome), np.concatenate(unit), values.shape[0]
    )
