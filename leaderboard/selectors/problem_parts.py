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
from django.utils.translation import gettext as _

from arena.models import Figure, Problem
from leaderboard.rendering.excerpt import excerpt_html
from leaderboard.rendering.figures import FigureView
from leaderboard.rendering.markdown import render_cached
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points

LONGEST_QUOTE = 600  # characters of evidence that are shown in its row
NOT_IN_A_LINK = re.compile(r"<(?:a|details|summary|pre|table|div|h[1-6])\b|tabindex|math-block|math-wide")
_BLOCKS = re.compile(r"\n|\$\$|\\\[|\\begin\b")  # quotation marks around a display would stand on lines of their own
_WRAPPED = re.compile(r"(?:\\(?:boxed|text|textbf) ?\{)+([^{}\\$^_=]+)\}+")
_TEXT = re.compile(r"\\(?:text|textbf|mathrm|operatorname) ?\{[^{}]*\}")
_PROSE = re.compile(r"(?<![\\\w])[^\W\d_]{2,}\s+[^\W\d_]{2,}(?![\w{])")
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


def name_scheme(scheme: int, count: int) -> str:
    """A, B, C of several marking schemes; an only one needs no name."""
    return chr(ord("A") + scheme) if count > 1 else ""


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


def render_formula_text(text: str, *, is_expression: bool = False) -> SafeString:
    """An answer as HTML, by `formula_source`."""
    return render(formula_source(text, is_expression=is_expression))


def formula_source(text: str, *, is_expression: bool = False) -> str:
    """An answer as a text to render: bare LaTeX gets dollars; words, and what has its own dollars, stay text.

    is_expression: a formula even where no sign tells it from a word, as `0.667R` and `a+b`.
    """
    bare = text.strip()
    words = _WRAPPED.fullmatch(bare)
    if words and re.search(r"[^\W\d_]\s", words[1]):
        return words[1]
    looks_like_math = is_expression or any(sign in bare for sign in "\\^_={}")
    return f"${bare}$" if looks_like_math and _is_bare(bare) else text


def _is_bare(text: str) -> bool:
    """Whether all of it may stand between dollars: it has none, and holds no words outside a box or `\\text{}`."""
    if not text or any(sign in text for sign in ("$", "\\(", "\\[", "\n")):
        return False
    return text.startswith("\\boxed") or not _PROSE.search(_TEXT.sub("", text))


def render_quote(evidence: str) -> SafeString:
    """The quote with its mathematics; of a very long one the beginning, cut outside formulas."""
    if len(evidence) > LONGEST_QUOTE:
        return format_html("“{}”", excerpt_html(evidence, LONGEST_QUOTE))
    return render(evidence if _BLOCKS.search(evidence) else f"“{evidence}”")
