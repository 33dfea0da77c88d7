"""Long texts by pages: each page renders in a bounded time into a bounded DOM, the rest on demand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from hashlib import sha256
from itertools import islice

from django.utils.safestring import SafeString

from leaderboard.rendering.figures import FigureView
from leaderboard.rendering.markdown import VERSION, Cache, render_text
from leaderboard.rendering.quotes import QuoteSpan
from leaderboard.rendering.segments import Kind, Segment, find_segments
from leaderboard.rendering.think import Section, find_sections

PAGE_CHARACTERS = 40_000
PAGE_FORMULAS = 400
PAGE_LINES = 1_000
MANY_FORMULAS, FEW_FORMULAS = 1_200, 150  # a text with so many opens in shorter pages, each at once
FENCE_LINE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page: text[start:end] of the raw text. number: from 1.

    is_think, fence: it starts within a thought, within code (then the line that opens it), to be opened again.
    """

    number: int
    start: int
    end: int
    is_think: bool = False
    fence: str = ""


class RenderedPages(Sequence[SafeString]):
    """The pages of a text as HTML, each rendered when asked for."""

    def __init__(self, text: str, figures: Sequence[FigureView], open_think: bool, quotes: Sequence[QuoteSpan]) -> None:
        self.text = text
        self.pages = split_pages(text)
        self._figures, self._open_think, self._quotes = figures, open_think, quotes

    def __len__(self) -> int:
        return len(self.pages)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return render_page(
            self.text,
            self.pages[index],
            figures=self._figures,
            open_think=self._open_think,
            quotes=self._quotes,
        )

    def page_of(self, offset: int) -> int:
        """The number (from 1) of the page that shows the character at `offset` of the raw text."""
        return page_at(self.pages, offset)


def render_pages(
    text: str,
    *,
    figures: Sequence[FigureView] = (),
    open_think: bool = False,
    quotes: Sequence[QuoteSpan] = (),
) -> RenderedPages:
    """A text of any size as pages of HTML; `pages[0]` costs the same however long the text is, but for one scan."""
    return RenderedPages(text, figures, open_think, quotes)


def render_page(
    text: str,
    page: TextPage,
    *,
    figures: Sequence[FigureView] = (),
    open_think: bool = False,
    quotes: Sequence[QuoteSpan] = (),
) -> SafeString:
    """One page; the arguments are those of `render_text`, quotes with offsets in the whole text."""
    part, here = cut_page(text, page, quotes)
    return render_text(part, figures=figures, open_think=open_think, quotes=here)


def cut_page(text: str, page: TextPage, quotes: Sequence[QuoteSpan] = ()) -> tuple[str, list[QuoteSpan]]:
    """What a page says as a text of its own, and the quotes within it with offsets in that text."""
    prefix = ("<think>\n" if page.is_think else "") + (page.fence + "\n" if page.fence else "")
    shift = len(prefix) - page.start
    here = [
        replace(q, start=max(q.start, page.start) + shift, end=min(q.end, page.end) + shift)
        for q in quotes
        if q.start < page.end and q.end > page.start
    ]
    return prefix + text[page.start : page.end], here


def split_cached(text: str, cache: Cache) -> list[TextPage]:
    """`split_pages`, which reads a long text from end to end, once for each content."""
    if len(text) <= PAGE_CHARACTERS:
        return split_pages(text)
    key = f"split:{VERSION}:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    known = cache.get(key)
    if isinstance(known, list):
        return [TextPage(*values) for values in known]
    pages = split_pages(text)
    cache.set(key, [astuple(page) for page in pages], timeout=None)
    return pages


def page_at(pages: Sequence[TextPage], offset: int) -> int:
    """The number (from 1) of the page that shows the character at `offset` of the raw text."""
    return max(1, bisect_right([page.start for page in pages], offset))


def split_pages(text: str) -> list[TextPage]:
    """Cut a text at blank lines into pages of bounded characters, lines and formulas; never within a formula.

    A `<think>` part may go over several pages. A single longer paragraph is cut at a line end, else at a space.
    """
    is_short = len(text) <= PAGE_CHARACTERS and text.count("\n") <= PAGE_LINES
    if is_short and text.count("$") + text.count("\\") <= PAGE_FORMULAS:
        return [TextPage(1, 0, len(text))]
    segments = find_segments(text)
    thoughts = [s for s in find_sections(text) if s.is_think]
    pages: list[TextPage] = []
    most = PAGE_FORMULAS if len(segments) <= MANY_FORMULAS else FEW_FORMULAS
    start, first, fence = 0, 0, ""
    while start < len(text) or not pages:
        while first < len(segments) and segments[first].end <= start:
            first += 1
        end = _cut(text, start, segments, first, most)
        pages.append(TextPage(len(pages) + 1, start, end, _continues_thought(thoughts, start, end), fence))
        fence = _open_fence(text, end, segments)
        start = end
    return pages


def _continues_thought(thoughts: Sequence[Section], start: int, end: int) -> bool:
    """Whether a page starts within a thought whose opening tag it does not hold."""
    index = bisect_right(thoughts, start, key=lambda t: t.start) - 1
    if index < 0 or start >= thoughts[index].end:
        return False
    return start > 0 or end < thoughts[index].end


def _cut(text: str, start: int, segments: Sequence[Segment], first: int, most: int) -> int:
    """Where the page that starts at `start` ends; most: formulas on it."""
    end = _bound_lines(text, start, min(start + PAGE_CHARACTERS, len(text)))
    formulas = 0
    for segment in islice(segments, first, first + 10 * PAGE_FORMULAS):
        if segment.start >= end:
            break
        formulas += segment.kind is not Kind.CODE
        if formulas > most:
            end = segment.start
            break
    if end == len(text):
        return end
    inside = _segment_at(segments, end)
    if inside and inside.kind is not Kind.CODE and inside.start < end:
        end = inside.start if inside.start > start else inside.end
    last = bisect_right(segments, end, key=lambda s: s.start)
    return _nice_cut(text, start, end, segments[first:last])


def _bound_lines(text: str, start: int, end: int) -> int:
    if text.count("\n", start, end) <= PAGE_LINES:
        return end
    position = start
    for _ in range(PAGE_LINES):
        position = text.find("\n", position, end) + 1
    return position


def _nice_cut(text: str, start: int, end: int, segments: Sequence[Segment]) -> int:
    """The last blank line before `end`, else line end, else space, outside every segment; not too far back."""
    earliest = start + (end - start) // 4
    for separator in ("\n\n", "\n", " "):
        at = text.rfind(separator, earliest, end)
        for _ in range(50):
            inside = _segment_at(segments, at)
            if at < 0 or inside is None or (inside.kind is Kind.CODE and separator == "\n"):
                break
            at = text.rfind(separator, earliest, inside.start)
        if at > start:
            return at + len(separator)
    return end


def _segment_at(segments: Sequence[Segment], offset: int) -> Segment | None:
    index = bisect_right(segments, offset, key=lambda s: s.start) - 1
    return segments[index] if index >= 0 and segments[index].start <= offset < segments[index].end else None


def _open_fence(text: str, offset: int, segments: Sequence[Segment]) -> str:
    inside = _segment_at(segments, offset) if offset < len(text) else None
    if inside is None or inside.start >= offset or inside.kind is not Kind.CODE:
        return ""
    match = FENCE_LINE.match(text, inside.start)
    return match[1] if match else ""
