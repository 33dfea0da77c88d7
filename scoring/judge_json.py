"""JSON objects standing in a judge's prose: found in one pass, repaired only where one reading is possible."""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass
from typing import Any

DUPLICATE_KEYS = "\0duplicate keys"  # no JSON key of a judge; marks an object that names a key twice
MAX_CHARS = 400_000  # of a judge's reply, counted from its end
MAX_FAILURES = 40
TAIL_CHARS = 20_000
LONGEST_REPAIR = 50_000


@dataclass(frozen=True, slots=True)
class FoundObject:
    """One complete outermost object. raw: as it stands in the text."""

    raw: str
    value: dict[str, Any]
    is_repaired: bool = False


def _keep_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        found[DUPLICATE_KEYS] = sorted({name for name in names if names.count(name) > 1})
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_keep_duplicates, strict=False)
_OBJECT_START = re.compile(r"\{(?=\s*[\"'}])")


def find_objects(text: str) -> tuple[list[FoundObject], bool]:
    """All complete objects in order, and whether one was left open at the end of the text.

    After MAX_FAILURES openings that are no object only the last TAIL_CHARS are searched on: the work is bounded.
    """
    text = text[-MAX_CHARS:]
    found: list[FoundObject] = []
    at, failures, is_cut = 0, 0, False
    while failures < 2 * MAX_FAILURES and (start := _OBJECT_START.search(text, at)) is not None:
        one, at = _read_object(text, start.start())
        if one is not None:
            found.append(one)
            continue
        failures += 1
        is_cut = is_cut or at < 0
        at = start.end()
        if failures == MAX_FAILURES:
            at = max(at, len(text) - TAIL_CHARS)
    return found, is_cut


def _read_object(text: str, start: int) -> tuple[FoundObject | None, int]:
    """The object that opens at `start` and the offset after it; None and -1 where it does not close."""
    value, end = _decode(text, start)
    if value is not None:
        return FoundObject(text[start:end], value), end
    end = _find_end(text, start)
    value = _repair(text[start:end]) if end > 0 else None
    return (FoundObject(text[start:end], value, is_repaired=True) if value is not None else None), end


def _decode(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return value, end


_TOKEN = re.compile(r'"(?:\\.|[^"\\])*+"|[{}]', re.DOTALL)


def _find_end(text: str, start: int) -> int:
    """The offset after the brace that closes the one at `start`, strings not counted; -1 where none does."""
    depth = 0
    for token in _TOKEN.finditer(text, start, start + LONGEST_REPAIR):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return -1


# LaTeX inside a JSON string: `\mu` is no JSON escape, and a lone `\u` is none without four hex digits.
_BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)', re.DOTALL)
_OUTSIDE = re.compile(r'("(?:\\.|[^"\\])*+")|,(?=\s*[}\]])|\b(True|False|None)\b', re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}


def _repair(raw: str) -> dict[str, Any] | None:
    """Lone backslashes, trailing commas, Python's words and Python's quotes; None where that is not enough."""
    fixed = _BAD_ESCAPE.sub(lambda m: m[0] if m[1] else "\\\\", raw)
    fixed = _OUTSIDE.sub(lambda m: m[1] or _WORDS.get(m[2] or "", ""), fixed)
    value, end = _decode(fixed, 0)
    if value is not None:
        return value if end == len(fixed) else None
    return _read_python_dict(raw) if re.match(r"\{\s*'", raw) and len(raw) <= LONGEST_REPAIR else None


def _read_python_dict(raw: str) -> dict[str, Any] | None:
    """A dict display of literals only; nothing in it is executed. One that names a key twice is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(raw, mode="eval").body
            value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Dict) or not all(isinstance(key, str) for key in value):
        return None
    return value if len(value) == len(tree.keys) else {**value, DUPLICATE_KEYS: list(value)}
