"""ARC-Indic: languages compared on shared questions only, for their files hold different ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import Ints, ProblemIndex, read_index
from leaderboard.scores import Sheet, make_sheet, measure, values_of
from leaderboard.selectors.catalog import Place
from leaderboard.statistics.comparisons import Test, compare_pair

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class SharedAccuracy:
    """Accuracy by run (short name) and language on the n questions that every language has; None: not all planned."""

    n: int
    by_run: Mapping[str, Mapping[str, float | None]]


def shared_positions(index: ProblemIndex) -> dict[str, Ints]:
    """Language -> positions of the questions that every language has, in one order; empty where there is none."""
    places = {code: {index.clusters[i]: int(i) for i in rows} for code, rows in index.by_subset.items()}
    if not places:
        return {}
    shared = sorted(set.intersection(*(set(own) for own in places.values())))
    return {code: np.array([own[name] for name in shared], dtype=np.int64) for code, own in places.items() if shared}


def read_shared_accuracy(place: Place) -> SharedAccuracy:
    index = read_index(place.revision, place.split)
    shared = shared_positions(index)
    by_run = {}
    for entry in read_entries(place.revision, place.split):
        sheet = _sheet(entry, index, place)
        by_run[str(entry.run.uuid)[:8]] = {code: _accuracy(sheet.pick(rows)) for code, rows in shared.items()}
    return SharedAccuracy(len(next(iter(shared.values()), ())), by_run)


def gaps_to_english(place: Place) -> list[tuple[Entry, str, Any]]:
    """(entry, language, comparison): each language minus English on what both have, paired by question."""
    index = read_index(place.revision, place.split)
    groups = index.by_subset
    if ENGLISH not in groups:
        return []
    english = {index.clusters[i]: i for i in groups[ENGLISH]}
    found = []
    for entry in read_entries(place.revision, place.split):
        values = values_of("accuracy", _sheet(entry, index, place))
        for code, rows in groups.items():
            shared = [(i, english[index.clusters[i]]) for i in rows if index.clusters[i] in english]
            if code == ENGLISH or not shared:
                continue
            own, reference = (values[_column(shared, k)] for k in (0, 1))
            found.append((entry, code, compare_pair(own, reference, test=Test.PAIRED_T)))
    return found


def _column(pairs: Sequence[tuple[int, int]], k: int) -> list[int]:
    return [pair[k] for pair in pairs]


def _sheet(entry: Entry, index: ProblemIndex, place: Place) -> Sheet:
    return make_sheet(entry.machine, index, place.benchmark.slug, entry.scorer.params.get("policy", "corrected"))


def _accuracy(sheet: Sheet) -> float | None:
    measured = measure("accuracy", sheet) if sheet.is_complete else None
    return measured.interval.value if measured else None
