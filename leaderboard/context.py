"""What every template may use."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    return {
        "is_demo": settings.DEMO,
        "signup_mode": settings.SIGNUP,
        "mail_is_filed": "filebased" in settings.EMAIL_BACKEND,
    }
