"""Rows of numbers published elsewhere: each says where and when, and no row mixes sources that disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.utils.text import slugify

from arena.models import Benchmark, DatasetRevision, Entrant, ReportedResult
from leaderboard.selectors.board_rows import REPORTED, CellKey, CellValue, RowData, Source, about_entrant

MAIN_STYLE = "text-deredundancy"
POINTS = frozenset({"eed", "exam_score", "exam_score_mean", "gold", "silver", "bronze"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What one source says of one model under one setting. digits: decimals of its most exact number, as printed."""

    rows: Sequence[ReportedResult]
    numbers: Mapping[CellKey, ReportedResult]
    digits: int

    @property
    def newest(self) -> ReportedResult:
        return max(self.rows, key=lambda row: (row.date, row.pk))


def read_reported_rows(
    benchmark: Benchmark, revision: DatasetRevision, split: str, until: datetime | None = None
) -> list[RowData]:
    """One row a model and source; sources whose shared numbers all agree share a row and are all named.

    Nothing on the sample set. until: as it was known then. One query.
    """
    if revision.is_sample:
        return []
    found = ReportedResult.objects.filter(benchmark=benchmark, split=split).select_related("entrant")
    if until is None:
        found = found.filter(superseded_by__isnull=True)
    else:
        superseded = ReportedResult.objects.filter(created_at__lte=until, supersedes__isnull=False)
        found = found.filter(created_at__lte=until).exclude(pk__in=superseded.values("supersedes"))
    entrants: dict[int, list[ReportedResult]] = {}
    for row in found.order_by("date", "pk"):
        entrants.setdefault(row.entrant_id, []).append(row)
    return [line for rows in entrants.values() for line in _rows_of(rows)]


def _rows_of(rows: Sequence[ReportedResult]) -> list[RowData]:
    readings = list(_split(rows))
    groups: list[list[Reading]] = []
    for reading in readings:
        fitting = next((group for group in groups if all(_agree(reading, other) for other in group)), None)
        if fitting is None:
            groups.append([reading])
        else:
            fitting.append(reading)
    found = [_make_row(group, is_one_of_several=len(groups) > 1) for group in groups]
    if len(found) < 2:
        return found
    has_own_dates = len({row.date for row in found}) == len(found)
    return [replace(row, apart=row.date if has_own_dates else row.variant) for row in found]


def _split(rows: Sequence[ReportedResult]) -> Iterable[Reading]:
    """By source; where a source gives one number several times, by setting too (a model's versions)."""
    sources: dict[str, list[ReportedResult]] = {}
    for row in rows:
        sources.setdefault(row.source, []).append(row)
    for own in sources.values():
        if len({_key(row) for row in own}) == len(own):
            yield _read(own)
            continue
        settings: dict[str, list[ReportedResult]] = {}
        for row in own:
            settings.setdefault(row.setting, []).append(row)
        yield from map(_read, settings.values())


def _read(rows: Sequence[ReportedResult]) -> Reading:
    return Reading(rows, {_key(row): row for row in rows}, max(map(_digits, rows)))


def _key(row: ReportedResult) -> CellKey:
    is_main = row.style in ("", MAIN_STYLE)
    return row.subset, row.metric if is_main else f"{row.metric}:{row.style}"


def _printed(row: ReportedResult) -> Decimal:
    """The number as its source prints it: points as they are, rates in per cent."""
    return Decimal(repr(row.value)) if row.metric in POINTS else Decimal(str(round(100 * row.value, 6)))


def _digits(row: ReportedResult) -> int:
    return max(0, -int(_printed(row).normalize().as_tuple().exponent))


def _agree(first: Reading, second: Reading) -> bool:
    """Whether two sources share numbers, and all of these are equal as far as the coarser one prints them."""
    shared = first.numbers.keys() & second.numbers.keys()
    slack = Decimal(5).scaleb(-1 - min(first.digits, second.digits))
    return bool(shared) and all(
        abs(_printed(first.numbers[key]) - _printed(second.numbers[key])) <= slack for key in shared
    )


def _make_row(group: Sequence[Reading], *, is_one_of_several: bool) -> RowData:
    """The most exact reading of each number; every source is named, the newest first."""
    newest = max((reading.newest for reading in group), key=lambda row: (row.date, row.pk))
    cells: dict[CellKey, CellValue] = {}
    for reading in sorted(group, key=lambda reading: reading.digits):
        for key, row in reading.numbers.items():
            cells[key] = CellValue(row.value, row.low, row.high, "as published" if row.low is not None else "")
    return RowData(
        **about_entrant(newest.entrant),
        mark=REPORTED,
        unranked_reason=REPORTED,
        date=newest.date,
        settings=list_settings(newest),
        variant=_tell_apart(group, newest) if is_one_of_several or newest.entrant.kind == Entrant.Kind.HUMAN else "",
        sources=tuple(_sources(group)),
        cells=cells,
        facts={"repeats": newest.repeats} if newest.repeats else {},
    )


def _tell_apart(group: Sequence[Reading], newest: ReportedResult) -> str:
    """The one setting of a row, where it says more than the name does."""
    settings = {row.setting for reading in group for row in reading.rows if row.setting}
    return newest.setting if settings == {newest.setting} and slugify(newest.setting) != newest.entrant.slug else ""


def _sources(group: Sequence[Reading]) -> Iterable[Source]:
    rows = {reading.newest.source: reading.newest for reading in group}
    for row in sorted(rows.values(), key=lambda row: row.date, reverse=True):
        yield Source(row.source, row.source_url, row.date)


def list_settings(row: ReportedResult) -> tuple[str, ...]:
    """The published settings, each a sentence as files hold it; `say_sentence` says it to readers."""
    parts = [row.setting, f"judge {row.judge}" if row.judge else "", f"{row.repeats} runs" if row.repeats else ""]
    if row.temperature is not None:
        parts.append(f"temperature {row.temperature:g}")
    return tuple(part for part in parts if part)


__all__ = ["list_settings", "read_reported_rows"]
