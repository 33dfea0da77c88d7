"""Filters of a board: they leave rows out, or measure some problems only, and never move a rank or a tier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.models import Subset
from leaderboard.board_entries import read_entries
from leaderboard.problem_index import Ints, ProblemIndex, read_index
from leaderboard.scores import Measure, make_sheet, measure
from leaderboard.selectors.board_columns import Shown
from leaderboard.selectors.board_query import BoardQuery
from leaderboard.selectors.board_rows import BASELINE, REPORTED, CellValue, RowData
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.fields import say_field
from leaderboard.selectors.language_names import say_language
from leaderboard.selectors.wordings import say_modality


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a filter."""

    value: str
    label: str
    is_chosen: bool


Options = Sequence[tuple[str, str]]


def matches(row: RowData, query: BoardQuery) -> bool:
    is_open = {"yes": row.open_weights is True, "no": row.open_weights is False}.get(query.open, True)
    return (
        (not query.kind or row.kind == query.kind)
        and (not query.organisation or row.organisation == query.organisation)
        and is_open
        and (not query.provenance or row.mark == query.provenance)
        and (not query.since or (bool(row.date) and row.date >= query.since[: len(row.date)]))
        and (not query.scorer or not row.scorer or row.is_scored_by(query.scorer))
    )


def has_number(row: RowData, shown: Shown) -> bool:
    """Rows of runs always stand; others only where this view shows a number of theirs."""
    if row.run:
        return True
    here = any((shown.subset, name) in row.cells for name in shown.metrics)
    return here or any((column["slug"], shown.column_metric) in row.cells for column in shown.subsets)


def list_filters(rows: Sequence[RowData], query: BoardQuery, facts: Mapping[str, Any]) -> dict[str, tuple[Choice, ...]]:
    """Options of each filter that has more than one, and of one that is chosen."""
    scorers = {row.scorer for row in rows if row.scorer}
    scorer = next((row.scorer for row in rows if query.scorer and row.is_scored_by(query.scorer)), query.scorer)
    kinds = {"model": _("Models"), "human": pgettext("kind of row", "People"), BASELINE: _("Baselines")}
    marks = {"measured": _("Measured"), "uploaded": _("Uploaded"), REPORTED: _("Reported")}
    options: dict[str, tuple[str, Options]] = {
        "org": (query.organisation, _alike({row.organisation for row in rows if row.organisation})),
        "open": (query.open, [("yes", pgettext("weights", "Open")), ("no", pgettext("weights", "Closed"))]),
        "kind": (query.kind, [(k, v) for k, v in kinds.items() if any(row.kind == k for row in rows)]),
        "provenance": (query.provenance, [(k, v) for k, v in marks.items() if any(row.mark == k for row in rows)]),
        "scorer": (scorer, _alike(scorers | ({scorer} if scorer else set()))),
        "modality": (query.modality, [(name, say_modality(name)) for name in facts.get("modalities", ())]),
        "field": (query.field, [(name, say_field(name)) for name in facts.get("fields", ())]),
        "language": (query.language, [(code, say_language(code)) for code in facts.get("languages", ())]),
    }
    return {
        name: tuple(Choice(value, label, value == chosen) for value, label in choices)
        for name, (chosen, choices) in options.items()
        if len(choices) > 1 or chosen
    }


def _alike(values: Sequence[str] | set[str]) -> Options:
    return [(value, value) for value in sorted(values)]


def say_parameter(name: str) -> str:
    """A parameter of a board's address in the words of its form."""
    words = {
        "subset": _("Subset"),
        "metric": _("Metric"),
        "basis": _("Points"),
        "sort": _("Order"),
        "kind": _("Kind"),
        "org": _("Organisation"),
        "open": _("Weights"),
        "modality": _("Modality"),
        "language": _("Language"),
        "field": _("Field"),
        "since": _("Since"),
        "provenance": _("Origin"),
        "scorer": _("Scorer"),
        "as_of": _("Moment"),
    }
    return words[name]


def name_slice(query: BoardQuery) -> str:
    """Which problems alone the numbers are of, in words; empty for all."""
    words = (say_modality(query.modality), say_language(query.language), say_field(query.field))
    return " · ".join(word for word in words if word)


@dataclass(frozen=True, slots=True)
class SliceValue:
    """One run's number on some problems only."""

    measured: Measure | None
    n_problems: int
    n_planned: int
    n_scored: int

    @property
    def cell(self) -> CellValue:
        if self.measured is None:
            return CellValue(None)
        found = self.measured.interval
        return CellValue(found.value, found.low, found.high, str(found.kind.value), note=found.note)


def measure_slice(
    place: Place, facts: Mapping[str, Any], query: BoardQuery, subset: str, metric: str
) -> dict[tuple[str, str], SliceValue]:
    """(short name of the run, scorer) -> its number on the problems that modality, field and language leave."""
    index = read_index(place.revision, place.split)
    languages = {column["slug"]: column["language"] for column in facts.get("columns", ())}
    positions = _positions(index, languages, query, subset)
    found = {}
    for entry in read_entries(place.revision, place.split):
        policy = entry.scorer.params.get("policy", "corrected")
        sheet = make_sheet(entry.vectors(query.basis), index, place.benchmark.slug, policy).pick(positions)
        n_scored = int((~np.isnan(sheet.vectors.points)).any(axis=1).sum())
        value = SliceValue(measure(metric, sheet), int(positions.size), int(sheet.planned.sum()), n_scored)
        found[str(entry.run.uuid)[:8], str(entry.scorer)] = value
    return found


def _positions(index: ProblemIndex, languages: Mapping[str, str], query: BoardQuery, subset: str) -> Ints:
    """Of the problems that modality, field and language leave, within the subset."""
    keep = np.ones(index.size, dtype=bool)
    for wanted, values in (
        (query.modality, index.modalities),
        (query.field, index.fields),
        (query.language, [languages.get(name, "") for name in index.subsets]),
        ("" if subset == Subset.OVERALL else subset, index.subsets),
    ):
        if wanted:
            keep &= np.array([value == wanted for value in values], dtype=bool)
    return np.flatnonzero(keep)


def slice_rows(
    rows: Sequence[RowData], place: Place, facts: Mapping[str, Any], query: BoardQuery, shown: Shown
) -> list[RowData]:
    """The rows of runs with the number of some problems only; rank and tier stay those of the whole board."""
    values = measure_slice(place, facts, query, shown.subset, shown.metric)
    return [
        replace(
            row,
            cells={(shown.subset, shown.metric): value.cell},
            others={},
            n_problems=value.n_problems,
            n_planned=value.n_planned,
            n_scored=value.n_scored,
            n_unscored=0,
        )
        for row in rows
        if (value := values.get((row.run, row.scorer))) is not None
    ]
