"""Rebuilding derived tables, debounced: many signals in a second make one rebuild."""

from __future__ import annotations

from django.core.cache import cache

from arena.celery import app
from arena.models import Run
from leaderboard.standings import rebuild_board

DEBOUNCE_S = 1


def boards_of(run_ids: list[int]) -> set[tuple[int, str]]:
    return set(Run.objects.filter(pk__in=run_ids).values_list("revision_id", "split"))


def enqueue_rebuild(revision_id: int, split: str) -> None:
    if cache.add(f"rebuild-queued:{revision_id}:{split}", 1, 60):
        rebuild.apply_async((revision_id, split), countdown=DEBOUNCE_S)


@app.task(name="leaderboard.tasks.rebuild")
def rebuild(revision_id: int, split: str) -> None:
    cache.delete(f"rebuild-queued:{revision_id}:{split}")  # before reading: a later change queues anew
    rebuild_board(revision_id, split)
