"""Who may sign up (nobody, people with an invitation, or everybody), and mail that never breaks a page."""

from __future__ import annotations

import logging
import unicodedata
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import mail
from django.db import IntegrityError, transaction
from django.forms import ValidationError
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.env import VAR
from arena.names import as_latin
from arena.security.addresses import read_address

log = logging.getLogger(__name__)


SITE_NAME = "Proctor"


@dataclass(frozen=True, slots=True)
class MailSite:
    """What allauth's mails say of the site. domain: host and port of the public address, whatever a request names."""

    name: str
    domain: str


class _TooLate(Exception):
    """The door closed between the form and its sending."""


class AccountAdapter(DefaultAccountAdapter):
    """Applies the setting SIGNUP to allauth's sign-up page, makes the first maintainer, survives a dead mail server."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        from arena.services.invitations import is_invitation
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
        if "@" in username:
            raise ValidationError(_("This name is seen by everybody: it cannot be an e-mail address."))
        if not any(character.isalnum() for character in username):
            raise ValidationError(_("A name needs a letter or a digit."))
        username = str(super().clean_username(unicodedata.normalize("NFKC", username), shallow))
        latin = as_latin(username)
        if not shallow and latin != username and get_user_model().objects.filter(username__iexact=latin).exists():
            raise ValidationError(_("This name looks like somebody else's: choose another."))
        return username

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        """Store the account with what opened its door: the setup link or an invitation, taken only once."""
        from arena.services.invitations import use_invitation
        from arena.services.people import claim_setup

        tokens = request.session
        try:
            with transaction.atomic():
                user = super().save_user(request, user, form, commit)
                is_let_in = claim_setup(user, tokens.get("setup", ""))
                is_let_in = is_let_in or use_invitation(tokens.get("invitation", ""), user)
                if not is_let_in and settings.SIGNUP != "open":
                    raise _TooLate
        except (_TooLate, IntegrityError) as error:  # somebody else took the last place, or the name, just now
            raise ImmediateHttpResponse(redirect("account_signup")) from error
        for name in ("setup", "invitation"):
            tokens.pop(name, "")
        return user

    def get_client_ip(self, request: HttpRequest) -> str:
        """Whose failed sign-ins are counted; empty behind a socket that names nobody."""
        return read_address(request.META)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """Nobody signs up as a maintainer but the first one: the page of people says what to do next."""
        if request.user.is_maintainer:
            return reverse("people")
        return str(super().get_signup_redirect_url(request))

    def format_email_subject(self, subject: str) -> str:
        return f"[{SITE_NAME}] {subject}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send, or keep the mail as a file where the server cannot be reached: no page fails for the post's sake."""
        site = MailSite(SITE_NAME, urlsplit(settings.SITE_URL).netloc)
        message = self.render_mail(template_prefix, email, {"email": email, "current_site": site, **context})
        try:
            message.send()
        except (OSError, SMTPException) as error:
            log.warning("mail could not be sent (%s): kept in %s", type(error).__name__, VAR / "mail")
            message.connection = mail.get_connection(
                "django.core.mail.backends.filebased.EmailBackend", file_path=str(VAR / "mail")
            )
            message.send(fail_silently=True)
