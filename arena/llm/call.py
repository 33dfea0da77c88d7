"""What goes into one call of a chat model and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from arena.security.url_guard import UrlRefused

RESERVED = frozenset({"model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens"})


class KeyRefused(UrlRefused):
    """No request can carry this key; the text does not repeat it."""


def check_key(api_key: str) -> None:
    """Raise KeyRefused for a key that cannot be sent."""
    if not all("!" <= character <= "~" for character in api_key):
        raise KeyRefused("The key holds spaces or characters that no HTTP header can carry")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a call goes. `base_url` ends before `/chat/completions`; an empty key sends no Authorization header.

    Raises KeyRefused for a key that cannot be sent.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        check_key(self.api_key)

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


@dataclass(frozen=True, slots=True)
class CallParams:
    """Run parameters of a call; None or empty leaves the field out of the request.

    timeout_s bounds one try as a whole, its body included. extra: further fields of the request body.
    """

    temperature: float | None = 0.0
    max_tokens: int | None = None
    reasoning_effort: str = ""
    seed: int | None = None
    timeout_s: float = 600.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if taken := RESERVED & set(self.extra):
            raise ValueError(f"these fields cannot be set as extra parameters: {', '.join(sorted(taken))}")
        if self.timeout_s <= 0:
            raise ValueError(f"timeout_s must be positive, not {self.timeout_s!r}")


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply as the endpoint gave it.

    text is "" where the content stayed empty through all tries. reasoning: the server's own reasoning field, never
    part of text. latency_ms: of the try that succeeded. cost_usd: only where the endpoint states it.
    raw: the response object without the texts that stand beside it.
    """

    text: str
    reasoning: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    latency_ms: float = 0.0
    cost_usd: float | None = None
    tries: int = 1
    raw: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why one try failed. kind: one word for tables and filters (arena/llm/failure.py lists them).

    message: plain words, redacted. is_final: no further try follows. attempt: from 1. tokens and cost_usd: what the
    endpoint says it billed all the same, as for an empty text; None where it says nothing.
    """

    kind: str
    message: str
    is_final: bool
    attempt: int = 1
    retry_after_s: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


class CallFailed(Exception):
    """The call has no reply: `failure` is the last try's."""

    def __init__(self, failure: CallFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure
