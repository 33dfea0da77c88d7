"""Boards at a million judgments: rebuilding, pages through gunicorn with two workers, the grid. Figures only.

`BENCH_FRACTION=0.01` loads a hundredth; `BENCH_VAR=<folder>` keeps the database for the next time.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FRACTION = float(os.environ.get("BENCH_FRACTION", "1"))


def main() -> None:
    kept = os.environ.get("BENCH_VAR", "")
    folder = Path(kept or tempfile.mkdtemp(prefix="proctor-bench-"))
    environment = {
        "PROCTOR_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "tests.bench.board_settings", "DEMO": "0",
        "LOG_LEVEL": "ERROR",
    }  # fmt: skip
    os.environ.update(environment)
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    try:
        fill()
        measure_rebuilds()
        session = make_session()
        with_server(lambda port: measure_pages(port, session))
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)


def fill() -> None:
    from django.db import transaction

    from arena.models import Judgment
    from tests.bench.synthetic_site import load_site

    if Judgment.objects.exists():
        print(f"found {Judgment.objects.count():,} judgments")
        return
    started = time.perf_counter()
    with transaction.atomic():
        n = load_site(fraction=FRACTION)
    print(f"loaded {n:,} judgments in {time.perf_counter() - started:.0f} s")


def measure_rebuilds() -> None:
    from arena.models import DatasetRevision, Run
    from leaderboard.standings import list_boards_there, rebuild_board
    from leaderboard.tasks import mark_stale

    slugs = dict(DatasetRevision.objects.values_list("pk", "benchmark__slug"))
    print(f"{'rebuild, s':22}{'from nothing':>14}{'one run changed':>17}{'nothing changed':>17}")
    for pk, split in list_boards_there():
        times = []
        for kind in ("nothing", "one", "none"):
            if kind == "one":
                mark_stale([Run.objects.filter(revision=pk).values_list("pk", flat=True).first() or 0])
            started = time.perf_counter()
            rebuild_board(pk, split, from_scratch=kind == "nothing")
            times.append(time.perf_counter() - started)
        print(f"{slugs[pk]:22}{times[0]:>14.2f}{times[1]:>17.2f}{times[2]:>17.2f}", flush=True)


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


def with_server(use) -> None:  # type: ignore[no-untyped-def]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "arena.wsgi:application", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", "2", "--threads", "4", "--log-level", "error"]
    server = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ))
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        use(port)
    finally:
        server.terminate()
        server.wait(20)


def measure_pages(port: int, session: str) -> None:
    from tests.bench.load import run_load

    cookie = {"Cookie": f"sessionid={session}"}
    packed = {"Accept-Encoding": "gzip"}
    etag = read_header(port, "/b/coin_flip/", "ETag", packed)
    cases = [
        ("constant view", "/constant/", {}),
        ("board, anonymous", "/b/coin_flip/", packed),
        ("board, anonymous, 304", "/b/coin_flip/", packed | {"If-None-Match": etag}),
        ("board, signed in", "/b/coin_flip/", cookie),
        ("hipho board, anonymous", "/b/hipho/", packed),
        ("hipho board, signed in", "/b/hipho/", cookie),
        ("home, anonymous", "/", packed),
    ]
    base = 0.0
    print(f"{'page':26}{'requests/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'ratio':>8}{'bytes':>10}{'bad':>6}")
    for name, path, headers in cases:
        load = run_load(port, path, headers=headers)
        base = base or load.per_s
        print(
            f"{name:26}{load.per_s:>12.0f}{load.p50_ms:>9.1f}{load.p99_ms:>9.1f}{load.per_s / base:>8.2f}"
            f"{load.n_bytes:>10,}{load.n_bad:>6}",
            flush=True,
        )
    for path in ("/b/coin_flip/problems/", "/b/phyx_oe/problems/", "/b/arc_indic/problems/", "/b/hipho/charts/"):
        first, again = time_page(port, path), time_page(port, path)
        print(
            f"{path:32} first {first[0] * 1000:6.0f} ms, again {again[0] * 1000:6.1f} ms, {first[1]:,} bytes",
            flush=True,
        )
    print(f"page weight of /b/hipho/ with its stylesheets and scripts: {weigh(port, '/b/hipho/'):,} bytes compressed")


def fetch(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[dict[str, str], bytes]:
    from urllib.request import Request, urlopen

    with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers or {})) as response:
        return dict(response.headers), response.read()


def read_header(port: int, path: str, name: str, headers: dict[str, str]) -> str:
    return fetch(port, path, headers)[0].get(name, "")


def time_page(port: int, path: str) -> tuple[float, int]:
    started = time.perf_counter()
    body = fetch(port, path)[1]
    return time.perf_counter() - started, len(body)


def weigh(port: int, path: str) -> int:
    body = fetch(port, path)[1].decode()
    packed = {"Accept-Encoding": "gzip"}
    parts = sorted(set(re.findall(r'(?:href|src)="(/static/[^"]+\.(?:css|js|svg))"', body)))
    return sum(len(fetch(port, part, packed)[1]) for part in (path, *parts))


if __name__ == "__main__":
    main()
