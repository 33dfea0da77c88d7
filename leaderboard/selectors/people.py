"""Accounts as maintainers see them: names and roles, no addresses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from arena.models import MAINTAINER, REVIEWER, User


@dataclass(frozen=True, slots=True)
class Person:
    """One account."""

    pk: int
    name: str
    is_reviewer: bool
    is_maintainer: bool
    joined_at: datetime


def list_people() -> tuple[Person, ...]:
    """Open accounts, maintainers first, then by name."""
    found = []
    for user in User.objects.filter(is_active=True).prefetch_related("groups"):
        roles = {group.name for group in user.groups.all()}
        found.append(Person(user.pk, user.get_username(), REVIEWER in roles, MAINTAINER in roles, user.date_joined))
    return tuple(sorted(found, key=lambda person: (not person.is_maintainer, not person.is_reviewer, person.name)))
