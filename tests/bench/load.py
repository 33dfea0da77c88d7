"""A small load generator over loopback: keep-alive connections on plain sockets, one thread each."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """Requests a second and latency in ms. n_bad: answers other than 200 and 304; n_all: with those of warming up."""

    per_s: float
    p50_ms: float
    p99_ms: float
    n: int
    n_all: int
    n_bad: int
    n_bytes: int


def run_load(
    port: int,
    path: str,
    *,
    seconds: float = 5.0,
    warm_s: float = 1.0,
    connections: int = 8,
    headers: Mapping[str, str] | None = None,
) -> Load:
    """Ask `path` as fast as answers come, after a short warming up."""
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{key}: {value}" for key, value in (headers or {}).items())]
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    n_warm = sum(map(len, _ask_for(port, request, warm_s, connections)))
    started = time.perf_counter()
    found = [answer for thread in _ask_for(port, request, seconds, connections) for answer in thread]
    spent = time.perf_counter() - started
    times = sorted(1000 * t for t, _status, _size in found) or [float("nan")]
    return Load(
        per_s=len(found) / spent,
        p50_ms=times[len(times) // 2],
        p99_ms=times[min(len(times) - 1, int(0.99 * len(times)))],
        n=len(found),
        n_all=len(found) + n_warm,
        n_bad=sum(status not in (200, 304) for _t, status, _size in found),
        n_bytes=found[0][2] if found else 0,
    )


def _ask_for(port: int, request: bytes, seconds: float, connections: int) -> list[list[tuple[float, int, int]]]:
    results: list[list[tuple[float, int, int]]] = [[] for _ in range(connections)]
    until = time.perf_counter() + seconds
    threads = [threading.Thread(target=_ask, args=(port, request, until, found)) for found in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _ask(port: int, request: bytes, until: float, found: list[tuple[float, int, int]]) -> None:
    connection: socket.socket | None = None
    while time.perf_counter() < until:
        began = time.perf_counter()
        try:
            if connection is None:
                connection = socket.create_connection(("127.0.0.1", port), timeout=30)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(request)
            status, size, stays = _read(connection)
        except (OSError, ValueError):
            connection = None
            continue
        found.append((time.perf_counter() - began, status, size))
        if not stays:
            connection.close()
            connection = None
    if connection is not None:
        connection.close()


def _read(connection: socket.socket) -> tuple[int, int, bool]:
    """(status, bytes of the body, whether the connection stays). Raises ValueError for a connection that ended."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            raise ValueError("the connection ended")
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lowered = head.lower()
    status = int(head.split(b" ", 2)[1])
    length = 0
    if b"content-length:" in lowered:
        length = int(lowered.split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        part = connection.recv(262144)
        if not part:
            raise ValueError("the connection ended")
        body += part
    return status, len(body), b"connection: close" not in lowered
