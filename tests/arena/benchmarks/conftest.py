"""Where the official files lie, and small folders of records to break on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


@pytest.fixture
def official() -> Callable[[str], Path]:
    """The path of an official file or folder; skips where the material is not beside the checkout."""

    def find(name: str) -> Path:
        if not (DATA / name).exists():
            pytest.skip(f"official data is absent: ../shared/data/{name}")
        return DATA / name

    return find


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write records as a JSON array, or as lines if the name ends in .jsonl; returns the file."""

    def write_file(name: str, records: list[Any]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        path.write_text(lines if name.endswith(".jsonl") else json.dumps(records, ensure_ascii=False), encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def draw(tmp_path: Path) -> Callable[..., Path]:
    """A small picture on disk in the given format, whatever the name says."""

    def draw_file(name: str, kind: str = "PNG", size: tuple[int, int] = (60, 40)) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, "white").save(path, kind)
        return path

    return draw_file
