"""The strip in a headline cell: one estimate, its interval and what it is measured against, on the column's scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.rendering.svg import Drawing, Scale, number_text

WIDTH, HEIGHT, INSET = 96, 16, 4
TICK_KINDS = frozenset({"gold", "silver", "bronze", "human"})


@dataclass(frozen=True, slots=True)
class StripTick:
    """A line of the scale: kind is gold, silver, bronze or human."""

    value: float
    kind: str


@dataclass(frozen=True, slots=True)
class StripView:
    """What a strip shows, all in points of the column's metric.

    low, high: 95 % interval or None. sittings: single runs, drawn hollow. unscored: what the estimate would be if all
    unscored problems were wrong, and if all were right. reviewed: the value after human corrections. attainable: where
    the scale ends for models while the humans' goes on. text: the whole in words.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    is_reported: bool = False
    sittings: Sequence[float] = ()
    unscored: tuple[float, float] | None = None
    reviewed: float | None = None
    attainable: float | None = None
    text: str = ""


def draw_strip(view: StripView, scale_low: float, scale_high: float, ticks: Sequence[StripTick] = ()) -> SafeString:
    """`<svg class="strip">`, 96 x 16; `text` (or the numbers) is its title. An estimate may be missing."""
    drawing = Drawing(WIDTH, HEIGHT)
    place = Scale(scale_low, scale_high, INSET, WIDTH - INSET)
    middle = HEIGHT / 2
    _draw_axis(drawing, view, place, middle)
    for tick in ticks:
        if tick.kind in TICK_KINDS and math.isfinite(tick.value):
            drawing.line(place(tick.value), 1, place(tick.value), HEIGHT - 1, f"strip-tick {tick.kind}")
    if view.unscored is not None and view.unscored[1] > view.unscored[0]:
        drawing.line(place(view.unscored[0]), middle, place(view.unscored[1]), middle, "strip-unscored")
    if view.estimate is not None and math.isfinite(view.estimate):
        _draw_estimate(drawing, view, view.estimate, place, middle)
    return drawing.to_svg(view.text or _describe(view), "strip")


def _draw_axis(drawing: Drawing, view: StripView, place: Scale, middle: float) -> None:
    end = WIDTH - INSET
    if view.attainable is None or view.attainable >= place.high:
        drawing.line(INSET, middle, end, middle, "strip-axis")
        return
    stop = place(view.attainable)
    drawing.line(INSET, middle, stop, middle, "strip-axis")
    drawing.path(f"M{stop:.1f} {middle - 4:.1f}l3 4l-3 4", "strip-broken", is_line=True)


def _draw_estimate(drawing: Drawing, view: StripView, estimate: float, place: Scale, middle: float) -> None:
    x = place(estimate)
    for sitting in view.sittings:
        if math.isfinite(sitting):
            drawing.circle(place(sitting), middle, 2, "strip-sitting")
    if view.is_reported:
        drawing.diamond(x, middle, 3.5, "strip-reported")
        return
    if view.low is not None and view.high is not None:
        drawing.line(place(view.low), middle, place(view.high), middle, "strip-interval")
    drawing.circle(x, middle, 2.5, "strip-estimate")
    if view.reviewed is not None:
        at = place(view.reviewed)
        drawing.path(f"M{at - 3:.1f} 1L{at:.1f} 4L{at + 3:.1f} 1", "strip-reviewed", is_line=True)


def _describe(view: StripView) -> str:
    if view.estimate is None:
        return "–"
    text = number_text(view.estimate)
    if view.low is not None and view.high is not None:
        text += f", 95 % {number_text(view.low)} – {number_text(view.high)}"
    return text
