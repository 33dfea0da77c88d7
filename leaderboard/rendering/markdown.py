"""Text of any quality, by anyone -> safe HTML: Markdown, LaTeX as MathML, figures, `<think>` folded, quotes marked.

Nothing in the output carries a style, a script or a foreign image; every text block has dir="auto", formulas and code
dir="ltr". The language is the caller's to state on the element around.

Classes: `math-stop` (a formula with the stop after it, never parted), `math-block` (a display formula, scrolls in
itself), `math-wide` (a long inline one, likewise), `math-error`,
`scroll` (around a table), `align-left|center|right` (cells), `fold think` (details), `tag-text` (its tags), `muted`,
`figure`, `figure-inline`, `figure-zoom`, `figure-missing`, `external-image`, `evidence [right|partial|wrong]` and
`answer-found` (mark), `gutter [lane-2]`, `verbatim` (a text shown as its source), `notice`. Those inside a formula:
`leaderboard.rendering.math`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, Protocol

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink as normalize_url
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from leaderboard.rendering.align import find_places, mark_fence
from leaderboard.rendering.definitions import Definitions
from leaderboard.rendering.direction import turn_containers
from leaderboard.rendering.figures import FigureView, figure_html, missing_figure_html
from leaderboard.rendering.math import render_formula
from leaderboard.rendering.quotes import Marker, QuoteSpan, mark_leaves
from leaderboard.rendering.sanitise import sanitise
from leaderboard.rendering.segments import Kind, Segment
from leaderboard.rendering.source import HAN, OPEN, PLACEHOLDER, Source, as_typed, read_source
from leaderboard.rendering.stops import end_with_stop, give_bracket, keep_stop
from leaderboard.rendering.think import Section, find_sections

VERSION = "12"  # part of every cache key: raise it when the same text gives other HTML
MAX_CHARACTERS = 200_000  # what one call renders; longer texts go by pages (`leaderboard.rendering.pages`)
MAX_NESTING = 40  # of blocks; beyond, the parser would drop text without a word
MAX_OPEN_BRACKETS = 400  # in one block: beyond, brackets are no links but an attack on the parser
WIDE = 60  # characters of LaTeX from which an inline formula may be wider than a phone
SAFE_LINK = re.compile(r"(?:https?://|mailto:)[^\s]+", re.IGNORECASE)
TALL = re.compile(r"\\(?:[dc]?frac|int|sum|prod|oint|lim)(?![a-zA-Z])")
ONLY_HAN_AROUND = re.compile(rf"{HAN}|[\u3000-\u303f\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class _Context:
    """What the render rules need of one text."""

    source: Source
    figures: Sequence[FigureView]
    definitions: Definitions

    def formula(self, segment: Segment, is_display: bool) -> str:
        """A formula in which what the text defines is written out; one that only defines is shown as its source."""
        latex = self.definitions.write_out(segment.body)
        if not latex.strip():
            return f'<code dir="ltr">{escape(segment.body)}</code>'
        html = formula_html(latex, is_display)
        return formula_html(segment.body, is_display) if 'class="math-error"' in html else html


class _Renderer(RendererHTML):
    """Render rules of markdown-it; `env["context"]` holds the _Context."""

    def softbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        before, after = tokens[idx - 1] if idx else None, tokens[idx + 1] if idx + 1 < len(tokens) else None
        if _is_display(before, env) or _is_display(after, env):
            return "\n"
        if not env.get("wrapped"):
            return "<br>\n"
        return "" if _joins_han(before, after) else "\n"

    def hardbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return "<br>\n"

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return f'<code dir="ltr">{escape(_context(env).source.restore(tokens[idx].content))}</code>'

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        content = tokens[idx].meta.get("marked") or escape(_context(env).source.restore(tokens[idx].content))
        return f'<pre dir="ltr" tabindex="0"><code>{content}</code></pre>\n'

    def placeholder(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        context = _context(env)
        segment = context.source.segment(tokens[idx].content)
        if segment is None:
            return ""
        if segment.kind is Kind.FIGURE:
            return _figure(segment, context, is_block=bool(tokens[idx].meta.get("block")))
        if segment.kind is Kind.DISPLAY or tokens[idx].meta.get("block"):
            return context.formula(segment, True)
        return keep_stop(context.formula(segment, False), tokens, idx)

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        """An image of a foreign host is a link to it, never fetched by our pages."""
        token = tokens[idx]
        alt = _context(env).source.restore(token.content) or _("image")
        address = str(token.attrs.get("src", ""))
        if not SAFE_LINK.fullmatch(address):
            return escape(f"[{alt}]")
        return f'<a class="external-image" href="{escape(address)}">[{escape(alt)}]</a>'

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        turned = ' dir="rtl"' if tokens[idx].attrs.get("dir") == "rtl" else ""
        return f'<div class="scroll" tabindex="0"{turned}><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        return "</table></div>\n"


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING}, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"])
    # Not wanted: indented code (models indent formulas), underlined headings (`---` is a rule), definitions (they hide
    # text). text_join would lose where an escaped character stood.
    parser.disable(["code", "lheading", "reference", "html_block", "html_inline", "text_join"])
    parser.normalizeLink = lambda url: normalize_url(as_typed(url))  # type: ignore[method-assign]
    parser.validateLink = lambda url: bool(SAFE_LINK.fullmatch(url)) and OPEN not in url  # type: ignore[method-assign]
    return parser


PARSER = _make_parser()


def render_text(
    text: str,
    *,
    figures: Sequence[FigureView] = (),
    open_think: bool = False,
    quotes: Sequence[QuoteSpan] = (),
) -> SafeString:
    """Safe HTML of a statement, a reply or a reason. Never raises for any text.

    figures: shown at `[figure1]`, `[figure2]` ... in this order; without any the tokens stay text.
    open_think: the `<think>` part stands open (HiPhO: it is the solution). quotes: offsets in `text`; may overlap.
    Of a text longer than MAX_CHARACTERS the first part only, with a note; use `pages.render_pages`.
    """
    part = text[:MAX_CHARACTERS]
    html = [_render_section(section, part, figures, open_think, quotes) for section in find_sections(part)]
    if len(text) > MAX_CHARACTERS:
        rest = _("%(count)d further characters are not shown here.") % {"count": len(text) - MAX_CHARACTERS}
        html.append(f'<p class="notice">{escape(rest)}</p>')
    return mark_safe(sanitise("".join(html), [figure.url for figure in figures]))


class Cache(Protocol):
    """What `render_cached` needs; Django's caches have it."""

    def get(self, key: str, default: Any = None) -> Any: ...
    def set(self, key: str, value: Any, timeout: float | None = None) -> Any: ...


