"""The mathematical font of our pages: STIX Two Math as WOFF2, made from the copy inside the package `ziamath`.

STIX Two Math is licensed under the SIL Open Font License 1.1. Radicals, brackets and accents stretch only with a font
that has a MATH table. The file is made once at `collectstatic` (or at the first request of a development server) and
holds what formulas need, half the size of the whole font, with the repairs of `font_repairs`. Its name has a number
to be raised with every change, since a file that is there is not made again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage
from fontTools import subset
from fontTools.ttLib import TTFont

from leaderboard.rendering.font_repairs import repair

FONT_PATH = "fonts/stix-two-math-3.woff2"
SOURCE_PACKAGE = "ziamath"
SOURCE_FILE = "fonts/STIXTwoMath-Regular.ttf"

# Latin, Greek, accents, punctuation, letterlike, arrows, operators, technical, rings with numbers, shapes, music signs,
# more arrows and operators, brackets, mathematical alphabets. The script-style forms (`ssty`) would add a third.
RANGES = (
    *((0x20, 0x7E), (0xA0, 0xFF), (0x131, 0x131), (0x237, 0x237), (0x2B0, 0x36F), (0x370, 0x3FF), (0x2000, 0x23FF)),
    *((0x2460, 0x2473), (0x25A0, 0x25FF), (0x2605, 0x2606), (0x2660, 0x266F), (0x27C0, 0x27FF), (0x29F8, 0x29F8)),
    *((0x2A00, 0x2AFF), (0x3008, 0x3011), (0x1D400, 0x1D7FF)),
)
FEATURES = ["dtls", "flac", "kern"]  # dotless letters and flat accents: read by the MATH engine


def write_math_font(directory: Path) -> Path:
    """Write FONT_PATH under the directory unless it is there already; returns its path.

    Raises FileNotFoundError if the installed `ziamath` does not hold the font.
    """
    target = directory / FONT_PATH
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    options = subset.Options(flavor="woff2", layout_features=FEATURES, hinting=False, notdef_outline=True)
    options.drop_tables.append("DSIG")
    options.name_IDs = ["*"]  # the licence is stated in the file, as the licence asks
    with (
        TTFont(_source_path()) as font,
        NamedTemporaryFile(dir=target.parent, suffix=".woff2", delete=False) as unfinished,
    ):
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
        subsetter.subset(font)
        repair(font)
        font.flavor = "woff2"
        font.save(unfinished)
    os.replace(unfinished.name, target)  # two processes may start together: neither sees half a file
    target.chmod(0o644)
    return target


def _source_path() -> Path:
    """The font in the installed package, found without importing it (its import draws in half a typesetter)."""
    spec = find_spec(SOURCE_PACKAGE)
    for location in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(location) / SOURCE_FILE).exists():
            return path
    raise FileNotFoundError(f"the package {SOURCE_PACKAGE} does not hold {SOURCE_FILE}")


def generated_root() -> Path:
    """Where generated static files lie: settings.GENERATED_ROOT, else var/generated under BASE_DIR."""
    configured = getattr(settings, "GENERATED_ROOT", None)
    return Path(configured) if configured else Path(settings.BASE_DIR) / "var" / "generated"


class MathFontFinder(BaseFinder):
    """A staticfiles finder that offers the generated font, making it when first asked for."""

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> str | list[str]:
        if path != FONT_PATH:
            return []
        found = str(write_math_font(generated_root()))
        return [found] if find_all or kwargs.get("all") else found

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        root = generated_root()
        write_math_font(root)
        yield FONT_PATH, FileSystemStorage(location=root)
