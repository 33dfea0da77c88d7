"""Cells of CSV files that a spreadsheet shows as what they are: no text of a stranger is run as a formula there."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
# The apostrophe itself, or taking one away again would not give back what was there.
_STARTS = ("'", "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guard_cell(value: Any) -> Any:
    """A text that would start a formula with an apostrophe in front; numbers and all other values as they are."""
    if isinstance(value, str) and value.startswith(_STARTS) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def unguard_cell(text: str) -> str:
    """What `guard_cell` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_STARTS) else text
