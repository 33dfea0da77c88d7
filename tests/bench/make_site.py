"""`python -m tests.bench.make_site FRACTION`: fill the database of PROCTOR_VAR and rebuild its boards.

A process of its own, since a process has one database. Leaves `site.json` there: how many judgments, the seconds that
rebuilding took, and the session of somebody signed in. A folder that has one is left as it is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

FILE = "site.json"


def make_site(fraction: float) -> dict[str, Any]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import transaction

    from tests.bench.synthetic_site import load_site

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    started = time.perf_counter()
    with transaction.atomic():
        n = load_site(fraction=fraction)
    loaded_s = time.perf_counter() - started
    return {"judgments": n, "loaded_s": loaded_s, "rebuilds": measure_rebuilds(), "session": make_session()}


def measure_rebuilds() -> dict[str, list[float]]:
    """Benchmark -> seconds from nothing, after one run changed, after nothing changed."""
    from arena.models import DatasetRevision, Run
    from leaderboard.standings import list_boards_there, rebuild_board
    from leaderboard.tasks import mark_stale

    slugs = dict(DatasetRevision.objects.values_list("pk", "benchmark__slug"))
    found = {}
    for pk, split in list_boards_there():
        times = []
        for kind in ("nothing", "one", "none"):
            if kind == "one":
                mark_stale([Run.objects.filter(revision=pk).values_list("pk", flat=True).first() or 0])
            started = time.perf_counter()
            rebuild_board(pk, split, from_scratch=kind == "nothing")
            times.append(time.perf_counter() - started)
        found[slugs[pk]] = times
    return found


def make_session() -> str:
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from arena.models import User

    user, _ = User.objects.get_or_create(username="bench")
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key or ""


if __name__ == "__main__":
    path = Path(os.environ["PROCTOR_VAR"]) / FILE
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(make_site(float(sys.argv[1]))))
