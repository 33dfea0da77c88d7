"""The generated mathematical font."""

from __future__ import annotations

from pathlib import Path

from fontTools.ttLib import TTFont

from leaderboard.rendering.fonts import FONT_PATH, MathFontFinder, write_math_font


def test_font_is_written_as_woff2_with_its_math_table(tmp_path: Path) -> None:
    path = write_math_font(tmp_path)
    assert path.read_bytes()[:4] == b"wOF2"
    with TTFont(path) as font:
        assert "MATH" in font
        assert font["name"].getDebugName(1) == "STIX Two Math"
        assert {"x", "∫", "√", "𝐯", "⟨", "Ω"} <= {chr(code) for code in font.getBestCmap()}


def test_font_is_made_once(tmp_path: Path) -> None:
    first = write_math_font(tmp_path).stat().st_mtime_ns
    assert write_math_font(tmp_path).stat().st_mtime_ns == first
    assert [p.name for p in (tmp_path / "fonts").iterdir()] == ["stix-two-math.woff2"]


def test_finder_offers_the_font_to_collectstatic_and_nothing_else(settings, tmp_path: Path) -> None:
    settings.GENERATED_ROOT = tmp_path
    finder = MathFontFinder()
    (name, storage), *others = finder.list([])
    assert name == FONT_PATH and not others
    assert storage.exists(name)
    assert finder.find(FONT_PATH) == str(tmp_path / FONT_PATH)
    assert finder.find(FONT_PATH, find_all=True) == [str(tmp_path / FONT_PATH)]
    assert finder.find("css/tokens.css") == []
