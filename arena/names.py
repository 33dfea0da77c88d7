"""Names that people give: what nobody sees goes, and a name that looks like another one is found out."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # controls, marks of direction, tags, what is no character
# Letters and marks by their category, and yet blank: fillers, selectors of variants.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_JOINERS = "\u200c\u200d"
_LONE_JOINER = re.compile(f"(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")  # Indic names need the others
_MOST_MARKS = 4  # on one letter; more only paints over the lines around

_LOOKS_LATIN = str.maketrans(
    "аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧορν", "aeopcyxijsdhqwABEKMHOPCTYXIJS" + "ABEZHIKMNOPTYXopv"
)


def as_seen(name: str) -> str:
    """The name without what is not seen, its white space as single spaces."""
    name = _BLANK.sub("", _LONE_JOINER.sub("", name))
    shown: list[str] = []
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        is_unseen = category in _UNSEEN and not character.isspace() and character not in _JOINERS
        if marks <= _MOST_MARKS and not is_unseen:
            shown.append(character)
    return " ".join("".join(shown).split())


def as_latin(name: str) -> str:
    """The name with Cyrillic and Greek letters that look like Latin ones read as these."""
    return name.translate(_LOOKS_LATIN)
