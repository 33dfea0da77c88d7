"""A text as it came, character by character, with its quotes marked by their offsets."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.rendering.quotes import Marker, QuoteSpan


def render_raw(text: str, quotes: Sequence[QuoteSpan] = ()) -> SafeString:
    """`<pre class="verbatim">` around the escaped text; quotes: offsets in `text`, may overlap."""
    marker = Marker(quotes)
    cuts = marker.cuts(0, len(text))
    pieces = []
    for start, end in zip(cuts, cuts[1:]):
        spans = marker.covering(start, end) if end > start else ()
        pieces.append(f"{marker.open(spans)}{escape(text[start:end])}{marker.close(spans)}")
    return mark_safe(f'<pre class="verbatim" dir="auto" tabindex="0">{"".join(pieces)}</pre>')
