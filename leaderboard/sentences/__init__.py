"""English sentences that are stored, or come from floors that know no Django, said in the reader's language.

What failed, why a score is what it is, why a run stopped: the engine and the scorers write these in English, into
records that never change. Here each such sentence stands once as a template. A stored one is recognised by its
template and said anew, with the values that stand in it; what no template knows stays as it is (an endpoint's or a
judge's own words).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from django.utils.translation import get_language, gettext, pgettext

from leaderboard.sentences.calls import CALLS
from leaderboard.sentences.deeds import DEEDS
from leaderboard.sentences.formulas import FORMULAS
from leaderboard.sentences.judges import JUDGES
from leaderboard.sentences.methods import METHODS
from leaderboard.sentences.scores import SCORES
from leaderboard.sentences.sources import SOURCES

LONGEST = 2000  # characters of a sentence; longer texts are none of ours
DEEPEST = 4  # sentences within sentences: "the answer cannot be read: a brace is not closed"

_SLOT = re.compile(r"%\((?P<name>\w+)\)s|(?P<percent>%%)")
_SPOKEN = frozenset({"reason", "said", "problem", "place", "failure", "sign", "bound"})  # slots that hold sentences
_NUMBERS = frozenset({"n", "of", "line", "most", "size", "bits", "digits", "at", "seconds"})
# Slots with a form of their own, where any words would make the template fit what others wrote.
_FORMS = {
    **dict.fromkeys(_NUMBERS, r"[\d.,e+-]+"),
    "status": r"\d{3}",
    "target": r"[as]\d+(?:c\d+)?",  # a part of a reply
    "choice": r"(?:[^\sa-z]{1,12}|yes|no)(?:, [^\sa-z]{1,12})*",  # an option or several, YES, no
    "reference": r"(?:[^\sa-z]{1,12}|yes|no)(?:, [^\sa-z]{1,12})*",
    "name": r"\S+",
}


def say_sentence(text: str) -> str:
    """The sentence in the reader's language, or unchanged where it is none of ours or the reader reads English."""
    language = get_language() or "en"
    return text if language.startswith("en") or not text else _say(str(text), language, DEEPEST)


def join_words(parts: Iterable[object]) -> str:
    """Parts of one sentence, with the comma of the reader's language; empty ones are left out."""
    return pgettext("between parts of a sentence", ", ").join(str(part) for part in parts if part)


def join_sentences(parts: Iterable[object]) -> str:
    """Whole sentences without their stops, with the stop of the reader's language between them."""
    return pgettext("between sentences", ". ").join(str(part) for part in parts if part)


def knows_sentence(text: str) -> bool:
    """Whether a template makes this sentence, and what stands in it need not be asked about."""
    return _find(text) is not None


@lru_cache(maxsize=2000)
def _say(text: str, language: str, depth: int) -> str:
    """language: only part of the key, since gettext answers in the active one."""
    found = _find(text) if depth else None
    if found is None:
        return _say_list(text)
    template, values = found
    if not values:
        return gettext(template).replace("%%", "%")
    said = {name: _say(value, language, depth - 1) if name in _SPOKEN else value for name, value in values.items()}
    return gettext(template) % said


def _say_list(text: str) -> str:
    """Several sentences without values, as a reply that instructs the grader in more than one way has them."""
    plain, _ = _patterns()
    parts = text.split(", ")
    return join_words(map(gettext, parts)) if plain.issuperset(parts) else text


def _find(text: str) -> tuple[str, dict[str, str]] | None:
    if len(text) > LONGEST:
        return None
    plain, shaped = _patterns()
    if text in plain:
        return text, {}
    for template, pattern in shaped:
        if match := pattern.fullmatch(text):
            return template, match.groupdict()
    return None


@cache
def _patterns() -> tuple[frozenset[str], tuple[tuple[str, re.Pattern[str]], ...]]:
    """Sentences without values, and the others as patterns, those with most words of their own first."""
    known = (*CALLS, *SCORES, *FORMULAS, *JUDGES, *DEEDS, *METHODS, *SOURCES)
    plain = frozenset(template for template in known if not _SLOT.search(template))
    shaped = sorted(set(known) - plain, key=lambda template: -len(_SLOT.sub("", template)))
    return plain, tuple((template, re.compile(_to_pattern(template), re.DOTALL)) for template in shaped)


def _to_pattern(template: str) -> str:
    """A template's regular expression: every slot a group, the last of them greedy enough to reach the end."""
    parts, end, seen = [], 0, set[str]()
    for slot in _SLOT.finditer(template):
        parts.append(re.escape(template[end : slot.start()]))
        parts.append("%" if slot["percent"] else _group(slot["name"], seen))
        end = slot.end()
    return "".join(parts) + re.escape(template[end:])


def _group(name: str, seen: set[str]) -> str:
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return rf"(?P<{name}>{_FORMS.get(name, '.+?')})"
