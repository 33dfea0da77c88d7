"""The tokens that may stand for each label of one question, and where in a text such a token counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scoring.scripts import COPULAS, CORRECT_WORDS, DIGIT_ZEROS, INDIC, LETTER_NAMES, LETTER_ROWS, NEGATIONS


def any_of(words: Iterable[str]) -> str:
    """An alternation of literal words, the longest first."""
    return "|".join(sorted(map(re.escape, set(words)), key=len, reverse=True))


_WORD = rf"A-Za-z0-9Ａ-Ｚａ-ｚ{INDIC}"
# After a capital: no part of a word, symbol or formula ("B-field", "B's", "B = 2", "B_1", "B*x").
_NO_SYMBOL = re.compile(r"-\w|['’][A-Za-z]|\s{0,2}[=^+/]|[_*]\w|\s?\\(?:times|cdot|frac|sqrt|vec|hat)")
# After an article, a small letter or a digit: only the end of a clause, or a word that goes on about the label.
_GOES_ON = (
    r"(?i:because|since|as|is|was|are|not|but|due|which|given|with|where|for|and|or)(?![A-Za-z])"
    rf"|{any_of([*COPULAS, *CORRECT_WORDS, *NEGATIONS])}"
)
_CLAUSE_END = re.compile(
    rf"""(?![.,:/]\d|\s{{0,2}}[=^+/\-–]\s{{0,2}}\w|[_*]\w)"""
    rf"""[^\S\n]*+(?:\Z|[\n.,;:!?)\]}}>）】］"'”’*_`$।॥，、。；：！？—–|<]|-\s|\\[)\]]|\\\\|{_GOES_ON})"""
)


@dataclass(frozen=True, slots=True)
class LabelReader:
    """label_by_token: every spelling of every label. token: any of them, not part of a word."""

    label_by_token: Mapping[str, str]
    weak: frozenset[str]
    token: re.Pattern[str]
    before: re.Pattern[str]

    @classmethod
    def of(cls, labels: Sequence[str], texts: Sequence[str]) -> LabelReader:
        """texts: those of the options, where a digit among them may be meant as a value and not as a position."""
        spellings = _spell_labels(labels, texts)
        tokens = any_of(spellings) or "(?!)"
        weak = frozenset(t for t in spellings if t.isdecimal() or t in _ARTICLES or (t.isascii() and t.islower()))
        return cls(
            spellings,
            weak,
            re.compile(rf"(?:{tokens})(?![{_WORD}])"),
            re.compile(rf"(?<![{_WORD}\\])(?:{tokens})\Z"),
        )

    def is_capital(self, token: str) -> bool:
        """Whether the token names an option in any place: no article, small letter or digit."""
        return token not in self.weak or token.isupper()

    def match_label(self, text: str, at: int) -> re.Match[str] | None:
        """The label that stands at `at` after a cue, unless it is an article, part of a formula or a number."""
        token = self.token.match(text, at)
        if token is None:
            return None
        if token[0] in self.weak:
            return token if _CLAUSE_END.match(text, token.end()) else None
        return None if _NO_SYMBOL.match(text, token.end()) else token

    def token_before(self, text: str, end: int) -> tuple[int, int] | None:
        """Offsets of the capital label that ends at `end`."""
        match = self.before.search(text, max(0, end - 12), end)
        return match.span() if match and self.is_capital(match[0]) else None


# Tokens that are also words: the English article and pronoun, and the demonstratives that sound like the letter A.
_ARTICLES = frozenset(
    {"A", "I", *(name for row in LETTER_NAMES.values() for name in row[0].split()), "ई", "இ", "ఈ", "ഈ", "ಈ", "આ"}
)


def _spell_labels(labels: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Every token -> its label. A label's own spelling wins over a name, a name over a position."""
    spellings: dict[str, str] = {}
    for position, label in enumerate(labels):
        for token in _positional_tokens(position):
            if not (token.isdecimal() and _is_other_value(token, position, texts)):
                spellings[token] = label
    for label in labels:
        spellings.update(dict.fromkeys(_letter_names(label), label))
    for label in labels:
        spellings.update(dict.fromkeys(_own_spellings(label), label))
    return spellings


def _is_other_value(digit: str, position: int, texts: Sequence[str]) -> bool:
    value = str(int(digit))
    return value in texts and (position >= len(texts) or texts[position] != value)


def _positional_tokens(position: int) -> list[str]:
    """Letters and digits of all scripts that stand for the option at `position` (from 0)."""
    tokens = [row.split()[position] for rows in LETTER_ROWS.values() for row in rows if position < len(row.split())]
    if position < 26:
        tokens += _own_spellings(chr(ord("A") + position))
    if position < 9:
        tokens += _own_spellings(str(position + 1))
    return tokens


def _letter_names(label: str) -> list[str]:
    index = "ABCDE".find(label.upper())
    return (
        [name for rows in LETTER_NAMES.values() for name in rows[index].split()]
        if len(label) == 1 and index >= 0
        else []
    )


def _own_spellings(label: str) -> list[str]:
    """The label itself in both cases, full-width, circled, in brackets; a digit in all scripts."""
    if len(label) != 1 or not label.isalnum() or not label.isascii():
        return [label]
    if label.isdecimal():
        value = int(label)
        digits = [chr(ord(zero) + value) for zero in DIGIT_ZEROS]
        return digits + ([chr(0x2460 + value - 1), chr(0x2474 + value - 1)] if value else [])
    place = ord(label.upper()) - ord("A")
    starts = (
        0x41,
        0x61,
        0xFF21,
        0xFF41,
        0x24B6,
        0x24D0,
        0x249C,
        0x1D400,
        0x1D5D4,
    )  # .. circled, (a), mathematical bold
    return [chr(start + place) for start in starts]
