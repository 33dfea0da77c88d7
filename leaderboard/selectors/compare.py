"""Two or more models on the problems they share: differences with corrected p values, and who solves what alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from arena.models import Subset
from leaderboard.board_entries import Entry, read_entries
from leaderboard.models import Standing
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.scores import make_sheet, metrics_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.compare_pairs import Pair, Sitters, find_families, list_pairs, slice_metric, tabulate_slices
from leaderboard.selectors.compare_replies import SideBySide, read_side_by_side
from leaderboard.selectors.compare_solved import Alone, find_solved, list_alone, tabulate_agreement
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.run_settings import name_entries
from leaderboard.sentences import say_sentence

MOST_MODELS = 6


@dataclass(frozen=True, slots=True)
class Option:
    """A model that can be chosen. short: first digits of its run."""

    slug: str
    name: str
    short: str
    places: tuple[bool, ...]  # whether it is the choice of each field


@dataclass(frozen=True, slots=True)
class Model:
    """A model that is compared: its number on the board with the receipt behind it."""

    name: str
    slug: str
    value: str
    interval: str
    rank: str
    receipt: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The page. slices: of the first two, by subset; slice_metric: what of."""

    place: Place
    metric: str
    metric_label: str
    options: tuple[Option, ...]
    fields: tuple[str, ...]
    models: tuple[Model, ...]
    pairs: tuple[Pair, ...]
    test: str
    slices: Table | None
    slice_metric: str
    agreement: Table | None
    alone: tuple[Alone, ...]
    side: SideBySide | None


def read_comparison(
    place: Place, facts: Mapping[str, Any], wanted: Sequence[str], *, metric: str = "", problem: str = ""
) -> Comparison:
    """wanted: slugs of entrants (or the first eight digits of runs), in order; unknown ones are left out.

    facts: of the board's state.
    """
    metrics = metrics_of(place.benchmark.slug)
    metric = metric if metric in metrics else metrics[0]
    index = read_index(place.revision, place.split)
    sitters = _read_sitters(place, index, wanted)
    entries = [sitters.entries[i] for i in sitters.chosen]
    names = [sitters.names[i] for i in sitters.chosen]
    sheets = [sitters.sheets[i] for i in sitters.chosen]
    standings = _read_standings(place, metric)
    families = find_families(sitters, standings, metric)
    fields = "abcdef"[: max(2, min(MOST_MODELS, len(entries) + 1))]
    test = families[0].matrix.test if families else None
    solved = [find_solved(sheet) for sheet in sheets]
    has_two = len(entries) >= 2
    return Comparison(
        place=place,
        metric=metric,
        metric_label=metric_label(metric),
        options=_list_options(sitters, len(fields)),
        fields=tuple(fields),
        models=tuple(
            _model(place, entry, name, standings.get(entry.key), metric)
            for entry, name in zip(entries, names, strict=True)
        ),
        pairs=list_pairs(families, sitters, metric),
        test=say_sentence(str(test.value)) if test else "",
        slices=tabulate_slices(facts, sheets[:2], index, metric, test) if test and has_two else None,
        slice_metric=metric_label(slice_metric(metric)),
        agreement=tabulate_agreement(names, solved) if has_two else None,
        alone=list_alone(place, index, entries, names, solved) if has_two else (),
        side=read_side_by_side(place, index, entries, names, problem) if problem and entries else None,
    )


def _read_sitters(place: Place, index: ProblemIndex, wanted: Sequence[str]) -> Sitters:
    entries = sorted(read_entries(place.revision, place.split), key=lambda e: e.run.entrant.name.casefold())
    keys = [entry.key for entry in entries]
    found = (_find(entries, name) for name in wanted)
    chosen = list(dict.fromkeys(keys.index(entry.key) for entry in found if entry is not None))[:MOST_MODELS]
    if not chosen and len(entries) >= 2:
        chosen = [0, 1]
    slug = place.benchmark.slug
    sheets = [make_sheet(e.machine, index, slug, e.scorer.params.get("policy", "corrected")) for e in entries]
    return Sitters(entries, name_entries(entries), sheets, chosen)


def _short(entry: Entry) -> str:
    return str(entry.run.uuid)[:8]


def _find(entries: Sequence[Entry], name: str) -> Entry | None:
    fitting = [e for e in entries if name and (e.run.entrant.slug == name or _short(e) == name[:8])]
    return max(fitting, key=lambda e: (not e.run.partial, e.run.pk), default=None)


def _list_options(sitters: Sitters, n_fields: int) -> tuple[Option, ...]:
    return tuple(
        Option(
            entry.run.entrant.slug,
            name,
            _short(entry),
            tuple(list(sitters.chosen[k : k + 1]) == [i] for k in range(n_fields)),
        )
        for i, (entry, name) in enumerate(zip(sitters.entries, sitters.names, strict=True))
    )


def _read_standings(place: Place, metric: str) -> dict[tuple[int, int], Standing]:
    """What each run has on the board under each scorer. One query."""
    rows = Standing.objects.filter(
        revision=place.revision, split=place.split, subset__slug=Subset.OVERALL, metric=metric, basis="machine"
    )
    return {(row.run_id, row.scorer_id): row for row in rows}


def _model(place: Place, entry: Entry, name: str, row: Standing | None, metric: str) -> Model:
    low, high = (row.low, row.high) if row else (None, None)
    path = reverse("receipt", args=[place.benchmark.slug, _short(entry), Subset.OVERALL, metric])
    return Model(
        name,
        entry.run.entrant.slug,
        print_metric(metric, row.value if row else None),
        "" if low is None or high is None else f"{print_metric(metric, low)} – {print_metric(metric, high)}",
        str(row.rank or "–") if row else "–",
        path + place.query if row else "",
    )
