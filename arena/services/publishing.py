"""What puts a run on the boards and takes it off again. A run of which nothing is scored never stands there."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Run, Submission, User, Withdrawal
from arena.services.doubts import queue_doubts
from arena.services.samples import has_scored_sample
from arena.signals import scores_changed


def publish_automatically(run: Run) -> None:
    """Publish a finished run that nobody is asked about, once something of it is scored; the caller tells the boards.

    Such are runs made by a command or the demo, which have no owner, and published runs carried to other references.
    """
    is_asked_about = run.owner_id is not None and run.carried_from_id is None
    if is_asked_about or run.published_at is not None or run.state != Run.State.FINISHED:
        return
    if has_scored_sample(run):
        _mark_published(run)


def publish_run(run: Run, *, inline: bool = False) -> None:
    """Put a finished run on the boards. Raises Refused where nothing of it is scored: there is nothing to show."""
    if run.published_at is not None:
        return
    if run.state != Run.State.FINISHED:
        raise Refused("", _("only a finished run can be published"))
    if not has_scored_sample(run):
        raise Refused("", _("not one sample of this run is scored: there is nothing to publish"))
    _mark_published(run)
    Submission.objects.filter(runs=run).update(visibility=Submission.Visibility.PUBLISHED)
    queue_doubts(run)
    scores_changed.send(sender=Run, run_ids=[run.pk], inline=inline)


def _mark_published(run: Run) -> None:
    run.published_at = timezone.now()
    run.save(update_fields=["published_at"])


def withdraw_run(run: Run, reason: str, by: User | None, *, inline: bool = False) -> None:
    """Take a run off the boards; nothing is deleted. Raises Refused without a reason."""
    if not reason.strip():
        raise Refused("reason", _("say why the run is withdrawn"))
    Withdrawal.objects.create(run=run, reason=reason.strip(), by=by)
    scores_changed.send(sender=Run, run_ids=[run.pk], inline=inline)
