"""The body of a chat completion -> a Completion. Endpoints differ; what is not a reply at all raises BrokenBody."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from arena.llm.call import Completion
from arena.security.redact import redact_whole

_MOST_TOKENS = 2**31 - 1


class BrokenBody(Exception):
    """The body is no chat completion: not JSON, not UTF-8, cut short, or of another shape. `kind` as in failure.py."""

    def __init__(self, message: str, kind: str = "broken_body") -> None:
        super().__init__(message)
        self.kind = kind


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object in a body, free of what databases refuse (NUL, lone surrogates, NaN). Raises BrokenBody."""
    try:
        data = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BrokenBody(f"The answer is not valid UTF-8 (at byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        if _looks_like_html(body):
            raise BrokenBody("It answered with HTML, not JSON: is the URL missing /v1 ?", "html") from error
        if body.lstrip().startswith(b"data:"):
            raise BrokenBody("It answered with an event stream, which was not asked for") from error
        raise BrokenBody("The answer is not valid JSON" if body.strip() else "The answer has no body") from error
    if not isinstance(data, dict):
        raise BrokenBody(f"The answer is a JSON {type(data).__name__}, not an object")
    # Only these escapes can bring in what UTF-8 itself rules out; looking for them spares the walk nearly always.
    return _map_texts(data, _make_storable) if b"\\u0000" in body or b"\\ud" in body.lower() else data


def read_completion(data: dict[str, Any], secret: str = "") -> Completion:
    """The Completion in a chat completion object; the secret, should a reply echo it, does not come out of here.

    Raises BrokenBody naming what is missing, or the error that some servers put into a 200.
    """
    if secret:
        data = _map_texts(data, lambda text: redact_whole(text, secret))
    choice, message = _first_message(data)
    text, reasoning = _read_content(message.get("content"))
    usage = _dict(data.get("usage"))
    refusal = message.get("refusal")
    return Completion(
        text=text or (refusal if isinstance(refusal, str) else ""),
        reasoning=_first_text(message.get("reasoning_content"), message.get("reasoning"), reasoning),
        finish_reason="content_filter" if refusal and not text else _first_text(choice.get("finish_reason")),
        prompt_tokens=_read_count(usage.get("prompt_tokens")),
        completion_tokens=_read_count(usage.get("completion_tokens")),
        reasoning_tokens=_read_count(_dict(usage.get("completion_tokens_details")).get("reasoning_tokens")),
        cost_usd=_read_cost(usage.get("cost")),
        raw=_without_texts(data),
    )


def is_empty(completion: Completion) -> bool:
    """Whether this is the kind of empty reply that another try may mend: not one cut by length or filtered."""
    return not completion.text.strip() and completion.finish_reason not in ("length", "content_filter")


def _first_message(data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        if error := data.get("error"):
            raise BrokenBody(f"It answered 200 with an error: {error_text(data) or error!r}")
        raise BrokenBody("The answer holds no choices: this is no chat completion")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise BrokenBody("The answer's first choice holds no message")
    return choices[0], message


def error_text(data: Any) -> str:
    """The message of an error object in any of the usual shapes; empty where there is none."""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return "; ".join(filter(None, map(error_text, data[:3])))
    if isinstance(data, dict):
        for name in ("message", "error", "detail", "msg", "error_message"):
            if text := error_text(data.get(name)):
                return text
    return ""


def _read_content(content: Any) -> tuple[str, str]:
    """(text, reasoning) of a message's content, which is a string, null, or a list of typed parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise BrokenBody(f"The message's content is a {type(content).__name__}")
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if not isinstance(part, dict):
            raise BrokenBody(f"The message's content holds a {type(part).__name__}")
        is_thought = part.get("type") in ("thinking", "reasoning")
        (thoughts if is_thought else texts).append(_part_text(part))
    return "".join(texts), "".join(thoughts)


def _part_text(part: dict[str, Any]) -> str:
    inner = part.get("text", part.get("thinking", part.get("reasoning", "")))
    if isinstance(inner, list):
        return "".join(_part_text(item) for item in inner if isinstance(item, dict))
    return inner if isinstance(inner, str) else ""


def _first_text(*values: Any) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_TOKENS:
        return None
    return int(value)


def _read_cost(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None


def _without_texts(data: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in data.items() if name != "choices"}
    choice = dict(data["choices"][0])
    hidden = ("content", "reasoning_content", "reasoning")
    choice["message"] = {name: value for name, value in choice["message"].items() if name not in hidden}
    return {**kept, "choices": [choice]}


def _looks_like_html(body: bytes) -> bool:
    return body.lstrip()[:200].lower().startswith((b"<!doctype", b"<html", b"<head", b"<body"))


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {name: _map_texts(item, change) for name, item in value.items()}
    return value


def _make_storable(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
