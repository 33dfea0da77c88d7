"""Ranks, rank intervals and tiers of one column: cut once over the whole board, so that no filter moves a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.results import EFFECTIVE, MACHINE
from leaderboard.board_entries import Entry
from leaderboard.columns import Column
from leaderboard.models import Standing
from leaderboard.problem_index import ProblemIndex
from leaderboard.scores import DESCRIPTIVE, compare_sheets, make_sheet
from leaderboard.statistics.comparisons import Test
from leaderboard.statistics.exams import better_in_sittings
from leaderboard.statistics.ranks import place_models

SITTINGS_TEST = "Welch's t over sittings"


def place_column(
    found: Mapping[tuple[int, int], Standing],
    entries: Sequence[Entry],
    rows: Mapping[Any, Standing],
    column: Column,
    metric: str,
    basis: str,
    index: ProblemIndex,
    slug: str,
    test: Test | None,
) -> Test | None:
    """Write places into the rows that rank; returns the kind of test used, so that a board keeps one.

    Human points rank only where all or a random sample is reviewed: other rows take part with their machine's value.
    """
    taking = [entry for entry in entries if entry.key in found and found[entry.key].is_ranked]
    if metric in DESCRIPTIVE:
        for entry in taking:
            found[entry.key].is_ranked = False
            found[entry.key].unranked_reason = DESCRIPTIVE[metric]
        return test
    if not taking:
        return test
    ranked = [found[entry.key] for entry in taking]
    if basis == EFFECTIVE and _take_machine_places(taking, ranked, rows, column, metric):
        return test
    values, better, chosen = _compare(taking, ranked, rows, column, metric, basis, index, slug, test)
    for row, place in zip(ranked, place_models(values, better), strict=True):
        row.rank, row.rank_low, row.rank_high, row.tier = place.rank, place.rank_low, place.rank_high, place.tier
        row.details["test"] = str(chosen.value if isinstance(chosen, Test) else chosen)
    return chosen if isinstance(chosen, Test) else test


def _machine_row(entry: Entry, rows: Mapping[Any, Standing], column: Column, metric: str) -> Standing | None:
    return rows.get((*entry.key, column.subset.pk, metric, MACHINE))


def uses_reviews(entry: Entry) -> bool:
    """Whether a run's human points may rank: they differ from the machine's, and were not picked one-sidedly."""
    if entry.effective is entry.machine:
        return False
    looked = entry.machine.reviewed
    is_all = bool((looked | np.isnan(entry.machine.points)).all())
    return is_all or not np.isnan(entry.machine.chance[looked]).any()


def _take_machine_places(
    taking: Sequence[Entry], ranked: Sequence[Standing], rows: Mapping[Any, Standing], column: Column, metric: str
) -> bool:
    """Where no run ranks by its reviews, the column's places are the machine's."""
    if any(uses_reviews(entry) for entry in taking):
        return False
    machine = [_machine_row(entry, rows, column, metric) for entry in taking]
    if any(row is None or not row.is_ranked for row in machine):
        return False
    for row, other in zip(ranked, machine, strict=True):
        assert other is not None
        row.rank, row.rank_low, row.rank_high, row.tier = other.rank, other.rank_low, other.rank_high, other.tier
        row.details["test"] = other.details.get("test", "")
    return True


def _compare(
    taking: Sequence[Entry],
    ranked: Sequence[Standing],
    rows: Mapping[Any, Standing],
    column: Column,
    metric: str,
    basis: str,
    index: ProblemIndex,
    slug: str,
    test: Test | None,
) -> tuple[list[float | None], Any, Test | str]:
    """Values to rank by, (m, m) who is significantly better, and the test."""
    by_reviews = [basis == EFFECTIVE and uses_reviews(entry) for entry in taking]
    values = []
    for entry, row, is_human in zip(taking, ranked, by_reviews, strict=True):
        machine = row if basis == MACHINE or is_human else _machine_row(entry, rows, column, metric)
        values.append((machine or row).value)
    if metric == "exam_score" and column.is_exam:
        return values, better_in_sittings([row.details["sittings"] for row in ranked]), SITTINGS_TEST
    if len(taking) < 2:
        return values, np.zeros((len(taking), len(taking)), dtype=bool), test or ""
    sheets = [
        column.pick(
            make_sheet(
                entry.effective if is_human else entry.machine,
                index,
                slug,
                entry.scorer.params.get("policy", "corrected"),
            )
        )
        for entry, is_human in zip(taking, by_reviews, strict=True)
    ]
    matrix = compare_sheets(metric, sheets, test=None if column.is_overall else test)
    return values, matrix.significantly_better(), matrix.test
