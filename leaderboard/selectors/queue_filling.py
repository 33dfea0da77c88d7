"""Filling the review queue: which data there are to fill it from, and why nothing came of it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from arena.models import DatasetRevision, Run
from arena.services.review_policies import QueueRequest
from arena.services.review_queue import Queued
from leaderboard.selectors.catalog import localised


def list_older_labels() -> tuple[str, ...]:
    """Labels of data that are not current, of any benchmark, on which a run is public."""
    runs = Run.objects.on_board().filter(state=Run.State.FINISHED)
    older = DatasetRevision.objects.filter(is_current=False, runs__in=runs)
    return tuple(older.order_by("label").values_list("label", flat=True).distinct())


def say_queued(wanted: QueueRequest, queued: Queued) -> str:
    """What became of the wish, and where nothing did, why."""
    if queued.new or queued.joined:
        counts = {"new": queued.new, "joined": queued.joined}
        return _("%(new)d items queued, %(joined)d had been queued and got one more reason.") % counts
    title = localised(wanted.benchmark, "title")
    label = wanted.revision.label if wanted.revision else ""
    where = {"benchmark": title, "data": label, "n": queued.found}
    if queued.found:
        return _("Nothing new: the %(n)d replies that this policy finds are in the queue already.") % where
    if not Run.objects.on_board().filter(revision=wanted.revision, state=Run.State.FINISHED).exists():
        return _("Nothing to queue: no run is public on the data %(data)s of %(benchmark)s.") % where
    return (
        _("Nothing to queue: among the public runs on %(benchmark)s, data %(data)s, this policy finds no reply.")
        % where
    )
