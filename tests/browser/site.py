"""A whole running site for browser tests: `manage.py serve` with its own folder, database, broker and ports.

    def test_story(site: Site, browser: Browser) -> None:      # both fixtures come from tests/browser/conftest.py
        page = browser.new_page()
        page.goto(f"{site.url}/submit/")
        site.manage("import_benchmark", "coin_flip", "--path", str(file))

With DATABASE_URL the site gets a database of its own on that server; with REDIS_URL it takes a number from 9 of that
server, emptied first. Without them it uses SQLite and the embedded Valkey, as `make run` does.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

from arena.supervisor import free_port

ROOT = Path(__file__).resolve().parents[2]
# Each test process of pytest-xdist takes a number of its own.
REDIS_NUMBER = 9 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
START_S = 120.0
STOP_S = 40.0


@dataclass(slots=True)
class Site:
    """A running site. url: without a slash at its end. var: its folder of run-time files."""

    url: str
    var: Path
    env: dict[str, str] = field(repr=False)
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def log(self) -> str:
        """Everything its processes have printed."""
        return (self.var / "serve.log").read_text(encoding="utf-8", errors="replace")

    def manage(self, *arguments: str, timeout_s: float = 300.0, code: int = 0) -> str:
        """Run one of manage.py's commands on this site; its output. Raises AssertionError where it ends otherwise."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )
        assert done.returncode == code, f"manage.py {' '.join(arguments)}: {done.returncode}\n{done.stderr}"
        return done.stdout

    def start(self) -> None:
        """Start `serve` and wait until it answers."""
        with (self.var / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"], cwd=ROOT, env=self.env, stdout=log, stderr=log
            )
        deadline = time.monotonic() + START_S
        while not _answers(f"{self.url}/healthz"):
            assert self.process.poll() is None, f"serve ended:\n{self.log}"
            assert time.monotonic() < deadline, f"serve did not answer in {START_S:g} s:\n{self.log}"
            time.sleep(0.2)

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process = None
        assert code == 0, f"serve ended with {code}:\n{self.log}"

    @property
    def runtime(self) -> dict[str, Any]:
        """Ports and pids of the running parts."""
        return dict(json.loads((self.var / "runtime.json").read_text(encoding="utf-8")))


@contextmanager
def run_site(var: Path, **settings: str) -> Iterator[Site]:
    """Prepare and start a site in the folder `var`; settings are further environment variables (`DEMO="1"`)."""
    var.mkdir(parents=True, exist_ok=True)
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "DJANGO_"))}
    env |= {
        "PROCTOR_VAR": str(var),
        "DJANGO_SETTINGS_MODULE": "arena.settings",
        "PORT": str(port),
        "REDIS_PORT": str(free_port()),
        "SITE_URL": f"http://127.0.0.1:{port}",
        "DEMO": "0",
        "MEDIA_ROOT": str(var / "media"),
        "ENDPOINT_ALLOWLIST": "127.0.0.0/8",
        "ENCRYPTION_KEYS": "t1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
        **settings,
    }
    with _own_database(env), _own_redis(env):
        site = Site(env["SITE_URL"], var, env)
        site.manage("prepare")
        site.start()
        try:
            yield site
        finally:
            site.stop()


@contextmanager
def _own_database(env: dict[str, str]) -> Iterator[None]:
    if not env.get("DATABASE_URL"):
        yield
        return
    import psycopg

    parts = urlsplit(env["DATABASE_URL"])
    name = f"proctor_site_{os.getpid()}"
    server = urlunsplit(("postgresql", *parts[1:2], "/postgres", parts.query, ""))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    env["DATABASE_URL"] = urlunsplit((*parts[:2], f"/{name}", *parts[3:]))
    try:
        yield
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@contextmanager
def _own_redis(env: dict[str, str]) -> Iterator[None]:
    if env.get("REDIS_URL"):
        import redis

        parts = urlsplit(env["REDIS_URL"])
        env["REDIS_URL"] = urlunsplit((*parts[:2], f"/{REDIS_NUMBER}", *parts[3:]))
        with redis.Redis.from_url(env["REDIS_URL"]) as client:
            client.flushdb()
    yield


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False
