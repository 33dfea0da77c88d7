"""LaTeX -> MathML Core with the LaTeX kept in an annotation, or the source itself with the reason.

`latex2mathml` reads the LaTeX; this module writes its tree: escaped, only known elements and attributes, no style,
and with the spacing and the letters that browsers following MathML Core do not add by themselves.

Classes for the stylesheet: on `<math>` `math-tall` (an inline formula higher than a line); inside `math-box`,
`math-cancel`, `math-bcancel`, `math-xcancel`, `math-strike` (menclose), `math-align`, `math-small` (tables),
`math-left`, `math-right`, `math-line-right`, `math-line-below` (cells and rows), `math-bold`, `math-italic`,
`math-sans`, `math-mono` (text); outside `math-error` (a `<code>` with a title).
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from xml.etree.ElementTree import Element

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from latex2mathml.converter import Converter
from latex2mathml.exceptions import ExtraLeftOrMissingRightError

from leaderboard.rendering.braces import LatexFault
from leaderboard.rendering.latex import normalise
from leaderboard.rendering.mathml import MathmlWriter
from leaderboard.rendering.segments import MAX_FORMULA
from leaderboard.sentences import say_sentence


def render_formula(latex: str, *, is_display: bool = False) -> SafeString:
    """`<math>` for the LaTeX (without delimiters), or `<code class="math-error">` with its source and a hint."""
    try:
        return mark_safe(to_mathml(latex, is_display))
    except LatexFault as fault:
        return mark_safe(error_html(latex, str(fault)))


def error_html(latex: str, reason: str) -> str:
    hint = _("This formula could not be typeset: %(reason)s.") % {"reason": say_sentence(reason)}
    return f'<code class="math-error" dir="ltr" title="{escape(hint)}">{escape(latex.strip())}</code>'


@lru_cache(maxsize=20_000)
def to_mathml(latex: str, is_display: bool) -> str:
    """MathML of one formula, safe to embed. Raises LatexFault with a short reason if it cannot be typeset."""
    if len(latex) > MAX_FORMULA:
        raise LatexFault("longer than a formula can be")
    root = _convert(normalise(latex), is_display)
    writer = MathmlWriter(is_display)
    try:
        writer.row(list(root[0]))
    except RecursionError:
        raise LatexFault("nested too deeply") from None
    attributes = ' display="block"' if is_display else ' class="math-tall"' if writer.is_tall else ""
    return (
        f"<math{attributes}><semantics><mrow>{''.join(writer.out)}</mrow>"
        f'<annotation encoding="application/x-tex">{escape(latex.strip(), quote=False)}</annotation></semantics></math>'
    )


def _convert(latex: str, is_display: bool) -> Element:
    if not latex:
        raise LatexFault("empty")
    try:
        return _tree(latex, is_display)
    except ExtraLeftOrMissingRightError:
        return _tree(re.sub(r"\\(?:left|right|middle)(?![a-zA-Z])\s*\.?", "", latex), is_display)


def _tree(latex: str, is_display: bool) -> Element:
    try:
        return Converter(display="block" if is_display else "inline").convert_to_element(latex)
    except ExtraLeftOrMissingRightError:
        if r"\left" not in latex and r"\right" not in latex and r"\middle" not in latex:
            raise LatexFault("brackets do not pair") from None
        raise
    except RecursionError:
        raise LatexFault("nested too deeply") from None
    except Exception as error:  # the converter raises whatever its parser stumbles over: IndexError, StopIteration ...
        raise LatexFault(_describe(error)) from error


def _describe(error: Exception) -> str:
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
    return words if words not in {"index", "key", "value", "type", "attribute"} else "not understood"
