"""The table of contents: every benchmark and its adapter. A new one is one file and one line here."""

from __future__ import annotations

from pathlib import Path

from . import arc_indic, coin_flip, hipho, phybench, phyx
from .base import Adapter

SAMPLES = Path(__file__).parent / "samples"

BENCHMARKS: dict[str, Adapter] = {
    "hipho": hipho.ADAPTER,
    "phyx_oe": phyx.OPEN_ENDED,
    "phyx_mc": phyx.MULTIPLE_CHOICE,
    "phybench": phybench.ADAPTER,
    "arc_indic": arc_indic.ADAPTER,
    "coin_flip": coin_flip.ADAPTER,
}


def sample_path(slug: str) -> Path:
    """Our own small sample set of a benchmark, in the format that its `read` takes."""
    return SAMPLES / BENCHMARKS[slug].sample
