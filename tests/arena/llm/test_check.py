"""`check_endpoint` says in plain words what is wrong, and never says the key."""

import asyncio
import socket

import pytest

from arena.llm.call import Target
from arena.llm.check import EndpointReport, check_endpoint
from arena.security.url_guard import NOTHING_ALLOWED
from tests.arena.llm.conversation import KEY, LOOPBACK
from tests.fake_llm import (
    ENDLESS,
    JUNK,
    RESET,
    Answer,
    FakeLLM,
    echo_key,
    echo_key_in_page,
    fail,
    redirect,
    say,
    send,
    show_page,
    silence,
)

PAGE = show_page("<!doctype html><html><title>Welcome</title></html>")


def check(url: str, model: str = "fake-model", timeout_s: float = 5.0, allowlist=LOOPBACK) -> EndpointReport:  # type: ignore[no-untyped-def]
    return asyncio.run(check_endpoint(Target(url, model, KEY), allowlist, timeout_s))


def test_a_good_endpoint_is_ok_and_tells_its_models() -> None:
    with FakeLLM([say("OK")], models=("fake-model", "other")) as server:
        report = check(server.base_url)
    assert (report.ok, report.cause, report.models) == (True, "ok", ("fake-model", "other"))
    assert report.message.startswith("The model fake-model answered in ")
    assert report.latency_ms > 0


def test_without_a_model_the_list_is_enough() -> None:
    with FakeLLM(models=("a", "b", "c")) as server:
        report = check(server.base_url, model="")
    assert (report.ok, report.message) == (True, "It answers and lists 3 models")
    assert server.requests == []


@pytest.mark.parametrize("models", [fail(404), fail(500), send({"data": None}), PAGE], ids=lambda _: "")
def test_an_endpoint_without_a_list_of_models_is_judged_by_the_call(models: Answer) -> None:
    with FakeLLM([say("OK")], models=models) as server:
        report = check(server.base_url)
    assert (report.ok, report.models) == (True, ())


def test_an_unlisted_model_that_answers_is_ok_and_said_so() -> None:
    with FakeLLM([say("OK")], models=("other",)) as server:
        report = check(server.base_url)
    assert report.ok
    assert "(not among the 1 model it lists)" in report.message


def test_an_empty_reply_to_the_short_call_is_ok() -> None:
    with FakeLLM([say("", finish="length")]) as server:
        report = check(server.base_url)
    assert report.ok
    assert report.message.endswith("with an empty text")


@pytest.mark.parametrize(
    ("answer", "cause", "words"),
    [
        (fail(401), "unauthorized", "The key was refused (401)"),
        (fail(403), "forbidden", "The key may not do this (403)"),
        (
            fail(404, "no such model"),
            "not_found",
            "no such model. It does not list the model fake-model; it lists a, b",
        ),
        (fail(429, "quota"), "rate_limited", "It asks for fewer calls (429): quota"),
        (fail(500, "boom"), "server_error", "It failed (500): boom"),
        (PAGE, "html", "It answered with HTML, not JSON: is the URL missing /v1 ?"),
        (redirect("https://elsewhere.example/v1/chat"), "redirect", "to elsewhere.example, which is not followed"),
        (RESET, "reset", "closed the connection without an answer"),
        (JUNK, "broken_body", "is no HTTP answer"),
        (ENDLESS, "response_too_large", "larger than 16 MiB"),
        (send({"object": "list"}), "broken_body", "holds no choices"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(answer: Answer, cause: str, words: str) -> None:
    with FakeLLM([answer], models=("a", "b")) as server:
        report = check(server.base_url)
    assert (report.ok, report.cause) == (False, cause)
    assert words in report.message
    assert report.models == ("a", "b")


def test_a_silent_endpoint_is_named_after_the_time_limit() -> None:
    with FakeLLM([silence(30)]) as server:
        report = check(server.base_url, timeout_s=0.3)
    assert (report.cause, report.message) == ("timeout", f"No answer from 127.0.0.1:{server.port} within 0.3 s")


def test_a_missing_v1_is_guessed() -> None:
    with FakeLLM([fail(404, "Not Found")], models=fail(404)) as server:
        report = check(server.base_url.removesuffix("/v1"))
    assert report.message.endswith("Is the URL missing /v1 ?")


def test_a_closed_port_is_named() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        report = check(f"http://127.0.0.1:{port}/v1")
    assert (report.cause, report.message) == (
        "connection_refused",
        f"Nothing listens on 127.0.0.1:{port} (connection refused)",
    )


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://10.0.0.3/v1", "The address 10.0.0.3 is private and not on the allow list"),
        ("http://169.254.169.254/v1", "The address 169.254.169.254 is a cloud metadata address"),
        ("ftp://example.org", "must start with http:// or https://"),
        ("http://①②⑦.0.0.1/v1", "This is not a valid URL"),
        (f"http://{'a' * 64}/v1", "no valid host name"),
    ],
)
def test_a_refused_url_is_named(url: str, words: str) -> None:
    report = check(url, allowlist=NOTHING_ALLOWED)
    assert (report.ok, report.cause) == (False, "address_refused" if "The address" in words else "invalid_url")
    assert words in report.message


def test_an_unknown_host_is_named() -> None:
    report = check("http://no-such-host.invalid/v1")
    assert (report.cause, report.message) == ("dns", "The host name of no-such-host.invalid:80 could not be found")


@pytest.mark.parametrize("script", [echo_key(401), echo_key(422), echo_key_in_page(), echo_key_in_page(200)])
def test_an_echoed_key_is_not_in_the_report(script) -> None:  # type: ignore[no-untyped-def]
    with FakeLLM(script, models=(f"model-{KEY}",)) as server:
        report = check(server.base_url)
    assert not report.ok
    assert "CANARY" not in repr(report)
