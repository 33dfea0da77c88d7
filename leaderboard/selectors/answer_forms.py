"""PhyX asks the same questions openly and as multiple choice: what the options are worth to each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from arena.models import Benchmark
from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.scores import make_sheet, values_of
from leaderboard.selectors.board_rows import RowData
from leaderboard.selectors.catalog import Place, list_splits
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.formats import print_metric, print_points_gap
from leaderboard.selectors.reported_rows import read_reported_rows
from leaderboard.statistics.comparisons import compare_pair

OPEN, CHOICE = "phyx_oe", "phyx_mc"
Line = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Form:
    """One of the two benchmarks: its whole runs by entrant, and what is published of it."""

    place: Place
    index: ProblemIndex
    runs: Mapping[str, Entry]
    reported: Mapping[str, RowData]

    def receipt_url(self, slug: str) -> str:
        return self.place.receipt_url(self.runs[slug].run, "accuracy")


def compare_forms(place: Place) -> Table | None:
    """Models with a number on both, measured ones paired by question; None where there is none."""
    forms = [_read_form(slug, place) for slug in (OPEN, CHOICE)]
    if forms[0] is None or forms[1] is None:
        return None
    first, second = forms[0], forms[1]
    measured = sorted(first.runs.keys() & second.runs.keys())
    reported = sorted(first.reported.keys() & second.reported.keys())
    compared = {slug: line for slug in measured if (line := _compare_runs(first, second, slug))}
    lines = [*compared.values(), *(_compare_reported(first, second, slug) for slug in reported)]
    urls = (("", *(form.receipt_url(slug) for form in (first, second))) for slug in compared)
    head = (_("Model"), _("Open-ended"), _("Multiple choice"), _("Multiple choice − open-ended"), _("questions"))
    rows = tuple(line for line in lines if line is not None)
    return Table(head, rows, cell_links=tuple(urls)) if rows else None


def _read_form(slug: str, place: Place) -> Form | None:
    """The benchmark's current data with the same split; of several runs of a model the first that may rank."""
    benchmark = Benchmark.objects.filter(slug=slug, is_public=True).first()
    if benchmark is None:
        return None
    revision = place.revision if slug == place.benchmark.slug else benchmark.current_revision
    splits = list_splits(revision) if revision else ()
    if revision is None or place.split not in splits:
        return None
    entries = sorted(read_entries(revision, place.split), key=lambda entry: (bool(entry.unranked), -entry.run.pk))
    runs: dict[str, Entry] = {}
    for entry in entries:
        runs.setdefault(entry.run.entrant.slug, entry)
    reported = {row.entrant_slug: row for row in reversed(read_reported_rows(benchmark, revision, place.split))}
    return Form(Place(benchmark, revision, place.split, splits), read_index(revision, place.split), runs, reported)


def _values(form: Form, slug: str) -> dict[str, float]:
    """Question -> mean over repeats, of those that are scored."""
    entry = form.runs[slug]
    sheet = make_sheet(entry.machine, form.index, "phyx", entry.scorer.params.get("policy", "corrected"))
    points = values_of("accuracy", sheet)
    scored = ~np.isnan(points).all(axis=1)
    return {form.index.external_ids[i]: float(np.nanmean(points[i])) for i in np.flatnonzero(scored)}


def _compare_runs(first: Form, second: Form, slug: str) -> Line | None:
    openly, chosen = _values(first, slug), _values(second, slug)
    shared = [name for name in openly if name in chosen]
    if len(shared) < 2:
        return None
    ours, theirs = (np.array([values[name] for name in shared]) for values in (openly, chosen))
    pair = compare_pair(theirs, ours)
    gap = print_points_gap(pair.difference, pair.low, pair.high)
    return _line(first.runs[slug].run.entrant.name, float(ours.mean()), float(theirs.mean()), gap, str(pair.n_shared))


def _compare_reported(first: Form, second: Form, slug: str) -> Line | None:
    openly, chosen = (form.reported[slug].cell("overall", "accuracy").value for form in (first, second))
    if openly is None or chosen is None:
        return None
    name = _("%(name)s (reported)") % {"name": first.reported[slug].entrant}
    return _line(name, openly, chosen, print_points_gap(chosen - openly), "–")


def _line(name: str, openly: float, chosen: float, gap: str, n: str) -> Line:
    return name, print_metric("accuracy", openly), print_metric("accuracy", chosen), gap, n
