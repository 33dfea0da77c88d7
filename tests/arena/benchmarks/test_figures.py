"""Figures are judged by what they hold: kind, size, completeness, place."""

from __future__ import annotations

import hashlib
import io
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from arena.benchmarks.base import Import, ProblemRecord
from arena.errors import ImportRefused
from arena.services.catalog_figures import check_figures, store_images
from arena.services.figures import FigureFault, check_figure, read_figure, scale_figure


def noise(kind: str = "PNG", size: tuple[int, int] = (400, 300), mode: str = "RGB") -> bytes:
    """A picture that does not compress: every pixel another, without chance."""
    n = size[0] * size[1] * len(mode)
    data = b"".join(hashlib.sha256(k.to_bytes(4, "big")).digest() for k in range(n // 32 + 1))[:n]
    stream = io.BytesIO()
    Image.frombytes(mode, size, data).save(stream, kind)
    return stream.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(10_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_a_figure_is_sized_and_addressed_by_content(draw: Callable[..., Path], tmp_path: Path) -> None:
    path = draw("a.png", size=(61, 37))
    figure = read_figure(path, tmp_path)
    assert (figure.width, figure.height, figure.mime, figure.suffix) == (61, 37, "image/png", ".png")
    assert figure.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert figure.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(("kind", "mime"), [("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")])
def test_the_kind_is_sniffed_whatever_the_name(draw: Callable[..., Path], tmp_path: Path, kind: str, mime: str) -> None:
    assert read_figure(draw("a.png", kind), tmp_path).mime == mime


def test_all_official_figures_pass(official: Callable[[str], Path]) -> None:
    folder = official("hipho/data/image_question")
    figures = [read_figure(path, folder) for path in sorted(folder.iterdir())]
    assert len(figures) == 131
    assert len({figure.sha256 for figure in figures}) == 129  # two pairs are the same file under two names
    assert sum(figure.n_bytes for figure in figures) == 15_158_324
    assert max(figures, key=lambda figure: figure.width * figure.height).width == 3200
    assert min(figure.height for figure in figures) == 60


@pytest.mark.parametrize("size", [(100_000, 100_000), (8000, 8000), (2_000_000, 60)])
def test_a_decompression_bomb_is_refused_by_name(size: tuple[int, int]) -> None:
    with pytest.raises(FigureFault, match="figure bomb.png"):
        check_figure(png_that_claims(*size), "bomb.png")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_figure_is_refused_by_name(kind: str, share: float) -> None:
    data = noise(kind)
    with pytest.raises(FigureFault, match="figure cut.png"):
        check_figure(data[: int(len(data) * share)], "cut.png")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "SVG"),
        (b"<?xml version='1.0'?><svg></svg>", "SVG"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "Git LFS pointer"),
        (b"<html></html>", "is no PNG"),
        (b"%PDF-1.7", "is no PNG"),
        (b"\x89PNG\r\n\x1a\n", "figure x.png"),
        (b"BM" + bytes(60), "is no PNG"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(FigureFault) as caught:
        check_figure(data, "x.png")
    assert "x.png" in str(caught.value)
    assert reason in str(caught.value)


def test_a_path_out_of_the_folder_is_refused(draw: Callable[..., Path], tmp_path: Path) -> None:
    outside, folder = draw("outside.png"), tmp_path / "inside"
    folder.mkdir()
    (folder / "link.png").symlink_to(outside)
    (folder / "loop.png").symlink_to(folder / "loop.png")
    for path in (folder / ".." / "outside.png", folder / "link.png", outside, folder / "loop.png", folder / "none.png"):
        with pytest.raises(FigureFault, match=path.name):
            read_figure(path, folder)
    with pytest.raises(FigureFault, match="is no file"):
        read_figure(folder, folder)


def test_a_figure_within_the_limit_is_sent_untouched() -> None:
    data = noise()
    assert scale_figure(data, len(data)) == (data, "image/png", 400, 300)


@pytest.mark.parametrize(("kind", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("JPEG", "RGB"), ("WEBP", "RGB")])
@pytest.mark.parametrize("limit", [100_000, 20_000, 3_000])
def test_a_large_figure_shrinks_below_the_limit(kind: str, mode: str, limit: int) -> None:
    original = noise(kind, (640, 480), mode)
    data, mime, width, height = scale_figure(original, limit)
    checked = check_figure(data, "scaled")
    assert len(data) <= limit
    assert (checked.mime, checked.width, checked.height) == (mime, width, height)
    assert width <= 640
    assert abs(width / height - 640 / 480) < 0.05


def test_a_transparent_ground_turns_white_where_only_jpeg_fits() -> None:
    picture = Image.open(io.BytesIO(noise("PNG", (600, 600), "RGB"))).convert("RGBA")
    picture.paste((0, 0, 0, 0), (0, 0, 300, 300))
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    data, mime, *_ = scale_figure(stream.getvalue(), 40_000)
    pixel = Image.open(io.BytesIO(data)).convert("L").getpixel((20, 20))
    assert mime == "image/jpeg"
    assert isinstance(pixel, int) and pixel > 240


def test_an_impossible_limit_is_an_error() -> None:
    with pytest.raises(FigureFault, match="no figure of at most 10 bytes"):
        scale_figure(noise(), 10)


def problems_with(paths: list[Path]) -> Import:
    records = [
        ProblemRecord(
            external_id=path.stem, subset="default", split="test", origin="a.json", statement="?", figures=(path,)
        )
        for path in paths
    ]
    return Import(subsets=(), problems=tuple(records))


def test_a_large_import_holds_one_figure_at_a_time(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.png").write_bytes(noise("PNG", (640, 480), "RGB") + bytes([number]))
    paths = sorted(tmp_path.iterdir())
    tracemalloc.start()
    try:
        found = check_figures(problems_with(paths), tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    total = sum(figure.n_bytes for figure in found.values())
    assert total > 8_000_000 and peak < total / 3


@pytest.mark.django_db
def test_a_figure_that_changes_while_it_is_imported_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "0.png"
    path.write_bytes(noise("PNG", (64, 48), "RGB"))
    found = check_figures(problems_with([path]), tmp_path)
    path.write_bytes(noise("PNG", (65, 48), "RGB"))
    with pytest.raises(ImportRefused, match="0.png changed"):
        store_images(found)
