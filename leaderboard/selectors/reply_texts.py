"""A reply's words in parts of bounded size: rendered or raw, with the evidence and the found answer marked in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from django.core.cache import cache
from django.utils.safestring import SafeString

from arena.answer_places import find_answer_places
from arena.models import Problem, Reply
from leaderboard.rendering.markdown import render_cached
from leaderboard.rendering.pages import TextPage, cut_page, page_at, split_cached
from leaderboard.rendering.quotes import QuoteSpan
from leaderboard.rendering.raw import render_raw
from leaderboard.selectors.rubrics import PartGroup, PartRow, Rubric

REPLY, RAW, PROMPT = "reply", "raw", "prompt"
VIEWS = (REPLY, RAW, PROMPT)
PLACES_VERSION = "1"  # raise it when the rules that find an answer change


@dataclass(frozen=True, slots=True)
class TextView:
    """One part of a text as HTML. number, count: of the parts, from 1; characters: of the whole text."""

    html: SafeString
    number: int
    count: int
    characters: int

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def next(self) -> int:
        return self.number + 1 if self.number < self.count else 0


def view_reply(
    reply: Reply, problem: Problem, adapter: str, rubric: Rubric, *, view: str, part: int
) -> tuple[TextView, Rubric]:
    """The asked part of the text, and the rubric with links to where each quote and answer stands."""
    pages = split_cached(reply.text, cache)
    number = min(max(part, 1), len(pages))
    spans = _spans(rubric, _answer_spans(reply, problem, adapter, rubric))
    page = pages[number - 1]
    html = SafeString("") if view == PROMPT else _render(reply.text, page, spans, view, is_open=adapter == "hipho")
    text = TextView(html, number, len(pages), len(reply.text))
    shown = "" if view == PROMPT else html
    links = {span.key: _link(span, pages, number, shown, view) for span in spans}
    return text, _with_links(rubric, links)


def view_reasoning(reasoning: str, part: int = 1) -> TextView | None:
    """A part of what the server returned apart; None where there is nothing."""
    if not reasoning.strip():
        return None
    pages = split_cached(reasoning, cache)
    number = min(max(part, 1), len(pages))
    text, _quotes = cut_page(reasoning, pages[number - 1])
    return TextView(render_cached(text, cache), number, len(pages), len(reasoning))


def _render(text: str, page: TextPage, spans: Sequence[QuoteSpan], view: str, *, is_open: bool) -> SafeString:
    if view == RAW:
        inside = [s for s in spans if s.start < page.end and s.end > page.start]
        moved = [replace(s, start=max(s.start - page.start, 0), end=min(s.end, page.end) - page.start) for s in inside]
        return render_raw(text[page.start : page.end], moved)
    part, quotes = cut_page(text, page, spans)
    return render_cached(part, cache, open_think=is_open, quotes=quotes)


def _spans(rubric: Rubric, answers: Sequence[QuoteSpan]) -> list[QuoteSpan]:
    """The best scheme's quotes with their numbers; the other schemes' are seen when something points at them."""
    spans = list(answers)
    for group in rubric.schemes:
        for row in group.rows:
            if row.place is None:
                continue
            start, end = row.place
            if group.is_best:
                spans.append(
                    QuoteSpan(start, end, f"q-{row.key}", str(row.number), f"#r-{row.key}", outcome=row.outcome)
                )
            else:
                spans.append(QuoteSpan(start, end, f"q-{row.key}", style="quiet", outcome=row.outcome))
    return spans


def _answer_spans(reply: Reply, problem: Problem, adapter: str, rubric: Rubric) -> list[QuoteSpan]:
    """Where the scored answers stand, found once for each reply: the scan reads all of it."""
    if rubric.answers is None or not any(row.evidence for row in rubric.answers.rows):
        return []
    digest = sha256(reply.text.encode("utf-8", "surrogatepass")).hexdigest()
    key = f"answer-places:{PLACES_VERSION}:{problem.pk}:{digest}"
    places = cache.get(key)
    if places is None:
        places = find_answer_places(adapter, problem, reply.text)
        cache.set(key, places, timeout=None)
    return [
        QuoteSpan(place[0], place[1], f"q-{row.key}", style="answer-found")
        for row, place in zip(rubric.answers.rows, places, strict=False)
        if place is not None and row.evidence
    ]


def _link(span: QuoteSpan, pages: Sequence[TextPage], number: int, html: str, view: str) -> str:
    """Within the page where its mark is there, else in the part that holds it; raw where no mark can be set in HTML."""
    here = page_at(pages, span.start)
    if here == number and f'id="{span.key}"' in html:
        return f"#{span.key}"
    if here == number and view == REPLY:
        return f"?view={RAW}{_part(here)}#{span.key}"
    return f"?{'view=raw' if view == RAW else 'view=reply'}{_part(here)}#{span.key}"


def _part(number: int) -> str:
    return f"&part={number}" if number > 1 else ""


def _with_links(rubric: Rubric, links: dict[str, str]) -> Rubric:
    def linked(row: PartRow) -> PartRow:
        return replace(row, href=links.get(f"q-{row.key}", ""))

    def with_rows(group: PartGroup) -> PartGroup:
        return replace(group, rows=tuple(linked(row) for row in group.rows))

    return replace(
        rubric,
        schemes=tuple(with_rows(group) for group in rubric.schemes),
        answers=with_rows(rubric.answers) if rubric.answers else None,
    )
