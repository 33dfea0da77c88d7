"""A chart as a page shows it: the drawing, its table for those who do not see it, and where it is exported."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest


@dataclass(frozen=True, slots=True)
class Table:
    """A chart's numbers as text; the first column names the rows.

    links: where a column's numbers have receipts; cell_links: of each row, what its cells rest on.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    links: tuple[str, ...] = ()
    cell_links: tuple[tuple[str, ...], ...] = ()

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Head and link of each column, which is empty where there is none."""
        return tuple(zip_longest(self.head, self.links, fillvalue=""))

    @property
    def lines(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Text and link of each cell, row by row."""
        return tuple(
            tuple(zip_longest(row, links, fillvalue=""))
            for row, links in zip_longest(self.rows, self.cell_links, fillvalue=())
        )


@dataclass(frozen=True, slots=True)
class ChartView:
    """name: its part of an address. svg: for wide and for narrow places. export: address of the SVG file."""

    name: str
    title: str
    caption: str
    svg: str
    table: Table
    export: str = ""
