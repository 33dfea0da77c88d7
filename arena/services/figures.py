"""Figures from disk, checked by what they hold. No Django here: importers, uploads and tests share it.

Nothing is decoded before its size in pixels is known, so that a decompression bomb costs nothing.
"""

from __future__ import annotations

import hashlib
import io
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

# PhyX's largest figure is 5712 x 4953 = 28 megapixels and about 5 MB.
MAX_PIXELS = 40_000_000
MAX_BYTES = 32 * 1024 * 1024
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
KINDS = {
    "PNG": ("image/png", ".png"),
    "JPEG": ("image/jpeg", ".jpg"),
    "MPO": ("image/jpeg", ".jpg"),  # a JPEG of several pictures, as cameras write it
    "GIF": ("image/gif", ".gif"),
    "WEBP": ("image/webp", ".webp"),
}
MIN_EDGE = 32  # px: smaller is no figure any more


class FigureFault(Exception):
    """A figure that is refused; the message names the file and says why."""


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """What the bytes really are. width and height in pixels; suffix with its dot."""

    n_bytes: int
    sha256: str
    width: int
    height: int
    mime: str
    suffix: str


def read_figure(path: Path, root: Path) -> CheckedFigure:
    """Check one figure that lies inside `root`. Raises FigureFault naming the file."""
    name = path.name
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.resolve(strict=True)):
            raise FigureFault(f"figure {name} leads out of the folder {root.name}")
        if not real.is_file():
            raise FigureFault(f"figure {name} is no file")
        if real.stat().st_size > MAX_BYTES:
            raise FigureFault(f"figure {name} is larger than {MAX_BYTES >> 20} MiB")
        data = real.read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise FigureFault(f"figure {name} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return check_figure(data, name)


def check_figure(data: bytes, name: str) -> CheckedFigure:
    """Check bytes by their content alone, whatever the name says. Raises FigureFault naming `name`."""
    with _opened(data, name) as image:
        width, height = image.size
        mime, suffix = KINDS[image.format or ""]
        image.load()  # a truncated or damaged file fails here
    return CheckedFigure(len(data), hashlib.sha256(data).hexdigest(), width, height, mime, suffix)


def scale_figure(data: bytes, max_bytes: int) -> tuple[bytes, str, int, int]:
    """Shrink a checked figure until it has at most `max_bytes` raw bytes; untouched if it already fits.

    Returns data, mime, width and height (px); PNG or JPEG, whichever is smaller (a JPEG stays one).
    Raises FigureFault where even the smallest size is too large.
    """
    with _opened(data, "to be scaled") as image:
        mime, _ = KINDS[image.format or ""]
        if len(data) <= max_bytes:
            return data, mime, image.width, image.height
        upright = ImageOps.exif_transpose(image)  # the re-encoded picture carries no EXIF
        picture = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    # The smaller kind at full size stays the smaller one; trying both at every size would cost seconds a figure.
    encoded, mime = min(_encodings(picture, mime), key=lambda encoding: len(encoding[0]))
    size, factor = picture.size, 1.0
    while len(encoded) > max_bytes:
        # Bytes grow about with the area, so the root of the excess comes close in one or two steps.
        factor *= min(0.95, math.sqrt(max(max_bytes, 1) / len(encoded)))
        size = max(1, round(picture.width * factor)), max(1, round(picture.height * factor))
        if max(size) < MIN_EDGE:
            raise FigureFault(f"no figure of at most {max_bytes} bytes is possible")
        encoded = _encode(picture.resize(size, Image.Resampling.LANCZOS), mime)
    return encoded, mime, *size


@contextmanager
def _opened(data: bytes, name: str) -> Iterator[Image.Image]:
    """The opened, not yet decoded image; every way in which Pillow can fail becomes a FigureFault."""
    try:
        with warnings.catch_warnings():
            # Our own limit decides, below Pillow's error and above its warning.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                if image.width * image.height * getattr(image, "n_frames", 1) > MAX_PIXELS:
                    raise FigureFault(
                        f"figure {name} is {image.width}x{image.height} px, more than {MAX_PIXELS // 10**6} megapixels"
                    )
                yield image
    except UnidentifiedImageError as error:
        raise FigureFault(f"figure {name} is no {', '.join(FORMATS)} image{_guess(data)}") from error
    except Image.DecompressionBombError as error:
        raise FigureFault(f"figure {name} is a decompression bomb: {error}") from error
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:  # what Pillow's decoders raise
        raise FigureFault(f"figure {name} is truncated or damaged: {error}") from error


def _guess(data: bytes) -> str:
    head = data[:512].lstrip().lower()
    if not data:
        return " but an empty file"
    if head.startswith(b"<svg") or (head.startswith((b"<?xml", b"<!doctype")) and b"<svg" in data[:4096].lower()):
        return " but an SVG, which may carry scripts"
    if head.startswith(b"version https://git-lfs"):
        return " but a Git LFS pointer: the figures were not downloaded"
    return ""


def _encodings(picture: Image.Image, mime: str) -> list[tuple[bytes, str]]:
    """As JPEG, and as PNG too unless the original was JPEG: drawings are smaller as PNG, photographs as JPEG."""
    kinds = ["image/jpeg"] if mime == "image/jpeg" else ["image/png", "image/jpeg"]
    return [(_encode(picture, kind), kind) for kind in kinds]


def _encode(picture: Image.Image, mime: str) -> bytes:
    stream = io.BytesIO()
    if mime == "image/png":
        picture.save(stream, "PNG")
        return stream.getvalue()
    if picture.mode == "RGBA":  # line drawings on a transparent ground would turn black
        opaque = Image.new("RGB", picture.size, "white")
        opaque.paste(picture, mask=picture.getchannel("A"))
        picture = opaque
    picture.save(stream, "JPEG", quality=85)
    return stream.getvalue()
