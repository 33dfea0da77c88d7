"""Write SVG that stands inline in a page: escaped, classes instead of styles, a title for those who hear it.

A drawing has its own user units; fonts are 12 units. Charts come in two widths, WIDE and NARROW, of which the
stylesheet shows one (`.chart-wide`, `.chart-narrow`), so that letters stay 11 px or more on a telephone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

WIDE = 720
NARROW = 372
LETTER = 6.3  # mean width of a letter at 12 units


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear (or decimal logarithmic) map of [low, high] to [start, end]; values outside are held at the ends."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = self.low, self.high, value
        if self.is_log:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        share = 0.5 if high == low else (at - low) / (high - low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        return log_ticks(self.low, self.high) if self.is_log else nice_ticks(self.low, self.high, count)


class Drawing:
    """Collects elements; `to_svg` wraps them. Coordinates are written with at most one decimal."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []
        self.has_links = False

    def line(self, x1: float, y1: float, x2: float, y2: float, name: str = "") -> None:
        self.parts.append(f'<line x1="{num(x1)}" y1="{num(y1)}" x2="{num(x2)}" y2="{num(y2)}"{_class(name)}/>')

    def rect(self, x: float, y: float, width: float, height: float, name: str = "", title: str = "") -> None:
        box = f'x="{num(x)}" y="{num(y)}" width="{num(max(0.0, width))}" height="{num(max(0.0, height))}"'
        self.parts.append(_titled("rect", f"{box}{_class(name)}", title))

    def circle(self, x: float, y: float, radius: float, name: str = "", title: str = "") -> None:
        self.parts.append(_titled("circle", f'cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"{_class(name)}', title))

    def pill(self, x: float, y: float, half_width: float, radius: float) -> None:
        box = (
            f'x="{num(x - half_width)}" y="{num(y - radius)}" width="{num(2 * half_width)}" height="{num(2 * radius)}"'
        )
        self.parts.append(f'<rect {box} rx="{num(radius)}"/>')

    def diamond(self, x: float, y: float, radius: float, name: str = "", title: str = "") -> None:
        corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        self.path("M" + "L".join(f"{num(a)} {num(b)}" for a, b in corners) + "Z", name, title)

    def path(self, data: str, name: str = "", title: str = "", *, is_line: bool = False) -> None:
        """is_line: not to be filled, also where no stylesheet says so."""
        fill = ' fill="none" stroke="currentColor"' if is_line else ""
        self.parts.append(_titled("path", f'd="{data}"{fill}{_class(name)}', title))

    def text(self, x: float, y: float, content: str, name: str = "", anchor: str = "start", turn: float = 0) -> None:
        self._text(x, y, escape(content), name, anchor, turn)

    def symbol(self, x: float, y: float, letter: str, index: str) -> None:
        """A letter with its index, set around x; the index may be empty."""
        below = f'<tspan class="index" dy="4">{escape(index)}</tspan>' if index else ""
        self._text(x, y, escape(letter) + below, "", "middle", 0)

    def _text(self, x: float, y: float, markup: str, name: str, anchor: str, turn: float) -> None:
        turned = f' transform="rotate({num(turn)} {num(x)} {num(y)})"' if turn else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(f'<text x="{num(x)}" y="{num(y)}"{side}{turned}{_class(name)}>{markup}</text>')

    def group(self, name: str, title: str = "") -> None:
        self.parts.append(f"<g{_class(name)}>{_title(title)}")

    def end(self) -> None:
        self.parts.append("</g>")

    def link(self, href: str, title: str = "") -> bool:
        """Open a link around what follows; False (and nothing opened) where the address is none of ours."""
        if not href.startswith(("/", "#", "?")) or href.startswith("//"):
            return False
        self.has_links = True
        self.parts.append(f'<a href="{escape(href)}">{_title(title)}')
        return True

    def end_link(self) -> None:
        self.parts.append("</a>")

    def to_svg(self, title: str, name: str) -> SafeString:
        # role="img" would hide the links inside from those who do not see the picture
        role = "group" if self.has_links else "img"
        size = (
            f'viewBox="0 0 {num(self.width)} {num(self.height)}" width="{num(self.width)}" height="{num(self.height)}"'
        )
        label = escape(title)
        return mark_safe(
            f'<svg class="{name}" role="{role}" aria-label="{label}" {size}>'
            f"<title>{label}</title>{''.join(self.parts)}</svg>"
        )


def draw_both(draw: Callable[[int], SafeString]) -> SafeString:
    """A chart for wide and for narrow pages: draw(width) is called for both; the stylesheet shows one."""
    return mark_safe(f'<div class="chart-wide">{draw(WIDE)}</div><div class="chart-narrow">{draw(NARROW)}</div>')


def num(value: float) -> str:
    """A coordinate in as few characters as a picture needs."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def text_width(text: str) -> float:
    """About how wide the text is at 12 units. Ideographs count double."""
    return sum(LETTER * (2 if ord(character) > 0x2E80 else 1) for character in text)


def fit(text: str, width: float) -> str:
    """The text, cut with an ellipsis where it would be wider than `width` units."""
    used = 0.0
    for index, character in enumerate(text):
        used += text_width(character)
        if used > width and index < len(text) - 1:
            return text[: max(1, index - 1)].rstrip() + "…"
    return text


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers within [low, high], about `count` of them."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / max(1, count)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 10, 100 ... within [low, high]; with 3, or 2 and 5, between where few, even steps where fewer."""
    if low <= 0 or high < low:
        return []
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5)):
        found = [step * 10.0**power for power in powers for step in steps]
        inside = [tick for tick in found if low * 0.999 <= tick <= high * 1.001]
        if len(inside) > 2:
            return inside
    return nice_ticks(low, high)


def number_text(value: float, step: float = 0) -> str:
    """A number as a scale shows it: thin spaces between thousands, decimals as the step needs."""
    if value != 0 and (abs(value) < 1e-6 or abs(value) >= 1e7):
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    if value != 0 and abs(value) < 0.001:
        return f"{float(f'{value:.2g}'):.8f}".rstrip("0")
    decimals = 0 if not step or step == int(step) else min(4, max(0, -math.floor(math.log10(step) + 1e-9)) + 1)
    text = f"{value:,.{decimals}f}" if step else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    text = text.replace(",", "\u2009")
    return text.rstrip("0").rstrip(".") if "." in text else text


def tick_texts(ticks: Sequence[float]) -> list[str]:
    step = abs(ticks[1] - ticks[0]) if len(ticks) > 1 else 0
    return [number_text(tick, step) for tick in ticks]


def _titled(tag: str, attributes: str, title: str) -> str:
    return f"<{tag} {attributes}>{_title(title)}</{tag}>" if title else f"<{tag} {attributes}/>"


def _title(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
