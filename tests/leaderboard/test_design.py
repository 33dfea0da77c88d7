"""The look, as far as a computer can judge it: contrast, no inline style or script, small files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static"
TOKENS = dict(
    re.findall(r"--([\w-]+): (light-dark\(#\w{6}, #\w{6}\))", (STATIC / "css/tokens.css").read_text(encoding="utf-8"))
)
THEMES = ("light", "dark")

TEXT = ("ink", "muted", "link", "right", "partial", "wrong", "failed")
ON_GROUND = [(text, ground) for text in TEXT for ground in ("paper", "wash")]
ON_THEIR_OWN = [("ink", "mark"), ("ink", "mark-flash"), ("paper", "ink"), ("paper", "wrong")]
ON_MEDALS = [(f"{medal}-ink", medal) for medal in ("gold", "silver", "bronze")]
LINES = ("control", "gold-line", "silver-line", "bronze-line")


def colour(token: str, theme: str) -> str:
    light, dark = re.findall(r"#\w{6}", TOKENS[token])
    return light if theme == "light" else dark


def luminance(hex_colour: str) -> float:
    """Relative luminance of sRGB, WCAG 2.2."""
    channels = [int(hex_colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_twenty_one() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("text", "ground"), ON_GROUND + ON_THEIR_OWN + ON_MEDALS)
def test_text_reaches_aa_on_its_ground(text: str, ground: str, theme: str) -> None:
    assert contrast(colour(text, theme), colour(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("line", LINES)
def test_lines_that_mean_something_reach_three_to_one(line: str, theme: str) -> None:
    assert contrast(colour(line, theme), colour("paper", theme)) >= 3


@pytest.mark.parametrize("path", sorted((ROOT / "templates").rglob("*.html")), ids=lambda path: path.name)
def test_template_needs_no_inline_style_or_script(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<style\b|\sstyle\s*=|\son\w+\s*=\s*[\"']|javascript:|hx-on", text)
    for attributes, body in re.findall(r"<script\b([^>]*)>(.*?)</script>", text, re.DOTALL):
        assert "src=" in attributes and not body.strip()


@pytest.mark.parametrize("path", sorted((ROOT / "templates").rglob("*.html")), ids=lambda path: path.name)
def test_what_scrolls_sideways_is_reached_by_keyboard_and_has_a_name(path: Path) -> None:
    for box in re.findall(r'<div class="(?:board-)?scroll\b[^>]*>', path.read_text(encoding="utf-8")):
        assert all(part in box for part in ('tabindex="0"', 'role="region"', "aria-label=")), box


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.js")), ids=lambda path: path.name)
def test_script_is_under_a_hundred_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 100


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.css")), ids=lambda path: path.name)
def test_stylesheet_asks_no_other_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("{") == text.count("}")
    assert not re.search(r'https?://|url\((?!"\.\./fonts/)', text)


def test_every_static_file_that_a_template_names_exists() -> None:
    named = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r"{% static '((?:css|js|img)/[^']+)' %}", path.read_text(encoding="utf-8"))
    }
    assert named and [name for name in sorted(named) if not (STATIC / name).exists()] == []
