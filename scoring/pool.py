"""Scoring in killable processes: `python -m scoring --serve` children over pipes, shared by the threads of a process.

Works alike in a web process, in Celery's prefork workers and on the command line: children are plain subprocesses,
end when their owner dies (their input ends) and are replaced when they die. The bounds on CPU and memory are theirs
(scoring.bounds); cheap scorers run in the caller's process.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from scoring.wire import error_response, is_cheap, respond, with_id

MAX_DEFAULT_SIZE = 4
BATCH_REQUESTS = 16

Request = Mapping[str, Any]
Response = dict[str, Any]


class _ChildDied(Exception):
    """The process behind the pipe is gone; what it answered before is kept."""


class _Child:
    """One `--serve` process, used by one thread at a time."""

    def __init__(self) -> None:
        root = str(Path(__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scoring", "--serve"],
            bufsize=0,  # raw pipes: no lock that a fork could inherit in a locked state
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # a Ctrl-C in the terminal is for the owner alone
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout
        os.set_blocking(self._in.fileno(), False)
        self._partial = b""

    def ask(self, lines: Sequence[bytes], replies: list[bytes]) -> None:
        """Append a response line to `replies` for each request line. Raises _ChildDied where the child does.

        Reads while it writes: a child that blocks on its output would never read on.
        """
        pending = memoryview(b"".join(line + b"\n" for line in lines))
        awaited = len(replies) + len(lines)
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        poll.register(self._in, select.POLLOUT)
        while len(replies) < awaited:
            ready = dict(poll.poll())
            if self._in.fileno() in ready:
                pending = self._write(pending)
                if not pending:
                    poll.unregister(self._in)
            if self._out.fileno() in ready:
                replies.extend(self._read())

    def _write(self, pending: memoryview) -> memoryview:
        try:
            return pending[os.write(self._in.fileno(), pending[: 1 << 16]) :]
        except BlockingIOError:
            return pending
        except OSError:
            raise _ChildDied from None

    def _read(self) -> list[bytes]:
        block = os.read(self._out.fileno(), 1 << 18)
        if not block:
            raise _ChildDied
        *lines, self._partial = (self._partial + block).split(b"\n")
        return lines

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close our ends of the pipes, no more: in a fork the child belongs to the process that started it."""
        self._in.close()
        self._out.close()


class Pool:
    """At most `size` children, started when needed. All methods may be called from any thread."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size or max(1, min(MAX_DEFAULT_SIZE, os.cpu_count() or 1))
        self._reset()
        _POOLS.add(self)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._idle: list[_Child] = []
        self._children: set[_Child] = set()
        self._n_taken = 0

    def score(self, request: Request) -> Response:
        """The response of `python -m scoring` to one request. Never raises for its content."""
        return self.score_many([request])[0]

    def score_many(self, requests: Sequence[Request]) -> list[Response]:
        """Responses in the order of the requests, spread over the children in small batches."""
        responses: dict[int, Response] = {}
        heavy: list[tuple[int, bytes]] = []
        for position, request in enumerate(requests):
            if is_cheap(request):
                responses[position] = respond(request)
            else:
                heavy.append((position, _encode(request)))
        batches = [heavy[at : at + BATCH_REQUESTS] for at in range(0, len(heavy), BATCH_REQUESTS)]
        for batch, replies in zip(batches, self._ask_all([[line for _, line in batch] for batch in batches])):
            responses.update((position, json.loads(reply)) for (position, _), reply in zip(batch, replies))
        return [responses[position] for position in range(len(requests))]

    def _ask_all(self, batches: Sequence[Sequence[bytes]]) -> Iterator[list[bytes]]:
        if len(batches) <= 1 or self.size == 1:
            yield from map(self.ask_lines, batches)
            return
        with ThreadPoolExecutor(min(self.size, len(batches))) as threads:
            yield from threads.map(self.ask_lines, batches)

    def ask_lines(self, lines: Sequence[bytes]) -> list[bytes]:
        """A response line for each request line, by one child; one that kills two children in a row is an error."""
        replies: list[bytes] = []
        failed_at = -1
        while len(replies) < len(lines):
            try:
                with self._child() as child:
                    child.ask(lines[len(replies) :], replies)
            except _ChildDied:
                if failed_at == len(replies):
                    replies.append(_died_line(lines[failed_at]))
                failed_at = len(replies)
        return replies

    @contextmanager
    def _child(self) -> Iterator[_Child]:
        with self._changed:
            self._changed.wait_for(lambda: self._idle or self._n_taken < self.size)
            child = self._idle.pop() if self._idle else None
            self._n_taken += 1
        is_alive = False
        try:
            if child is None:
                child = _Child()
                self._children.add(child)
            yield child
            is_alive = True
        finally:
            self._give_back(child, is_alive)

    def _give_back(self, child: _Child | None, is_alive: bool) -> None:
        """A child whose conversation broke off, for whatever reason, is of no more use."""
        with self._changed:
            self._n_taken -= 1
            if child is not None and is_alive:
                self._idle.append(child)
            self._changed.notify()
        if child is not None and not is_alive:
            self._children.discard(child)
            child.close()

    def close(self) -> None:
        """End all children. The pool starts new ones when it is used again."""
        with self._changed:
            children, self._idle = list(self._children), []
            self._children.clear()
        for child in children:
            child.close()

    def _forget(self) -> None:
        """In a fork: the children stay with the original process, and must see their input end when that one dies."""
        for child in list(self._children):
            child.let_go()
        self._reset()


def _encode(request: Request) -> bytes:
    """Database rows bring decimals; what else JSON cannot hold becomes its text, and an error with a reason."""
    return json.dumps(
        request, default=lambda value: float(value) if isinstance(value, Decimal) else str(value)
    ).encode()


def _died_line(line: bytes) -> bytes:
    try:
        request = json.loads(line)
    except ValueError:
        request = None
    response = with_id(request, error_response("the scoring process died twice on this request"))
    return json.dumps({"status": response["status"], "line": 0, **response}).encode()


_POOLS: weakref.WeakSet[Pool] = weakref.WeakSet()
_pool: Pool | None = None
_pool_lock = threading.Lock()


def get_pool() -> Pool:
    """This process's own pool, made on first use; a forked process makes its own."""
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = Pool()
        return _pool


def _after_fork() -> None:
    global _pool, _pool_lock
    _pool, _pool_lock = None, threading.Lock()
    for pool in list(_POOLS):
        pool._forget()


def _close_all() -> None:
    for pool in list(_POOLS):
        pool.close()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_close_all)
