"""The mathematical font of our pages: STIX Two Math as WOFF2, made from the copy inside the package `ziamath`.

STIX Two Math is licensed under the SIL Open Font License 1.1. Radicals, brackets and accents stretch only with a font
that has a MATH table. The file is made once at `collectstatic` (or at the first request of a development server).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage
from fontTools.ttLib import TTFont

FONT_PATH = "fonts/stix-two-math.woff2"
SOURCE_PACKAGE = "ziamath.fonts"
SOURCE_FILE = "STIXTwoMath-Regular.ttf"


def write_math_font(directory: Path) -> Path:
    """Write `fonts/stix-two-math.woff2` under the directory unless it is there already; returns its path.

    Raises FileNotFoundError if the installed `ziamath` does not hold the font.
    """
    target = directory / FONT_PATH
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        resources.as_file(resources.files(SOURCE_PACKAGE) / SOURCE_FILE) as source,
        TTFont(source) as font,
        NamedTemporaryFile(dir=target.parent, suffix=".woff2", delete=False) as unfinished,
    ):
        font.flavor = "woff2"
        font.save(unfinished)
    os.replace(unfinished.name, target)  # two processes may start together: neither sees half a file
    target.chmod(0o644)
    return target


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
