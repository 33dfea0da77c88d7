"""Which text of a reply is the answer: complete boxes, `<answer>` blocks, final-answer lines; `<think>` is skipped.

Every search is one pass over the reply: 2 MB of hostile text costs linear time. Offsets always refer to the reply
as it came, so that a page can highlight what was scored. Rules and examples: docs/scoring-rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]


class Found(NamedTuple):
    """An answer (None where there is none) and its offsets in the reply."""

    answer: str | None
    span: Span | None


@dataclass(frozen=True, slots=True)
class Box:
    """One complete `\\boxed{}` (or `\\fbox{}`, `\\framebox{}`); start and end are the offsets of its content."""

    content: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """n answers in the reference's order; None where the reply has none. spans: offsets of each in the reply."""

    answers: tuple[str | None, ...]
    flags: tuple[str, ...] = ()
    spans: tuple[Span | None, ...] = ()


# A doubled backslash is what JSON-escaped replies hold; an optional width argument belongs to \framebox.
_BRACE = re.compile(r"(\\{1,2}(?:boxed|fbox|framebox)\s*+(?:\[[^\[\]{}]{0,40}\]\s*+)?\{)|\\[\s\S]|([{}])")


def find_boxes(text: str) -> tuple[Box, ...]:
    """All complete boxes of `text` in order; of nested ones the outermost complete. An open box is none."""
    boxes: list[Box] = []
    open_at: list[int] = []  # offset of the content of each open brace, -1 where the brace is no box
    for match in _BRACE.finditer(text):
        if match[1]:
            open_at.append(match.end())
        elif match[2] == "{":
            open_at.append(-1)
        elif match[2] == "}" and open_at and (start := open_at.pop()) >= 0:
            while boxes and boxes[-1].start > start:
                boxes.pop()
            boxes.append(Box("", start, match.start()))
    return tuple(_trim_box(text, box.start, box.end) for box in boxes)


def _trim_box(text: str, start: int, end: int) -> Box:
    content = text[start:end]
    start += len(content) - len(content.lstrip())
    return Box(content.strip(), start, start + len(content.strip()))


_THINK = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def hide_thinking(reply: str) -> str:
    """`reply` with its thinking replaced by newlines of the same length, so that offsets stay.

    A block that is never closed hides all that follows; a closing tag alone hides all before it. A closed block with
    nothing after it stays visible: the reply is all in it.
    """
    if "<" not in reply:
        return reply
    hidden: list[Span] = []
    open_at: int | None = None
    for match in _THINK.finditer(reply):
        if not match[1]:
            open_at = match.start() if open_at is None else open_at
        elif open_at is not None or not hidden:
            hidden.append((open_at or 0, match.end()))
            open_at = None
    if hidden and open_at is None and not reply[hidden[-1][1] :].strip():
        hidden.pop()
    if open_at is not None:
        hidden.append((open_at, len(reply)))
    return _blank(reply, hidden)


def _blank(text: str, spans: Sequence[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], "\n" * (end - start))
        at = end
    pieces.append(text[at:])
    return "".join(pieces) if spans else text


_ANSWER_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)


def find_answer_block(text: str) -> Span | None:
    """Offsets of the content of the last `<answer>` block; one left open reaches to the end."""
    block: Span | None = None
    open_at: int | None = None
    for match in _ANSWER_TAG.finditer(text):
        if not match[1]:
            open_at = match.end()
        elif open_at is not None:
            block, open_at = (open_at, match.start()), None
    return block if open_at is None else (open_at, len(text))


def answer_boxes(reply: str) -> tuple[Box, ...]:
    """The boxes that may hold the answer: those of the last `<answer>` block that has any, else of the visible text."""
    visible = hide_thinking(reply)
    boxes = find_boxes(visible)
    block = find_answer_block(visible) if boxes and "<" in visible else None
    if block is None:
        return boxes
    return tuple(box for box in boxes if block[0] <= box.start and box.end <= block[1]) or boxes


def final_answers(reply: str, n: int) -> Extraction:
    """The last `n` boxes in order, aligned with the `n` reference answers.

    One box with exactly n top-level items is split; fewer than n fill from the first, flag `k boxes for n answers`.
    """
    boxes = answer_boxes(reply)
    if len(boxes) > n:  # an empty box beside full ones is a quoted instruction
        boxes = (tuple(box for box in boxes if box.content) or boxes)[-n:] if n else ()
    if len(boxes) == 1 and n > 1 and (parts := _split_box(boxes[0], n)):
        return Extraction(
            tuple(p.content for p in parts), (f"one box split in {n}",), tuple((p.start, p.end) for p in parts)
        )
    missing = n - len(boxes)
    flags = (f"{len(boxes)} boxes for {n} answers",) if boxes and missing else ()
    spans: tuple[Span | None, ...] = tuple((box.start, box.end) for box in boxes)
    return Extraction(tuple(box.content for box in boxes) + (None,) * missing, flags, spans + (None,) * missing)


def _split_box(box: Box, n: int) -> list[Box]:
    pieces = split_items(box.content, n)
    boxes: list[Box] = []
    at = 0
    for piece in pieces:
        at = box.content.index(piece, at)
        boxes.append(Box(piece, box.start + at, box.start + at + len(piece)))
        at += len(piece)
    return boxes


