"""YES or NO of a reply: the last `ANSWER:` line decides; without one, only a closing sentence that states it plainly.

`heads` says yes and `tails` no, as CoinFlip asks whether the coin is still heads up.
"""

from __future__ import annotations

import re

from scoring.extract import Found, answer_boxes, hide_thinking

NOT_FOUND = Found(None, None)

_LINE = re.compile(r"(?<![A-Za-z])(?:final\s{1,3})?answer[*_\"'`)\]]{0,4}\s{0,3}[:：]", re.IGNORECASE)
_OPEN = re.compile(
    r"""(?:\s++|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00*_"'“”‘’`「『<(\[{（【［$~:：=\-–—>]|\\{1,2}(?:boxed|text(?:bf|it|rm)?|math(?:rm|bf))\s?\{|\\[(\[]"""
    r"|(?:it|that|is|the|answer|final|would|be|so|therefore|thus|my|indeed)\b){0,24}+",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"(yes|no|heads|tails)(?![A-Za-z0-9])(?!\s?-?\s?(?:one|body|idea|answer|way|longer)\b)", re.IGNORECASE
)
_HEDGE = re.compile(
    r"""[)\]}"'”’*_`]{0,3}\s{0,3}(?:/|\||\bor\b|\band\b|,\s{0,3}or\b)\s{0,3}["'“*_(]{0,3}(?:yes|no|heads|tails|not|maybe)\b""",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\s*[\[<({]{1,2}(?:your\s)?(?:answer|yes\s?[/|]\s?no|yes\sor\sno)[\])>}]{1,2}", re.IGNORECASE
)
_COIN = re.compile(
    r"\b(?:coin|it)(?:'s|\s{1,3}(?:is|will\s{1,3}be|would\s{1,3}be|remains|stays|ends\s{1,3}up|lands))"
    r"(?:\s{1,3}(?:(no\s{1,3}longer|not(?:\s{1,3}still)?)|still|now|again|therefore|currently|in|up|facing|showing|as)){0,3}"
    r"\s{1,3}[*_\"]{0,3}(heads|tails)(?:[\s-]up)?\b(?!\s?(?:or|/)\b)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"\banswer(?:\s\(yes\sor\sno\)|\sto\s[^.\n]{1,60}?)?\s{0,3}(?:is|would\s{1,3}be|must\s{1,3}be|[:：])", re.IGNORECASE
)
_SO = re.compile(r"(?:^|\b(?:so|therefore|thus|hence|in\s{1,3}conclusion|finally)\b)[\s,:]{0,4}", re.IGNORECASE)


def extract_yes_no(reply: str) -> Found:
    """("YES" | "NO" | None, offsets). An answer line that says neither ("ANSWER: UNKNOWN") is no answer."""
    text = hide_thinking(reply)
    lines = [line for line in _LINE.finditer(text) if not _PLACEHOLDER.match(text, line.end())]
    if lines:
        return _read_line(text, lines[-1].end())
    if _LINE.search(text):
        return NOT_FOUND
    if boxes := answer_boxes(reply):
        return _read_word(text, boxes[-1].start)
    return _read_closing(text)


def _read_word(text: str, at: int) -> Found:
    """YES or NO as the first whole word at `at`, past quotes, brackets, emphasis and "it is"."""
    word = _WORD.match(text, _OPEN.match(text, at).end())  # type: ignore[union-attr]  # matches the empty text too
    if word is None or _HEDGE.match(text, word.end()):
        return NOT_FOUND
    return Found("YES" if word[1].lower() in ("yes", "heads") else "NO", word.span(1))


def _read_line(text: str, at: int) -> Found:
    if (found := _read_word(text, at)).answer:
        return found
    start = at + len(text[at : at + 4000]) - len(text[at : at + 4000].lstrip())
    end = text.find("\n", start)
    return _read_coin(text, start, len(text) if end < 0 else end)


def _read_coin(text: str, start: int, end: int) -> Found:
    """The last plain statement of how the coin lies in text[start:end]."""
    found = NOT_FOUND
    for match in _COIN.finditer(text, start, end):
        is_yes = (match[2].lower() == "heads") != bool(match[1])
        found = Found("YES" if is_yes else "NO", match.span(2))
    return found


def _read_closing(text: str) -> Found:
    """What the reply states plainly: its first word, or its last sentence ("So the answer is no.")."""
    if (first := _read_word(text, 0)).answer and first.span and not text[: first.span[0]].strip(" \n*_\"'([{$\\"):
        rest = text[first.span[1] : first.span[1] + 2].strip()
        if not rest or not rest[0].isalnum():
            return first
    end = len(text.rstrip())
    start = _last_sentence(text, end)
    said = [p.end() for p in _PLAIN.finditer(text, start, end)]
    if said and (found := _read_word(text, said[-1])).answer:
        return found
    so = list(_SO.finditer(text, start, end))
    if so and (found := _read_word(text, so[-1].end())).answer:
        return found
    return _read_coin(text, start, end)


_SENTENCE_END = re.compile(r"[.!?。！？]+[\"'”’*_)\]]{0,4}\s|\n")


def _last_sentence(text: str, end: int) -> int:
    """Offset of the sentence that ends at `end`; a last line of one word or two belongs to the line before."""
    window = max(0, end - 2000)
    cuts = [window, *(match.end() for match in _SENTENCE_END.finditer(text, window, max(window, end - 1)))]
    while len(cuts) > 1 and len(text[cuts[-1] : end].split()) <= 2:
        cuts.pop()
    return cuts[-1]
