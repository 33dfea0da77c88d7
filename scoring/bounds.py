"""CPU and memory bounds that hold: a forked worker that the kernel ends at its CPU second.

A worker answers one request at a time. Its bound is a profiling timer with the default action, which ends the process
wherever it is (inside one big-integer operation too); it counts CPU time of the process and never wall time, so a
loaded machine changes no outcome. Only single-threaded processes may own a worker: `python -m scoring` and the pool's
children. Sizes: 1 CPU second, once more alone in a fresh worker with 4, then the outcome `timeout`.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.wire import (
    Request,
    Response,
    count_answers,
    error_response,
    is_cheap,
    merge_parts,
    respond,
    timeout_response,
    with_id,
)

CPU_SECONDS = 1.0
REPEAT_FACTOR = 4  # alone in a fresh worker
DATA_LIMIT_BYTES = 320 << 20  # of a worker's own memory; with code and shared pages the process stays below 512 MiB
RETIRE_BYTES = 240 << 20  # a worker that has grown to this is replaced between two requests
STALL_SECONDS = 900  # wall time without a word: not slow but stuck; an error, never a number

_REQUEST = struct.Struct("<dI")
_REPLY = struct.Struct("<cI")


@dataclass(frozen=True, slots=True)
class Overrun:
    """Why a worker gave no reply. kind: cpu, memory, crash, stall."""

    kind: str
    explanation: str


class Worker:
    """A forked copy of this process. `handle` turns request bytes into reply bytes and may raise MemoryError."""

    def __init__(self, handle: Callable[[bytes], bytes]) -> None:
        request_end, self._requests = os.pipe()
        self._replies, reply_end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._requests)
                os.close(self._replies)
                _work(handle, request_end, reply_end)
            finally:
                os._exit(1)
        os.close(request_end)
        os.close(reply_end)
        self.is_spent = False

    def run(self, payload: bytes, cpu_seconds: float) -> bytes | Overrun:
        try:
            _write(self._requests, _REQUEST.pack(cpu_seconds, len(payload)) + payload)
            if not select.select([self._replies], [], [], STALL_SECONDS)[0]:
                os.kill(self.pid, signal.SIGKILL)
                return self._bury("stall")
            state, size = _REPLY.unpack(_read(self._replies, _REPLY.size))
            reply = _read(self._replies, size)
        except (EOFError, BrokenPipeError):
            return self._bury()
        self.is_spent = state != b"K"
        return Overrun("memory", "memory") if state == b"M" else reply

    def _bury(self, kind: str = "") -> Overrun:
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        self.is_spent = True
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if kind:
            return Overrun(kind, "no word from the scoring process")
        if number == signal.SIGPROF:
            return Overrun("cpu", "cpu")
        name = signal.Signals(number).name if number else f"exit code {os.WEXITSTATUS(status)}"
        return Overrun("crash", f"the scoring process ended by {name}")

    def close(self) -> None:
        os.close(self._requests)
        os.close(self._replies)
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0


def _work(handle: Callable[[bytes], bytes], requests: int, replies: int) -> NoReturn:
    """The worker's life: until its owner closes the pipe. It must hold no end of the owner's standard streams."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_LIMIT_BYTES, DATA_LIMIT_BYTES))
    while True:
        try:
            cpu_seconds, size = _REQUEST.unpack(_read(requests, _REQUEST.size))
            payload = _read(requests, size)
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
            try:
                state, reply = b"K", handle(payload)
            except MemoryError:
                state, reply = b"M", b""
            signal.setitimer(signal.ITIMER_PROF, 0)
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > RETIRE_BYTES and state == b"K":
                state = b"R"
            _write(replies, _REPLY.pack(state, len(reply)) + reply)
        except (EOFError, BrokenPipeError):
            os._exit(0)


def _read(fd: int, size: int) -> bytes:
    pieces = []
    while size:
        piece = os.read(fd, min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _handle(payload: bytes) -> bytes:
    return json.dumps(respond(json.loads(payload))).encode()


class BoundedScorer:
    """`respond` with the bounds. Keeps one worker, warmed before it is forked; cheap requests need none.

    handle: what a worker does with the JSON of a request. cpu_seconds: the bound; the repeat has four times as much.
    """

    def __init__(self, handle: Callable[[bytes], bytes] | None = None, *, cpu_seconds: float = CPU_SECONDS) -> None:
        self._handle = handle or _handle
        self._cpu_seconds = cpu_seconds
        self._worker: Worker | None = None
        self._is_warm = False

    def respond(self, request: Request) -> Response:
        if is_cheap(request):
            return respond(request)
        payload = json.dumps(request).encode()
        outcome = self._run(payload, self._cpu_seconds)
        if isinstance(outcome, Overrun):
            outcome = self._run_alone(payload, REPEAT_FACTOR)
        if isinstance(outcome, Overrun):
            return with_id(request, self._overrun_response(request, outcome))
        response: Response = json.loads(outcome)
        return response

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _run(self, payload: bytes, cpu_seconds: float) -> bytes | Overrun:
        if self._worker is None:
            self._warm()
            self._worker = Worker(self._handle)
        outcome = self._worker.run(payload, cpu_seconds)
        if self._worker.is_spent:
            self.close()
        return outcome

    def _run_alone(self, payload: bytes, factor: float) -> bytes | Overrun:
        """In a fresh worker, which has nothing in its memory but what it was forked with."""
        self.close()
        return self._run(payload, factor * self._cpu_seconds)

    def _overrun_response(self, request: Request, overrun: Overrun) -> Response:
        if overrun.kind in ("crash", "stall"):
            return error_response(overrun.explanation)
        seconds = REPEAT_FACTOR * self._cpu_seconds
        bound = f"{seconds:g} CPU seconds" if overrun.kind == "cpu" else "the memory bound"
        timeout = timeout_response(request, f"not decided within {bound}")
        n = count_answers(request) if "only" not in request else 1
        return self._score_one_by_one(request, timeout, n) if n > 1 else timeout

    def _score_one_by_one(self, request: Request, timeout: Response, n: int) -> Response:
        """A reply with several answers that overran as a whole: one hostile answer must not cost the others theirs."""
        found = [self._run_alone(json.dumps({**request, "only": i}).encode(), 1) for i in range(n)]
        responses = [None if isinstance(outcome, Overrun) else json.loads(outcome) for outcome in found]
        return merge_parts(responses, timeout)

    def _warm(self) -> None:
        """Import and exercise the heavy scorers once, so that no bound is spent on it and every worker shares it."""
        if self._is_warm:
            return
        for request in _WARM_UP:
            respond(request)
        gc.collect()
        gc.freeze()
        self._is_warm = True


_WARM_UP: tuple[dict[str, Any], ...] = (
    {"scorer": "eed", "target": r"\frac{m v^2}{r} + \sin\theta", "answer": r"\frac{2 m v^2}{r} + \cos\theta"},
    {
        "scorer": "value",
        "kind": "numeric",
        "target": "12 m/s",
        "unit": "m/s",
        "answer": r"$1.2\times10^{3}\,\mathrm{cm/s}$",
    },
    {"scorer": "value", "kind": "expression", "target": r"\frac{\sqrt{3}}{2} m g", "answer": r"m g \cos 30^\circ"},
    {"scorer": "value", "kind": "equation", "target": "x = 2 a t", "answer": "x/2 = a t"},
)
