"""Who may sign up: nobody, people with an invitation, or everybody."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core import signing
from django.http import HttpRequest

_SALT = "proctor.invitation"
_MAX_AGE_S = 14 * 24 * 3600


def make_invitation(email: str = "") -> str:
    """A signed token that opens the sign-up page for fourteen days (`/accounts/signup/?invitation=...`)."""
    return signing.dumps({"email": email}, salt=_SALT)


def is_invitation(token: str) -> bool:
    try:
        signing.loads(token, salt=_SALT, max_age=_MAX_AGE_S)
    except signing.BadSignature:
        return False
    return True


class AccountAdapter(DefaultAccountAdapter):
    """Applies the setting SIGNUP to allauth's sign-up page."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        if settings.SIGNUP == "open":
            return True
        if settings.SIGNUP == "closed":
            return False
        token = request.GET.get("invitation") or request.session.get("invitation", "")
        if token and is_invitation(token):
            request.session["invitation"] = token
            return True
        return False