def render_cached(
    text: str,
    cache: Cache,
    *,
    figures: Sequence[FigureView] = (),
    open_think: bool = False,
    quotes: Sequence[QuoteSpan] = (),
) -> SafeString:
    """`render_text` by content: the same text, figures, quotes and page language are rendered once."""
    key = cache_key(text, figures, open_think, quotes)
    known = cache.get(key)
    if isinstance(known, str):
        return mark_safe(known)
    html = render_text(text, figures=figures, open_think=open_think, quotes=quotes)
    cache.set(key, str(html), timeout=None)
    return html


def cache_key(text: str, figures: Sequence[FigureView], open_think: bool, quotes: Sequence[QuoteSpan]) -> str:
    digest = sha256(text.encode("utf-8", "surrogatepass"))
    digest.update(repr((VERSION, get_language(), tuple(figures), open_think, tuple(quotes))).encode("utf-8", "replace"))
    return f"rendered:{digest.hexdigest()}"


def formula_html(latex: str, is_display: bool) -> str:
    """The formula in the element that lets it scroll instead of the page."""
    html = render_formula(latex, is_display=is_display)
    focus = ' tabindex="0"' if len(latex) > 2 * WIDE else ""
    if is_display:
        return f'<span class="math-block" dir="ltr"{focus}>{html}</span>'
    return f'<span class="math-wide" dir="ltr">{html}</span>' if len(latex) > WIDE else html


