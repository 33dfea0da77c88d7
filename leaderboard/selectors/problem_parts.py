"""What pages about a problem share: its address, its figures, its texts as HTML, the word of an outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import quote

from django.core.cache import cache
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from arena.models import Figure, Problem
from leaderboard.rendering.figures import FigureView
from leaderboard.rendering.markdown import render_cached
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points

LONGEST_QUOTE = 600  # characters of evidence that are shown in its row
NOT_IN_A_LINK = re.compile(r"<(?:a|details|summary|pre|table|div|h[1-6])\b|tabindex|math-block|math-wide")
LARGE_SCALE = 50  # points from which on two decimals are enough
TEXTBOX_LANGUAGES = {"zh": "zh-Hans"}


def problem_url(place: Place, external_id: str, tail: str = "") -> str:
    """Official ids may hold `=`, `&`, `+` and more: quoted, never cut. tail: `try/` or another page below it."""
    path = reverse("problem", args=[place.benchmark.slug, "X"]).removesuffix("X/")
    return f"{path}{quote(external_id, safe='')}/{tail}{place.query}"


def language_of(problem: Problem) -> str:
    """The `lang` of a problem's text."""
    return TEXTBOX_LANGUAGES.get(problem.language, problem.language)


def figure_views(place: Place, problem: Problem) -> list[FigureView]:
    """The problem's figures; without a url where the benchmark's licence does not let us show them."""
    rows = list(Figure.objects.filter(problem=problem).select_related("image").order_by("position"))
    is_public = place.benchmark.figures_public or place.revision.is_sample  # the samples' figures are our own
    return [
        FigureView(
            url=reverse("figure", args=[place.benchmark.slug, figure.image.sha256]) if is_public else "",
            width=figure.image.width,
            height=figure.image.height,
            alt=figure.alt or _("Figure %(n)d of problem %(id)s") % {"n": number, "id": problem.external_id},
            caption=_("Figure %(n)d") % {"n": number} if len(rows) > 1 else "",
        )
        for number, figure in enumerate(rows, start=1)
    ]


def outcome_of(status: str, points: float | None, max_points: float) -> str:
    """The word of the outcome: `scored` is told apart into right, partial and wrong."""
    if status != "scored" or points is None:
        return "unscored" if status in ("open", "", "scored") else status
    if points >= max_points - 1e-9:
        return "right"
    return "partial" if points > 0 else "wrong"


def withheld() -> SafeString:
    """What stands in place of words that may tell a withheld reference."""
    return SafeString(_("withheld"))


def print_marks(points: float | Decimal | None, maximum: float | Decimal) -> str:
    """Points without trailing zeros; of a hundred (EED) two decimals are more than anyone can use."""
    if points is None:
        return print_points(None)
    return print_points(round(points, 2) if maximum >= LARGE_SCALE else points)


def render(text: str, figures: Sequence[FigureView] = ()) -> SafeString:
    """The text as HTML, rendered once for each content; empty for an empty text."""
    return render_cached(text, cache, figures=[f for f in figures if f.url]) if text.strip() else SafeString("")


def render_formula_text(text: str) -> SafeString:
    """An answer as HTML: what is bare LaTeX is set as a formula, what is words or has its own dollars stays text."""
    bare = text.strip()
    is_bare = bool(bare) and "$" not in bare and "\\(" not in bare and "\\[" not in bare and "\n" not in bare
    looks_like_math = any(sign in bare for sign in "\\^_={}") and not bare.startswith("\\text{")
    return render(f"${bare}$" if is_bare and looks_like_math else text)


def render_quote(evidence: str) -> SafeString:
    """The quote with its mathematics; as plain words where it would hold what cannot stand inside a link."""
    text = Truncator(evidence).chars(LONGEST_QUOTE)
    html = render(f"“{text}”") if len(text) == len(evidence) else SafeString("")
    if not html or NOT_IN_A_LINK.search(html):
        return format_html("“{}”", text)
    return html
