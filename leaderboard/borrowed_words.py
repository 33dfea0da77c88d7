"""Sentences of Django that its own Chinese catalogue lacks in the release we use; ours has them instead."""

from __future__ import annotations

from django.utils.translation import ngettext_lazy

BORROWED = (
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)
