"""The rows of a board as numbers, each marked with how it came to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from arena.models import Entrant
from leaderboard.models import Standing

REPORTED, BASELINE, STALE = "reported", "baseline", "stale"
MEDAL_NAMES = ("gold", "silver", "bronze")


@dataclass(frozen=True, slots=True)
class CellValue:
    """One number: value with interval and bounds, and what an exam earned."""

    value: float | None
    low: float | None = None
    high: float | None = None
    interval_kind: str = ""
    bound_low: float | None = None
    bound_high: float | None = None
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The value with all that is unscored as nothing, and in full; None where all is scored."""
        return None if self.bound_low is None or self.bound_high is None else (self.bound_low, self.bound_high)


MISSING = CellValue(None)
CellKey = tuple[str, str]  # subset, metric


@dataclass(frozen=True, slots=True)
class Source:
    """Where and when numbers were published. date: as far as it is known, `2025-05` or `2025-05-20`."""

    name: str
    url: str
    date: str

    @property
    def short(self) -> str:
        """The name without what stands in brackets at its end."""
        return self.name.partition(" (")[0]

    @property
    def full(self) -> str:
        return f"{self.name}, {self.date}"


@dataclass(frozen=True, slots=True)
class RowData:
    """One row. mark: measured, uploaded, reported, baseline or stale. kind: model, human or baseline.

    cells: by (subset, metric), of the chosen basis; others: the same of the other of machine and effective. run: short
    name of the run in addresses, empty for rows without one. facts: the run's outcomes, tokens, cost. sources and
    settings: of reported rows; variant: what tells two of one model apart; apart: the same in brief, of reported ones.
    n_planned: how many of the column's n_problems the run was to answer.
    """

    entrant: str
    entrant_slug: str
    organisation: str
    kind: str
    mark: str
    open_weights: bool | None = None
    release_date: date | None = None
    by: str = ""
    run: str = ""
    scorer: str = ""
    scorer_digest: str = ""
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    tier: int | None = None
    unranked_reason: str = ""
    n_problems: int | None = None
    n_planned: int | None = None
    n_scored: int | None = None
    n_unscored: int = 0
    date: str = ""
    settings: tuple[str, ...] = ()
    variant: str = ""
    apart: str = ""
    sources: tuple[Source, ...] = ()
    cells: Mapping[CellKey, CellValue] = field(default_factory=dict)
    others: Mapping[CellKey, CellValue] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    cost_usd: float | None = None
    is_stale: bool = False

    @property
    def name(self) -> str:
        """The model, with what tells it from another row of it."""
        told = self.variant if self.run else self.apart
        return f"{self.entrant} · {told}" if told else self.entrant

    def cell(self, subset: str, metric: str) -> CellValue:
        return self.cells.get((subset, metric), MISSING)

    def is_scored_by(self, scorer: str) -> bool:
        """scorer: `name version`, or the first digits of its digest where several share a name."""
        return names_scorer(scorer, self.scorer, self.scorer_digest)


DIGEST_DIGITS = 12  # of a scorer's digest in an address


def names_scorer(text: str, name: str, digest: str) -> bool:
    return text == name or (len(text) >= DIGEST_DIGITS and digest.startswith(text))


def about_entrant(entrant: Entrant) -> dict[str, Any]:
    """The fields of a row that say whose it is."""
    return {
        "entrant": entrant.name,
        "entrant_slug": entrant.slug,
        "organisation": entrant.organisation,
        "kind": entrant.kind,
        "open_weights": entrant.open_weights,
        "release_date": entrant.release_date,
    }


def to_cell(row: Standing) -> CellValue:
    return CellValue(
        row.value,
        row.low,
        row.high,
        row.interval_kind,
        row.bound_low if row.n_unscored else None,
        row.bound_high if row.n_unscored else None,
        row.details.get("note", ""),
        row.details,
    )


def baseline_rows(facts: Mapping[str, Any]) -> list[RowData]:
    """The floors: what strategies without any model get on exactly these problems."""
    groups: dict[str, dict[CellKey, CellValue]] = {}
    for name, subset, metric, value, is_expected in facts.get("baselines", ()):
        note = "exact expectation" if is_expected else ""
        groups.setdefault(name, {})[subset, metric] = CellValue(value, note=note)
    return [
        RowData(name, "", "", BASELINE, BASELINE, unranked_reason=BASELINE, cells=cells)
        for name, cells in groups.items()
    ]
