"""How a board stood at the end of each day on which it changed: what "since a day" compares with.

No recomputation brings a dropped history back: it starts anew with the next rebuild.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from arena.models import Subset
from arena.results import MACHINE
from leaderboard.models import Standing

SNAPSHOTS = 200


def add_snapshot(
    history: Sequence[Mapping[str, Any]], rows: Iterable[Standing], metric: str, at: datetime
) -> list[Mapping[str, Any]]:
    """The history with the board as it is now; of one day (UTC) the last stays, of days the newest SNAPSHOTS."""
    heads = [
        row
        for row in rows
        if row.metric == metric and row.basis == MACHINE and row.subset.slug == Subset.OVERALL
        if row.details.get("is_ruling", True) and row.value is not None
    ]
    heads.sort(key=lambda row: (row.rank is None, row.rank or 0, -(row.value or 0.0), row.run_id))
    shown: dict[str, list[float | int | None]] = {}
    for row in heads:  # of several runs of one model the best placed stands for it
        shown.setdefault(str(row.entrant_id), [round(row.value or 0.0, 6), row.rank])
    shot = {"at": at.astimezone(UTC).isoformat(), "rows": shown}
    earlier = [old for old in history if old["at"][:10] != shot["at"][:10]]
    return [*earlier, shot][-SNAPSHOTS:]
