"""Who solves what: how far models agree, and the problems that one of them solves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from urllib.parse import quote

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.board_entries import Entry
from leaderboard.problem_index import ProblemIndex
from leaderboard.scores import Sheet, mark_solved, values_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.formats import print_metric
from leaderboard.statistics.intervals import average_repeats
from leaderboard.vectors import Floats

MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class SolvedAlone:
    """A problem with the replies of all models compared, each as (name, address), and all of them on one page."""

    external_id: str
    url: str
    replies: tuple[tuple[str, str], ...]
    side_url: str


@dataclass(frozen=True, slots=True)
class Alone:
    """One model and the problems that none of the others solves; n: how many, of which the first are listed."""

    name: str
    n: int
    problems: tuple[SolvedAlone, ...]


def find_solved(sheet: Sheet) -> Floats:
    """(n,) 1 solved, 0 not, NaN where not scored."""
    return mark_solved(average_repeats(values_of("accuracy", sheet)))


def tabulate_agreement(names: Sequence[str], solved: Sequence[Floats]) -> Table:
    """Each pair: on how many of the problems scored for both they agree, Cohen's kappa, and the four counts."""
    head = (
        _("Pair"), _("Agreement"), _("Cohen's kappa"), _("Both solve"), _("First alone"), _("Second alone"),
        _("Neither"), "n",
    )  # fmt: skip
    pairs = combinations(zip(names, solved, strict=True), 2)
    return Table(head, tuple((f"{a} · {b}", *_agree(first, second)) for (a, first), (b, second) in pairs))


def _agree(first: Floats, second: Floats) -> tuple[str, ...]:
    both = ~np.isnan(first) & ~np.isnan(second)
    a, b, n = first[both] == 1, second[both] == 1, int(both.sum())
    counts = tuple(str(int(np.sum(cell))) for cell in (a & b, a & ~b, ~a & b, ~a & ~b))
    if not n:
        return ("–", "–", *counts, "0")
    agreed = float((a == b).mean())
    by_chance = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
    kappa = "–" if by_chance == 1 else f"{(agreed - by_chance) / (1 - by_chance):.2f}".replace("-", "−")
    return (print_metric("accuracy", agreed), kappa, *counts, str(n))


def list_alone(
    place: Place, index: ProblemIndex, entries: Sequence[Entry], names: Sequence[str], solved: Sequence[Floats]
) -> tuple[Alone, ...]:
    """Problems scored for all of the models."""
    found = []
    for i, name in enumerate(names):
        alone = np.all([own == (1 if j == i else 0) for j, own in enumerate(solved)], axis=0)
        rows = np.flatnonzero(alone)
        listed = tuple(_link(place, index.external_ids[at], entries, names) for at in rows[:MOST_LISTED])
        found.append(Alone(name, int(rows.size), listed))
    return tuple(found)


def _link(place: Place, external_id: str, entries: Sequence[Entry], names: Sequence[str]) -> SolvedAlone:
    base, quoted = f"/b/{place.benchmark.slug}/", quote(external_id, safe="")
    shorts = [str(entry.run.uuid)[:8] for entry in entries]
    replies = tuple((name, f"{base}grid/{short}/{quoted}/{place.query}") for name, short in zip(names, shorts))
    chosen = "&".join(f"{key}={short}" for key, short in zip("abcdef", shorts))
    within = place.query.replace("?", "&")
    return SolvedAlone(
        external_id, f"{base}problems/{quoted}/{place.query}", replies, f"?{chosen}&problem={quoted}{within}#side"
    )
