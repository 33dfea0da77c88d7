"""Words that tables, adapters and statistics hold in English, said in the reader's language; unknown ones stay."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

COUNT_NOTE = re.compile(r"n = (?P<n>\d+) (?P<noun>[a-z]+)(?: \((?P<parts>\d+) parts\))?")


def say_note(note: str) -> str:
    """What the statistics write where an interval is missing or cannot be trusted."""
    if counted := COUNT_NOTE.fullmatch(note):
        return _say_count(int(counted["n"]), counted["noun"], counted["parts"])
    words = {
        "no scored problem": _("no scored problem"),
        "no problems": _("no scored problem"),
        "no items": _("no items"),
        "undefined": _("undefined"),
        "undefined where one cluster is left out": _("undefined where one cluster is left out"),
        "all clusters agree: resampling cannot show the uncertainty": _(
            "all clusters agree: resampling cannot show the uncertainty"
        ),
        "one sitting": _("one sitting"),
        "all sittings agree": _("all sittings agree"),
        "exact expectation": _("exact expectation"),
    }
    return words.get(note, note)


def _say_count(n: int, noun: str, parts: str | None) -> str:
    nouns = {
        "problem": _("problem"),
        "problems": _("problems"),
        "item": _("item"),
        "items": _("items"),
    }
    said = {"n": n, "unit": nouns.get(noun, noun), "parts": parts}
    return _("n = %(n)d %(unit)s (%(parts)s parts)") % said if parts else _("n = %(n)d %(unit)s") % said


def say_tag(tag: str) -> str:
    """What a benchmark's adapter says its problems are like."""
    words = {
        "physics": _("physics"),
        "multimodal": _("multimodal"),
        "reasoning": _("reasoning"),
        "multilingual": _("multilingual"),
        "multiple choice": _("multiple choice"),
        "yes/no": _("yes/no"),
    }
    return words.get(tag, tag)


def say_modality(modality: str) -> str:
    words = {
        "text-only": _("text only"),
        "text+illustration figure": _("text and illustration"),
        "text+variable figure": _("text and figure of variables"),
        "text+data figure": _("text and figure of data"),
    }
    return words.get(modality, modality)


def say_answer_type(kind: str) -> str:
    words = {
        "auto": pgettext("answer type", "any"),
        "numeric": pgettext("answer type", "numeric"),
        "expression": pgettext("answer type", "expression"),
        "equation": pgettext("answer type", "equation"),
        "inequality": pgettext("answer type", "inequality"),
        "interval": pgettext("answer type", "interval"),
        "list": pgettext("answer type", "list"),
        "set": pgettext("answer type", "set"),
        "choice": pgettext("answer type", "choice"),
        "yes_no": pgettext("answer type", "yes or no"),
        "open": pgettext("answer type", "open"),
    }
    return words.get(kind, kind)


def say_group(name: str) -> str:
    """A modality or an answer type; anything else is the data's own word, with spaces for underscores."""
    said = say_modality(name)
    return said if said != name else say_answer_type(name).replace("_", " ")


def say_floor(name: str) -> str:
    """The name of a strategy without any model."""
    words = {
        "Always YES": _("Always YES"),
        "Random choice": _("Random choice"),
        "Most frequent letter": _("Most frequent letter"),
        "Empty reply": _("Empty reply"),
    }
    return words.get(name, name)
