"""One problem's replies side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np
from django.core.cache import cache
from django.utils.safestring import SafeString

from arena.models import Reply
from leaderboard.board_entries import Entry
from leaderboard.problem_index import ProblemIndex
from leaderboard.rendering.markdown import render_cached
from leaderboard.selectors.catalog import Place


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The first reply of each model: its name, address, text and points."""

    external_id: str
    url: str
    replies: tuple[tuple[str, str, SafeString, str], ...]


def read_side_by_side(
    place: Place, index: ProblemIndex, entries: Sequence[Entry], names: Sequence[str], external_id: str
) -> SideBySide | None:
    """None for a problem that is not there."""
    if external_id not in index.external_ids:
        return None
    problem_id = int(index.problem_ids[index.external_ids.index(external_id)])
    runs = [entry.run for entry in entries]
    rows = Reply.objects.filter(run__in=runs, problem_id=problem_id, withdrawals__isnull=True).order_by("repeat")
    first: dict[int, Reply] = {}
    for row in rows:
        first.setdefault(row.run_id, row)
    replies = tuple(
        (name, f"/replies/{reply.uuid}/", render_cached(reply.text, cache), _print_points(entry, reply))
        for entry, name in zip(entries, names, strict=True)
        if (reply := first.get(entry.run.pk))
    )
    return SideBySide(
        external_id, f"/b/{place.benchmark.slug}/problems/{quote(external_id, safe='')}/{place.query}", replies
    )


def _print_points(entry: Entry, reply: Reply) -> str:
    at = np.flatnonzero(entry.machine.problem_ids == reply.problem_id)
    points = entry.machine.points[at[0], reply.repeat] if at.size else np.nan
    return "–" if np.isnan(points) else f"{points:g}"
