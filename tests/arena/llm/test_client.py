"""The client against a real server: what it sends, what it reads, what it tries again and what it never tells."""

import asyncio
import json

import pytest

from arena.llm.client import CallParams, ChatClient, Target
from arena.security.url_guard import UrlRefused
from tests.arena.llm.conversation import HELLO, KEY, LOOPBACK, ask
from tests.fake_llm import (
    JUNK,
    RESET,
    Answer,
    FakeLLM,
    FakeRequest,
    cut_short,
    echo_key,
    echo_key_in_page,
    fail,
    say,
    send,
    send_bytes,
    show_page,
    zip_body,
)

GOOD = say("ANSWER: YES")


def test_a_plain_call_sends_the_parameters_and_reads_the_reply() -> None:
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 70,
        "completion_tokens_details": {"reasoning_tokens": 60},
        "cost": 0.0125,
    }
    with FakeLLM([say("ANSWER: YES", reasoning_content="I count.", usage=usage)]) as server:
        params = CallParams(temperature=0.6, max_tokens=99, seed=7, reasoning_effort="high", extra={"top_p": 0.9})
        completion, failures = ask(server, params=params)
    assert failures == []
    assert completion is not None
    assert (completion.text, completion.reasoning, completion.finish_reason) == ("ANSWER: YES", "I count.", "stop")
    assert (completion.prompt_tokens, completion.completion_tokens, completion.reasoning_tokens) == (11, 70, 60)
    assert (completion.cost_usd, completion.tries) == (0.0125, 1)
    assert completion.latency_ms > 0
    assert completion.raw["id"] == "chatcmpl-fake"
    assert "ANSWER" not in json.dumps(completion.raw)
    assert server.requests[0].json == {
        "model": "fake-model",
        "messages": HELLO,
        "temperature": 0.6,
        "max_tokens": 99,
        "seed": 7,
        "reasoning_effort": "high",
        "top_p": 0.9,
    }
    assert server.requests[0].path == "/v1/chat/completions"


def test_fields_left_open_are_not_sent() -> None:
    with FakeLLM([GOOD]) as server:
        ask(server, params=CallParams(temperature=None))
    assert server.requests[0].json == {"model": "fake-model", "messages": HELLO}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (fail(500), "server_error"),
        (fail(503), "server_error"),
        (fail(408), "server_error"),
        (fail(429), "rate_limited"),
        (RESET, "reset"),
        (JUNK, "broken_body"),
        (cut_short(GOOD), "broken_body"),
        (send_bytes(b"<html>not { json"), "html"),
        (send_bytes(b"{'no': json"), "broken_body"),
        (send_bytes(b""), "broken_body"),
        (send_bytes(b"[1, 2]"), "broken_body"),
        (send_bytes(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'), "broken_body"),
        (send_bytes(b'{"choices": [{"message": {"content": "a"}}], "x": NaN}'), "broken_body"),
        (send_bytes(b"[" * 200_000), "broken_body"),
        (send_bytes(b"data: {}\n\ndata: [DONE]\n\n"), "broken_body"),
        (send({"choices": []}), "broken_body"),
        (send({"choices": [{"index": 0}]}), "broken_body"),
        (send({"choices": [{"message": {"content": 7}}]}), "broken_body"),
        (send({"error": {"message": "overloaded", "code": 529}}), "broken_body"),
        (send_bytes(b"\x01\x02", content_encoding="br"), "broken_body"),
        (send_bytes(b"no gzip", content_encoding="gzip"), "broken_body"),
        (say(""), "empty"),
        (say(None), "empty"),
        (say("  \n"), "empty"),
    ],
)
def test_a_passing_fault_is_told_and_tried_again(fault: Answer, kind: str) -> None:
    with FakeLLM([fault, fault, GOOD]) as server:
        completion, failures = ask(server)
    assert completion is not None
    assert (completion.text, completion.tries) == ("ANSWER: YES", 3)
    assert [(failure.kind, failure.attempt, failure.is_final) for failure in failures] == [
        (kind, 1, False),
        (kind, 2, False),
    ]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "not_found"),
        (405, "client_error"),
        (413, "too_large"),
        (422, "unprocessable"),
    ],
)
def test_a_refusal_is_final_at_once(status: int, kind: str) -> None:
    with FakeLLM([fail(status, "because of this")]) as server:
        completion, failures = ask(server)
    assert completion is None
    assert [(failure.kind, failure.attempt, failure.is_final) for failure in failures] == [(kind, 1, True)]
    assert f"({status}): because of this" in failures[0].message
    assert len(server.requests) == 1


def test_six_tries_and_no_more() -> None:
    with FakeLLM([fail(429)]) as server:
        completion, failures = ask(server)
    assert completion is None
    assert [failure.is_final for failure in failures] == [False] * 5 + [True]
    assert len(server.requests) == 6


@pytest.mark.parametrize("content", ["", None])
def test_content_that_stays_empty_is_an_empty_reply_not_a_failure(content: str | None) -> None:
    with FakeLLM([say(content)]) as server:
        completion, failures = ask(server)
    assert completion is not None
    assert (completion.text, completion.tries) == ("", 6)
    assert [(failure.kind, failure.is_final) for failure in failures] == [("empty", False)] * 5


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_empty_content_with_a_reason_is_not_bought_six_times(finish: str) -> None:
    with FakeLLM([say("", finish=finish)]) as server:
        completion, failures = ask(server)
    assert completion is not None
    assert (completion.text, completion.finish_reason, failures) == ("", finish, [])


