"""Figures as a page shows them: sized, so that nothing moves when they arrive, and each a link to its full size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.translation import gettext as _

from leaderboard.rendering.segments import Kind, find_segments

TALLEST = 416  # px; the attributes of an image give its room before it is there
TALLEST_INLINE = 60


@dataclass(frozen=True, slots=True)
class FigureView:
    """url: where the full image is served (trusted). width, height: px of the file. alt: what the figure shows."""

    url: str
    width: int
    height: int
    alt: str = ""
    caption: str = ""

    @property
    def shown_size(self) -> tuple[int, int]:
        """Width and height (px) on a page: a tall figure is shown smaller, so that it fits a screen."""
        return fit_height(self.width, self.height, TALLEST)

    @property
    def shown_width(self) -> int:
        return self.shown_size[0]

    @property
    def shown_height(self) -> int:
        return self.shown_size[1]


def fit_height(width: int, height: int, most: int) -> tuple[int, int]:
    """The size scaled down to at most `most` px of height."""
    if height <= most:
        return int(width), int(height)
    return max(1, round(width * most / height)), most


def figures_not_placed(texts: Sequence[str], figures: Sequence[FigureView]) -> list[FigureView]:
    """The figures that no `[figureN]` token of the texts shows; a page puts them after the statement."""
    placed = {int(s.body) for text in texts for s in find_segments(text) if s.kind is Kind.FIGURE}
    return [figure for number, figure in enumerate(figures, start=1) if number not in placed]


def figure_html(figure: FigureView, number: int, *, is_block: bool = True) -> str:
    """`<figure class="figure">` (or a span of the same class inside a line) with a sized, linked image."""
    alt = figure.alt or _("Figure %(number)d") % {"number": number}
    width, height = figure.shown_size if is_block else fit_height(figure.width, figure.height, TALLEST_INLINE)
    image = (
        f'<a class="figure-zoom" href="{escape(figure.url)}"><img src="{escape(figure.url)}" alt="{escape(alt)}" '
        f'width="{width}" height="{height}" loading="lazy" decoding="async"></a>'
    )
    if not is_block:
        return f'<span class="figure figure-inline">{image}</span>'
    caption = f"<figcaption>{escape(figure.caption)}</figcaption>" if figure.caption else ""
    return f'<figure class="figure">{image}{caption}</figure>'


def missing_figure_html(source: str) -> str:
    title = _("The problem names this figure, but it has none of this number.")
    return f'<span class="figure-missing" title="{escape(title)}">{escape(source)}</span>'
