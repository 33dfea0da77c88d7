"""ChatClient: one endpoint, one model, many calls. The only place that speaks to a model.

Retries are ours, not the openai package's: broken bodies raise errors it does not know, and each failed try is told.
"""

from __future__ import annotations

import asyncio
import random
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

import aiohttp
import httpx2
import openai

from arena.llm.call import CallFailed, CallFailure, CallParams, Completion, Target
from arena.llm.failure import describe_failure
from arena.llm.gate import Gate
from arena.llm.messages import Message, build_body
from arena.llm.reply import BrokenBody, is_empty, read_completion, read_json
from arena.llm.transport import ResponseTooLarge, UnknownEncoding, open_openai
from arena.security.url_guard import NOTHING_ALLOWED, Allowlist

__all__ = ["CallFailed", "CallFailure", "CallParams", "ChatClient", "Completion", "Target"]

SHORTEST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0

_OVERLOADED = frozenset({429, 503, 529})
TRY_FAILED = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    aiohttp.ClientError,
    BrokenBody,
    ResponseTooLarge,
    UnknownEncoding,
    UnicodeEncodeError,
    zlib.error,
    OSError,  # TimeoutError and AddressRefused are of this kind
)


class ChatClient:
    """Asks `target` with `params`, at most `concurrency` calls at once, up to `tries` times each.

    Use as an async context manager, in one event loop. Raises UrlRefused on entering where the URL cannot be used.
    rng: source of the jitter.
    """

    def __init__(
        self,
        target: Target,
        params: CallParams,
        *,
        concurrency: int = 16,
        tries: int = 6,
        allowlist: Allowlist = NOTHING_ALLOWED,
        rng: random.Random | None = None,
    ) -> None:
        if tries < 1:
            raise ValueError(f"tries must be at least 1, not {tries!r}")
        self.target = target
        self.params = params
        self.tries = tries
        self._allowlist = allowlist
        self._most = concurrency
        self._gate = Gate(concurrency)
        self._rng = rng or random.Random()
        self._tokens_field = "max_tokens"
        self._limited_until: datetime | None = None
        self._openai: openai.AsyncOpenAI | None = None

    async def __aenter__(self) -> Self:
        self._openai = open_openai(
            self.target, self._allowlist, connections=self._most, timeout_s=self.params.timeout_s
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._openai is not None:
            await self._openai.close()
            self._openai = None

    @property
    def concurrency(self) -> int:
        """How many calls may be out now; less than asked for while the endpoint refuses with 429."""
        return self._gate.limit

    @property
    def limited_until(self) -> datetime | None:
        """Until when (UTC) the endpoint's last "too many" holds calls back; None where nothing does."""
        until = self._limited_until
        return until if until is not None and until > datetime.now(UTC) else None

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        on_failure: Callable[[CallFailure], None] | None = None,
        tried: int = 0,
        may_retry: Callable[[], bool] = lambda: True,
    ) -> Completion:
        """The endpoint's reply. Every failed try is told to `on_failure`; raises CallFailed when none is left.

        Empty content is tried again like a failure; if it is still empty at the last try, it is the reply.
        tried: tries of an earlier call that count here. may_retry: asked before each further try; where it says no,
        CallFailed holds a failure that is not final.
        """
        for attempt in range(min(tried + 1, self.tries), self.tries + 1):
            try:
                completion = await self._ask(messages)
            except TRY_FAILED as error:
                failure = self._describe(error, attempt)
            else:
                if attempt == self.tries or not is_empty(completion):
                    return replace(completion, tries=attempt)
                failure = _describe_empty(completion, attempt)
            if on_failure is not None:
                on_failure(failure)
            if failure.is_final:
                raise CallFailed(failure)
            await asyncio.sleep(self._wait_s(failure))
            if not may_retry():
                raise CallFailed(failure)
        raise AssertionError("the last try returns or raises")

    async def _ask(self, messages: Sequence[Message]) -> Completion:
        """One try, again at once where the endpoint wants the token limit under its newer name."""
        async with self._gate:
            tokens_field = self._tokens_field
            try:
                completion = await self._post(messages, tokens_field)
            except openai.APIStatusError as error:
                if error.status_code in _OVERLOADED:
                    self._gate.shrink()
                if tokens_field != "max_tokens" or not self._wants_newer_field(error):
                    raise
                self._tokens_field = "max_completion_tokens"  # remembered for all later calls
                completion = await self._post(messages, self._tokens_field)
        self._gate.grow()
        self._limited_until = None
        return completion

    async def _post(self, messages: Sequence[Message], tokens_field: str) -> Completion:
        if self._openai is None:
            raise RuntimeError("ChatClient is used outside its context")
        body = build_body(messages, self.params, self.target.model, tokens_field=tokens_field)
        started = time.perf_counter()
        async with asyncio.timeout(self.params.timeout_s):
            response = await self._openai.post("/chat/completions", cast_to=httpx2.Response, body=body)
        completion = read_completion(read_json(response.content), self.target.api_key)
        return replace(completion, latency_ms=(time.perf_counter() - started) * 1000)

    def _wants_newer_field(self, error: openai.APIStatusError) -> bool:
        is_refusal = error.status_code in (400, 422) and b"max_completion_tokens" in error.response.content
        return is_refusal and self.params.max_tokens is not None

    def _describe(self, error: BaseException, attempt: int) -> CallFailure:
        failure = describe_failure(error, self.target.api_key, where=self.target.place, timeout_s=self.params.timeout_s)
        return replace(failure, attempt=attempt, is_final=failure.is_final or attempt == self.tries)

    def _wait_s(self, failure: CallFailure) -> float:
        """Full jitter: anywhere below a bound that doubles from SHORTEST_WAIT_S; never less than the endpoint asks."""
        bound = min(LONGEST_WAIT_S, SHORTEST_WAIT_S * 2 ** (failure.attempt - 1))
        wait = self._rng.uniform(0, bound) + (failure.retry_after_s or 0.0)
        if failure.kind == "rate_limited":
            self._limited_until = datetime.now(UTC) + timedelta(seconds=wait)
        return wait


def _describe_empty(completion: Completion, attempt: int) -> CallFailure:
    """An empty text is no reply, but it is billed like one."""
    return CallFailure(
        "empty",
        "It answered with an empty text",
        False,
        attempt,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cost_usd=completion.cost_usd,
    )
