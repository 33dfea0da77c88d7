"""A real loopback HTTP server that plays an OpenAI-compatible endpoint after a script: also slow, broken and malicious.

    with FakeLLM([fail(500), say("ANSWER: YES")]) as server:
        ... ChatClient(Target(server.base_url, "any-model", "sk-key"), ...)
    assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 2

Each call takes the next answer of the script; the last one is repeated for ever. A script may also be a function of
the request. `GET /v1/models` does not use up the script. Standard library only.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class FakeRequest:
    """What arrived. headers: names in lower case. at: monotonic seconds."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def prompt(self) -> str:
        """The text of the last user message."""
        content = [m for m in self.json["messages"] if m["role"] == "user"][-1]["content"]
        return content if isinstance(content, str) else "\n".join(p.get("text", "") for p in content)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. `ending`: whole; cut (half the body, then close); reset (no answer, RST); silence (headers never
    come, for `delay_s`); junk (no HTTP at all); endless (a body without end)."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    delay_s: float = 0.0
    ending: str = "whole"


Script = Sequence[Answer] | Callable[[FakeRequest], Answer]


def say(text: str | None, *, finish: str = "stop", usage: dict[str, Any] | None = None, **message: Any) -> Answer:
    """A chat completion with this content; further fields go into the message (`reasoning_content=...`)."""
    counted = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return send(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 0,
            "model": "fake",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
            ],
            "usage": counted if usage is None else usage,
        }
    )


def send(data: Any, status: int = 200, **headers: str) -> Answer:
    """Any JSON; header names with `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(data).encode(), {"content-type": "application/json", **named})


def fail(status: int, message: str = "it went wrong", **headers: str) -> Answer:
    """An OpenAI-style error object."""
    return send({"error": {"message": message, "type": "fake_error", "code": None}}, status, **headers)


def show_page(page: str, status: int = 200) -> Answer:
    return Answer(status, page.encode(), {"content-type": "text/html; charset=utf-8"})


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(status, b"", {"location": location})


def send_bytes(body: bytes, **headers: str) -> Answer:
    """A 200 whose body need not be JSON, nor UTF-8."""
    return Answer(200, body, {name.replace("_", "-"): value for name, value in headers.items()})


def zip_body(answer: Answer) -> Answer:
    """The same, compressed although nobody asked for it."""
    return replace(answer, body=gzip.compress(answer.body), headers={**answer.headers, "content-encoding": "gzip"})


def cut_short(answer: Answer) -> Answer:
    return replace(answer, ending="cut")


def slow(answer: Answer, delay_s: float) -> Answer:
    return replace(answer, delay_s=delay_s)


RESET = Answer(ending="reset")
JUNK = Answer(ending="junk")
ENDLESS = Answer(ending="endless")


def silence(for_s: float) -> Answer:
    return Answer(delay_s=for_s, ending="silence")


def echo_key(status: int) -> Callable[[FakeRequest], Answer]:
    """A script that repeats the caller's key in an error of this status, whole, cut and in a header."""

    def answer(request: FakeRequest) -> Answer:
        text = f"Incorrect API key provided: {request.key} ({request.key[:12]}...), header {request.headers}"
        return fail(status, text, x_echo=request.key)

    return answer


def echo_key_in_page(status: int = 502) -> Callable[[FakeRequest], Answer]:
    """A script that repeats the caller's key in an HTML error page."""
    return lambda request: show_page(
        f"<html><title>Bad {request.key}</title><body>{request.headers}</body></html>", status
    )


class FakeLLM:
    """The server; a context manager. `requests` lists the calls (without those for the models) in order of arrival."""

    def __init__(
        self,
        script: Script = (),
        *,
        models: Answer | Sequence[str] = ("fake-model",),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._script = script
        self._models = models if isinstance(models, Answer) else send(_list_models(models))
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.requests: list[FakeRequest] = []
        self.inside = 0
        self.most_inside = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._scheme = "https" if tls else "http"
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, request: FakeRequest) -> Answer:
        if request.path.endswith("/models"):
            return self._models
        with self._lock:
            place = len(self.requests)
            self.requests.append(request)
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
        if callable(self._script):
            return self._script(request)
        return self._script[min(place, len(self._script) - 1)] if self._script else say("OK")

    def leave(self, request: FakeRequest) -> None:
        if not request.path.endswith("/models"):
            with self._lock:
                self.inside -= 1

    def wait(self, seconds: float) -> None:
        """A pause that ends when the server is stopped, so that no test waits for a hanging answer."""
        self._stopping.wait(seconds)

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    fake: FakeLLM

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is part of the game."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = FakeRequest(self.command, self.path, headers, body, time.monotonic())
        fake = self.server.fake
        answer = fake.take(request)
        try:
            if answer.delay_s:
                fake.wait(answer.delay_s)
            self._play(answer)
        finally:
            fake.leave(request)

    def _play(self, answer: Answer) -> None:
        if answer.ending in ("reset", "silence", "junk"):
            self.close_connection = True
            if answer.ending == "junk":
                self.wfile.write(b"220 mail.example ESMTP ready\r\n" * 3)
            if answer.ending == "reset":  # linger 0: closing sends RST
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.ending == "endless":
            self.close_connection = True
            self.end_headers()
            while not self.server.fake.is_stopping:
                self.wfile.write(b'{"choices": "' + b"x" * 65536)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if answer.ending == "cut" else answer.body)
        if answer.ending == "cut":
            self.wfile.flush()
            self.close_connection = True


def _list_models(names: Sequence[str]) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": n, "object": "model", "created": 0, "owned_by": "fake"} for n in names]}
