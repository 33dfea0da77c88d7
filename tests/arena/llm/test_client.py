"""The client against a real server: what it sends, what it reads, what it tries again and what it never tells."""

import asyncio
import json
import socket
import ssl
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.llm.client import CallParams, ChatClient, Target
from arena.security.url_guard import UrlRefused, parse_allowlist
from tests.arena.llm.conversation import HELLO, KEY, LOOPBACK, NoJitter, ask, ask_url
from tests.fake_llm import (
    ENDLESS,
    JUNK,
    RESET,
    Answer,
    FakeLLM,
    FakeRequest,
    cut_short,
    echo_key,
    echo_key_in_page,
    fail,
    redirect,
    say,
    send,
    send_bytes,
    show_page,
    silence,
    slow,
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


def test_only_necessary_headers_leave_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, f"private-{name}")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Private: private-header")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with FakeLLM([GOOD]) as server:
        ask(server)
        ask(server, key="")
    sent, without_key = (request.headers for request in server.requests)
    assert sent["authorization"] == f"Bearer {KEY}"
    assert set(sent) == {
        *("host", "accept", "accept-encoding", "authorization", "content-length", "content-type", "user-agent")
    }
    assert "authorization" not in without_key
    assert "private" not in json.dumps([sent, without_key])


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


@pytest.mark.parametrize("bomb", [ENDLESS, zip_body(send_bytes(b"0" * 40_000_000))], ids=["endless", "bomb"])
def test_a_body_without_end_is_cut_off(bomb: Answer) -> None:
    with FakeLLM([bomb]) as server:
        completion, failures = ask(server, params=CallParams(timeout_s=60))
    assert completion is None
    assert [(failure.kind, failure.is_final) for failure in failures] == [("response_too_large", True)]
    assert "16 MiB" in failures[0].message


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


def test_a_redirect_is_refused_and_never_followed() -> None:
    with FakeLLM([GOOD]) as elsewhere, FakeLLM([redirect(f"{elsewhere.base_url}/chat/completions", 307)]) as server:
        completion, failures = ask(server)
    assert completion is None
    assert [(failure.kind, failure.is_final) for failure in failures] == [("redirect", True)]
    assert "redirects (307) to 127.0.0.1" in failures[0].message
    assert elsewhere.requests == []


def test_a_private_address_is_refused_before_anything_is_sent() -> None:
    with FakeLLM([GOOD]) as server:
        for allowlist in (parse_allowlist([]), parse_allowlist(["10.0.0.0/8"])):
            with pytest.raises(UrlRefused, match="127.0.0.1 is loopback and not on the allow list"):
                ask(server, allowlist=allowlist)
    assert server.requests == []


def test_a_name_that_resolves_to_a_private_address_is_refused_at_connect_time(private_name: str) -> None:
    with FakeLLM([GOOD]) as server:
        url = f"http://{private_name}:{server.port}/v1"
        completion, failures = ask_url(url, allowlist=parse_allowlist(["10.0.0.0/8"]))
    assert completion is None
    assert [(failure.kind, failure.is_final) for failure in failures] == [("address_refused", True)]
    assert "and not on the allow list" in failures[0].message
    assert server.requests == []


@pytest.fixture
def private_name() -> str:
    """A name of this machine, other than localhost, that resolves to a private address: its own, from /etc/hosts."""
    names = {
        name
        for line in Path("/etc/hosts").read_text().splitlines()
        for name in line.partition("#")[0].split()[1:]
        if "localhost" not in name
    }
    for name in sorted(names | {socket.gethostname()}):
        try:
            address = socket.getaddrinfo(name, 80, type=socket.SOCK_STREAM)[0][4][0]
        except OSError:
            continue
        if str(address).startswith(("127.", "172.", "192.168.", "::1", "fe00", "ff0")):
            return name
    pytest.skip("no name of this machine resolves to a private address")


def test_an_allow_listed_name_is_trusted_wherever_it_points() -> None:
    with FakeLLM([GOOD]) as server:
        url = f"http://localhost:{server.port}/v1"
        completion, _ = ask_url(url, allowlist=parse_allowlist(["localhost"]))
    assert completion is not None


def test_a_closed_port_is_called_that() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        _, failures = ask_url(f"http://127.0.0.1:{port}/v1", tries=2)
    assert [failure.kind for failure in failures] == ["connection_refused"] * 2
    assert failures[0].message == f"Nothing listens on 127.0.0.1:{port} (connection refused)"


def test_an_unknown_host_is_called_that() -> None:
    _, failures = ask_url("http://no-such-host.invalid/v1", tries=1)
    assert [failure.kind for failure in failures] == ["dns"]
    assert "could not be found" in failures[0].message


def test_tls_against_a_plain_server_is_called_that() -> None:
    with FakeLLM([GOOD]) as server:
        _, failures = ask_url(server.base_url.replace("http:", "https:"), tries=1)
    assert failures[0].kind == "tls"
    assert "secure connection" in failures[0].message


def test_a_certificate_that_nobody_vouches_for_is_called_that_and_final(self_signed: ssl.SSLContext) -> None:
    with FakeLLM([GOOD], tls=self_signed) as server:
        _, failures = ask(server)
    assert [(failure.kind, failure.is_final) for failure in failures] == [("certificate", True)]
    assert "was not accepted: self-signed certificate" in failures[0].message
    assert server.requests == []


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    """A TLS server's side with a fresh certificate of its own for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


def test_a_real_timeout_is_called_that_and_bounds_the_whole_try() -> None:
    with FakeLLM([silence(30)]) as server:
        _, failures = ask(server, params=CallParams(timeout_s=0.3), tries=2)
    assert [failure.kind for failure in failures] == ["timeout"] * 2
    assert "within 0.3 s" in failures[0].message


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
