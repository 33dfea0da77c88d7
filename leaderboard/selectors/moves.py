"""Who moved on a board since a day: the headline number and rank then and now, from the snapshots of its state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from arena.models import Entrant
from leaderboard.models import BoardState
from leaderboard.scores import metrics_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import metric_label, print_metric


@dataclass(frozen=True, slots=True)
class Move:
    """A dash stands where a model had no number or no rank."""

    name: str
    slug: str
    value_before: str
    value_after: str
    rank_before: str
    rank_after: str


@dataclass(frozen=True, slots=True)
class Moves:
    """day: the day of the snapshot compared with, empty where there is none so old. first_day: of the oldest one."""

    metric: str
    day: str
    first_day: str
    rows: tuple[Move, ...]


def read_moves(place: Place, start: datetime | None) -> Moves:
    """What differs between the last snapshot before `start` and the newest; nothing without a start."""
    states = BoardState.objects.filter(revision=place.revision, split=place.split)
    history = states.values_list("history", flat=True).first() or []
    metric = metrics_of(place.benchmark.slug)[0]
    older = [shot for shot in history if start and datetime.fromisoformat(shot["at"]) < start]
    first = history[0]["at"][:10] if history else ""
    if not older:
        return Moves(metric_label(metric), "", first, ())
    before, after = older[-1]["rows"], history[-1]["rows"]
    keys = [key for key in {**after, **before} if before.get(key) != after.get(key)]
    entrants = Entrant.objects.in_bulk([int(key) for key in keys])
    rows = [_move(entrants[int(key)], metric, before.get(key), after.get(key)) for key in keys if int(key) in entrants]
    return Moves(metric_label(metric), older[-1]["at"][:10], first, tuple(rows))


def _move(entrant: Entrant, metric: str, before: list[float | None] | None, after: list[float | None] | None) -> Move:
    (old, old_rank), (new, new_rank) = (shot or [None, None] for shot in (before, after))
    return Move(
        entrant.name,
        entrant.slug,
        print_metric(metric, old),
        print_metric(metric, new),
        f"{old_rank:g}" if old_rank else "–",
        f"{new_rank:g}" if new_rank else "–",
    )