def _render_section(
    section: Section, text: str, figures: Sequence[FigureView], open_think: bool, quotes: Sequence[QuoteSpan]
) -> str:
    inside = [
        replace(
            q,
            start=max(q.start, section.start) - section.start,
            end=min(end_with_stop(text, q), section.end) - section.start,
        )
        for q in quotes
        if q.start < section.end and q.end > section.start
    ]
    body = _render_block(text[section.start : section.end], figures, inside)
    if not section.is_think:
        return body
    return _fold(section, body, is_open=open_think or bool(inside))


def _fold(section: Section, body: str, is_open: bool) -> str:
    count = section.end - section.start
    size = ngettext("%(count)d character", "%(count)d characters", count) % {"count": count}
    opener = f'<code class="tag-text">{escape(section.opener)}</code> ' if section.opener else ""
    closer = f'<p><code class="tag-text">{escape(section.closer)}</code></p>' if section.closer else ""
    summary = f'<summary>{opener}{escape(_("Reasoning"))} <span class="muted">{escape(size)}</span></summary>'
    return f'<details class="fold think"{" open" if is_open else ""}>{summary}{body}{closer}</details>'


def _render_block(text: str, figures: Sequence[FigureView], quotes: Sequence[QuoteSpan]) -> str:
    try:
        source = read_source(text, figures=len(figures))
        if _is_bracket_attack(source.text):
            return fallback_html(text)
        env: dict[str, Any] = {"context": _Context(source, figures, Definitions(source.raw))}
        tokens = PARSER.parse(source.text, env)
        if any(token.level >= MAX_NESTING - 1 for token in tokens):
            return fallback_html(text)
        _prepare(tokens, source, [source.place(q) for q in quotes])
        return _render_tokens(tokens, env)
    except (RecursionError, RuntimeError, IndexError, ValueError):
        return fallback_html(text)  # the parser met what its authors did not foresee: the reader still sees the text


def fallback_html(text: str) -> str:
    return f'<pre class="verbatim" dir="auto" tabindex="0">{escape(text)}</pre>\n'


def _is_bracket_attack(text: str) -> bool:
    if text.count("[") <= MAX_OPEN_BRACKETS:
        return False
    return any(block.count("[") - block.count("](") > MAX_OPEN_BRACKETS for block in text.split("\n\n"))


def _render_tokens(tokens: list[Token], env: dict[str, Any]) -> str:
    """Render block by block, as each paragraph decides whether its line ends are breaks."""
    out: list[str] = []
    for index, token in enumerate(tokens):
        if token.type == "inline":
            env["wrapped"] = _is_hard_wrapped(token.content)
            out.append(PARSER.renderer.renderInline(token.children or [], PARSER.options, env))
        elif (rule := PARSER.renderer.rules.get(token.type)) is not None:
            out.append(rule(tokens, index, PARSER.options, env))
        else:
            out.append(PARSER.renderer.renderToken(tokens, index, PARSER.options, env))
    return "".join(out)


def _is_hard_wrapped(content: str) -> bool:
    """Whether a paragraph's line ends only keep its lines short, rather than begin new ones on purpose."""
    lines = content.split("\n")
    if len(lines) < 3:
        return False
    lengths = [len(line) for line in lines[:-1]]
    return min(lengths) >= 50 and max(lengths) <= 110


