"""Prompt parts and figures -> the chat messages that are sent, the request body, and its digest."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.benchmarks.base import FigurePart, Prompt, TextPart
from arena.llm.call import CallParams

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FigureData:
    """One figure as it is sent: the file's bytes and its media type (`image/png`)."""

    data: bytes = field(repr=False)
    mime: str


def build_messages(prompt: Prompt, figures: Sequence[FigureData] = (), system_prompt: str = "") -> list[Message]:
    """The messages of one question.

    A text-only prompt is one user message whose content is a plain string, byte for byte. With figures the content
    is a list of parts in the prompt's order, each figure a base64 data URL. Raises ValueError for a figure position
    that `figures` does not have.
    """
    system = [{"role": "system", "content": system_prompt}] if system_prompt else []
    if any(isinstance(part, FigurePart) for part in prompt):
        content: Any = [_content_part(part, figures) for part in prompt if part != TextPart("")]
    else:
        content = "".join(part.text for part in prompt if isinstance(part, TextPart))
    return [*system, {"role": "user", "content": content}]


def build_body(
    messages: Sequence[Message], params: CallParams, model: str, *, tokens_field: str = "max_tokens"
) -> dict[str, Any]:
    """The JSON body of a chat completion; fields left at None or empty are not sent."""
    fields = {
        "temperature": params.temperature,
        tokens_field: params.max_tokens,
        "reasoning_effort": params.reasoning_effort or None,
        "seed": params.seed,
    }
    sent = {name: value for name, value in fields.items() if value is not None}
    return {"model": model, "messages": list(messages), **sent, **params.extra}


def request_digest(messages: Sequence[Message], params: CallParams, model: str) -> str:
    """SHA-256 (hex) of the request's canonical JSON, each image standing as its own SHA-256.

    The time limit is no part of it: it changes no reply. Nor is the name of the token limit's field.
    """
    body = build_body([_without_images(message) for message in messages], params, model)
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _content_part(part: TextPart | FigurePart, figures: Sequence[FigureData]) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if not 0 <= part.position < len(figures):
        raise ValueError(f"the prompt names figure {part.position}, but there are {len(figures)} figures")
    figure = figures[part.position]
    url = f"data:{figure.mime};base64,{base64.b64encode(figure.data).decode('ascii')}"
    return {"type": "image_url", "image_url": {"url": url}}


def _without_images(message: Message) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        content = [_image_as_digest(part) for part in content]
    return {**message, "content": content}


def _image_as_digest(part: Mapping[str, Any]) -> Mapping[str, Any]:
    if part.get("type") != "image_url":
        return part
    head, _, data = str(part["image_url"]["url"]).partition(",")
    return {"type": "image_url", "sha256": hashlib.sha256(base64.b64decode(data)).hexdigest(), "head": head}
