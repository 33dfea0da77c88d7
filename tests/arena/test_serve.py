"""`serve` before it serves: a port that is taken is told before anything is prepared."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.supervisor import free_port

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("variable", ["PORT", "REDIS_PORT"])
def test_busy_port_is_told_before_anything_is_prepared(tmp_path: Path, variable: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = {"PORT": str(free_port()), "REDIS_PORT": str(free_port()), variable: str(taken.getsockname()[1])}
        env = {**os.environ, **ports, "PROCTOR_VAR": str(tmp_path), "DEMO": "0"}
        for name in ("REDIS_URL", "DATABASE_URL"):
            env.pop(name, None)
        command = [sys.executable, "manage.py", "serve", "--prepare"]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and f"is busy: choose another with {variable}=" in done.stderr
    assert not (tmp_path / "db.sqlite3").exists()
