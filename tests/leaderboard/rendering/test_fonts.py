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
    assert [p.name for p in (tmp_path / "fonts").iterdir()] == [Path(FONT_PATH).name]


def test_finder_offers_the_font_to_collectstatic_and_nothing_else(settings, tmp_path: Path) -> None:
    settings.GENERATED_ROOT = tmp_path
    finder = MathFontFinder()
    (name, storage), *others = finder.list([])
    assert name == FONT_PATH and not others
    assert storage.exists(name)
    assert finder.find(FONT_PATH) == str(tmp_path / FONT_PATH)
    assert finder.find(FONT_PATH, find_all=True) == [str(tmp_path / FONT_PATH)]
    assert finder.find("css/tokens.css") == []


def test_every_root_is_about_as_wide_as_the_small_one_and_none_is_assembled(tmp_path: Path) -> None:
    """Else a browser leaves a hole as wide as the difference after each small root."""
    with TTFont(write_math_font(tmp_path)) as font:
        variants = font["MATH"].table.MathVariants
        small = font.getBestCmap()[ord("√")]
        root = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(small)]
        widths = [font["hmtx"][record.VariantGlyph][0] for record in root.MathGlyphVariantRecord]
        heights = [record.AdvanceMeasurement for record in root.MathGlyphVariantRecord]
        assert root.GlyphAssembly is None and max(widths) - widths[0] <= 60
        assert heights == sorted(heights) and heights[-1] >= 12_000
        for record in root.MathGlyphVariantRecord:
            glyph = font["glyf"][record.VariantGlyph]
            assert abs(glyph.yMax - glyph.yMin - record.AdvanceMeasurement) <= 2


def test_arrows_can_be_joined_and_the_tilde_widened(tmp_path: Path) -> None:
    with TTFont(write_math_font(tmp_path)) as font:
        variants, names = font["MATH"].table.MathVariants, font.getBestCmap()
        constructions = dict(zip(variants.HorizGlyphCoverage.glyphs, variants.HorizGlyphConstruction, strict=True))
        for arrow in "←→↔":
            *_, last = constructions[names[ord(arrow)]].GlyphAssembly.PartRecords
            assert last.StartConnectorLength >= variants.MinConnectorOverlap
        assert constructions[names[ord("˜")]].MathGlyphVariantRecord[-1].AdvanceMeasurement > 2000


def test_the_font_states_its_licence(tmp_path: Path) -> None:
    with TTFont(write_math_font(tmp_path)) as font:
        assert "SIL Open Font License" in font["name"].getDebugName(13)
