"""What a running site consists of, as `serve` starts it: gunicorn with two workers, and an embedded Valkey."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep

from arena.supervisor import can_connect, free_port, valkey_part

ROOT = Path(__file__).resolve().parents[2]
STARTS_S = 60.0


@contextmanager
def valkey(folder: Path) -> Iterator[str]:
    """The address of an empty one."""
    port = free_port()
    with _process(valkey_part(port, folder).command, {}, port):
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def gunicorn(environment: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """(port, process id)"""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "arena.wsgi:application", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", "2", "--threads", "4", "--log-level", "error"]
    with _process(command, environment, port) as pid:
        yield port, pid


@contextmanager
def _process(command: list[str], environment: Mapping[str, str], port: int) -> Iterator[int]:
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        until = perf_counter() + STARTS_S
        while not can_connect(port):
            if process.poll() is not None or perf_counter() > until:
                raise RuntimeError(f"did not start: {' '.join(command[:4])}")
            sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)


def cpu_s(pid: int) -> float:
    """CPU seconds that a process and its children have used; NaN where there is no /proc."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        times = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in (str(pid), *children)]
    except OSError:
        return float("nan")
    return sum(int(fields[11]) + int(fields[12]) for fields in times) / os.sysconf("SC_CLK_TCK")
