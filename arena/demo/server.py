"""The demo models over HTTP: as much of an OpenAI-compatible server as one client needs. Loopback only, no streams."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from arena.demo.judge import judge
from arena.demo.library import Library
from arena.demo.solver import MODELS, solve

JUDGE = "demo-judge"
LABEL = "A demonstration, not a language model: it answers by rule from the samples shipped with Proctor."

_MOST_BODY_BYTES = 64 * 2**20
_MOST_HEAD_BYTES = 64 * 2**10


class BadRequest(Exception):
    """What the client sent cannot be answered; `status` and the text go back to it."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: bytes
    stays_open: bool


async def serve(port: int, library: Library, latency_s: float = 0.0) -> asyncio.Server:
    """Start listening on 127.0.0.1. Raises OSError where the port is taken."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _answer_next(reader, writer, library, latency_s):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client went away
        finally:
            writer.close()

    return await asyncio.start_server(talk, "127.0.0.1", port, limit=_MOST_HEAD_BYTES, backlog=512)


async def _answer_next(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, library: Library, latency_s: float
) -> bool:
    """One request and its answer; whether the connection stays open."""
    stays_open = False
    try:
        request = await _read_request(reader)
        stays_open = request.stays_open
        status, data = HTTPStatus.OK, answer(request, library)
        await asyncio.sleep(latency_s if request.method == "POST" else 0)
    except BadRequest as error:
        status = error.status
        data = {"error": {"message": str(error), "type": "invalid_request_error", "code": status.phrase.lower()}}
    body = json.dumps(data, ensure_ascii=False).encode()
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    writer.write(f"{head}\r\nconnection: {'keep-alive' if stays_open else 'close'}\r\n\r\n".encode() + body)
    await writer.drain()
    return stays_open


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.rstrip().split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    parts = line.split(" ")
    length = headers.get("content-length", "0")
    if len(parts) != 3 or "transfer-encoding" in headers or not length.isdecimal():
        raise BadRequest(HTTPStatus.BAD_REQUEST, "send HTTP/1.1 with a content-length")
    if int(length) > _MOST_BODY_BYTES:
        raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too large")
    body = await reader.readexactly(int(length))
    return Request(parts[0], parts[1].partition("?")[0], body, headers.get("connection", "").lower() != "close")


def answer(request: Request, library: Library) -> dict[str, Any]:
    """The JSON answer to a request. Raises BadRequest."""
    if (request.method, request.path) == ("GET", "/v1/models"):
        return _list_models()
    if (request.method, request.path) != ("POST", "/v1/chat/completions"):
        raise BadRequest(HTTPStatus.NOT_FOUND, f"no such path: {request.method} {request.path}")
    try:
        data = json.loads(request.body)
        model, prompt, tokens = data["model"], _read_prompt(data["messages"]), _read_limit(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadRequest(HTTPStatus.BAD_REQUEST, f"no chat completion request: {type(error).__name__}") from error
    if data.get("stream"):
        raise BadRequest(HTTPStatus.BAD_REQUEST, "streams are not supported here")
    return _complete(model, prompt, reply_of(model, prompt, library), tokens)


def reply_of(model: str, prompt: str, library: Library) -> str:
    """What the named demo model says. Raises BadRequest for a name it does not have."""
    if model == JUDGE:
        return judge(prompt)
    if model not in MODELS:
        known = ", ".join([*MODELS, JUDGE])
        raise BadRequest(HTTPStatus.NOT_FOUND, f"the model {str(model)[:80]!r} does not exist here; there are {known}")
    return solve(MODELS[model], prompt, library)


def _list_models() -> dict[str, Any]:
    names = [*MODELS, JUDGE]
    entries = [
        {"id": name, "object": "model", "created": 0, "owned_by": "proctor-demonstration", "description": LABEL}
        for name in names
    ]
    return {"object": "list", "data": entries}


def _read_prompt(messages: list[Mapping[str, Any]]) -> str:
    """The last user message's text; figures are not looked at."""
    content = [message["content"] for message in messages if message["role"] == "user"][-1:]
    if not content:
        raise ValueError("no user message")
    if isinstance(content[0], str):
        return content[0]
    return "".join(part["text"] for part in content[0] if part["type"] == "text")


def _read_limit(data: Mapping[str, Any]) -> int | None:
    limit = data.get("max_completion_tokens") or data.get("max_tokens")
    return None if limit is None else int(limit)


def _complete(model: str, prompt: str, text: str, most_tokens: int | None) -> dict[str, Any]:
    words = re.findall(r"\s*\S+", text)  # one word counts as one token
    is_cut = most_tokens is not None and len(words) > most_tokens
    if is_cut:
        words = words[:most_tokens]
        text = "".join(words)
    used = {"prompt_tokens": len(prompt.split()), "completion_tokens": len(words)}
    message = {"role": "assistant", "content": text}
    digest = hashlib.sha256("\0".join([model, prompt]).encode("utf-8", "replace")).hexdigest()
    return {
        "id": f"chatcmpl-demo-{digest[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if is_cut else "stop"}],
        "usage": {**used, "total_tokens": sum(used.values())},
    }
