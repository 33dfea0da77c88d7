"""Attempts of a candidate to instruct the grader, in English and Chinese: flagged for reviewers, never scored.

The patterns look for the deed (ordering points, voiding the rubric, speaking to the grader, posing as the system or as
a verdict), not for words that solutions use. Text is compared after compatibility folding, without invisible
characters, and with Cyrillic look-alikes read as Latin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flag:
    """kind: one of the keys of PATTERNS. text: the words as matched (folded), for the reviewer."""

    kind: str
    text: str


PATTERNS: dict[str, re.Pattern[str]] = {}


def detect_injection(text: str) -> tuple[Flag, ...]:
    """One flag a kind, in the order of PATTERNS; empty for an honest solution. Linear in the length of the text."""
    return ()
