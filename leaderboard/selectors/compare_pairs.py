"""Paired differences of models, tested and corrected as the board does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from scipy import stats

from leaderboard.board_entries import Entry
from leaderboard.models import Standing
from leaderboard.problem_index import ProblemIndex
from leaderboard.scores import OVERALL_ONLY, Sheet, compare_sheets, values_of
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.fields import column_title
from leaderboard.selectors.formats import print_signed
from leaderboard.statistics.comparisons import Comparison, PairMatrix, Test, compare_slices
from leaderboard.statistics.intervals import average_repeats
from leaderboard.statistics.resampling import LEVEL

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Pair:
    """First minus second, ready to print. n_first_better, n_second_better: problems where one has more."""

    first: str
    second: str
    difference: str
    interval: str
    p: str
    p_holm: str
    verdict: str
    n_shared: int
    n_first_better: int
    n_second_better: int


@dataclass(frozen=True, slots=True)
class Sitters:
    """All entries of a board with their names and sheets, and the places of those that are compared."""

    entries: Sequence[Entry]
    names: Sequence[str]
    sheets: Sequence[Sheet]
    chosen: Sequence[int]


@dataclass(frozen=True, slots=True)
class Family:
    """Entries whose pairs are corrected together. places: of the sitters' in the matrix."""

    matrix: PairMatrix
    places: Mapping[int, int]

    def holds(self, *sitters: int) -> bool:
        return all(i in self.places for i in sitters)


def find_families(sitters: Sitters, standings: Mapping[tuple[int, int], Standing], metric: str) -> list[Family]:
    """First the ranked models, whose pairs cut the board's tiers; then these with the chosen ones that are not."""
    there = enumerate(sitters.entries)
    ranked = [i for i, entry in there if (row := standings.get(entry.key)) is not None and row.is_ranked]
    found: list[Family] = []
    for members in (ranked, sorted({*ranked, *sitters.chosen})):
        if len(members) >= 2 and not (found and found[0].holds(*members)):
            matrix = compare_sheets(metric, [sitters.sheets[i] for i in members])
            found.append(Family(matrix, {i: at for at, i in enumerate(members)}))
    return found


def list_pairs(families: Sequence[Family], sitters: Sitters, metric: str) -> tuple[Pair, ...]:
    """Each pair from the first family that holds it."""
    found = []
    for i, j in combinations(sitters.chosen, 2):
        family = next(family for family in families if family.holds(i, j))
        found.append(_pair(family, sitters, metric, i, j))
    return tuple(found)


def _pair(family: Family, sitters: Sitters, metric: str, first: int, second: int) -> Pair:
    matrix, i, j = family.matrix, family.places[first], family.places[second]
    factor = float(matrix.n_shared[i, j]) if metric == "exam_score" else 1.0
    difference, se = factor * float(matrix.difference[i, j]), factor * float(matrix.se[i, j])
    p, p_holm = float(matrix.p[i, j]), float(matrix.p_holm[i, j])
    values, others = (_per_problem(sitters.sheets[at], metric) for at in (first, second))
    return Pair(
        sitters.names[first],
        sitters.names[second],
        print_signed(metric, difference),
        _print_interval(metric, difference, se, int(matrix.n_clusters[i, j]) - 1),
        print_p(p),
        print_p(p_holm),
        _verdict(p_holm, difference),
        int(matrix.n_shared[i, j]),
        int((values > others).sum()),
        int((values < others).sum()),
    )


def _print_interval(metric: str, difference: float, se: float, df: int) -> str:
    if df <= 0 or not se > ROUNDING:  # equal differences tell nothing of how far others lie
        return "–"
    half = float(stats.t.ppf(0.5 + LEVEL / 2, df)) * se
    return f"{print_signed(metric, difference - half)} … {print_signed(metric, difference + half)}"


def _per_problem(sheet: Sheet, metric: str) -> np.ndarray:
    return average_repeats(values_of("accuracy" if metric in OVERALL_ONLY else metric, sheet))


def print_p(p: float | None) -> str:
    if p is None or np.isnan(p):
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _verdict(p_holm: float, difference: float) -> str:
    if np.isnan(p_holm):
        return _("cannot be tested")
    if p_holm >= 1 - LEVEL:
        return _("not distinguishable")
    return _("first is better") if difference > 0 else _("second is better")


def slice_metric(metric: str) -> str:
    """What subsets are compared by: a mean over problems, and for exams the share of the points."""
    return metric if metric in ("eed", "string_match") else "accuracy"


def tabulate_slices(
    facts: Mapping[str, Any], two: Sequence[Sheet], index: ProblemIndex, metric: str, test: Test
) -> Table | None:
    """The same pair by subset, p corrected by Benjamini-Hochberg."""
    plain = slice_metric(metric)
    first, second = (values_of(plain, sheet) for sheet in two)
    is_shared = ~np.isnan(first).all(axis=1) & ~np.isnan(second).all(axis=1)
    usable = {name: rows for name, rows in index.by_subset.items() if np.sum(is_shared[rows]) > 1}
    if len(index.by_subset) < 2 or not usable:
        return None
    kind = test if test in (Test.MCNEMAR, Test.PAIRED_T) and first.shape[1] == second.shape[1] == 1 else Test.PAIRED_T
    found = compare_slices(first, second, usable, index.clusters, test=kind)
    titles = {column["slug"]: column_title(column) for column in facts["columns"]}
    head = (_("Subset"), _("Difference"), _("interval (95 %)"), "p", _("p, corrected (BH)"), "n")
    return Table(head, tuple((titles[name], *_print_slice(plain, pair)) for name, pair in found.items()))


def _print_slice(metric: str, pair: Comparison) -> tuple[str, ...]:
    has_interval = pair.low is not None and pair.high is not None
    ends = f"{print_signed(metric, pair.low)} … {print_signed(metric, pair.high)}" if has_interval else "–"  # type: ignore[arg-type]
    return (
        print_signed(metric, pair.difference), ends, print_p(pair.p), print_p(pair.p_corrected), str(pair.n_shared)
    )  # fmt: skip
