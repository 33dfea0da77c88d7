"""The table of contents: every benchmark and its adapter. A new one is one file and one line here."""

from __future__ import annotations

from pathlib import Path

from . import coin_flip, hipho
from .base import Adapter

SAMPLES = Path(__file__).parent / "samples"

BENCHMARKS: dict[str, Adapter] = {
    "hipho": hipho.ADAPTER,
    "coin_flip": coin_flip.ADAPTER,
}


def sample_path(slug: str) -> Path:
    """Our own small sample set of a benchmark, in the format that its `read` takes."""
    return SAMPLES / BENCHMARKS[slug].sample
