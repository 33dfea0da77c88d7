"""Single words that tables and adapters hold in English, said in the reader's language; unknown ones stay.

Whole sentences are said by `leaderboard.sentences`.
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.selectors.fields import say_field


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


def say_part(kind: str) -> str:
    """What of a reply was graded: a criterion, or an answer of a type."""
    return pgettext("graded part", "criterion") if kind == "criterion" else say_answer_type(kind)


def say_group(name: str) -> str:
    """A modality, an answer type or a field; anything else is the data's own word, with spaces for underscores."""
    for say in (say_modality, say_answer_type, say_field):
        if (said := say(name)) != name:
            return said
    return name.replace("_", " ")


def say_outcome(outcome: str) -> str:
    """What became of one reply to one problem."""
    words = {
        "right": pgettext("outcome", "right"),
        "partial": pgettext("outcome", "partial"),
        "wrong": pgettext("outcome", "wrong"),
        "no_answer": pgettext("outcome", "no answer"),
        "unparseable": pgettext("outcome", "unparseable"),
        "refused": pgettext("outcome", "refused"),
        "cut": pgettext("outcome", "cut by length"),
        "timeout": pgettext("outcome", "scoring timed out"),
        "error": pgettext("outcome", "error in scoring"),
        "judge_failed": pgettext("outcome", "judge failed"),
        "call_failed": pgettext("outcome", "call failed"),
        "unscorable": pgettext("outcome", "no reference answer"),
    }
    return words.get(outcome) or pgettext("outcome", "not scored yet")


def say_floor(name: str) -> str:
    """The name of a strategy without any model."""
    words = {
        "Always YES": _("Always YES"),
        "Random choice": _("Random choice"),
        "Most frequent letter": _("Most frequent letter"),
        "Empty reply": _("Empty reply"),
    }
    return words.get(name, name)
