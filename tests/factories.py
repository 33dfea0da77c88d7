"""Plain functions that make rows for tests; no random values."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import Group

from arena.models import MAINTAINER, REVIEWER, Run, User
from arena.services.catalog import ImportReport, import_benchmark
from arena.services.engine import advance_run
from arena.services.runs import Credentials, RunRequest, create_run


def make_user(name: str, *groups: str) -> User:
    user = User.objects.create_user(name, f"{name}@example.org", f"{name}-secret")
    user.groups.set(Group.objects.filter(name__in=groups))
    return user


def make_cast() -> dict[str, User]:
    """The people of every permission story."""
    return {
        "reviewer": make_user("reviewer", REVIEWER),
        "submitter": make_user("submitter"),
        "maintainer": make_user("maintainer", MAINTAINER),
    }


def import_samples(slug: str = "coin_flip", path: Path | None = None, label: str = "") -> ImportReport:
    return import_benchmark(slug, path, label)


def run_inline(base_url: str, benchmark: str = "coin_flip", model: str = "Tester", **choices: object) -> Run:
    """A finished run through the real services against a real loopback server."""
    owner = choices.pop("owner", None)
    request = RunRequest(benchmark=benchmark, model=model, base_url=base_url, **choices)  # type: ignore[arg-type]
    run = create_run(request, Credentials(), owner=owner, keep_keys=False)  # type: ignore[arg-type]
    advance_run(run.pk, credentials=Credentials(), inline=True)
    run.refresh_from_db()
    return run
