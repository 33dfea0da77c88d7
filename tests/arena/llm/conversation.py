"""What the tests of the client share: a call of a scripted server, without waiting for the jitter."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from arena.llm.client import CallFailed, CallFailure, CallParams, ChatClient, Completion, Target
from arena.security.url_guard import parse_allowlist
from tests.fake_llm import FakeLLM

LOOPBACK = parse_allowlist(["127.0.0.0/8"])
KEY = "sk-CANARY-0123456789abcdefXYZ"
HELLO = [{"role": "user", "content": "Hello"}]


class NoJitter(random.Random):
    """Waits as little as full jitter may: not at all."""

    def uniform(self, a: float, b: float) -> float:
        return a


def ask(
    server: FakeLLM, *, params: CallParams | None = None, messages: list[dict[str, Any]] | None = None, **options: Any
) -> tuple[Completion | None, list[CallFailure]]:
    """One call: the reply (None where it failed for good) and every failure told on the way."""
    return ask_url(server.base_url, params=params, messages=messages, **options)


def ask_url(
    url: str,
    *,
    params: CallParams | None = None,
    messages: list[dict[str, Any]] | None = None,
    key: str = KEY,
    **options: Any,
) -> tuple[Completion | None, list[CallFailure]]:
    failures: list[CallFailure] = []

    async def call() -> Completion | None:
        settings = {"allowlist": LOOPBACK, "rng": NoJitter(), **options}
        target = Target(url, "fake-model", key)
        async with ChatClient(target, params or CallParams(timeout_s=5), **settings) as client:
            try:
                return await client.complete(messages or HELLO, on_failure=failures.append)
            except CallFailed as failed:
                assert failed.failure == failures[-1]
                return None

    return asyncio.run(call()), failures
