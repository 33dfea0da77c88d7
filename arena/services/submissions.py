"""What people hand in: who may see it, stop it, try it again, and put it on the board."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from arena.errors import ArenaError, Refused
from arena.models import AuditEvent, Run, Submission, User
from arena.services import publishing, quotas, runs
from arena.services.audit import record_event
from arena.services.imports import import_predictions
from arena.services.runs import Credentials, RunRequest
from arena.services.samples import read_progress

SHARE_AGE = timedelta(days=30)
_SHARE_SALT = "proctor.share"
_VOID_SHARES = "void links"


class NotAllowed(ArenaError):
    """This person may not do that; a page answers 403."""


def submit(request: RunRequest, credentials: Credentials, owner: User) -> Submission:
    """Store a submission and its run, queued and private. Raises Refused naming the field; then nothing is stored."""
    if request.is_official_judge:
        raise Refused("judge-model", _("the official judge is set by maintainers"))
    with transaction.atomic():
        run = runs.create_run(request, credentials, owner=owner)
        quotas.charge_run(owner, run, run.planned)
        return _wrap(run, owner)


def submit_predictions(
    data: bytes,
    file_name: str,
    owner: User,
    *,
    benchmark: str,
    model: str,
    organisation: str = "",
    split: str = "",
    subset: str = "",
) -> Submission:
    """Store a predictions file as a private, uploaded run. Raises ImportRefused with every bad line, or Refused."""
    with transaction.atomic():
        run = import_predictions(
            data,
            file_name,
            benchmark=benchmark,
            model=model,
            organisation=organisation,
            split=split,
            subset=subset,
            owner=owner,
            inline=False,
        )
        quotas.charge_run(owner, run, run.replies.count())
        return _wrap(run, owner)


def _wrap(run: Run, owner: User) -> Submission:
    submission = Submission.objects.create(entrant=run.entrant, endpoint=run.endpoint, owner=owner)
    run.submission = submission
    run.save(update_fields=["submission"])
    return submission


def run_of(submission: Submission) -> Run:
    return submission.runs.select_related("entrant", "owner", "scorer", "revision__benchmark", "endpoint").get()


def may_act(user: User, submission: Submission) -> bool:
    """Owners and maintainers stop and retry."""
    return user.is_active and (user.is_maintainer or submission.owner_id == user.pk)


def may_publish(user: User, submission: Submission) -> bool:
    """A maintainer, or the owner of both the submission and the model it is about."""
    return user.is_active and (
        user.is_maintainer or (submission.owner_id == user.pk and submission.entrant.owner_id == user.pk)
    )


def publish(submission: Submission, by: User) -> None:
    """Put a finished submission on the board. Raises NotAllowed, or Refused while it runs or nothing is scored."""
    if not may_publish(by, submission):
        raise NotAllowed(_("only a maintainer publishes a run of a model that belongs to somebody else"))
    publishing.publish_run(run_of(submission))


def cancel(submission: Submission, by: User) -> None:
    """Stop a live submission. Raises NotAllowed, or Refused where it had ended already."""
    if not may_act(by, submission):
        raise NotAllowed(_("this run is not yours"))
    runs.cancel_run_for(run_of(submission), by)


def withdraw(submission: Submission, by: User, reason: str) -> None:
    """Take a published submission off the board again; nothing is deleted."""
    if not may_act(by, submission):
        raise NotAllowed(_("this run is not yours"))
    publishing.withdraw_run(run_of(submission), reason, by)


def retry(submission: Submission, credentials: Credentials, by: User) -> Run:
    """Try the failed samples again with the key given anew; what is done is kept. Raises Refused or NotAllowed."""
    if not may_act(by, submission):
        raise NotAllowed(_("this run is not yours"))
    run = run_of(submission)
    if run.is_live:
        raise Refused("", _("the run is still going"))
    with transaction.atomic():
        run = runs.reopen_run(run, credentials)
        missing = len(read_progress(run).open)
        if not missing:
            raise Refused("", _("no sample is left to try again"))
        if run.owner is not None:
            quotas.charge_run(run.owner, run, missing)
    return run


def make_share_token(submission: Submission) -> str:
    """Opens the submission's page to whoever has it, for reading, for SHARE_AGE or until links are made void."""
    return signing.dumps([submission.uuid.hex, _count_voidings(submission)], salt=_SHARE_SALT)


def is_share_token(submission: Submission, token: str) -> bool:
    try:
        name, voidings = signing.loads(token, salt=_SHARE_SALT, max_age=SHARE_AGE)
    except (signing.BadSignature, ValueError):
        return False
    is_open = submission.owner is not None and submission.owner.is_active
    return is_open and name == submission.uuid.hex and voidings == _count_voidings(submission)


def void_shares(submission: Submission, by: User) -> None:
    """Make every link to this submission void; the page makes new ones. Raises NotAllowed."""
    if not may_act(by, submission):
        raise NotAllowed(_("this run is not yours"))
    record_event(by, _VOID_SHARES, f"submission:{submission.uuid}", {}, {})


def _count_voidings(submission: Submission) -> int:
    return AuditEvent.objects.filter(target=f"submission:{submission.uuid}", act=_VOID_SHARES).count()
