"""What the client refuses to touch, and how it names what is wrong on the wire."""

import json
import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.llm.client import CallParams
from arena.security.url_guard import UrlRefused, parse_allowlist
from tests.arena.llm.conversation import KEY, ask, ask_url
from tests.fake_llm import (
    ENDLESS,
    Answer,
    FakeLLM,
    redirect,
    say,
    send_bytes,
    silence,
    zip_body,
)

GOOD = say("ANSWER: YES")


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


@pytest.mark.parametrize("bomb", [ENDLESS, zip_body(send_bytes(b"0" * 40_000_000))], ids=["endless", "bomb"])
def test_a_body_without_end_is_cut_off(bomb: Answer) -> None:
    with FakeLLM([bomb]) as server:
        completion, failures = ask(server, params=CallParams(timeout_s=60))
    assert completion is None
    assert [(failure.kind, failure.is_final) for failure in failures] == [("response_too_large", True)]
    assert "16 MiB" in failures[0].message


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
