"""Rebuilding derived tables, debounced: many signals in a second make one rebuild."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.cache import cache

from arena.celery import app
from arena.models import RevisionProblem, Run
from leaderboard.board_entries import TEST_MINI
from leaderboard.models import StaleRun
from leaderboard.standings import rebuild_board

DEBOUNCE_S = 1


def mark_stale(run_ids: Iterable[int]) -> None:
    """Remember that these runs' records changed; rows, so that a lost message costs time and no correctness."""
    there = Run.objects.filter(pk__in=list(run_ids)).values_list("pk", flat=True)
    StaleRun.objects.bulk_create([StaleRun(run_id=pk) for pk in there])


def boards_of(run_ids: Iterable[int]) -> set[tuple[int, str]]:
    """The boards that these runs may stand on; PhyX's `test` runs have a row on `test_mini` too."""
    boards = set(Run.objects.filter(pk__in=list(run_ids)).values_list("revision_id", "split"))
    whole = [revision for revision, split in boards if split == "test"]
    minis = RevisionProblem.objects.filter(revision__in=whole, split=TEST_MINI).order_by()
    return boards | {(revision, TEST_MINI) for revision in minis.values_list("revision_id", flat=True).distinct()}


def enqueue_rebuild(revision_id: int, split: str) -> None:
    if cache.add(f"rebuild-queued:{revision_id}:{split}", 1, 60):
        rebuild.apply_async((revision_id, split), countdown=DEBOUNCE_S)


@app.task(name="leaderboard.tasks.rebuild")
def rebuild(revision_id: int, split: str) -> None:
    cache.delete(f"rebuild-queued:{revision_id}:{split}")  # before reading: a later change queues anew
    rebuild_board(revision_id, split)
