"""A small drawing sheet for diagrams. Coordinates are pixels of the finished picture, y pointing down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import ziafont
import ziamath
from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).parent
FONTS = {
    "plain": Path(ziafont.__file__).parent / "fonts" / "DejaVuSans.ttf",
    "math": Path(ziamath.__file__).parent / "fonts" / "STIXTwoMath-Regular.ttf",
}
SCALE = 3  # drawn larger and shrunk, for smooth lines
INK, FAINT, BLUE, RED, FILL = "#1b1f24", "#8a929b", "#1f5fbf", "#b3261e", "#dfe6ee"
Point = tuple[float, float]


class Sheet:
    """A white sheet with the few strokes that diagrams need."""

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), "white")
        self.pen = ImageDraw.Draw(self.image)

    def line(self, *points: Point, color: str = INK, width: float = 2, dash: float = 0) -> None:
        if not dash:
            self.pen.line([_up(p) for p in points], fill=color, width=round(width * SCALE), joint="curve")
            return
        for start, end in zip(points, points[1:]):
            length = math.dist(start, end)
            for k in range(math.ceil(length / (2 * dash))):
                a, b = 2 * k * dash / length, min(1.0, (2 * k + 1) * dash / length)
                self.line(between(start, end, a), between(start, end, b), color=color, width=width)

    def arrow(self, start: Point, end: Point, color: str = INK, width: float = 2, head: float = 11) -> None:
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        neck = (end[0] - 0.7 * head * math.cos(angle), end[1] - 0.7 * head * math.sin(angle))
        self.line(start, neck, color=color, width=width)
        sides = [(end[0] - head * math.cos(angle + t), end[1] - head * math.sin(angle + t)) for t in (-0.36, 0.36)]
        self.polygon(end, *sides, color=color, fill=color, width=0)

    def span(self, start: Point, end: Point, color: str = FAINT) -> None:
        """A dimension line with a head at both ends."""
        self.arrow(between(start, end, 0.5), start, color, 1.5, 9)
        self.arrow(between(start, end, 0.5), end, color, 1.5, 9)

    def polygon(self, *points: Point, color: str = INK, fill: str | None = FILL, width: float = 2) -> None:
        self.pen.polygon([_up(p) for p in points], fill=fill)
        if width:
            self.line(*points, points[0], color=color, width=width)

    def circle(self, center: Point, radius: float, fill: str | None = None, color: str = INK, width: float = 2) -> None:
        (x, y), r = _up(center), radius * SCALE
        self.pen.ellipse((x - r, y - r, x + r, y + r), fill=fill, outline=color, width=round(width * SCALE))

    def arc(self, center: Point, radius: float, start: float, end: float, color: str = INK, width: float = 2) -> None:
        """From `start` to `end` in degrees, counted clockwise from the right as the y axis points down."""
        angles = [math.radians(start + (end - start) * k / 60) for k in range(61)]
        points = [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in angles]
        self.line(*points, color=color, width=width)

    def text(
        self, at: Point, text: str, size: float = 22, font: str = "plain", color: str = INK, anchor: str = "mm"
    ) -> None:
        face = ImageFont.truetype(str(FONTS[font]), round(size * SCALE))
        self.pen.text(_up(at), text, font=face, fill=color, anchor=anchor)

    def symbol(self, at: Point, name: str, size: float = 26, color: str = INK) -> None:
        """An italic variable, with what follows `_` as its index: `R_1`."""
        base, _, index = name.partition("_")
        self.text(at, _italic(base), size, "math", color)
        if index:
            width = ImageFont.truetype(str(FONTS["math"]), round(size * SCALE)).getlength(_italic(base)) / SCALE
            self.text((at[0] + width / 2 + 1, at[1] + size * 0.30), index, size * 0.66, "math", color, "lm")

    def hatch(self, start: Point, end: Point, depth: float = 10, step: float = 12) -> None:
        """A solid wall: a line with strokes on its right-hand side as seen from start to end."""
        self.line(start, end, width=2.5)
        length = math.dist(start, end)
        ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        for k in range(1, int(length / step) + 1):
            x, y = start[0] + ux * k * step, start[1] + uy * k * step
            self.line((x, y), (x - uy * depth - ux * depth, y + ux * depth - uy * depth), width=1.2)

    def save(self, name: str) -> None:
        path = HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        small = self.image.resize(self.size, Image.Resampling.LANCZOS)
        small.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


class Axes:
    """Axes of a graph on a sheet: data coordinates in, points out."""

    def __init__(self, sheet: Sheet, box: tuple[float, float, float, float], right: float, top: float) -> None:
        self.sheet, (self.left, self.top, self.width, self.height) = sheet, box
        self.scale_x, self.scale_y = self.width / right, self.height / top
        sheet.arrow(self.at(0, 0), (self.left + self.width + 34, self.top + self.height))
        sheet.arrow(self.at(0, 0), (self.left, self.top - 34))

    def at(self, x: float, y: float) -> Point:
        return self.left + x * self.scale_x, self.top + self.height - y * self.scale_y

    def ticks(self, xs: Sequence[float], ys: Sequence[float], grid: bool = True) -> None:
        far_x, far_y = self.width / self.scale_x, self.height / self.scale_y
        for x in xs:
            if grid:
                self.sheet.line(self.at(x, 0), self.at(x, far_y), color="#d5dae0", width=1)
            self.sheet.line(self.at(x, 0), (self.at(x, 0)[0], self.at(x, 0)[1] + 6))
            self.sheet.text((self.at(x, 0)[0], self.at(x, 0)[1] + 20), f"{x:g}", 17)
        for y in ys:
            if grid:
                self.sheet.line(self.at(0, y), self.at(far_x, y), color="#d5dae0", width=1)
            self.sheet.line(self.at(0, y), (self.at(0, y)[0] - 6, self.at(0, y)[1]))
            self.sheet.text((self.at(0, y)[0] - 12, self.at(0, y)[1]), f"{y:g}", 17, anchor="rm")
        self.sheet.line(self.at(0, far_y), self.at(0, 0), self.at(far_x, 0))


def _up(point: Point) -> Point:
    return point[0] * SCALE, point[1] * SCALE


def between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _italic(text: str) -> str:
    """Mathematical italic letters; the italic h of Unicode is the Planck constant's sign."""
    out = ""
    for c in text:
        if c == "h":
            out += "\u210e"
        elif "a" <= c <= "z":
            out += chr(0x1D44E + ord(c) - ord("a"))
        elif "A" <= c <= "Z":
            out += chr(0x1D434 + ord(c) - ord("A"))
        elif "α" <= c <= "ω":
            out += chr(0x1D6FC + ord(c) - ord("α"))
        else:
            out += c
    return out
