"""All of HiPhO, PHYBench, PhyX and the real replies: nearly every formula is set, nothing raises, nothing is lost."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from leaderboard.rendering.latex import LatexFault
from leaderboard.rendering.markdown import render_text
from leaderboard.rendering.math import to_mathml
from leaderboard.rendering.segments import Kind, find_segments

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
CORPORA = {
    "hipho": ["hipho/data/*.json"],
    "phybench": ["phybench/*.json"],
    "phyx": ["phyx/*.jsonl"],
    "replies": ["replies/*.jsonl", "replies/p1_case_study/*"],
}
WANTED_SHARE = 0.998


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for part in value.values() for text in strings(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in strings(part))


def read(path: Path) -> Iterator[str]:
    """The texts of a file; one that is no JSON (the case study) is one text."""
    content = path.read_text(encoding="utf-8")
    try:
        lines = content.splitlines() if path.suffix == ".jsonl" else [content]
        yield from (text for line in lines if line.strip() for text in strings(json.loads(line)))
    except json.JSONDecodeError:
        yield content


@lru_cache
def corpus(name: str) -> tuple[str, ...]:
    paths = [path for pattern in CORPORA[name] for path in sorted(DATA.glob(pattern)) if path.is_file()]
    if not paths:
        pytest.skip(f"the real texts of {name} are not beside this checkout (shared/data)")
    return tuple(text for path in paths for text in read(path))


@pytest.mark.parametrize("name", CORPORA)
def test_nearly_every_formula_is_set(name: str) -> None:
    total, faults = 0, []
    for text in corpus(name):
        for segment in find_segments(text):
            if segment.kind in (Kind.INLINE, Kind.DISPLAY):
                total += 1
                try:
                    to_mathml(segment.body, segment.kind is Kind.DISPLAY)
                except LatexFault as fault:
                    faults.append(f"{fault}: {segment.body[:80]}")
    assert total > 200
    assert 1 - len(faults) / total >= WANTED_SHARE, "\n".join(faults[:20])


SILENT = re.compile(  # what is not shown: columns, spaces, colours, labels, and the commands themselves
    r"\\(?:begin|end) *\{[^}]*\}(?:\{[lcr|]*\})?|\\\\\*? *\[[^\]]*\]"
    r"|\\(?:label|[hv]space|color|textcolor)\*? *\{[^}]*\}|\\[a-zA-Z]+|\\.|:="
)


@pytest.mark.parametrize("name", CORPORA)
def test_no_digit_and_no_sign_of_a_formula_is_lost(name: str) -> None:
    for text in set(corpus(name)):
        for segment in find_segments(text):
            if segment.kind not in (Kind.INLINE, Kind.DISPLAY):
                continue
            try:
                html = to_mathml(segment.body, segment.kind is Kind.DISPLAY).partition("<annotation")[0]
            except LatexFault:
                continue
            shown = Counter(normalize("NFKC", unescape(re.sub(r"<[^>]+>", "", html))).replace("−", "-"))
            written = Counter(re.findall(r"[-+=0-9]", SILENT.sub("", segment.body)))
            assert not written - shown, segment.body


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_every_text_renders_without_style_and_keeps_its_words(name: str) -> None:
    for text in set(corpus(name)):
        html = render_text(text)
        assert " style=" not in html and "<script" not in html
        lost = plain_words(text) - set(re.findall(r"[A-Za-z]{4,}", html))
        assert not lost, (lost, text[:200])


def plain_words(text: str) -> set[str]:
    """Words outside formulas and links, which are shown in another form."""
    out, position = [], 0
    for segment in find_segments(text):
        out.append(text[position : segment.start])
        position = segment.end
    bare = " ".join([*out, text[position:]])
    return set(re.findall(r"(?<![\\/.\w])[A-Za-z]{4,}(?![\w/])", re.sub(r"\]\([^)]*\)|https?://\S+", " ", bare)))


def test_hipho_figures_and_tables_are_found() -> None:
    texts = corpus("hipho")
    tokens = sum(1 for text in texts for s in find_segments(text) if s.kind is Kind.FIGURE)
    assert tokens >= 232
    assert sum("<table" in render_text(text) for text in set(texts) if "-|-" in text) >= 3
