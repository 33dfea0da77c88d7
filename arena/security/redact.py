"""Take secrets out of a text before it is stored, logged or shown: every error text of an endpoint passes here.

An endpoint may echo the key whole, cut, masked in part, or encoded. Known secrets are sought in all these forms;
things that merely look like keys go too.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"

_SHORTEST_SECRET = 4  # below that, hiding it would hide ordinary words
_SHORTEST_PIECE = 8  # a run of this many characters of a key is a part of it, not chance

_LOOKS_SECRET = re.compile(
    r"""
      \b(?:sk|pk|rk|gsk|hf|xai|nvapi|tgp|ghp|gho|glpat)[-_][A-Za-z0-9*][A-Za-z0-9_*.-]{6,}   # vendors' prefixes
    | \bAIza[A-Za-z0-9_-]{20,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?                         # JSON web token
    | (?<=\bbearer[ ])[^\s"'<>,;]{4,} | (?<=\bbasic[ ])[A-Za-z0-9+/=_-]{8,}
    | (?<=\bbearer%20)[^\s"'<>,;&]{4,}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAMED_FIELD = re.compile(
    r"""(?P<name>["']?\b(?:authorization|(?:x-)?api[-_]?key|access[-_]?token)["']?\s*[:=]\s*["']?)
        (?!Bearer\b|Basic\b|\[redacted\])(?P<value>[A-Za-z0-9_*.+/=-]{8,})""",
    re.VERBOSE | re.IGNORECASE,
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every secret, every encoded or partial form of one, and every key-like token replaced."""
    text = redact_known(text, secrets)
    text = _LOOKS_SECRET.sub(REDACTED, text)
    return _NAMED_FIELD.sub(lambda match: match["name"] + REDACTED, text)


def redact_known(text: str, secrets: Iterable[str]) -> str:
    """The text without the given secrets, their encoded forms, and pieces of at least eight characters of either."""
    for secret in sorted({s.strip() for s in secrets if len(s.strip()) >= _SHORTEST_SECRET}, key=len, reverse=True):
        text = _without_forms(text, secret)
        if len(secret) > _SHORTEST_PIECE:
            text = _without_pieces(text, secret)
    return text


def redact_whole(text: str, secret: str) -> str:
    """The text without a secret of eight characters or more in any form, whole; no guessing.

    For replies, which are data: a short demo key or a chance likeness must not change a word of them.
    """
    secret = secret.strip()
    return _without_forms(text, secret) if len(secret) >= _SHORTEST_PIECE else text


def _without_forms(text: str, secret: str) -> str:
    forms, pattern = _find_forms(secret)
    lowered = text.lower()  # a plain search first: nearly every text holds no secret, and some are long
    return pattern.sub(REDACTED, text) if any(form in lowered for form in forms) else text


@lru_cache(maxsize=64)
def _find_forms(secret: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    forms = sorted({form for form in _forms(secret) if len(form) >= _SHORTEST_SECRET}, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)
    return tuple({form.lower() for form in forms}), pattern


def _forms(secret: str) -> Iterator[str]:
    """The secret as it may stand in URLs, JSON, HTML, hexadecimal or base64 (at any of the three alignments)."""
    yield secret
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield quote(quote(secret, safe=""), safe="")
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield secret.replace("/", "\\/")
    yield "".join(f"\\u{ord(character):04x}" for character in secret)
    yield html.escape(secret)
    yield "".join(f"&#{ord(character)};" for character in secret)
    yield "".join(f"&#x{ord(character):x};" for character in secret)
    raw = secret.encode()
    yield raw.hex()
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + raw).decode("ascii")
        # Characters that also depend on the neighbours are left out: only the inside is the same in any context.
        inside = text[(shift * 8 + 5) // 6 : (shift + len(raw)) * 8 // 6]
        yield inside
        yield inside.replace("+", "-").replace("/", "_")


@lru_cache(maxsize=64)
def _pieces(secret: str) -> frozenset[str]:
    lowered = secret.lower()
    return frozenset(lowered[i : i + _SHORTEST_PIECE] for i in range(len(lowered) - _SHORTEST_PIECE + 1))


def _without_pieces(text: str, secret: str) -> str:
    """Replace each run of the text that is covered by eight-character pieces of the secret (a key echoed cut)."""
    pieces, lowered = _pieces(secret), text.lower()
    if len(lowered) != len(text):  # a few letters change length when lowered; then compare as they are
        lowered, pieces = text, frozenset(secret[i : i + _SHORTEST_PIECE] for i in range(len(secret) - 7))
    kept: list[str] = []
    start, i = 0, 0
    while i <= len(lowered) - _SHORTEST_PIECE:
        if lowered[i : i + _SHORTEST_PIECE] not in pieces:
            i += 1
            continue
        end = i + _SHORTEST_PIECE
        while end < len(lowered) and lowered[end - _SHORTEST_PIECE + 1 : end + 1] in pieces:
            end += 1
        kept += [text[start:i], REDACTED]
        start = i = end
    return "".join([*kept, text[start:]])
