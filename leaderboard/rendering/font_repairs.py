"""What browsers need of the mathematical font and STIX Two Math 2.11 does not give, mended in our copy.

Lengths are in units of the font, 1000 to the em. A browser sets a root in a box as wide as its widest variant: the
variants of STIX are half as wide again as the small root and would leave a hole after each `√2`. Chromium draws the
bar half its thickness higher than the stub that STIX gives a root to meet it, and joins no assembled root. Ours are
drawn at nearly the width of the small one, up to 12 em high, with the bar starting at the stroke itself.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables import otTables

ROOT, TILDE, WIDE_TILDE = 0x221A, 0x02DC, 0x0303
ROOT_HEIGHTS = (1500, 1855, 2371, 2892, 3500, 4200, 5100, 6200, 7600, 9500, 12000)
ROOT_DEPTH = -265  # of every root below the baseline
ROOT_ADVANCE, SMALL_ROOT_ADVANCE = 770, 713
STROKE = 64  # width of the thin stroke where it meets the bar
# TeX's sub_drop and sup_drop: the index of a letter with a descender, the exponent of a bracket stand where others do.
INDEX_DROP, EXPONENT_DROP = 50, 386
ACCENT_BASE_HEIGHT = 450  # was 480: a hat keeps clear of the capital below it


def repair(font: TTFont) -> None:
    """Mend the font in place; it must still have the glyph names and the MATH table of STIX Two Math."""
    table = font["MATH"].table
    table.MathConstants.SubscriptBaselineDropMin.Value = INDEX_DROP
    table.MathConstants.SuperscriptBaselineDropMax.Value = EXPONENT_DROP
    table.MathConstants.AccentBaseHeight.Value = ACCENT_BASE_HEIGHT
    _let_arrows_join(table.MathVariants)
    _widen_tilde(table.MathVariants, font)
    _draw_roots(table.MathVariants, font)


def _let_arrows_join(variants: Any) -> None:
    """The heads of `→` and `↔` have their connector on the wrong side, so that no browser joins them to a shaft."""
    for construction in variants.HorizGlyphConstruction:
        parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
        if len(parts) > 1 and not parts[-1].StartConnectorLength:
            last = parts[-1]
            last.StartConnectorLength, last.EndConnectorLength = last.EndConnectorLength, 0


def _widen_tilde(variants: Any, font: TTFont) -> None:
    """Browsers stretch `˜` and not the combining tilde, whose wider forms it gets."""
    names = font.getBestCmap()
    coverage = variants.HorizGlyphCoverage.glyphs
    source = variants.HorizGlyphConstruction[coverage.index(names[WIDE_TILDE])]
    wide = deepcopy(source)
    wide.MathGlyphVariantRecord[0].VariantGlyph = names[TILDE]
    pairs = dict(zip(coverage, variants.HorizGlyphConstruction, strict=True)) | {names[TILDE]: wide}
    ordered = sorted(pairs, key=font.getGlyphID)
    variants.HorizGlyphCoverage.glyphs = ordered
    variants.HorizGlyphConstruction = [pairs[name] for name in ordered]
    variants.HorizGlyphCount = len(ordered)


def _draw_roots(variants: Any, font: TTFont) -> None:
    small = font.getBestCmap()[ROOT]
    font["glyf"][small] = _outline(_root_points(1187, SMALL_ROOT_ADVANCE))
    font["hmtx"][small] = (SMALL_ROOT_ADVANCE, 22)
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(small)]
    records = construction.MathGlyphVariantRecord[:1]
    for height in ROOT_HEIGHTS:
        name = f"root.{height}"
        font.setGlyphOrder([*font.getGlyphOrder(), name])
        font["glyf"][name] = _outline(_root_points(height, ROOT_ADVANCE))
        font["hmtx"][name] = (ROOT_ADVANCE, 22)
        record = otTables.MathGlyphVariantRecord()
        record.VariantGlyph, record.AdvanceMeasurement = name, height
        records.append(record)
    construction.MathGlyphVariantRecord, construction.VariantCount = records, len(records)
    construction.GlyphAssembly = None


def _root_points(height: int, advance: int) -> list[tuple[int, int]]:
    """The outline of a root: a thin stroke up to the bar, a heavy one down from the elbow, the tick before it."""
    top, turn = ROOT_DEPTH + height, ROOT_DEPTH + round(min(0.49 * height, 400 + 0.2 * height))
    right = advance + STROKE // 4
    return [
        *((right - STROKE, top), (right, top), (413, ROOT_DEPTH), (371, ROOT_DEPTH), (138, turn), (34, turn - 40)),
        *((18, turn - 12), (177, turn + 98), (197, turn + 98), (395, ROOT_DEPTH + 172), (399, ROOT_DEPTH + 172)),
    ]


def _outline(points: list[tuple[int, int]]) -> Any:
    pen = TTGlyphPen(None)
    pen.moveTo(points[0])
    for point in points[1:]:
        pen.lineTo(point)
    pen.closePath()
    return pen.glyph()
