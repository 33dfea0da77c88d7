"""Invitations to sign up: each for a stated number of people and fourteen days, and void when it is called back.

The audit log is their record: who invited, who came by which invitation, and who called one back.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import AuditEvent, User
from arena.services.audit import record_event

INVITE, JOIN, CALL_BACK = "invite", "join", "call back"
MAX_AGE = timedelta(days=14)
MAX_USES = 100
_SALT = "proctor.invitation"


@dataclass(frozen=True, slots=True)
class Invitation:
    """One invitation that still opens the door. by: empty for one made by command."""

    name: str
    by: str
    uses: int
    uses_left: int
    made_at: datetime
    until: datetime


def make_invitation(by: User | None = None, uses: int = 1) -> str:
    """The token of a new invitation (`/accounts/signup/?invitation=...`). Raises Refused. by None: a command."""
    if by is not None and not by.is_maintainer:
        raise Refused("", _("only maintainers invite people"))
    if not 1 <= uses <= MAX_USES:
        raise Refused("uses", _("a number from 1 to %(most)d is expected") % {"most": MAX_USES})
    name = uuid.uuid4().hex
    record_event(by, INVITE, _target(name), {}, {"uses": uses})
    return signing.dumps(name, salt=_SALT)


def is_invitation(token: str) -> bool:
    """Whether somebody may still sign up by it."""
    name = _read_token(token)
    return bool(name) and _find(name) is not None


def use_invitation(token: str, user: User) -> bool:
    """Write down that this new account came by it. False where it is used up, called back or too old.

    Call inside the transaction that makes the account: the invitation's row is locked, so two people at once do not
    share the last place.
    """
    name = _read_token(token)
    if not AuditEvent.objects.select_for_update().filter(target=_target(name), act=INVITE) or _find(name) is None:
        return False
    record_event(user, JOIN, _target(name), {}, {"account": user.pk})
    return True


def call_back(name: str, by: User) -> None:
    """Make an invitation void from now on. Raises Refused."""
    if not by.is_maintainer:
        raise Refused("", _("only maintainers invite people"))
    with transaction.atomic():
        if _find(name) is None:
            raise Refused("", _("this invitation is void already"))
        record_event(by, CALL_BACK, _target(name), {}, {})


def list_open() -> tuple[Invitation, ...]:
    """All that still open the door, the newest first."""
    made = AuditEvent.objects.filter(act=INVITE, created_at__gt=timezone.now() - MAX_AGE).select_related("actor")
    invitations = _read(list(made.order_by("-pk")))
    return tuple(invitation for invitation in invitations if invitation.uses_left > 0)


def _find(name: str) -> Invitation | None:
    made = AuditEvent.objects.filter(target=_target(name), act=INVITE, created_at__gt=timezone.now() - MAX_AGE)
    return next((found for found in _read(list(made.select_related("actor"))) if found.uses_left > 0), None)


def _read(made: list[AuditEvent]) -> list[Invitation]:
    """Those that were not called back, with what is left of each."""
    later = AuditEvent.objects.filter(target__in=[event.target for event in made], act__in=(JOIN, CALL_BACK))
    joined: dict[str, int] = {}
    called_back = set()
    for target, act in later.values_list("target", "act"):
        joined[target] = joined.get(target, 0) + 1
        if act == CALL_BACK:
            called_back.add(target)
    return [
        Invitation(
            name=event.target.partition(":")[2],
            by=event.actor.get_username() if event.actor else "",
            uses=event.after["uses"],
            uses_left=event.after["uses"] - joined.get(event.target, 0),
            made_at=event.created_at,
            until=event.created_at + MAX_AGE,
        )
        for event in made
        if event.target not in called_back
    ]


def _target(name: str) -> str:
    return f"invitation:{name}"


def _read_token(token: str) -> str:
    """The invitation's name; empty where the token is not ours. Its age is that of its row."""
    try:
        return str(signing.loads(token, salt=_SALT))
    except signing.BadSignature:
        return ""
