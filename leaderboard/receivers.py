"""Listens to the engine: queues a rebuild of the boards a change belongs to, or does it at once when inline."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.signals import m2m_changed, post_delete, post_save
from django.dispatch import receiver

from arena.models import Benchmark, BenchmarkRole, Entrant, Price, RevisionProblem, User
from arena.signals import catalog_changed, scores_changed
from leaderboard.standings import change_pages, rebuild_board
from leaderboard.tasks import boards_of, enqueue_rebuild, mark_stale

log = logging.getLogger(__name__)


@receiver(scores_changed)
def follow_scores(sender: object, run_ids: list[int], inline: bool = False, **_: Any) -> None:
    mark_stale(run_ids)
    for revision_id, split in boards_of(run_ids):
        _follow(revision_id, split, inline)


@receiver(catalog_changed)
def follow_catalog(sender: object, revision_id: int, inline: bool = False, **_: Any) -> None:
    splits = RevisionProblem.objects.filter(revision_id=revision_id).order_by().values_list("split", flat=True)
    for split in splits.distinct():
        if split != "validation":
            _follow(revision_id, split, inline)


def _follow(revision_id: int, split: str, inline: bool) -> None:
    if inline or not settings.REDIS_URL:
        rebuild_board(revision_id, split)
    else:
        transaction.on_commit(lambda: _enqueue(revision_id, split))


def _enqueue(revision_id: int, split: str) -> None:
    try:
        enqueue_rebuild(revision_id, split)
    except Exception:  # a broker that is down must not undo the review or run that was just stored
        log.exception("board %s/%s could not be queued: rebuilding at once", revision_id, split)
        rebuild_board(revision_id, split)


@receiver(post_save, sender=Entrant)
@receiver(post_save, sender=Benchmark)
def follow_edit(sender: object, created: bool = False, **_: Any) -> None:
    """A name, a date or a text was edited: no number changed, but every stored page is old."""
    if not created:  # a new one stands on no page yet; its first run or import tells by itself
        transaction.on_commit(change_pages)


@receiver(post_save, sender=Price)
@receiver(post_delete, sender=Price)
def follow_price(sender: object, **_: Any) -> None:
    transaction.on_commit(change_pages)


@receiver(m2m_changed, sender=User.groups.through)
@receiver(post_save, sender=BenchmarkRole)
@receiver(post_delete, sender=BenchmarkRole)
def follow_rights(sender: object, action: str = "post_save", **_: Any) -> None:
    """Somebody may do more or less: what the header of a stored page offers them is old."""
    if action.startswith("post_"):
        transaction.on_commit(change_pages)
