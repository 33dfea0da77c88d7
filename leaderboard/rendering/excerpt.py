"""The beginning of a text in one line, with its formulas set: for lists of problems."""

from __future__ import annotations

import re
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.rendering.math import render_formula
from leaderboard.rendering.segments import Kind, find_segments

MARKUP = re.compile(r"\*\*|__|`|^#+\s*|^\s*[-*]\s+", re.MULTILINE)
FORMULA_WEIGHT = 3  # characters of LaTeX that take about the room of one letter


@lru_cache(maxsize=4096)
def excerpt_html(text: str, length: int = 110) -> SafeString:
    """About `length` letters of the text, cut between words and never within a formula; figures are left out."""
    out: list[str] = []
    room, position = length, 0
    for segment in find_segments(text):
        if (room := _add_words(out, text[position : segment.start], room)) <= 0:
            break
        position = segment.end
        if segment.kind in (Kind.INLINE, Kind.DISPLAY):
            out.append(render_formula(segment.body))
            room -= 1 + len(segment.body) // FORMULA_WEIGHT
        elif segment.kind is Kind.CODE:
            room = _add_words(out, text[segment.start : segment.end], room)
        if room <= 0:
            out.append(" …")
            break
    else:
        _add_words(out, text[position:], room)
    return mark_safe("".join(out).strip())


def _add_words(out: list[str], text: str, room: int) -> int:
    """Append as much of the text as there is room for; returns the room left, 0 where it was cut."""
    plain = re.sub(r"\s+", " ", MARKUP.sub("", text))
    if not out or out[-1].endswith(" "):
        plain = plain.lstrip()
    if len(plain) <= room:
        out.append(escape(plain))
        return room - len(plain)
    cut = plain[:room]
    out.append(escape(cut[: cut.rfind(" ")] if " " in cut else cut) + " …")
    return 0
