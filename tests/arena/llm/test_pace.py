"""How many calls are out at once, and how the client gives way to an endpoint that asks for fewer."""

import asyncio
import time

from arena.llm.client import CallParams, ChatClient, Target
from tests.arena.llm.conversation import HELLO, KEY, LOOPBACK, NoJitter, ask
from tests.fake_llm import (
    Answer,
    FakeLLM,
    FakeRequest,
    fail,
    say,
    slow,
)

GOOD = say("ANSWER: YES")


def test_retry_after_is_honoured_and_told() -> None:
    with FakeLLM([fail(429, retry_after="0.2"), GOOD]) as server:
        completion, failures = ask(server)
    assert completion is not None
    assert failures[0].retry_after_s == 0.2
    assert server.requests[1].at - server.requests[0].at >= 0.2


def test_waiting_for_the_rate_limit_is_visible_while_it_lasts() -> None:
    async def watch(url: str) -> tuple[bool, bool]:
        target = Target(url, "m", KEY)
        async with ChatClient(target, CallParams(), allowlist=LOOPBACK, rng=NoJitter()) as client:
            call = asyncio.create_task(client.complete(HELLO))
            while not (server.requests and client.limited_until):
                await asyncio.sleep(0.01)
            seen = client.limited_until is not None
            await call
            return seen, client.limited_until is None

    with FakeLLM([fail(429, retry_after="0.3"), GOOD]) as server:
        assert asyncio.run(watch(server.base_url)) == (True, True)


def test_concurrency_gives_way_to_what_the_endpoint_bears() -> None:
    inside = []

    def bear_four(request: FakeRequest) -> Answer:
        inside.append(server.inside)
        time.sleep(0.01)
        return slow(GOOD, 0.02) if server.inside <= 4 else fail(429)

    async def call_all(url: str) -> int:
        target = Target(url, "m", KEY)
        async with ChatClient(target, CallParams(), concurrency=32, allowlist=LOOPBACK) as client:
            await asyncio.gather(*(client.complete(HELLO) for _ in range(60)))
            return client.concurrency

    with FakeLLM(bear_four) as server:
        assert asyncio.run(call_all(server.base_url)) < 16
    assert max(inside) > 4


def test_never_more_calls_at_once_than_asked_for() -> None:
    async def call_all(url: str) -> None:
        async with ChatClient(Target(url, "m"), CallParams(), concurrency=3, allowlist=LOOPBACK) as client:
            await asyncio.gather(*(client.complete(HELLO) for _ in range(12)))

    with FakeLLM([slow(GOOD, 0.02)]) as server:
        asyncio.run(call_all(server.base_url))
    assert server.most_inside <= 3
    assert len(server.requests) == 12


def test_a_cancelled_call_gives_its_place_back() -> None:
    async def cancel_then_call(url: str) -> str:
        async with ChatClient(Target(url, "m"), CallParams(), concurrency=1, allowlist=LOOPBACK) as client:
            calls = [asyncio.create_task(client.complete(HELLO)) for _ in range(3)]
            await asyncio.sleep(0.1)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            return (await client.complete(HELLO)).text

    with FakeLLM(lambda request: slow(GOOD, 5) if len(server.requests) == 1 else GOOD) as server:
        assert asyncio.run(cancel_then_call(server.base_url)) == "ANSWER: YES"
