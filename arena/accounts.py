"""Who may sign up (nobody, people with an invitation, or everybody), and mail that never breaks a page."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core import mail, signing
from django.forms import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from arena.env import VAR
from arena.security.addresses import read_address

log = logging.getLogger(__name__)
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
    """Applies the setting SIGNUP to allauth's sign-up page, makes the first maintainer, survives a dead mail server."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        from arena.services.people import is_setup_token

        for name, is_valid in (("setup", is_setup_token), ("invitation", is_invitation)):
            token = request.GET.get(name) or request.session.get(name, "")
            if token and is_valid(token) and (name == "setup" or settings.SIGNUP != "closed"):
                request.session[name] = token
                return True
        return bool(settings.SIGNUP == "open")

    def clean_username(self, username: str, shallow: bool = False) -> str:
        if username.lower().startswith("deleted-"):
            raise ValidationError(_("Names that start with “deleted-” are kept for accounts that are gone."))
        return str(super().clean_username(username, shallow))

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        from arena.services.people import claim_setup

        user = super().save_user(request, user, form, commit)
        token = request.session.pop("setup", "")
        if token and commit:
            claim_setup(user, token)
        return user

    def get_client_ip(self, request: HttpRequest) -> str:
        """Whose failed sign-ins are counted; empty behind a socket that names nobody."""
        return read_address(request.META)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send, or keep the mail as a file where the server cannot be reached: no page fails for the post's sake."""
        message = self.render_mail(template_prefix, email, context)
        try:
            message.send()
        except (OSError, SMTPException) as error:
            log.warning("mail could not be sent (%s): kept in %s", type(error).__name__, VAR / "mail")
            message.connection = mail.get_connection(
                "django.core.mail.backends.filebased.EmailBackend", file_path=str(VAR / "mail")
            )
            message.send(fail_silently=True)
