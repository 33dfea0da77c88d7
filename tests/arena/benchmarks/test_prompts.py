"""Prompt texts are protocol: byte for byte the official ones, each with its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import PROMPTS, PUBLISHED

OFFICIAL = Path(__file__).resolve().parents[3].parent / "shared" / "spec" / "prompts"


def test_prompt_files_are_the_official_bytes() -> None:
    if not OFFICIAL.is_dir():
        pytest.skip("official prompts are absent: ../shared/spec/prompts")
    official = {path.name: path.read_bytes() for path in OFFICIAL.glob("*.txt")}
    assert {path.name: path.read_bytes() for path in PROMPTS.glob("*.txt")} == official


@pytest.mark.parametrize("folder", [PROMPTS, PUBLISHED])
def test_every_copied_file_names_its_source(folder: Path) -> None:
    sources = (folder / "SOURCES.md").read_text(encoding="utf-8")
    for path in folder.iterdir():
        assert path.name == "SOURCES.md" or f"`{path.name}`" in sources, path.name


@pytest.mark.parametrize("slug", BENCHMARKS)
def test_each_adapter_stands_under_its_slug_and_names_real_prompts(slug: str) -> None:
    adapter = BENCHMARKS[slug]
    assert adapter.slug == slug
    assert adapter.prompt_files
    assert all((PROMPTS / name).is_file() for name in adapter.prompt_files)
    assert adapter.headline_metric in adapter.metrics
