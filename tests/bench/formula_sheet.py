"""A contact sheet to look at: the hardest formulas of the real texts as the site sets them, each above its source.

`python -m tests.bench.formula_sheet FOLDER [--count 200] [--file FILE] [--columns 2]` writes PNG pages of 20 formulas
at double size. FILE holds other formulas to show, one a line. Hard is what has rare commands, is deep or is long.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from html import escape
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from playwright.sync_api import sync_playwright  # noqa: E402

from leaderboard.rendering.fonts import write_math_font  # noqa: E402
from leaderboard.rendering.markdown import render_text  # noqa: E402
from leaderboard.rendering.segments import Kind, find_segments  # noqa: E402
from tests.leaderboard.rendering.test_real_texts import CORPORA, corpus  # noqa: E402

Formula = tuple[str, bool]  # LaTeX without delimiters, whether displayed

STYLES = ("tokens.css", "elements.css", "layout.css", "blocks-prose.css")
PAGE_SIZE = 20
COMMAND = re.compile(r"\\[a-zA-Z]+")
LAYOUT = """
main.prose { max-width: none; padding: 16px; columns: COLUMNS; column-rule: 1px solid #bbb }
section { break-inside: avoid; padding: 12px 0; border-bottom: 1px solid #bbb }
pre { margin: 4px 0 0; padding: 0; background: none; font-size: 10px; white-space: pre-wrap; overflow-wrap: anywhere }
"""


def find_formulas() -> set[Formula]:
    """Every formula of the real texts once."""
    segments = (segment for name in CORPORA for text in set(corpus(name)) for segment in find_segments(text))
    return {(s.body.strip(), s.kind is Kind.DISPLAY) for s in segments if s.kind in (Kind.INLINE, Kind.DISPLAY)}


def choose_hardest(formulas: Iterable[Formula], count: int) -> list[Formula]:
    """The hardest, but each command first once: by rarity of the commands, then depth of braces and length."""
    uses = Counter(command for body, _ in formulas for command in set(COMMAND.findall(body)))

    def hardness(formula: Formula) -> float:
        body = formula[0]
        depth = deepest = 0
        for character in body:
            depth += {"{": 1, "}": -1}.get(character, 0)
            deepest = max(deepest, depth)
        return sum(1 / uses[command] for command in set(COMMAND.findall(body))) * 10 + deepest + len(body) / 100

    ranked = sorted(formulas, key=lambda formula: (-hardness(formula), formula))
    chosen: dict[Formula, None] = {}
    shown: set[str] = set()
    for formula in ranked:
        if new := set(COMMAND.findall(formula[0])) - shown:
            shown |= new
            chosen[formula] = None
    return list(dict.fromkeys([*list(chosen)[:count], *ranked]))[:count]


def write_sheet(formulas: list[Formula], folder: Path, columns: int = 2) -> list[Path]:
    """PNG files of the formulas in the site's own style; the font is the one the site ships."""
    static = Path(__file__).resolve().parents[2] / "static" / "css"
    (folder / "css").mkdir(parents=True, exist_ok=True)
    for name in STYLES:
        shutil.copy(static / name, folder / "css" / name)
    write_math_font(folder)
    written = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 600}, device_scale_factor=2)
        for start in range(0, len(formulas), PAGE_SIZE):
            source = folder / f"sheet-{start // PAGE_SIZE + 1:02}.html"
            source.write_text(_page(formulas[start : start + PAGE_SIZE], start, columns), encoding="utf-8")
            page.goto(source.as_uri())
            page.evaluate("document.fonts.ready")
            page.screenshot(path=source.with_suffix(".png"), full_page=True)
            written.append(source.with_suffix(".png"))
        browser.close()
    return written


def _page(formulas: list[Formula], start: int, columns: int) -> str:
    links = "".join(f'<link rel="stylesheet" href="css/{name}">' for name in STYLES)
    parts = []
    for number, (latex, is_display) in enumerate(formulas, start + 1):
        shown = render_text(f"\\[{latex}\\]" if is_display else f"Text before \\({latex}\\) and after.")
        parts.append(f"<section>{shown}<pre>{number}{'' if is_display else ' inline'}: {escape(latex)}</pre></section>")
    body = f'<main class="prose">{"".join(parts)}</main>'
    style = LAYOUT.replace("COLUMNS", str(columns))
    return f'<!doctype html><html lang="en"><meta charset="utf-8">{links}<style>{style}</style>{body}'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--file", type=Path, help="formulas to show instead, one a line")
    parser.add_argument("--columns", type=int, default=2)
    options = parser.parse_args()
    if options.file:
        formulas = [(line, True) for line in options.file.read_text(encoding="utf-8").splitlines() if line.strip()]
    else:
        formulas = choose_hardest(find_formulas(), options.count)
    for path in write_sheet(formulas, options.folder, options.columns):
        print(path)


if __name__ == "__main__":
    main()
