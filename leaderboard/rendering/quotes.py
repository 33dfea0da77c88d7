"""Anchor quotes in a rendered text: `<mark>` around what lies between two offsets of the raw text.

After Markdown is parsed, every leaf (a run of text, a code span, a formula) is found again in the source, in order.
A leaf inside a quote is wrapped; neighbouring leaves share one mark; a formula is marked whole or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from markdown_it.token import Token

UNSAFE_IN_ID = re.compile(r"[^A-Za-z0-9_-]+")
STYLES = {"evidence": "evidence", "quiet": "evidence quiet", "answer-found": "answer-found"}
OUTCOMES = frozenset({"", "right", "partial", "wrong"})


@dataclass(frozen=True, slots=True)
class QuoteSpan:
    """text[start:end] of the raw text, to be `<mark id="{key}" class="{style} {outcome}">`.

    label: shown in the gutter, linked to `href` (the criterion's row, `#...`). outcome: "right", "partial", "wrong" or
    "". style: "evidence", "answer-found", or "quiet" (seen only when something points at it).
    """

    start: int
    end: int
    key: str
    label: str = ""
    href: str = ""
    style: str = "evidence"
    outcome: str = ""


class Marker:
    """Opens and closes marks over leaves in reading order. spans: offsets in the text that Markdown parsed."""

    def __init__(self, spans: Sequence[QuoteSpan]) -> None:
        self.spans = sorted((s for s in spans if s.end > s.start), key=lambda s: (s.start, -s.end))
        self.edges = sorted({edge for s in self.spans for edge in (s.start, s.end)})
        self.begun: set[str] = set()

    def covering(self, start: int, end: int) -> tuple[QuoteSpan, ...]:
        return tuple(s for s in self.spans if s.start < end and s.end > start)

    def cuts(self, start: int, end: int) -> list[int]:
        """Where a leaf must be cut so that each piece lies wholly in or out of every quote."""
        return [start, *(edge for edge in self.edges if start < edge < end), end]

    def open(self, spans: Sequence[QuoteSpan]) -> str:
        return "".join(self._open(span, lane) for lane, span in enumerate(spans, start=1))

    def close(self, spans: Sequence[QuoteSpan]) -> str:
        return "</mark>" * len(spans)

    def _open(self, span: QuoteSpan, lane: int) -> str:
        style = STYLES.get(span.style, "evidence")
        outcome = f" {span.outcome}" if span.outcome and span.outcome in OUTCOMES else ""
        key = anchor(span.key)
        if key in self.begun:
            return f'<mark class="{style}{outcome}">'
        self.begun.add(key)
        return f'<mark class="{style}{outcome}" id="{key}">{_gutter(span, lane)}'


def anchor(key: str) -> str:
    """The id under which a quote's mark stands."""
    return UNSAFE_IN_ID.sub("-", key) or "quote"


def _gutter(span: QuoteSpan, lane: int) -> str:
    """The number in the margin; where quotes overlap the inner one stands in the second lane."""
    if not span.label:
        return ""
    classes = "gutter lane-2" if lane > 1 else "gutter"
    if not span.href.startswith("#"):
        return f'<span class="{classes}">{escape(span.label)}</span>'
    return f'<a class="{classes}" href="{escape(span.href)}">{escape(span.label)}</a>'


def mark_leaves(children: Sequence[Token], places: Sequence[tuple[int, int]], marker: Marker) -> list[Token]:
    """Inline tokens with marks put in. places: where each stands in the parsed text, (-1, -1) if it is no leaf."""
    out: list[Token] = []
    active: tuple[QuoteSpan, ...] = ()

    def change(spans: tuple[QuoteSpan, ...]) -> None:
        nonlocal active
        if spans == active:
            return
        if active:
            out.append(raw(marker.close(active)))
        if spans:
            out.append(raw(marker.open(spans)))
        active = spans

    for token, (start, end) in zip(children, places, strict=True):
        if token.nesting or start < 0:
            if token.type not in ("softbreak", "hardbreak"):
                change(())
            out.append(token)
            continue
        for a, b in _pieces(token, start, end, marker):
            change(marker.covering(a, b))
            out.append(token if (a, b) == (start, end) else _part(token, a - start, b - start))
    change(())
    return out


def _pieces(token: Token, start: int, end: int, marker: Marker) -> list[tuple[int, int]]:
    if token.type not in ("text", "code_inline") or end - start != len(token.content):
        return [(start, end)]
    cuts = marker.cuts(start, end)
    return list(zip(cuts, cuts[1:]))


def _part(token: Token, start: int, end: int) -> Token:
    part = token.copy()
    part.content = token.content[start:end]
    return part


def raw(html: str) -> Token:
    return Token("html_inline", "", 0, content=html)
