"""Is this endpoint usable? A list of models and one tiny call, answered in plain words for who set it up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import httpx2

from arena.llm.call import CallFailed, CallFailure, CallParams, Target
from arena.llm.client import TRY_FAILED, ChatClient
from arena.llm.failure import clean_message, describe_failure
from arena.llm.reply import BrokenBody, read_json
from arena.llm.transport import open_openai
from arena.security.url_guard import NOTHING_ALLOWED, REFUSAL_MARK, Allowlist, UrlRefused

CHECK_TOKENS = 16  # enough for a word; some servers refuse less

_MOST_MODELS = 200
_UNLIKE_A_LIST = frozenset({"not_found", "client_error", "html", "broken_body", "forbidden", "server_error"})


@dataclass(frozen=True, slots=True)
class EndpointReport:
    """What a check found. cause: "ok" or the kind of the failure (arena/llm/failure.py); message: plain words.

    models: the ids the endpoint lists, at most 200; empty where it lists none. latency_ms: of the call that decided.
    """

    ok: bool
    cause: str
    message: str
    models: tuple[str, ...] = ()
    latency_ms: float = 0.0


async def check_endpoint(
    target: Target, allowlist: Allowlist = NOTHING_ALLOWED, timeout_s: float = 20.0
) -> EndpointReport:
    """Ask for the models, then, where the target names one, for one short reply. Never raises for the endpoint's sake.

    The short call decides: lists of models are often open to any key, or missing.
    """
    try:
        models, failure, latency_ms = await _list_models(target, allowlist, timeout_s)
        if failure is not None and (not target.model or failure.kind not in _UNLIKE_A_LIST):
            return _report_failure(failure, target, models, latency_ms)
        if not target.model:
            return EndpointReport(True, "ok", f"It answers and lists {_count(models)}", models, latency_ms)
        return await _try_call(target, allowlist, timeout_s, models)
    except UrlRefused as error:
        is_address = REFUSAL_MARK in str(error)
        return EndpointReport(False, "address_refused" if is_address else "invalid_url", str(error))


async def _list_models(
    target: Target, allowlist: Allowlist, timeout_s: float
) -> tuple[tuple[str, ...], CallFailure | None, float]:
    started = time.perf_counter()
    models: tuple[str, ...] = ()
    failure = None
    client = open_openai(target, allowlist, connections=1, timeout_s=timeout_s)
    try:
        response = await _within(timeout_s, client.get("/models", cast_to=httpx2.Response))
        models = _read_models(read_json(response.content), target.api_key)
    except TRY_FAILED as error:
        failure = describe_failure(error, target.api_key, where=target.place, timeout_s=timeout_s)
    finally:
        await client.close()
    return models, failure, (time.perf_counter() - started) * 1000


async def _try_call(target: Target, allowlist: Allowlist, timeout_s: float, models: tuple[str, ...]) -> EndpointReport:
    params = CallParams(temperature=None, max_tokens=CHECK_TOKENS, timeout_s=timeout_s)
    started = time.perf_counter()
    try:
        async with ChatClient(target, params, concurrency=1, tries=1, allowlist=allowlist) as client:
            completion = await client.complete([{"role": "user", "content": "Reply with the word OK."}])
    except CallFailed as error:
        return _report_failure(error.failure, target, models, (time.perf_counter() - started) * 1000)
    listed = "" if not models or target.model in models else f" (not among the {_count(models)} it lists)"
    empty = "" if completion.text else ", with an empty text"
    message = f"The model {target.model}{listed} answered in {completion.latency_ms:.0f} ms{empty}"
    return EndpointReport(True, "ok", clean_message(message, target.api_key), models, completion.latency_ms)


def _report_failure(failure: CallFailure, target: Target, models: tuple[str, ...], latency_ms: float) -> EndpointReport:
    hint = ""
    if failure.kind == "not_found" and target.model and models and target.model not in models:
        hint = f". It does not list the model {target.model}; it lists {', '.join(models[:5])}"
    elif failure.kind == "not_found" and not httpx2.URL(target.base_url).path.rstrip("/"):
        hint = ". Is the URL missing /v1 ?"
    return EndpointReport(
        False, failure.kind, clean_message(failure.message + hint, target.api_key), models, latency_ms
    )


def _read_models(data: dict[str, Any], secret: str) -> tuple[str, ...]:
    entries = data.get("data")
    if not isinstance(entries, list):
        raise BrokenBody("What it lists as models is no list")
    names = [entry.get("id") for entry in entries[:_MOST_MODELS] if isinstance(entry, dict)]
    return tuple(clean_message(name, secret)[:200] for name in names if isinstance(name, str) and name)


async def _within(timeout_s: float, response: Awaitable[httpx2.Response]) -> httpx2.Response:
    async with asyncio.timeout(timeout_s):
        return await response


def _count(models: tuple[str, ...]) -> str:
    return f"{len(models)} model{'' if len(models) == 1 else 's'}"
