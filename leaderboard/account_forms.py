"""allauth's sign-up form with a label that says each thing once, and why an address is asked for."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import SignupForm
from django.utils.translation import gettext as _


class AccountForm(SignupForm):
    """Name, password and, where somebody wants a way back in, an address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)  # it only repeats the label
        self.fields["email"].label = _("E-mail address")
        self.fields["email"].help_text = _("Without one, a forgotten password cannot be reset.")
