"""A board cut by what its problems are like: modality, field, answer type, reasoning type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import Ints, ProblemIndex, read_index
from leaderboard.scores import Sheet, make_sheet, measure
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_metric
from leaderboard.selectors.problem_groups import replies_url, say_overlap
from leaderboard.selectors.run_settings import name_entries
from leaderboard.selectors.wordings import say_group
from leaderboard.sentences import say_sentence

GROUPS = {
    "modality": "modalities",
    "field": "fields",
    "answer_type": "answer_kinds",
    "subfield": "subfields",
    "reasoning_type": "tags",
}


@dataclass(frozen=True, slots=True)
class SplitCell:
    """Accuracy of one model on one kind of problem. n: scored problems; url: of the replies to them."""

    text: str
    interval: str = ""
    n: int = 0
    url: str = ""


@dataclass(frozen=True, slots=True)
class SplitRow:
    model: str
    url: str
    cells: tuple[SplitCell, ...]


@dataclass(frozen=True, slots=True)
class SplitTable:
    """text: what is to be known of these kinds. heads: kind and how many problems of it there are."""

    place: Place
    by: str
    text: str
    options: tuple[tuple[str, str], ...]
    heads: tuple[tuple[str, int], ...]
    rows: tuple[SplitRow, ...]


def _name_kinds(place: Place) -> dict[str, str]:
    names = {
        "modality": _("modality"),
        "field": _("field"),
        "answer_type": _("answer type"),
        "subfield": _("subfield"),
        "reasoning_type": _("reasoning type"),
    }
    return {kind: names[kind] for kind in place.kinds}


def read_splits(place: Place, by: str = "") -> SplitTable:
    """Every whole run of the board, best first, cut by `by`; mean accuracy with its interval in each cell."""
    options = _name_kinds(place)
    by = by if by in options else next(iter(options), "")
    if not by:
        return SplitTable(place, by, "", (), (), ())
    index = read_index(place.revision, place.split)
    groups = dict(sorted(index.group(GROUPS[by]).items()))
    heads = tuple((say_group(name), positions.size) for name, positions in groups.items())
    entries = [entry for entry in read_entries(place.revision, place.split) if not entry.run.partial]
    rows = [
        _row(name, entry, _sheet(entry, index, place), place.split, by, groups)
        for name, entry in zip(name_entries(entries), entries, strict=True)
    ]
    rows.sort(key=lambda found: (found[0] is None, -(found[0] or 0.0)))
    found = tuple(row for _value, row in rows)
    return SplitTable(place, by, say_overlap(GROUPS[by]), tuple(options.items()), heads, found)


def _sheet(entry: Entry, index: ProblemIndex, place: Place) -> Sheet:
    return make_sheet(entry.machine, index, place.benchmark.slug, entry.scorer.params.get("policy", "corrected"))


def _row(
    name: str, entry: Entry, sheet: Sheet, split: str, by: str, groups: Mapping[str, Ints]
) -> tuple[float | None, SplitRow]:
    """The run's accuracy over all problems, to sort by, and its row."""
    whole = measure("accuracy", sheet)
    cells = tuple(
        _cell(sheet.pick(positions), replies_url(entry.run, split, GROUPS[by], kind))
        for kind, positions in groups.items()
    )
    row = SplitRow(name, reverse("run", args=[entry.run.uuid]), cells)
    return whole.interval.value if whole else None, row


def _cell(sheet: Sheet, url: str) -> SplitCell:
    """As the page of the replies behind `url` says it: the same measure of the same problems."""
    found = measure("accuracy", sheet)
    if found is None or found.interval.value is None:
        return SplitCell("–")
    interval = found.interval
    text = print_metric("accuracy", interval.value)
    if interval.low is None or interval.high is None:
        return SplitCell(text, say_sentence(interval.note), interval.n, url)
    span = f"{print_metric('accuracy', interval.low)}–{print_metric('accuracy', interval.high)}"
    return SplitCell(text, span, interval.n, url)
