"""The order of a board's rows, and where its tiers are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.selectors.board_columns import Shown
from leaderboard.selectors.board_print import BoardRow
from leaderboard.selectors.board_rows import MEDAL_NAMES, RowData
from leaderboard.statistics.ranks import order_missing_last


@dataclass(frozen=True, slots=True)
class Tier:
    """Rows between two rules; number None: above the first tier, not in order of rank, or nothing ranked."""

    number: int | None
    rows: tuple[BoardRow, ...]


def is_rank_order(sort: str, metric: str, rows: Sequence[RowData]) -> bool:
    """Whether the rows stand as they rank: after review values may stand in another order."""
    ranks = [row.rank for row in rows if row.rank]
    return sort in ("", metric, "rank") and ranks == sorted(ranks)


def sort_value(row: RowData, key: str, shown: Shown) -> float | str | None:
    """What a row is sorted by: a metric, a subset, or a fact of the run; None is missing."""
    facts: dict[str, float | str | None] = {
        "scored": (row.n_scored or 0) / row.n_problems if row.n_problems else None,
        "repeats": row.facts.get("repeats"),
        "no_answer": row.facts.get("no_answer"),
        "cut": row.facts.get("cut"),
        "cost": row.cost_usd,
        "tokens": row.facts.get("output_tokens"),
        "latency": row.facts.get("latency_ms"),
        "date": row.date or None,
        "model": row.entrant.casefold(),
    }
    if key in facts:
        return facts[key]
    if (shown.subset, key) in row.cells:
        return row.cells[shown.subset, key].value
    return row.cell(key, shown.column_metric).value


def sort_rows(rows: Sequence[RowData], sort: str, shown: Shown) -> list[RowData]:
    """Missing last in both directions; ranked before equal ones that are not; `-` turns the order round."""
    key = sort.lstrip("-")
    if key in ("", "rank"):
        key = shown.metric
    tie_broken = sorted(rows, key=_tie_break)
    values = [sort_value(row, key, shown) for row in tie_broken]
    descending = (key != "model") != sort.startswith("-")
    if any(isinstance(value, str) for value in values):
        pairs = list(zip(tie_broken, values, strict=True))
        present = sorted(
            (pair for pair in pairs if pair[1] is not None), key=lambda pair: str(pair[1]), reverse=descending
        )
        return [row for row, _ in present] + [row for row, value in pairs if value is None]
    return [tie_broken[i] for i in order_missing_last(values, descending=descending)]  # type: ignore[arg-type]


def _tie_break(row: RowData) -> tuple[object, ...]:
    """Ranked rows first; what was published with medals alone stands in the order of these."""
    medals = [-(row.cell("overall", name).value or 0.0) for name in MEDAL_NAMES]
    return (row.rank is None, medals, row.entrant.casefold(), row.run)


def cut_tiers(rows: Sequence[RowData], printed: Mapping[int, BoardRow], *, in_rank_order: bool) -> tuple[Tier, ...]:
    """Rows cut at tiers. One without a rank stands where its value puts it and belongs to no tier.

    printed: by the identity of the row.
    """
    if not rows:
        return ()
    if not in_rank_order or not any(row.tier for row in rows):
        return (Tier(None, tuple(printed[id(row)] for row in rows)),)
    tiers: list[tuple[int | None, list[BoardRow]]] = []
    for row in rows:
        number = row.tier or (tiers[-1][0] if tiers else None)
        if not tiers or tiers[-1][0] != number:
            tiers.append((number, []))
        tiers[-1][1].append(printed[id(row)])
    return tuple(Tier(number, tuple(group)) for number, group in tiers)
