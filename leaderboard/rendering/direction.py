"""Which way lists, quotations and tables run: as the first strong letter in them.

`dir="auto"` does not look into children that have a `dir` of their own, as every paragraph and cell of ours has.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import bidirectional

from markdown_it.token import Token

CONTAINERS = ("bullet_list", "ordered_list", "list_item", "blockquote", "table")
_STRONG = {"L": "ltr", "R": "rtl", "AL": "rtl"}


def turn_containers(tokens: Sequence[Token]) -> None:
    """Give `dir="rtl"` to each container that begins in a script from right to left. Placeholders: already parted."""
    outside: list[str] = []
    direction = ""  # of what follows within the same container
    for token in reversed(tokens):
        name, _underscore, end = token.type.rpartition("_")
        if token.type == "inline":
            direction = _read_direction(token) or direction
        elif name in CONTAINERS and end == "close":
            outside.append(direction)
            direction = ""
        elif name in CONTAINERS:
            if direction == "rtl":
                token.attrSet("dir", "rtl")
            direction = direction or outside.pop()


def _read_direction(token: Token) -> str:
    words = (child.content for child in token.children or () if child.type == "text")
    letters = (_STRONG.get(bidirectional(letter)) for text in words for letter in text)
    return next(filter(None, letters), "")
