"""What is sent is the prompt byte for byte; figures stand where the prompt has them."""

import base64
import hashlib

import pytest

from arena.benchmarks.base import FigurePart, TextPart
from arena.llm.call import CallParams
from arena.llm.messages import FigureData, build_body, build_messages, request_digest

PNG, JPEG = FigureData(b"\x89PNG-one", "image/png"), FigureData(b"\xff\xd8-two", "image/jpeg")
PARAMS = CallParams(temperature=0.0, max_tokens=10)


def test_a_text_prompt_is_one_user_message_with_a_plain_string() -> None:
    text = "\n Solve:\t\u2028物理 \\frac{1}{2} \n\n"
    assert build_messages((TextPart(text),)) == [{"role": "user", "content": text}]
    assert build_messages((TextPart("a "), TextPart("b\n"))) == [{"role": "user", "content": "a b\n"}]


def test_a_system_prompt_comes_first_and_only_where_there_is_one() -> None:
    assert [message["role"] for message in build_messages((TextPart("x"),), system_prompt="Be brief.")] == [
        "system",
        "user",
    ]


def test_figures_are_data_urls_in_the_order_of_the_prompt() -> None:
    prompt = (FigurePart(1), TextPart("first "), TextPart(""), FigurePart(0), TextPart("then"))
    (message,) = build_messages(prompt, [PNG, JPEG])
    assert [part["type"] for part in message["content"]] == ["image_url", "text", "image_url", "text"]
    assert message["content"][1] == {"type": "text", "text": "first "}
    head, _, data = message["content"][0]["image_url"]["url"].partition(",")
    assert (head, base64.b64decode(data)) == ("data:image/jpeg;base64", JPEG.data)


def test_a_figure_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="figure 2, but there are 1"):
        build_messages((FigurePart(2),), [PNG])


def test_the_body_holds_the_token_limit_under_one_name() -> None:
    messages = build_messages((TextPart("x"),))
    assert build_body(messages, PARAMS, "m")["max_tokens"] == 10
    newer = build_body(messages, PARAMS, "m", tokens_field="max_completion_tokens")
    assert newer["max_completion_tokens"] == 10
    assert "max_tokens" not in newer


def test_the_digest_follows_what_is_asked_and_nothing_else() -> None:
    messages = build_messages((TextPart("look: "), FigurePart(0)), [PNG])
    digest = request_digest(messages, PARAMS, "m")
    assert digest == request_digest(messages, CallParams(temperature=0.0, max_tokens=10, timeout_s=5), "m")
    assert len(digest) == 64
    others = {
        request_digest(build_messages((TextPart("look:"), FigurePart(0)), [PNG]), PARAMS, "m"),
        request_digest(build_messages((TextPart("look: "), FigurePart(0)), [JPEG]), PARAMS, "m"),
        request_digest(messages, CallParams(temperature=0.1, max_tokens=10), "m"),
        request_digest(messages, CallParams(temperature=0.0, max_tokens=10, extra={"top_p": 0.5}), "m"),
        request_digest(messages, PARAMS, "other"),
    }
    assert len(others | {digest}) == 6


def test_the_digest_is_the_same_on_every_machine_and_version() -> None:
    canonical = '{"max_tokens":10,"messages":[{"content":"h\\u00e9","role":"user"}],"model":"m","temperature":0.0}'
    expected = hashlib.sha256(canonical.encode()).hexdigest()
    assert request_digest(build_messages((TextPart("hé"),)), PARAMS, "m") == expected
