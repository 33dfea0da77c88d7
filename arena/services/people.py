"""Accounts: the first maintainer, appointing others, and leaving without taking the records along."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import MAINTAINER, REVIEWER, Endpoint, Run, User
from arena.security import encryption
from arena.services import runs

SETUP_SALT = "proctor.setup"
SETUP_AGE_S = 7 * 24 * 3600
ROLES = (REVIEWER, MAINTAINER)


def has_maintainer() -> bool:
    return User.objects.filter(Q(groups__name=MAINTAINER) | Q(is_superuser=True), is_active=True).exists()


def make_setup_token() -> str:
    """Whoever signs up with it becomes the first maintainer; void as soon as there is one, and after seven days."""
    return signing.dumps("first maintainer", salt=SETUP_SALT)


def is_setup_token(token: str) -> bool:
    try:
        signing.loads(token, salt=SETUP_SALT, max_age=SETUP_AGE_S)
    except signing.BadSignature:
        return False
    return not has_maintainer()


def claim_setup(user: User, token: str) -> bool:
    """Make this new account the first maintainer. False where the token is void or somebody was faster."""
    with transaction.atomic():
        Group.objects.select_for_update().get(name=MAINTAINER)  # two claims at once: the second waits and is refused
        if not is_setup_token(token):
            return False
        set_roles(user, {MAINTAINER})
    return True


def set_roles(user: User, roles: set[str], *, by: User | None = None) -> None:
    """Exactly these groups; maintainers may enter the administration. Raises Refused.

    by: the maintainer who does it; the last one cannot step down, or nobody could appoint anybody.
    """
    if by is not None and not by.is_maintainer:
        raise Refused("", _("only maintainers appoint people"))
    if not user.is_active:
        raise Refused("", _("this account is closed"))
    with transaction.atomic():
        Group.objects.select_for_update().get(name=MAINTAINER)  # two who dismiss each other at once: one is refused
        if MAINTAINER not in roles and user.groups.filter(name=MAINTAINER).exists():
            others = User.objects.filter(groups__name=MAINTAINER, is_active=True).exclude(pk=user.pk)
            if not others.exists():
                raise Refused("", _("the last maintainer cannot step down: appoint another first"))
        kept = user.groups.exclude(name__in=ROLES)
        user.groups.set([*kept, *Group.objects.filter(name__in=roles & set(ROLES))])
        user.is_staff = MAINTAINER in roles
        user.save(update_fields=["is_staff"])


def close_account(user: User) -> None:
    """Empty and lock the row. Reviews, votes, runs and audit rows keep pointing at it, under a name that says nothing.

    Live runs stop, stored keys go, private submissions stay private for ever.
    """
    stopped = Run.objects.filter(stop_reason=runs.cancelled_by(user))
    with transaction.atomic():
        for run in Run.objects.live().filter(owner=user):
            runs.cancel_run(run, "the account was deleted")
        Endpoint.objects.filter(owner=user).update(key_ciphertext=encryption.PURGED)
        EmailAddress.objects.filter(user=user).delete()
        user.groups.clear()
        user.user_permissions.clear()
        user.username = f"deleted-{user.pk}"
        stopped.update(stop_reason=runs.cancelled_by(user))
        user.email = user.first_name = user.last_name = ""
        user.is_active = user.is_staff = user.is_superuser = False
        user.last_login = None
        user.set_unusable_password()  # ends every session: their hash no longer fits
        user.save()
