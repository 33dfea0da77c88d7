"""Charts in a plane: scatter with its frontier, curves with bands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.rendering.svg import LETTER, WIDE, Drawing, Scale, fit, num, number_text, tick_texts

LEFT, TOP, BOTTOM = 48, 12, 40


@dataclass(frozen=True, slots=True)
class Point:
    """One model in a plane; low, high: interval of y. series and tip as in IntervalRow; x_text: x as it is printed."""

    label: str
    x: float
    y: float
    href: str = ""
    low: float | None = None
    high: float | None = None
    is_reported: bool = False
    series: int = 1
    tip: str = ""
    x_text: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: y over x; low and high (as long as y) make a band."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    href: str = ""


def pareto_frontier(points: Sequence[Point], *, x_is_cost: bool = True) -> list[Point]:
    """The points that no other beats in both: lower x (if a cost, else higher) and higher y; in order of x."""
    best = -math.inf
    frontier = []
    for point in sorted(points, key=lambda p: (p.x if x_is_cost else -p.x, -p.y)):
        if point.y > best:
            frontier.append(point)
            best = point.y
    return frontier if x_is_cost else frontier[::-1]


def scatter(
    points: Sequence[Point],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    x_is_log: bool = False,
    x_is_cost: bool = True,
    has_frontier: bool = True,
    x_labels: Sequence[tuple[float, str]] = (),
    width: int = WIDE,
    height: int = 380,
) -> SafeString:
    """A dot a model, its name beside it where there is room, the frontier as a step line.

    x_labels: ticks of its own for x, such as dates. Points that are not finite (on a log scale: positive) are left out.
    """
    shown = [p for p in points if math.isfinite(p.x) and math.isfinite(p.y) and (p.x > 0 or not x_is_log)]
    drawing = Drawing(width, height)
    x, y = _plane([p.x for p in shown], [v for p in shown for v in (p.y, p.low, p.high)], width, height, x_is_log)
    _draw_axes(drawing, x, y, x_axis, y_axis, x_labels)
    if has_frontier and len(shown) > 1:
        _draw_frontier(drawing, pareto_frontier(shown, x_is_cost=x_is_cost), x, y, x_is_cost)
    for point in shown:
        _draw_point(drawing, point, x, y)
    _draw_names(drawing, shown, x, y)
    return drawing.to_svg(title, "chart scatter")


def curves(
    lines: Sequence[Curve],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    x_is_log: bool = False,
    y_low: float | None = None,
    y_high: float | None = None,
    width: int = WIDE,
    height: int = 320,
) -> SafeString:
    """Lines with bands, such as pass@k over k; each line has its own dash and its name at its end."""
    drawing = Drawing(width, height)
    lines = [line for line in lines if len(line.x)]
    values = [v for line in lines for v in (*line.y, *line.low, *line.high)]
    values += [v for v in (y_low, y_high) if v is not None]
    names = min(0.3 * width, 10 + LETTER * max((len(line.label) for line in lines), default=0))
    x, y = _plane([v for line in lines for v in line.x], values, width, height, x_is_log, right=names, pad=not x_is_log)
    steps = sorted({value for line in lines for value in line.x})
    _draw_axes(drawing, x, y, x_axis, y_axis, [(step, number_text(step)) for step in steps] if x_is_log else ())
    for number, line in enumerate(lines):
        drawing.group(f"series-{number % 8 + 1}", line.label)
        _draw_curve(drawing, line, x, y)
        drawing.end()
    _draw_curve_names(drawing, lines, x, y, names)
    return drawing.to_svg(title, "chart curves")


def _plane(
    xs: Sequence[float],
    ys: Sequence[float | None],
    width: int,
    height: int,
    is_log: bool,
    *,
    right: float = 16,
    pad: bool = True,
) -> tuple[Scale, Scale]:
    low, high = _span([v for v in xs if math.isfinite(v) and (v > 0 or not is_log)], is_log, pad)
    bottom, top = _span([v for v in ys if v is not None and math.isfinite(v)], False, True)
    return Scale(low, high, LEFT, width - right, is_log), Scale(bottom, top, height - BOTTOM, TOP)


def _span(values: Sequence[float], is_log: bool, pad: bool) -> tuple[float, float]:
    if not values:
        return (1.0, 10.0) if is_log else (0.0, 1.0)
    low, high = min(values), max(values)
    if is_log:
        return (low / 1.25, high * 1.25) if pad or low == high else (low, high)
    margin = 0.06 * (high - low) if high > low else max(0.5, abs(high) * 0.1)
    return (low - margin, high + margin) if pad or low == high else (low, high)


def _draw_axes(
    drawing: Drawing, x: Scale, y: Scale, x_axis: str, y_axis: str, x_labels: Sequence[tuple[float, str]]
) -> None:
    ticks = y.ticks(5)
    for tick, text in zip(ticks, tick_texts(ticks)):
        drawing.line(x.start, y(tick), x.end, y(tick), "grid")
        drawing.text(x.start - 6, y(tick) + 4, text, "tick", "end")
    room = max(2, int((x.end - x.start) / 70))
    plain = x.ticks(min(7, room))
    marks = list(x_labels) or list(zip(plain, map(number_text, plain) if x.is_log else tick_texts(plain)))
    for at, text in marks:
        drawing.line(x(at), y.start, x(at), y.start + 4, "axis")
        drawing.text(x(at), y.start + 17, text, "tick", "middle")
    drawing.line(x.start, y.start, x.end, y.start, "axis")
    drawing.text((x.start + x.end) / 2, y.start + 34, fit(x_axis, x.end - x.start), "label", "middle")
    drawing.text(12, (y.start + y.end) / 2, fit(y_axis, y.start - y.end), "label", "middle", turn=-90)


def _draw_frontier(drawing: Drawing, frontier: Sequence[Point], x: Scale, y: Scale, x_is_cost: bool) -> None:
    path = [f"M{num(x(frontier[0].x))} {num(y(frontier[0].y))}"]
    for point in frontier[1:]:
        across, up = f"H{num(x(point.x))}", f"V{num(y(point.y))}"
        path.append(across + up if x_is_cost else up + across)
    if x_is_cost:
        path.append(f"H{num(x.end)}")
    drawing.path("".join(path), "frontier", is_line=True)


def _draw_point(drawing: Drawing, point: Point, x: Scale, y: Scale) -> None:
    tip = point.tip or f"{point.label}: {point.x_text or number_text(point.x)}, {number_text(point.y)}"
    is_link = drawing.link(point.href, tip)
    drawing.group(f"series-{(point.series - 1) % 8 + 1}", "" if is_link else tip)
    if point.low is not None and point.high is not None and not point.is_reported:
        drawing.line(x(point.x), y(point.low), x(point.x), y(point.high), "whisker")
    if point.is_reported:
        drawing.diamond(x(point.x), y(point.y), 5, "reported")
    else:
        drawing.circle(x(point.x), y(point.y), 4.5, "dot")
    drawing.end()
    if is_link:
        drawing.end_link()


def _draw_names(drawing: Drawing, points: Sequence[Point], x: Scale, y: Scale) -> None:
    """Names where they cover neither a dot nor each other, best points first; the others have their title."""
    boxes = [(x(p.x) - 6, y(p.y) - 6, x(p.x) + 6, y(p.y) + 6) for p in points]
    for point in sorted(points, key=lambda p: -p.y):
        name = fit(point.label, 130)
        length = LETTER * len(name)
        for dx, dy, anchor in ((8, 4, "start"), (-8, 4, "end"), (0, -9, "middle"), (0, 18, "middle")):
            at, line = x(point.x) + dx, y(point.y) + dy
            left = at if anchor == "start" else at - length if anchor == "end" else at - length / 2
            box = (left, line - 10, left + length, line + 3)
            if box[0] < x.start or box[2] > x.end + 12 or any(_overlap(box, other) for other in boxes):
                continue
            boxes.append(box)
            drawing.text(at, line, name, "label point-label", anchor)
            break


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _draw_curve(drawing: Drawing, line: Curve, x: Scale, y: Scale) -> None:
    if line.low and line.high:
        there = [f"{num(x(a))} {num(y(b))}" for a, b in zip(line.x, line.high)]
        back = [f"{num(x(a))} {num(y(b))}" for a, b in zip(line.x, line.low)][::-1]
        drawing.path("M" + "L".join(there + back) + "Z", "band")
    drawing.path("M" + "L".join(f"{num(x(a))} {num(y(b))}" for a, b in zip(line.x, line.y)), "line", is_line=True)
    if len(line.x) == 1:
        drawing.circle(x(line.x[0]), y(line.y[0]), 3, "dot")


def _draw_curve_names(drawing: Drawing, lines: Sequence[Curve], x: Scale, y: Scale, room: float) -> None:
    """Each name beside its line's end, moved down where it would cover the one above; a line that ends early is led
    to its name."""
    last, furthest = -math.inf, max((line.x[-1] for line in lines), default=0.0)
    for number, line in sorted(enumerate(lines), key=lambda pair: y(pair[1].y[-1])):
        at = max(y(line.y[-1]) + 4, last + 14)
        last = at
        is_link = drawing.link(line.href)
        drawing.group(f"series-{number % 8 + 1}")
        if line.x[-1] < furthest:
            drawing.line(x(line.x[-1]) + 4, y(line.y[-1]), x.end + 3, at - 4, "leader")
        drawing.text(x.end + 6, at, fit(line.label, room - 8), "curve-label")
        drawing.end()
        if is_link:
            drawing.end_link()
