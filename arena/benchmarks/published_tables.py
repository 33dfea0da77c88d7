"""Published tables as numbers with their settings. Percent becomes a rate. No Django here."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

from .base import ImportFault
from .published_layouts import LONG, find_layout
from .published_numbers import OVERALL, BadCell, PublishedNumber, check_number, is_rate


def read_published(
    slug: str, text: str, *, split: str = "test", source: str = "", date: str = ""
) -> tuple[PublishedNumber, ...]:
    """The numbers of a table that belong to the benchmark `slug`. Raises ImportFault naming every bad line.

    split: what a long-form row without one means. source, date: override those known for a wide file.
    """
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), restkey="+", restval=""))
    layout = find_layout(rows)
    if layout.benchmarks and slug not in layout.benchmarks:
        raise ImportFault([f"these are the columns of {layout.name}, which speaks of {', '.join(layout.benchmarks)}"])
    origin = replace(layout.origin, source=source or layout.origin.source, date=date or layout.origin.date)
    found: list[PublishedNumber] = []
    faults: list[str] = []
    for line, row in enumerate(rows, start=2):
        try:
            if "+" in row:
                raise BadCell("more cells than the header has columns")
            numbers = list(layout.read(slug, {key: value.strip() for key, value in row.items()}, line, origin))
            found += [check_number(replace(number, split=number.split or split)) for number in numbers]
        except BadCell as fault:
            faults.append(f"line {line}: {fault}")
    found, out_of_range = _to_rates(found) if layout is LONG else (found, [])
    faults += out_of_range + _find_doubles(found)
    if faults:
        raise ImportFault(faults)
    if slug == "phybench":  # a field score of 0 for people means "not measured"
        found = [n for n in found if not (n.kind == "human" and n.subset != OVERALL and n.value == 0)]
    return tuple(found)


def _to_rates(numbers: Sequence[PublishedNumber]) -> tuple[list[PublishedNumber], list[str]]:
    """Where a source gives a rate above 1, all its numbers of that metric are percent."""
    percent = {(n.source, n.metric) for n in numbers if is_rate(n.metric) and max(n.value, n.high or 0) > 1}
    found, faults = [], []
    for number in numbers:
        if (number.source, number.metric) in percent:
            low, high = (None if x is None else round(x / 100, 12) for x in (number.low, number.high))
            number = replace(number, value=round(number.value / 100, 12), low=low, high=high)
        if is_rate(number.metric) and number.value > 1:
            faults.append(f"line {number.line}: value: {100 * number.value:g} is more than 100 percent")
        found.append(number)
    return found, faults


def _find_doubles(numbers: Sequence[PublishedNumber]) -> list[str]:
    seen: dict[tuple[str, ...], PublishedNumber] = {}
    faults = []
    for n in numbers:
        first = seen.setdefault((n.entrant, n.split, n.subset, n.metric, n.style, n.setting, n.source, n.date), n)
        if first is not n:
            faults.append(f"line {n.line}: {n.entrant}, {n.metric}, {n.subset} stands in line {first.line} already")
    return faults
