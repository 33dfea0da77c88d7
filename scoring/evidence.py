"""Where a judge's quotation stands in the reply, whatever white space and LaTeX markup it changed on the way."""

from __future__ import annotations

import re
from functools import lru_cache

Span = tuple[int, int]

# Nothing of this is heard when the text is read aloud: spacing, sizing, dollars, emphasis, grouping.
_SILENT = re.compile(
    r"\s+|\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|quad|qquad|mathrm|mathbf|text|textbf|boldsymbol|mathit)(?![a-zA-Z])"
    r"|\\[,;:! \[\]()]|[${}*`~]+|[\u200b-\u200d\u2060\ufeff]+"
)
_SAID_ALIKE = {
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\u2212": "-",
    "\u2013": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
}
_ALIKE = re.compile(r"\\[dt]frac(?![a-zA-Z])|[\u2212\u2013\u2018\u2019\u201c\u201d]")
_TOKEN = re.compile(f"(?P<silent>{_SILENT.pattern})|(?P<alike>{_ALIKE.pattern})|(?P<other>.)", re.DOTALL)
_ELLIPSIS = re.compile(r"\s*(?:\.\.\.+|\u2026+|\[\u2026\]|\\[lc]?dots(?![a-zA-Z]))\s*")


def anchor_quote(quote: str, reply: str) -> Span | None:
    """Offsets in `reply` of the quoted words; None where they do not stand there.

    A quote that leaves something out (`first words ... last words`) is anchored from its first piece to its last.
    """
    quote = quote.strip().strip("\"'\u201c\u201d").strip()
    if not quote:
        return None
    at = reply.find(quote)
    if at >= 0:
        return at, at + len(quote)
    said, offsets = _normalise_reply(reply)
    return _find(quote, said, offsets) or _find_pieces(quote, said, offsets)


def _normalise(text: str) -> tuple[str, list[Span]]:
    """`text` without what is silent, folded in case, and for each character left its offsets in `text`."""
    said: list[str] = []
    offsets: list[Span] = []
    for token in _TOKEN.finditer(text):
        if token["silent"]:
            continue
        sound = (_SAID_ALIKE.get(token[0]) or _SAID_ALIKE.get(token[0][:6]) or token[0]).lower()
        said.append(sound)
        offsets += [token.span()] * len(sound)
    return "".join(said), offsets


_normalise_reply = lru_cache(maxsize=4)(_normalise)  # all criteria of a scheme quote from one reply


def _find(quote: str, said: str, offsets: list[Span], start: int = 0) -> Span | None:
    wanted, _ = _normalise(quote)
    at = said.find(wanted, start) if wanted else -1
    return (offsets[at][0], offsets[at + len(wanted) - 1][1]) if at >= 0 else None


def _find_pieces(quote: str, said: str, offsets: list[Span]) -> Span | None:
    pieces = [_normalise(piece)[0] for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if len(piece) >= 4]
    if not pieces or not _ELLIPSIS.search(quote):
        return None
    first = at = -1
    for piece in pieces:
        at = said.find(piece, max(at, 0))
        if at < 0:
            return None
        first = at if first < 0 else first
        at += len(piece)
    return offsets[first][0], offsets[at - 1][1]
