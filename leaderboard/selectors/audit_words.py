"""The audit log in the reader's language: its acts, and the names and fixed values of what stood there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.utils.translation import pgettext_lazy

from leaderboard.sentences import join_words

ACTS = {
    "adjudicate": pgettext_lazy("act in the log", "adjudicate"),
    "calibrate": pgettext_lazy("act in the log", "calibrate"),
    "current-scorer": pgettext_lazy("act in the log", "current-scorer"),
    "erratum": pgettext_lazy("act in the log", "erratum"),
    "exclude-votes": pgettext_lazy("act in the log", "exclude-votes"),
    "import": pgettext_lazy("act in the log", "import"),
    "invite": pgettext_lazy("act in the log", "invite"),
    "join": pgettext_lazy("act in the log", "join"),
    "call back": pgettext_lazy("act in the log", "call back"),
    "rejudge": pgettext_lazy("act in the log", "rejudge"),
    "void links": pgettext_lazy("act in the log", "void links"),
    "judge": pgettext_lazy("act in the log", "judge"),
    "queue": pgettext_lazy("act in the log", "queue"),
    "restore-votes": pgettext_lazy("act in the log", "restore-votes"),
    "report": pgettext_lazy("act in the log", "report"),
    "review": pgettext_lazy("act in the log", "review"),
    "revise": pgettext_lazy("act in the log", "revise"),
    "role": pgettext_lazy("act in the log", "role"),
    "scorer": pgettext_lazy("act in the log", "scorer"),
    "skip": pgettext_lazy("act in the log", "skip"),
    "submit": pgettext_lazy("act in the log", "submit"),
}
FACTS = {
    "answer": pgettext_lazy("fact in the log", "answer"),
    "step": pgettext_lazy("fact in the log", "step"),
    "account": pgettext_lazy("fact in the log", "account"),
    "budget": pgettext_lazy("fact in the log", "budget"),
    "runs": pgettext_lazy("fact in the log", "runs"),
    "stored": pgettext_lazy("fact in the log", "stored"),
    "uses": pgettext_lazy("fact in the log", "uses"),
    "adjudication": pgettext_lazy("fact in the log", "adjudication"),
    "at": pgettext_lazy("fact in the log", "at"),
    "claim": pgettext_lazy("fact in the log", "claim"),
    "counted": pgettext_lazy("fact in the log", "counted"),
    "found": pgettext_lazy("fact in the log", "found"),
    "joined": pgettext_lazy("fact in the log", "joined"),
    "judge": pgettext_lazy("fact in the log", "judge"),
    "known": pgettext_lazy("fact in the log", "known"),
    "level": pgettext_lazy("fact in the log", "level"),
    "machine": pgettext_lazy("fact in the log", "machine"),
    "model": pgettext_lazy("fact in the log", "model"),
    "name": pgettext_lazy("fact in the log", "name"),
    "needed": pgettext_lazy("fact in the log", "needed"),
    "new": pgettext_lazy("fact in the log", "new"),
    "number": pgettext_lazy("fact in the log", "number"),
    "params": pgettext_lazy("fact in the log", "params"),
    "part": pgettext_lazy("fact in the log", "part"),
    "parts": pgettext_lazy("fact in the log", "parts"),
    "points": pgettext_lazy("fact in the log", "points"),
    "policy": pgettext_lazy("fact in the log", "policy"),
    "problem": pgettext_lazy("fact in the log", "problem"),
    "reason": pgettext_lazy("fact in the log", "reason"),
    "resolution": pgettext_lazy("fact in the log", "resolution"),
    "review": pgettext_lazy("fact in the log", "review"),
    "role": pgettext_lazy("fact in the log", "role"),
    "scorer": pgettext_lazy("fact in the log", "scorer"),
    "seconds": pgettext_lazy("fact in the log", "seconds"),
    "seed": pgettext_lazy("fact in the log", "seed"),
    "share": pgettext_lazy("fact in the log", "share"),
    "state": pgettext_lazy("fact in the log", "state"),
    "text": pgettext_lazy("fact in the log", "text"),
    "verdict": pgettext_lazy("fact in the log", "verdict"),
    "votes": pgettext_lazy("fact in the log", "votes"),
}
VALUES = {
    "open": pgettext_lazy("value in the log", "open"),
    "disputed": pgettext_lazy("value in the log", "disputed"),
    "done": pgettext_lazy("value in the log", "done"),
    "accepted": pgettext_lazy("value in the log", "accepted"),
    "rejected": pgettext_lazy("value in the log", "rejected"),
    "random": pgettext_lazy("value in the log", "random"),
    "overturned": pgettext_lazy("value in the log", "overturned"),
    "boundary": pgettext_lazy("value in the log", "boundary"),
    "injection": pgettext_lazy("value in the log", "injection"),
    "disagreement": pgettext_lazy("value in the log", "disagreement"),
    "reported": pgettext_lazy("value in the log", "reported"),
    "low_confidence": pgettext_lazy("value in the log", "low_confidence"),
    "rule_vs_judge": pgettext_lazy("value in the log", "rule_vs_judge"),
    "reviewer": pgettext_lazy("value in the log", "reviewer"),
    "senior": pgettext_lazy("value in the log", "senior"),
    "maintainer": pgettext_lazy("value in the log", "maintainer"),
    "right": pgettext_lazy("value in the log", "right"),
    "wrong": pgettext_lazy("value in the log", "wrong"),
}


def say_act(act: str) -> str:
    return str(ACTS.get(act, act))


def _say(words: Mapping[str, object], word: str) -> str:
    return str(words.get(word, word))


def _say_value(value: object) -> str:
    if isinstance(value, Mapping):
        return join_words(f"{_say(FACTS, str(name))} {inner}" for name, inner in value.items())
    return "–" if value is None else _say(VALUES, str(value))


def say_facts(facts: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Name and value; empty for None. What people typed, numbers, ids and nested parts stay as they are."""
    for name, value in facts.items():
        yield _say(FACTS, name), _say_value(value)
