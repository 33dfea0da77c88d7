"""Find the leaves of parsed Markdown again in the text they came from, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.html import escape
from markdown_it.token import Token

from leaderboard.rendering.quotes import Marker
from leaderboard.rendering.source import CLOSE, OPEN, Source

NOWHERE = (-1, -1)
Find = Callable[[Token, Sequence[Token]], list[tuple[int, int]]]


def find_places(text: str) -> Find:
    """A function that gives the place of each inline token of a block; call it block by block, in order.

    A leaf's content stands verbatim in the source between its block's lines, after the leaf before it; an escaped
    character or an entity is looked for as it was written. What is not found gets NOWHERE and is never marked.
    """
    lines = _line_starts(text)
    cursor = 0

    def find(block: Token, children: Sequence[Token]) -> list[tuple[int, int]]:
        nonlocal cursor
        limit = len(text)
        if block.map:
            cursor = max(cursor, lines[min(block.map[0], len(lines) - 1)])
            limit = lines[block.map[1]] if block.map[1] < len(lines) else len(text)
        places = []
        for child in children:
            needle = _written(child)
            at = text.find(needle, cursor, limit) if needle else -1
            if at < 0:
                places.append(NOWHERE)
            else:
                cursor = at + len(needle)
                places.append((at, cursor))
        return places

    return find


def _written(token: Token) -> str:
    if token.type == "text_special":
        return token.markup
    if token.type == "placeholder":
        return f"{OPEN}{token.content}{CLOSE}"
    return token.content if token.type in ("text", "code_inline") else ""


def mark_fence(token: Token, source: Source, marker: Marker, find: Find) -> str:
    """The escaped content of a code block with its marks, line by line."""
    out: list[str] = []
    for line in token.content.splitlines(keepends=True):
        leaf = Token("text", "", 0, content=line.rstrip("\n"))
        start, end = find(token, [leaf])[0]
        if start < 0:
            out.append(escape(source.restore(line)))
            continue
        cuts = marker.cuts(start, end)
        for a, b in zip(cuts, cuts[1:]):
            spans = marker.covering(a, b)
            piece = escape(source.restore(leaf.content[a - start : b - start]))
            out.append(f"{marker.open(spans)}{piece}{marker.close(spans)}")
        out.append("\n")
    return "".join(out)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts
