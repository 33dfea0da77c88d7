"""Charts of one row a model: intervals, dots by group, bars, histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.rendering.svg import LETTER, WIDE, Drawing, Scale, fit, number_text, text_width, tick_texts

ROW = 24
TOP, BOTTOM = 8, 34
LINE = 15  # of text over the rows
LABEL_WIDTH = 130
TICK_KINDS = frozenset({"gold", "silver", "bronze", "human"})


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One model: value with interval (None where there is none), where its name leads, and its marks.

    series: 1..8, its colour and dash, 0 for none. is_reported: hollow, no line. starts_tier: a rule above. text, tip:
    the value as it is printed, and what a pointer is told; by default a plain number.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    href: str = ""
    is_reported: bool = False
    starts_tier: bool = False
    series: int = 1
    text: str = ""
    tip: str = ""

    @property
    def printed(self) -> str:
        return "–" if self.value is None else self.text or number_text(self.value)


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A line across the rows: kind is gold, silver, bronze or human."""

    value: float
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class LineLabel:
    """Where the name of a reference line stands: its middle, half its width, and how many lines above the lowest."""

    text: str
    x: float
    half: float
    level: int


def interval_plot(
    rows: Sequence[IntervalRow],
    *,
    title: str,
    axis: str = "",
    low: float | None = None,
    high: float | None = None,
    references: Sequence[ReferenceLine] = (),
    width: int = WIDE,
) -> SafeString:
    """One row a model: its name, its interval as a line, its estimate as a dot; the value stands at the right.

    low, high: the scale; by default it spans the intervals and reference lines. Rows without a value show "–".
    """
    gutter = _label_width([row.label for row in rows], width)
    place = _scale(rows, references, low, high, gutter, width - 52)
    labels = _place_labels(references, place, width)
    top = TOP + LINE * max((label.level for label in labels), default=0) + (18 if labels else 0)
    drawing = Drawing(width, top + ROW * len(rows) + BOTTOM)
    _draw_axis(drawing, place, top, top + ROW * len(rows), axis)
    _draw_references(drawing, references, labels, place, top, top + ROW * len(rows))
    for index, row in enumerate(rows):
        y = top + ROW * (index + 0.5)
        if row.starts_tier and index:
            drawing.line(0, y - ROW / 2, width, y - ROW / 2, "axis tier")
        _draw_label(drawing, row.label, row.href, gutter, y)
        _draw_interval(drawing, row, place, y, width)
    return drawing.to_svg(title, "chart interval-plot")


def dot_plot(
    groups: Sequence[tuple[str, Sequence[float], str]],
    *,
    title: str,
    low: float,
    high: float,
    axis: str = "",
    width: int = WIDE,
) -> SafeString:
    """One row a group of (label, values, href): every value a dot; equal ones are stacked, so none hides another."""
    gutter = _label_width([label for label, _, _ in groups], width)
    drawing = Drawing(width, TOP + ROW * len(groups) + BOTTOM)
    place = Scale(low, high, gutter, width - 12)
    _draw_axis(drawing, place, TOP, TOP + ROW * len(groups), axis)
    for index, (label, values, href) in enumerate(groups):
        y = TOP + ROW * (index + 0.5)
        _draw_label(drawing, label, href, gutter, y)
        drawing.group("series-1")
        _draw_stacked(drawing, [v for v in values if math.isfinite(v)], place, y)
        drawing.end()
    return drawing.to_svg(title, "chart dot-plot")


def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    title: str,
    axis: str = "",
    width: int = WIDE,
    height: int = 220,
) -> SafeString:
    """Bars of counts between edges (one edge more than counts). Raises ValueError if the lengths do not fit."""
    if len(edges) != len(counts) + 1:
        raise ValueError(f"{len(counts)} counts need {len(counts) + 1} edges, got {len(edges)}")
    drawing = Drawing(width, height)
    left, right, top, bottom = 44, width - 16, 10, height - BOTTOM
    x = Scale(edges[0], edges[-1], left, right)
    y = Scale(0, max([1, *counts]), bottom, top)
    _draw_counts(drawing, y, left, right)
    drawing.group("series-1")
    for first, last, count in zip(edges, edges[1:], counts):
        tip = f"{number_text(first)} – {number_text(last)}: {count}"
        drawing.rect(x(first) + 0.5, y(count), x(last) - x(first) - 1, bottom - y(count), "bar", tip)
    drawing.end()
    _draw_axis(drawing, x, top, bottom, axis, has_grid=False)
    return drawing.to_svg(title, "chart histogram")


