"""A board's twins for programs: the same rows, as plain numbers."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.conf import settings
from django.urls import reverse

from arena.csv_cells import guard_cell
from leaderboard.selectors.board_print import receipt_path
from leaderboard.selectors.board_rows import RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.citations import permalink

HEAD = (
    "rank", "rank_low", "rank_high", "tier", "model", "model_slug", "organisation", "kind", "open_weights",
    "release_date", "mark", "unranked_reason", "metric", "value", "low", "high", "interval_kind", "bound_low",
    "bound_high", "after_review", "n_problems", "n_planned", "n_scored", "n_unscored", "repeats", "cut", "no_answer",
    "reviewed", "cost_usd_per_problem", "output_tokens", "latency_ms", "scorer", "revision", "split", "subset", "basis",
    "date", "source", "setting", "variant", "run", "receipt",
)  # fmt: skip


def board_as_json(board: Board) -> dict[str, Any]:
    """One object: what the board is of, and its rows in the order of the page; null is missing."""
    return {
        "benchmark": board.place.benchmark.slug,
        "revision": board.place.revision.label,
        "split": board.place.split,
        "subset": board.shown.subset,
        "metric": board.metric,
        "basis": board.basis,
        "scorer": str(board.scorer) if board.scorer else None,
        "test": board.test or None,
        "changed_at": board.changed_at.isoformat() if board.changed_at else None,
        "permalink": permalink(board),
        "as_of": board.query.as_of or None,
        "ignored": list(board.query.ignored),
        "n_problems": board.subset_facts.get("n", board.facts.get("n_problems")),
        "rows": [_row(board, row) for row in board.data],
    }


def board_as_csv(board: Board) -> str:
    """RFC 4180, one line a row; further metrics and subsets are columns behind the fixed ones."""
    extra = [*_metrics(board), *(column.slug for column in board.subset_columns)]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, [*HEAD, *extra], lineterminator="\r\n")
    writer.writeheader()
    for row in board.data:
        plain = _row(board, row)
        cells = {**plain.pop("metrics"), **plain.pop("subsets")}
        writer.writerow({name: guard_cell(value) for name, value in {**plain, **cells}.items()})
    return buffer.getvalue()


def _metrics(board: Board) -> list[str]:
    """What stands beside the headline, in its cell or in a column."""
    return [name for name in (board.shown.beside, *board.shown.others) if name]


def _row(board: Board, row: RowData) -> dict[str, Any]:
    shown = board.shown
    subset, head, other = shown.subset, shown.head(row), row.others.get((shown.subset, shown.metric))
    return {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "tier": row.tier,
        "model": row.entrant,
        "model_slug": row.entrant_slug or None,
        "organisation": row.organisation or None,
        "kind": row.kind,
        "open_weights": row.open_weights,
        "release_date": row.release_date.isoformat() if row.release_date else None,
        "mark": row.mark,
        "unranked_reason": row.unranked_reason or None,
        "metric": board.metric,
        "value": head.value,
        "low": head.low,
        "high": head.high,
        "interval_kind": head.interval_kind or None,
        "bound_low": head.bound_low,
        "bound_high": head.bound_high,
        "after_review": other.value if other and board.basis == "machine" else None,
        "n_problems": row.n_problems,
        "n_planned": row.n_planned,
        "n_scored": row.n_scored,
        "n_unscored": row.n_unscored,
        "repeats": row.facts.get("repeats"),
        "cut": row.facts.get("cut"),
        "no_answer": row.facts.get("no_answer"),
        "reviewed": row.facts.get("reviewed"),
        "cost_usd_per_problem": row.cost_usd,
        "output_tokens": row.facts.get("output_tokens"),
        "latency_ms": row.facts.get("latency_ms"),
        "scorer": row.scorer or None,
        "revision": board.place.revision.label,
        "split": board.place.split,
        "subset": subset,
        "basis": board.basis,
        "date": row.date or None,
        "source": "; ".join(source.full for source in row.sources) or None,
        "setting": ", ".join(row.settings) or None,
        "variant": row.variant or None,
        "run": row.run or None,
        "receipt": _receipt(board, row),
        "metrics": {name: row.cell(subset, name).value for name in _metrics(board)},
        "subsets": {column.slug: row.cell(column.slug, shown.column_metric).value for column in board.subset_columns},
    }


def _receipt(board: Board, row: RowData) -> str | None:
    """The address of what stands behind the headline value; only runs have one."""
    path = receipt_path(row, board.shown, board.shown.subset, board.metric)
    return f"{settings.SITE_URL}{reverse('board', args=[board.place.benchmark.slug])}{path}" if path else None
