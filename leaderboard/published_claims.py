"""What benchmarks' own documents say of their data: facts as numbers, shown beside what is measured here.

`published_claims.csv`: one line a subset, an empty one for the whole; samples, then mean, least and most code points of
a prompt, then how many figures with the smallest and the largest. HiPhO, PhyX, ARC-Challenge-Indic, CoinFlip: the data
statistics on evalscope's benchmark cards (2026). PHYBench: its README (phybench-official/phybench, 2025-05).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

Lengths = tuple[int, float, int, int]
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """The published numbers of one split: all samples, by subset, figures (count, smallest, largest)."""

    source: str
    split: str
    n: int
    lengths: Lengths | None = None
    subsets: dict[str, Lengths] = field(default_factory=dict)
    figures: tuple[int, str, str] | None = None


def read_claims(path: Path) -> dict[str, Claim]:
    """By benchmark."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {slug: _make_claim(own) for slug, own in groupby(rows, key=lambda row: row["benchmark"])}


def _make_claim(rows: Iterable[Row]) -> Claim:
    whole, *subsets = rows
    return Claim(
        whole["source"],
        whole["split"],
        int(whole["samples"]),
        _lengths(whole) if whole["mean"] else None,
        {row["subset"]: _lengths(row) for row in subsets},
        (int(whole["figures"]), whole["smallest"], whole["largest"]) if whole["figures"] else None,
    )


def _lengths(row: Row) -> Lengths:
    return int(row["samples"]), float(row["mean"]), int(row["least"]), int(row["most"])


CLAIMS = read_claims(Path(__file__).with_suffix(".csv"))
