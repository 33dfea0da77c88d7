"""The text that Markdown parses: formulas and figures replaced by placeholders, with a map back to the raw text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from leaderboard.rendering.quotes import QuoteSpan
from leaderboard.rendering.segments import Kind, Segment, find_segments

# Noncharacters, never valid in a text: they cannot come in from outside (see `clean`).
OPEN, CLOSE = "\ufdd0", "\ufdd1"
PLACEHOLDER = re.compile(f"{OPEN}(\\d+){CLOSE}")
# A punctuation sign of SignWriting that lets `**重点：**后文` close its emphasis, as CommonMark wants one there.
FLANK = "\U0001da8b"
# A star between two operands: a product, never emphasis, though CommonMark would eat the signs of `2*3*4`.
TIMES = "\ufdd2"
PRODUCT = re.compile(r"(?<=[0-9A-Za-z)])\*(?=[0-9A-Za-z])|(?<=[0-9)])\*(?=\()")
STRANGE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
HAN = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]"
PUNCTUATION = r"[!-/:-@\[-`{-~\u2010-\u2027\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
TABLE_RULE = re.compile(r"^[ \t]*[-:|][ \t:|-]+$", re.MULTILINE)
NO_ROW = re.compile(r"^[^|\n]*$", re.MULTILINE)
STARS = re.compile(
    rf"(?P<close>(?<={PUNCTUATION})\*{{1,2}}(?={HAN}|\Z))"
    rf"|(?P<open>(?<={HAN})\*{{1,2}}(?={PUNCTUATION}))"
)


@dataclass(slots=True)
class Source:
    """text: for Markdown. segments: by the number in a placeholder. raw: what was given, cleaned, of equal length."""

    raw: str
    text: str = ""
    segments: list[Segment] = field(default_factory=list)
    figures: int = 0
    _starts: list[int] = field(default_factory=list)  # raw offsets of the pieces
    _pieces: list[tuple[int, int, bool]] = field(default_factory=list)  # (offset in text, length in text, is atomic)
    _inserted: list[int] = field(default_factory=list)  # where line ends were put in after that (see `end_tables`)

    def place(self, span: QuoteSpan) -> QuoteSpan:
        """The span with offsets in `text`; a span that touches a formula takes it whole."""
        start, end = max(0, span.start), min(len(self.raw), span.end)
        return replace(span, start=self._map(start, False), end=self._map(end, True))

    def restore(self, text: str) -> str:
        """Text from the parser with the placeholders turned back into what stood there."""
        return as_typed(PLACEHOLDER.sub(self._original, text) if OPEN in text else text)

    def segment(self, number: str) -> Segment | None:
        index = int(number)
        return self.segments[index] if index < len(self.segments) else None

    def _original(self, match: re.Match[str]) -> str:
        segment = self.segment(match[1])
        return self.raw[segment.start : segment.end] if segment else ""

    def end_tables(self) -> None:
        """Put a blank line after a table's last row: a line without a bar is no row, though CommonMark's kin say so."""
        covered = 0
        for rule in TABLE_RULE.finditer(self.text):
            if rule.start() < covered or "|" not in rule[0] or "-" not in rule[0]:
                continue
            end = NO_ROW.search(self.text, rule.end())
            covered = end.start() if end else len(self.text)
            if end and end[0].strip():
                self._inserted.append(covered)
        for at in reversed(self._inserted):
            self.text = self.text[:at] + "\n" + self.text[at:]

    def _map(self, offset: int, is_end: bool) -> int:
        if not self._starts:
            return 0
        place = self._map_pieces(offset, is_end)
        return place + bisect_right(self._inserted, place - is_end)

    def _map_pieces(self, offset: int, is_end: bool) -> int:
        index = max(0, bisect_right(self._starts, offset - is_end) - 1)
        begin, length, is_atomic = self._pieces[index]
        if is_atomic:
            return begin + length if is_end else begin
        return begin + min(offset - self._starts[index], length)


def as_typed(text: str) -> str:
    """Text from the parser without the signs that were put in or changed for it."""
    return text.replace(FLANK, "").replace(TIMES, "*")


def clean(text: str) -> str:
    """The text without characters that no page may carry; every offset stays what it was."""
    return STRANGE.sub("\ufffd", text.replace("\r\n", " \n"))


def read_source(text: str, *, figures: int = 0) -> Source:
    """Prepare a raw text. figures: how many figures there are for `[figureN]`; with none the tokens stay text."""
    source = Source(raw=clean(text), figures=figures)
    out: list[str] = []
    length = 0

    def put(piece: str, start: int, is_atomic: bool) -> None:
        nonlocal length
        source._starts.append(start)
        source._pieces.append((length, len(piece), is_atomic))
        out.append(piece)
        length += len(piece)

    position = 0
    for segment in find_segments(text):
        if segment.kind is Kind.CODE or segment.kind is Kind.TAG or (segment.kind is Kind.FIGURE and not figures):
            continue
        _put_plain(source.raw, position, segment.start, put)
        placeholder = f"{OPEN}{len(source.segments)}{CLOSE}"
        source.segments.append(segment)
        if segment.kind is Kind.FIGURE and _stands_alone(source.raw, segment):
            put("\n\n", segment.start, True)
            put(placeholder, segment.start, True)
            put("\n\n", segment.end, True)
        else:
            put(placeholder, segment.start, True)
        position = segment.end
    _put_plain(source.raw, position, len(text), put)
    source.text = "".join(out)
    if "|" in source.text:
        source.end_tables()
    return source


def _put_plain(raw: str, start: int, end: int, put: Callable[[str, int, bool], None]) -> None:
    """Plain text, with FLANK beside emphasis that stands between punctuation and an ideograph or a formula."""
    if start >= end:
        return
    if "*" in raw[start:end]:
        for match in STARS.finditer(raw, start, end):
            at = match.end() if match["close"] else match.start()
            put(PRODUCT.sub(TIMES, raw[start:at]), start, False)
            put(FLANK, at, True)
            start = at
    put(PRODUCT.sub(TIMES, raw[start:end]), start, False)


def _stands_alone(raw: str, segment: Segment) -> bool:
    line_start = raw.rfind("\n", 0, segment.start) + 1
    line_end = raw.find("\n", segment.end)
    rest = raw[line_start : segment.start] + raw[segment.end : line_end if line_end >= 0 else len(raw)]
    return not rest.strip()