def _prepare(tokens: list[Token], source: Source, quotes: list[QuoteSpan]) -> None:
    """Put formulas, figures and marks into the parsed tokens and adjust block attributes."""
    marker = Marker(quotes)
    find = find_places(source.text) if quotes else None
    for index, token in enumerate(tokens):
        if token.type == "inline":
            token.children = _prepare_inline(token, source, marker, find)
            _raise_to_block(tokens, index, source)
        elif token.type == "fence" and find is not None:
            token.meta = {"marked": mark_fence(token, source, marker, find)}
        elif token.type in ("paragraph_open", "list_item_open", "blockquote_open"):
            token.attrSet("dir", "auto")
        elif token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
            if token.nesting == 1:
                token.attrSet("dir", "auto")
        elif token.type in ("th_open", "td_open"):
            _prepare_cell(token)
    turn_containers(tokens)


def _prepare_cell(token: Token) -> None:
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrSet("class", "align-" + style.rpartition(":")[2].strip())
    if token.type == "th_open":
        token.attrSet("scope", "col")
    token.attrSet("dir", "auto")


Find = Callable[[Token, Sequence[Token]], list[tuple[int, int]]]


def _prepare_inline(token: Token, source: Source, marker: Marker, find: Find | None) -> list[Token]:
    children: list[Token] = []
    for child in token.children or []:
        if child.type == "text" and OPEN in child.content:
            children.extend(_split_placeholders(child))
        else:
            children.append(child)
    if find is not None:
        children = mark_leaves(children, find(token, children), marker)
    for child in children:
        if child.type == "text_special":
            child.type = "text"
        if child.type == "text":
            child.content = as_typed(child.content)
        elif child.type == "link_open" and "title" in child.attrs:
            child.attrSet("title", as_typed(str(child.attrs["title"])))
    for before, child in pairwise(children):
        if before.type == "text" and child.type == "placeholder" and _is_inline(child, source):
            give_bracket(before, child)
    return children


def _is_inline(token: Token, source: Source) -> bool:
    segment = source.segment(token.content)
    return segment is not None and segment.kind is Kind.INLINE


def _split_placeholders(token: Token) -> list[Token]:
    parts = PLACEHOLDER.split(token.content)
    out = [
        Token("placeholder", "", 0, content=part) if odd % 2 else Token("text", "", 0, content=part)
        for odd, part in enumerate(parts)
    ]
    return [t for t in out if t.content]


def _raise_to_block(tokens: list[Token], index: int, source: Source) -> None:
    """A figure alone in its paragraph needs none around it; a tall formula alone in one is displayed."""
    children = tokens[index].children or []
    opening = tokens[index - 1]
    leaves = [c for c in children if c.type not in ("softbreak", "html_inline") and c.content.strip(" .,;")]
    if opening.type != "paragraph_open" or not leaves or any(c.type != "placeholder" for c in leaves):
        return
    segments = [source.segment(c.content) for c in leaves]
    if all(s is not None and s.kind is Kind.FIGURE for s in segments):
        opening.hidden = tokens[index + 1].hidden = True
        for leaf in leaves:
            leaf.meta = {"block": True}
    elif len(leaves) == 1 and not opening.hidden and segments[0] is not None and TALL.search(segments[0].body):
        leaves[0].meta = {"block": True}


def _context(env: MutableMapping[str, Any]) -> _Context:
    context: _Context = env["context"]
    return context


def _figure(segment: Segment, context: _Context, is_block: bool) -> str:
    number = int(segment.body)
    if 1 <= number <= len(context.figures):
        return figure_html(context.figures[number - 1], number, is_block=is_block)
    return missing_figure_html(context.source.raw[segment.start : segment.end])


def _is_display(token: Token | None, env: MutableMapping[str, Any]) -> bool:
    if token is None or token.type != "placeholder":
        return False
    segment = _context(env).source.segment(token.content)
    return bool(token.meta.get("block")) or (segment is not None and segment.kind is Kind.DISPLAY)


def _joins_han(before: Token | None, after: Token | None) -> bool:
    """Chinese lines are joined without a space."""
    if before is None or after is None or not before.content or not after.content:
        return False
    return bool(ONLY_HAN_AROUND.match(before.content[-1]) and ONLY_HAN_AROUND.match(after.content[0]))
