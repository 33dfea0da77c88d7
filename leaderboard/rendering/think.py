"""The parts of a reply: what the model thought, between `<think>` tags, and what it said."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.rendering.segments import Kind, find_segments


@dataclass(frozen=True, slots=True)
class Section:
    """text[start:end] without the tags around; opener and closer are the tags as written ("" where there is none)."""

    is_think: bool
    start: int
    end: int
    opener: str = ""
    closer: str = ""


def find_sections(text: str) -> list[Section]:
    """Cut a text at its think tags; a closer without an opener ends a thought begun in the prompt.

    An opener must begin its line; a tag within code or amid a sentence is text. An opener without a closer reaches to
    the end (the reply was cut).
    """
    if "<" not in text or "think" not in text.lower():
        return [Section(False, 0, len(text))]
    sections: list[Section] = []
    position, opener = 0, ""
    for tag in find_segments(text):
        if tag.kind is not Kind.TAG:
            continue
        is_closer = tag.body.startswith("</")
        if opener and is_closer:
            sections.append(Section(True, position, tag.start, opener, tag.body))
            opener = ""
        elif not opener and not is_closer and _begins_line(text, tag.start):
            sections.append(Section(False, position, tag.start))
            opener = tag.body
        elif not opener and is_closer and not sections and _stands_at_edge(text, tag.start, tag.end):
            sections.append(Section(True, position, tag.start, "", tag.body))
        else:
            continue
        position = tag.end
    sections.append(Section(bool(opener), position, len(text), opener))
    return [s for s in sections if s.is_think or text[s.start : s.end].strip()] or [Section(False, 0, len(text))]


def _begins_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _stands_at_edge(text: str, start: int, end: int) -> bool:
    line_end = text.find("\n", end)
    return _begins_line(text, start) or not text[end : line_end if line_end >= 0 else len(text)].strip()
