"""What stays on one line with a formula: the bracket before it, the stop after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.utils.html import escape
from markdown_it.token import Token

from leaderboard.rendering.quotes import QuoteSpan

BEFORE_FORMULA = re.compile(r"[(\[\u2018\u201c（【「『《]{1,3}$")
ENDS_WITH_FORMULA = re.compile(r"(?:\$|\\\))$")
CLOSING = re.compile(r"[,.;:!?)\]\u2019\u201d%，。、；：！？）】」』》]{1,4}")


def give_bracket(before: Token, formula: Token) -> None:
    """A bracket that opens before a formula goes with it, else it might stand alone at the end of a line."""
    if bracket := BEFORE_FORMULA.search(before.content):
        before.content = before.content[: bracket.start()]
        formula.meta = {**formula.meta, "opening": bracket[0]}


def keep_stop(html: str, tokens: Sequence[Token], idx: int) -> str:
    """A formula holds the bracket before it and the stop after it, which else might stand on another line alone.

    In a long formula they scroll with it.
    """
    after = tokens[idx + 1] if idx + 1 < len(tokens) else None
    opening = escape(tokens[idx].meta.get("opening", ""))
    stop = CLOSING.match(after.content) if after is not None and after.type == "text" else None
    if after is not None and stop is not None:
        after.content = after.content[stop.end() :]
    closing = escape(stop[0]) if stop else ""
    if not opening and not closing:
        return html
    if html.startswith("<math"):
        return f'<span class="math-stop">{opening}{html}{closing}</span>'
    start, end = html.find("<math"), html.rfind("</math>") + len("</math>")
    if html.startswith('<span class="math-wide"') and 0 < start < end:
        return f"{html[:start]}{opening}{html[start:end]}{closing}{html[end:]}"
    return f"{opening}{html}{closing}"


def end_with_stop(text: str, quote: QuoteSpan) -> int:
    """Evidence that ends with a formula takes the stop after it along, which else might begin the next line alone."""
    if quote.style == "answer-found" or not ENDS_WITH_FORMULA.search(text, max(0, quote.end - 2), quote.end):
        return quote.end
    stop = CLOSING.match(text, quote.end)
    return stop.end() if stop else quote.end
