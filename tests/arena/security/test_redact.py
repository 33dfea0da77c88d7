"""A key that an endpoint echoes, in whatever form, does not get past the redaction."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from arena.security.redact import REDACTED, redact, redact_known, redact_whole

KEY = "sk-CANARY/a+b=c&d<e>\"f'7Qz19xYw"
PLAIN = "canary0123456789abcdef"


@pytest.mark.parametrize("key", [KEY, PLAIN, "schlüssel-Ключ-鍵-0123456789"])
@pytest.mark.parametrize(
    "form",
    [
        str,
        lambda key: quote(key, safe=""),
        lambda key: quote_plus(key),
        lambda key: json.dumps({"echo": key}),
        lambda key: json.dumps({"echo": key}, ensure_ascii=False).replace("/", "\\/"),
        lambda key: html.escape(key),
        lambda key: "".join(f"&#{ord(character)};" for character in key),
        lambda key: "".join(f"\\u{ord(character):04x}" for character in key),
        lambda key: key.encode().hex(),
        lambda key: base64.b64encode(key.encode()).decode(),
        lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
        lambda key: base64.b64encode(f"Bearer {key} and more".encode()).decode(),
        lambda key: base64.urlsafe_b64encode(f"us:{key}".encode()).decode(),
        lambda key: key.upper(),
        lambda key: key[:14] + "...",
        lambda key: "..." + key[-10:],
    ],
    ids=lambda form: "",
)
def test_every_form_of_a_known_key_is_taken_out(key: str, form) -> None:  # type: ignore[no-untyped-def]
    text = form(key)
    redacted = redact_known(f"Incorrect API key provided: {text} (request 7)", [key])
    assert REDACTED in redacted
    assert redacted.startswith("Incorrect API key provided: ")
    assert redacted.endswith("(request 7)")
    pieces = {text[i : i + 12] for i in range(len(text) - 12)} if form is not str else {text}
    assert sum(piece in redacted for piece in pieces) <= len(pieces) // 2


def test_a_short_key_goes_whole_but_its_letters_stay_in_other_words() -> None:
    assert redact_known("key test was refused, attested by the tester", ["test"]).count("test") == 0
    assert redact_known("no", ["no"]) == "no"


def test_key_cut_in_the_middle_of_an_echo_is_taken_out() -> None:
    assert redact_known(f"header was 'Bearer {PLAIN[:12]}", [PLAIN]) == f"header was 'Bearer {REDACTED}"


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abc****wxyz.",
        "Authorization: Bearer abc.def-ghi",
        '{"authorization": "Bearer 0123456789abcdef"}',
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        "api_key=0123456789abcdef&x=1",
        '"x-api-key": "0123456789abcdef"',
        "gsk_0123456789abcdefghij",
        "hf_0123456789abcdefghij",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    ],
)
def test_what_looks_like_a_key_is_taken_out_unknown(text: str) -> None:
    redacted = redact(text)
    assert REDACTED in redacted
    for piece in ("abc.def", "0123456789abcdef", "dXNlcjpw", "wxyz", "c2lnbmF0dXJl"):
        assert piece not in redacted


@pytest.mark.parametrize("text", ["", "HTTP 500: out of memory", "the risk-adjusted score", "model 'task-1' not found"])
def test_ordinary_messages_are_left_alone(text: str) -> None:
    assert redact(text, [PLAIN]) == text


def test_reply_redaction_touches_nothing_but_the_whole_key() -> None:
    reply = f"step canary0123 then {PLAIN} and Bearer of news"
    assert redact_whole(reply, PLAIN) == f"step canary0123 then {REDACTED} and Bearer of news"
    assert redact_whole("a test reply", "test") == "a test reply"


def test_no_known_key_means_nothing_known_to_take_out() -> None:
    assert redact_known("anything at all", ["", "  "]) == "anything at all"
