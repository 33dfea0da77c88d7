"""A whole site as processes: `manage.py prepare` and `manage.py serve` with a folder, ports and database of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class LiveSite:
    """A running site. env: what a command of this site needs."""

    url: str
    var: Path
    env: dict[str, str]
    pid: int

    def manage(self, *arguments: str, code: int = 0, timeout: float = 300) -> str:
        """Run a management command of this site; its stdout. The exit code must be `code`."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=timeout)
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.env, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @property
    def runtime(self) -> dict[str, Any]:
        return dict(json.loads((self.var / "runtime.json").read_text(encoding="utf-8")))


@contextmanager
def run_site(folder: Path, **settings: str) -> Iterator[LiveSite]:
    """Start a site in `folder`; it is stopped by a signal at the end and must leave no process behind.

    Embedded parts unless the tests run with DATABASE_URL or REDIS_URL; then a database and a Redis number of its own.
    """
    port = free_port()
    env = {
        **{name: value for name, value in os.environ.items() if name not in ("DJANGO_SETTINGS_MODULE", "SECRET_KEY")},
        "PROCTOR_VAR": str(folder),
        "PORT": str(port),
        "REDIS_PORT": str(free_port()),
        "DEMO": "0",
        **settings,
    }
    with _own_database(env):
        subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, env=env, check=True, timeout=300)
        log = (folder / "serve.log").open("wb")
        process = subprocess.Popen([sys.executable, "manage.py", "serve"], cwd=ROOT, env=env, stdout=log, stderr=log)
        try:
            _wait_until_up(f"http://127.0.0.1:{port}/healthz", process)
            yield LiveSite(f"http://127.0.0.1:{port}", folder, env, process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(60)
            log.close()
        assert code == 0, (folder / "serve.log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def _own_database(env: dict[str, str]) -> Iterator[None]:
    """On PostgreSQL a database made for this site alone; on Redis database number 9."""
    if env.get("REDIS_URL"):
        env["REDIS_URL"] = env["REDIS_URL"].rsplit("/", 1)[0] + "/9"
        import redis

        redis.Redis.from_url(env["REDIS_URL"]).flushdb()
    url = env.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield
        return
    import psycopg

    name = f"proctor_site_{os.getpid()}_{free_port()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    env["DATABASE_URL"] = url.rsplit("/", 1)[0] + f"/{name}"
    try:
        yield
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _wait_until_up(url: str, process: subprocess.Popen[bytes], timeout_s: float = 90) -> None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        assert process.poll() is None, "serve ended at once"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer within {timeout_s:g} s")