def small_multiples(
    panels: Sequence[tuple[str, Sequence[IntervalRow]]],
    *,
    title: str,
    low: float,
    high: float,
    width: int = WIDE,
) -> SafeString:
    """A panel a field, in each a bar a model on one scale with its value: what a radar shows, but readable."""
    columns = max(1, min(len(panels), width // 220))
    panel_width = width / columns
    rows = max((len(bars) for _, bars in panels), default=0)
    panel_height = 26 + 18 * rows + 14
    drawing = Drawing(width, panel_height * math.ceil(len(panels) / columns))
    for index, (name, bars) in enumerate(panels):
        x, y = (index % columns) * panel_width, (index // columns) * panel_height
        _draw_panel(drawing, name, bars, x, y, panel_width - 14, (low, high))
    return drawing.to_svg(title, "chart small-multiples")


def _draw_panel(
    drawing: Drawing,
    name: str,
    bars: Sequence[IntervalRow],
    x: float,
    y: float,
    width: float,
    limits: tuple[float, float],
) -> None:
    drawing.text(x, y + 14, fit(name, width), "label panel-title")
    gutter = min(0.45 * width, 14 + LETTER * max((len(bar.label) for bar in bars), default=0))
    place = Scale(limits[0], limits[1], x + gutter, x + width - 36)
    for index, bar in enumerate(bars):
        line = y + 26 + 18 * index
        drawing.text(x, line + 11, fit(bar.label, gutter - 6), "tick")
        drawing.group(_series(bar.series))
        if bar.value is not None and math.isfinite(bar.value):
            name = "bar reported" if bar.is_reported else "bar"
            tip = bar.tip or f"{bar.label}: {bar.printed}"
            drawing.rect(place.start, line + 2, place(bar.value) - place.start, 10, name, tip)
        drawing.end()
        end = place.start if bar.value is None else place(bar.value)
        drawing.text(end + 4, line + 11, bar.printed, "value")


def _scale(
    rows: Sequence[IntervalRow],
    references: Sequence[ReferenceLine],
    low: float | None,
    high: float | None,
    start: float,
    end: float,
) -> Scale:
    found = [v for row in rows for v in (row.value, row.low, row.high) if v is not None and math.isfinite(v)]
    found += [line.value for line in references if math.isfinite(line.value)]
    bottom = min(found, default=0.0) if low is None else low
    top = max(found, default=1.0) if high is None else high
    margin = 0.04 * (top - bottom) if top > bottom else 0.5
    return Scale(bottom - (margin if low is None else 0), top + (margin if high is None else 0), start, end)


def _label_width(labels: Sequence[str], width: int) -> float:
    return min(0.36 * width, 14 + 6.3 * max((len(label) for label in labels), default=0))


def _draw_label(drawing: Drawing, label: str, href: str, gutter: float, y: float) -> None:
    shown = fit(label, gutter - 12)
    is_link = drawing.link(href, label if shown != label else "")
    drawing.text(gutter - 10, y + 4, shown, "label row-label", "end")
    if is_link:
        drawing.end_link()


def _draw_interval(drawing: Drawing, row: IntervalRow, place: Scale, y: float, width: int) -> None:
    if row.value is None or not math.isfinite(row.value):
        drawing.text(width, y + 4, "–", "muted", "end")
        return
    drawing.group(_series(row.series), row.tip or _describe(row))
    if row.is_reported:
        drawing.diamond(place(row.value), y, 5, "reported")
    else:
        if row.low is not None and row.high is not None:
            drawing.line(place(row.low), y, place(row.high), y, "whisker")
        drawing.circle(place(row.value), y, 4, "dot")
    drawing.end()
    drawing.text(width, y + 4, row.printed, "value", "end")


def _describe(row: IntervalRow) -> str:
    text = f"{row.label}: {row.printed}"
    if row.low is not None and row.high is not None:
        text += f", 95 % {number_text(row.low)} – {number_text(row.high)}"
    return text


def _draw_stacked(drawing: Drawing, values: Sequence[float], place: Scale, y: float) -> None:
    taken: dict[int, int] = {}
    for value in sorted(values):
        column = round(place(value) / 6)
        layer = taken[column] = taken.get(column, -1) + 1
        offset = (layer + 1) // 2 * (5 if layer % 2 else -5)
        drawing.circle(place(value), y + max(-ROW / 2 + 3, min(ROW / 2 - 3, offset)), 2.5, "dot")


def _place_labels(references: Sequence[ReferenceLine], place: Scale, width: float) -> list[LineLabel]:
    """Over its line and within the drawing; one that would meet another goes a level up."""
    found: list[LineLabel] = []
    for line in references:
        text = fit(line.label, LABEL_WIDTH)
        half = text_width(text) / 2
        x = min(max(place(line.value), half), width - half)
        near = {other.level for other in found if abs(other.x - x) < other.half + half + LETTER}
        found.append(LineLabel(text, x, half, min(set(range(len(near) + 1)) - near)))
    return found


def _draw_references(
    drawing: Drawing,
    references: Sequence[ReferenceLine],
    labels: Sequence[LineLabel],
    place: Scale,
    top: float,
    bottom: float,
) -> None:
    """Names last, so that no line goes through one."""
    for line, label in zip(references, labels, strict=True):
        kind = line.kind if line.kind in TICK_KINDS else "human"
        drawing.line(place(line.value), top - 4 - LINE * label.level, place(line.value), bottom, f"strip-tick {kind}")
    for label in labels:
        drawing.text(label.x, top - 8 - LINE * label.level, label.text, "tick line-label", "middle")


def _draw_axis(drawing: Drawing, place: Scale, top: float, bottom: float, label: str, *, has_grid: bool = True) -> None:
    room = max(2, int((place.end - place.start) / 64))
    ticks = place.ticks(min(6, room))
    drawing.group("axis")
    drawing.line(place.start, bottom, place.end, bottom)
    drawing.end()
    for tick, text in zip(ticks, tick_texts(ticks)):
        if has_grid:
            drawing.line(place(tick), top, place(tick), bottom, "grid")
        drawing.text(place(tick), bottom + 15, text, "tick", "middle")
    if label:
        drawing.text((place.start + place.end) / 2, bottom + 30, fit(label, place.end - place.start), "label", "middle")


def _draw_counts(drawing: Drawing, y: Scale, left: float, right: float) -> None:
    for tick in y.ticks(4):
        if tick == int(tick):
            drawing.line(left, y(tick), right, y(tick), "grid")
            drawing.text(left - 6, y(tick) + 4, number_text(tick), "tick", "end")


def _series(number: int) -> str:
    return f"series-{(number - 1) % 8 + 1}" if number > 0 else "series-0"