def test_a_refusal_by_the_model_is_its_reply() -> None:
    with FakeLLM([say(None, refusal="I cannot help with that.")]) as server:
        completion, _ = ask(server)
    assert completion is not None
    assert (completion.text, completion.finish_reason) == ("I cannot help with that.", "content_filter")


def test_content_in_typed_parts_is_joined_and_thoughts_are_kept_apart() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Let me see."}]},
        {"type": "text", "text": "ANSWER: "},
        {"type": "text", "text": "YES"},
    ]
    with FakeLLM([send({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]})]) as server:
        completion, _ = ask(server)
    assert completion is not None
    assert (completion.text, completion.reasoning) == ("ANSWER: YES", "Let me see.")
    assert completion.prompt_tokens is None


def test_strange_token_counts_are_unknown_not_wrong() -> None:
    usage = {"prompt_tokens": -1, "completion_tokens": "7", "cost": float(10**400 == 0), "completion_tokens_details": 3}
    with FakeLLM(
        [say("A", usage=usage), say("A", usage={"prompt_tokens": 2**40, "completion_tokens": True})]
    ) as server:
        for _ in range(2):
            completion, _failures = ask(server)
            assert completion is not None
            assert completion.prompt_tokens is None
            assert completion.completion_tokens is None
            assert completion.reasoning_tokens is None


def test_what_no_database_stores_is_replaced() -> None:
    body = b'{"choices": [{"message": {"content": "a\\u0000b\\ud800c\\ud83d\\ude00"}}], "id": "\\u0000"}'
    with FakeLLM([send_bytes(body)]) as server:
        completion, _ = ask(server)
    assert completion is not None
    assert completion.text == "a\ufffdb\ufffdc\U0001f600"
    assert completion.raw["id"] == "\ufffd"


def test_an_unasked_for_gzip_body_is_read() -> None:
    with FakeLLM([zip_body(GOOD)]) as server:
        completion, failures = ask(server)
    assert failures == []
    assert completion is not None
    assert completion.text == "ANSWER: YES"


def test_newer_name_of_the_token_limit_is_learnt_once_for_all_calls() -> None:
    def only_newer(request: FakeRequest) -> Answer:
        if "max_tokens" in request.json:
            return fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return GOOD

    async def call_twice(url: str) -> list[str]:
        target = Target(url, "o-model", KEY)
        async with ChatClient(target, CallParams(max_tokens=50), allowlist=LOOPBACK) as client:
            first = await asyncio.gather(*(client.complete(HELLO) for _ in range(5)))
            return [completion.text for completion in [*first, await client.complete(HELLO)]]

    with FakeLLM(only_newer) as server:
        assert asyncio.run(call_twice(server.base_url)) == ["ANSWER: YES"] * 6
    assert server.requests[-1].json["max_completion_tokens"] == 50
    assert sum("max_tokens" in request.json for request in server.requests) <= 5


@pytest.mark.parametrize(
    "script", [echo_key(401), echo_key(422), echo_key(500), echo_key_in_page(), echo_key_in_page(200)]
)
def test_a_key_that_is_echoed_in_an_error_goes_no_further(script) -> None:  # type: ignore[no-untyped-def]
    with FakeLLM(script) as server:
        _, failures = ask(server, tries=1)
    assert failures[0].message
    for piece in (KEY, KEY[:12], "CANARY", "0123456789"):
        assert piece not in repr(failures)


def test_a_key_that_is_echoed_in_a_reply_goes_no_further() -> None:
    with FakeLLM(lambda request: say(f"Your key is {request.key}", reasoning=request.key, note=request.key)) as server:
        completion, _ = ask(server)
    assert completion is not None
    assert completion.text == "Your key is [redacted]"
    assert "CANARY" not in repr(completion)


def test_a_target_and_a_client_do_not_show_their_key() -> None:
    target = Target("https://example.org/v1", "m", KEY)
    assert "CANARY" not in repr(target)
    assert "CANARY" not in repr(ChatClient(target, CallParams()))


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UrlRefused, match="no HTTP header") as error:
        Target("https://example.org/v1", "m", key)
    assert key not in str(error.value)


def test_a_prompt_that_is_no_unicode_is_a_named_failure() -> None:
    with FakeLLM([GOOD]) as server:
        _, failures = ask(server, messages=[{"role": "user", "content": "\ud800"}])
    assert [(failure.kind, failure.is_final) for failure in failures] == [("invalid_prompt", True)]


def test_reserved_fields_cannot_come_in_as_extra_parameters() -> None:
    with pytest.raises(ValueError, match="messages, stream"):
        CallParams(extra={"messages": [], "stream": True})


def test_an_html_page_with_an_error_status_is_named_by_its_title() -> None:
    with FakeLLM([show_page("<!doctype html><title>502 Bad Gateway</title>", 502)]) as server:
        _, failures = ask(server, tries=1)
    assert failures[0].message == "It failed (502): an HTML page, '502 Bad Gateway'"
