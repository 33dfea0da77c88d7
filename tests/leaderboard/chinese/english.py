"""Finds English that a Chinese reader is shown: texts, titles, labels and placeholders of a page.

Not counted: what says of itself that it is of another language (`lang`), data (`translate="no"`), code, formulas, what
a person typed, and names. Two English words in a row are a phrase that somebody forgot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

SHOWN_ATTRIBUTES = frozenset(
    ("alt", "title", "aria-label", "aria-description", "aria-roledescription", "placeholder", "label", "data-label")
    + ("data-copied", "data-auto", "data-light", "data-dark", "data-offline", "data-close")
)
NOT_PROSE = frozenset({"code", "pre", "kbd", "samp", "script", "style", "math", "textarea", "template"})
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
SHOWN_META = frozenset({"description", "og:title", "og:description", "og:site_name", "twitter:title"})
WORD = r"[A-Za-z][a-z]+(?:['’][a-z]+)?"
PHRASE = re.compile(rf"(?<![\w/.@-]){WORD}(?:[ ,;:()]+(?:a |an |of |to |in |on |by |is )?{WORD})+(?![\w/@-])")


class ShownTexts(HTMLParser):
    """Collects what a reader sees, without what is marked as data or as another language."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []  # element, whether what stands in it counts

    @property
    def _counts(self) -> bool:
        return self._open[-1][1] if self._open else True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        is_data = facts.get("translate") == "no" or not facts.get("lang", "zh").startswith("zh")
        counts = self._counts and not is_data
        if counts:
            self._read_attributes(tag, facts)
        if tag not in VOID:
            self._open.append((tag, counts and tag not in NOT_PROSE))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._counts and data.strip():
            self.texts.append(" ".join(data.split()))

    def _read_attributes(self, tag: str, facts: dict[str, str]) -> None:
        shown = [value for name, value in facts.items() if name in SHOWN_ATTRIBUTES]
        if tag == "input" and facts.get("type") in ("submit", "button", "reset"):
            shown.append(facts.get("value", ""))
        if tag == "meta" and (facts.get("name") or facts.get("property")) in SHOWN_META:
            shown.append(facts.get("content", ""))
        self.texts += [" ".join(text.split()) for text in shown if text.strip()]


def find_english(page: str, names: Iterable[str] = ()) -> list[str]:
    """Texts of the page in which English words follow one another, names taken out; each once."""
    parser = ShownTexts()
    parser.feed(page)
    parser.close()
    return find_phrases(parser.texts, names)


def find_phrases(texts: Iterable[str], names: Iterable[str] = ()) -> list[str]:
    known = sorted(set(names), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, known)) or r"(?!)")
    return [
        text for text in dict.fromkeys(texts) if PHRASE.search(pattern.sub("·", text)) and not _is_cut_name(text, known)
    ]


def _is_cut_name(text: str, names: Iterable[str]) -> bool:
    """Whether a chart had no room for the whole of a name."""
    return text.endswith("…") and any(name.startswith(text[:-1]) for name in names)
