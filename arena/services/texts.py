"""Texts from outside as every database can store them."""

from __future__ import annotations

from typing import Any


def clean_text(text: str) -> str:
    """PostgreSQL stores no NUL and no lone surrogate; both are shown as what they are."""
    return text.replace("\0", "\u2400").encode("utf-8", "replace").decode("utf-8")


def clean_json(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value
