"""Roles on one benchmark, given and taken by its maintainers."""

from __future__ import annotations

from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Benchmark, BenchmarkRole, User
from arena.roles import RANKS, Rank, require_rank
from arena.services.audit import record_event


def grant_role(maintainer: User, benchmark: Benchmark, username: str, role: str) -> None:
    """Give, change or (empty role) take away a person's role on a benchmark. Raises Forbidden, Refused."""
    require_rank(maintainer, benchmark, Rank.MAINTAINER)
    user = User.objects.filter(username=username.strip()).first()
    if user is None:
        raise Refused("username", _("there is no account %(username)r") % {"username": username})
    if role and role not in RANKS:
        raise Refused("role", _("must be one of %(known)s") % {"known": ", ".join(RANKS)})
    found = BenchmarkRole.objects.filter(benchmark=benchmark, user=user).first()
    before = {"role": found.role if found else ""}
    if role:
        BenchmarkRole.objects.update_or_create(benchmark=benchmark, user=user, defaults={"role": role})
    elif found:
        found.delete()
    record_event(maintainer, "role", f"user:{user.username}", before, {"role": role}, benchmark)
