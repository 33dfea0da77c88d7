"""A chart as a page shows it: the drawing, its table for those who do not see it, and where it is exported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A chart's numbers as text; the first column names the rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ChartView:
    """name: its part of an address. svg: for wide and for narrow places. export: address of the SVG file."""

    name: str
    title: str
    caption: str
    svg: str
    table: Table
    export: str = ""