# From the clearest separator to the vaguest; `,` between digit groups of three is taken for thousands unless only the
# split gives the number asked for. `\\,` and `\\;` are spaces.
_AND = r"\\text\s{0,3}\{\s{0,3}(?:and|or)\s{0,3}\}|\b(?:and|or)\b|和|或"
_COMMA = r"(?<!\\)[,;]|[，、；]"
_SEPARATORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\\\\|\n",
        r"(?<!\\);|；",
        r"(?<![\\\d]),|(?<!\\),(?!\d{3}(?!\d))|(?<!\\);|[，、；]",
        _AND,
        rf"(?:{_COMMA})\s{{0,3}}(?:{_AND})?|{_AND}|\\q?quad",
        _COMMA,
    )
)
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[\s\S]|[{}()\[\]$（）【】]")
_OPENING = {"{", "(", "[", "（", "【"}
_CLOSING = {"}", ")", "]", "）", "】"}


def split_items(text: str, n: int | None = None) -> list[str]:
    """The top-level items of a list: exactly `n`, or as many as there are; empty where that does not come out.

    Brackets around the whole list come off; commas inside braces, brackets and `\\left..\\right` do not split.
    """
    text = strip_list_brackets(text)
    depth = _top_level_mask(text)
    for separator in _SEPARATORS if n is not None else _SEPARATORS[:4]:
        items = _split_at(text, [m.span() for m in separator.finditer(text) if depth[m.start()] == 0])
        if (len(items) == n if n is not None else len(items) > 1) and all(items):
            return items
    return []


def _split_at(text: str, cuts: list[Span]) -> list[str]:
    edges = [(0, 0), *cuts, (len(text), len(text))]
    items = [text[left[1] : right[0]].strip().strip("$").strip() for left, right in zip(edges, edges[1:])]
    return items[:-1] if len(items) > 1 and not items[-1] else items


def _top_level_mask(text: str) -> list[int]:
    """The bracket depth of every character; `\\{` and `\\}` count like other brackets."""
    depth = [0] * (len(text) + 1)
    level = at = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth[at : match.start()] = [level] * (match.start() - at)
        at = match.start()
        if token in _OPENING or token in (r"\{", r"\langle"):
            level += 1
        elif token in _CLOSING or token in (r"\}", r"\rangle"):
            level = max(0, level - 1)
    depth[at:] = [level] * (len(text) + 1 - at)
    return depth


_WHOLE_LIST = re.compile(r"\s*(?:\\left\s*)?(\\\{|[\[(（【])([\s\S]*?)(?:\\right\s*)?(\\\}|[\])）】])\s*")


def strip_list_brackets(text: str) -> str:
    """`text` without one pair of brackets that encloses all of it."""
    match = _WHOLE_LIST.fullmatch(text)
    if match is None:
        return text
    inner = match[2]
    mask = _top_level_mask(text)
    closes_early = any(level == 0 for level in mask[match.end(1) : match.end(2)])
    return text if closes_early else inner


_FINAL_LINE = re.compile(
    r"\b(?:final|correct)\s{1,3}answer\b[*_]{0,3}(?:\s{0,3}is\b)?[*_\s]{0,4}(?:[:：]|(?<=is)(?=\s)|(?<=is\s))[*_\s]{0,8}",
    re.IGNORECASE,
)


def phyx_answer(reply: str) -> Found:
    """The last complete box, else the statement after the last "final answer:" / "correct answer:", else all.

    The statement is the first line, or the displayed formula, that says more than "The height is:".
    """
    if boxes := answer_boxes(reply):
        last = next((box for box in reversed(boxes) if box.content), boxes[-1])
        return Found(last.content, (last.start, last.end))
    visible = hide_thinking(reply)
    start, end = 0, len(visible)
    for match in _FINAL_LINE.finditer(visible):
        start = match.end()
    return _trim(visible, *_find_statement(visible, start)) if start else _trim(visible, 0, end)


_LINE = re.compile(r"[^\S\n]*+(?:(\\\[|\$\$)|([^\n]*))")
_DISPLAY_END = re.compile(r"\\\]|\$\$|\n\s*\n")
_ANNOUNCES = re.compile(r"(?:[:：]|\b(?:is|are|by|equals|为|是))[*_\s]*\Z")


def _find_statement(text: str, start: int) -> Span:
    """Offsets of the first line from `start` on that does not merely announce the next; a display counts whole."""
    first: Span | None = None
    while start < len(text):
        if text[start].isspace():
            start += 1
            continue
        line = _LINE.match(text, start)
        assert line is not None  # matches any text
        if line[1]:
            close = _DISPLAY_END.search(text, line.end())
            return line.end(), close.start() if close else len(text)
        if not _ANNOUNCES.search(line[2][-40:]):
            return line.span(2)
        first = first or line.span(2)
        start = line.end()
    return first or (len(text), len(text))


def _trim(text: str, start: int, end: int) -> Found:
    """text[start:end] without outer white space, emphasis and a closing full stop; None where nothing is left."""
    while start < end and (text[start].isspace() or text[start] in "*_"):
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in "*_.。"):
        end -= 1
    return Found(text[start:end], (start, end)) if start < end else Found(None, None)
