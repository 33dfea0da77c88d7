"""Code words of endpoints, engine and scorers in the reader's language: kinds of failure, flags, parameters.

In English they stand as they are stored, since they are also the words of files, filters and the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

_BOXES = re.compile(r"(\d+) boxes for (\d+) answers")

# Of calls (arena/llm/failure.py) and of what judges say (scoring/judge_verdict.py)
KINDS = {
    "address_refused": pgettext_lazy("kind of failure", "address_refused"),
    "invalid_url": pgettext_lazy("kind of failure", "invalid_url"),
    "invalid_prompt": pgettext_lazy("kind of failure", "invalid_prompt"),
    "certificate": pgettext_lazy("kind of failure", "certificate"),
    "redirect": pgettext_lazy("kind of failure", "redirect"),
    "response_too_large": pgettext_lazy("kind of failure", "response_too_large"),
    "bad_request": pgettext_lazy("kind of failure", "bad_request"),
    "unauthorized": pgettext_lazy("kind of failure", "unauthorized"),
    "forbidden": pgettext_lazy("kind of failure", "forbidden"),
    "not_found": pgettext_lazy("kind of failure", "not_found"),
    "too_large": pgettext_lazy("kind of failure", "too_large"),
    "unprocessable": pgettext_lazy("kind of failure", "unprocessable"),
    "client_error": pgettext_lazy("kind of failure", "client_error"),
    "rate_limited": pgettext_lazy("kind of failure", "rate_limited"),
    "server_error": pgettext_lazy("kind of failure", "server_error"),
    "dns": pgettext_lazy("kind of failure", "dns"),
    "tls": pgettext_lazy("kind of failure", "tls"),
    "connection_refused": pgettext_lazy("kind of failure", "connection_refused"),
    "unreachable": pgettext_lazy("kind of failure", "unreachable"),
    "reset": pgettext_lazy("kind of failure", "reset"),
    "connect_timeout": pgettext_lazy("kind of failure", "connect_timeout"),
    "timeout": pgettext_lazy("kind of failure", "timeout"),
    "broken_body": pgettext_lazy("kind of failure", "broken_body"),
    "html": pgettext_lazy("kind of failure", "html"),
    "empty": pgettext_lazy("kind of failure", "empty"),
    "connection": pgettext_lazy("kind of failure", "connection"),
    "bad_type": pgettext_lazy("kind of failure", "bad_type"),
    "duplicate_index": pgettext_lazy("kind of failure", "duplicate_index"),
    "duplicate_key": pgettext_lazy("kind of failure", "duplicate_key"),
    "http_error": pgettext_lazy("kind of failure", "http_error"),
    "missing_index": pgettext_lazy("kind of failure", "missing_index"),
    "missing_key": pgettext_lazy("kind of failure", "missing_key"),
    "not_a_number": pgettext_lazy("kind of failure", "not_a_number"),
    "out_of_range": pgettext_lazy("kind of failure", "out_of_range"),
    "prose": pgettext_lazy("kind of failure", "prose"),
    "quoted": pgettext_lazy("kind of failure", "quoted"),
    "truncated": pgettext_lazy("kind of failure", "truncated"),
    "unknown_index": pgettext_lazy("kind of failure", "unknown_index"),
    "RuntimeError": pgettext_lazy("kind of failure", "RuntimeError"),
}
FLAGS = {
    "undecided": pgettext_lazy("flag of a score", "undecided"),
    "unsimplified": pgettext_lazy("flag of a score", "unsimplified"),
    "numeric": pgettext_lazy("flag of a score", "numeric"),
    "official": pgettext_lazy("flag of a score", "official"),
    "chain": pgettext_lazy("flag of a score", "chain"),
    "approximate": pgettext_lazy("flag of a score", "approximate"),
    "condition": pgettext_lazy("flag of a score", "condition"),
    "spelling": pgettext_lazy("flag of a score", "spelling"),
    "unit": pgettext_lazy("flag of a score", "unit"),
    "remark": pgettext_lazy("flag of a score", "remark"),
    "near": pgettext_lazy("flag of a score", "near"),
    "sign": pgettext_lazy("flag of a score", "sign"),
    "interval": pgettext_lazy("flag of a score", "interval"),
    "inequality": pgettext_lazy("flag of a score", "inequality"),
    "list": pgettext_lazy("flag of a score", "list"),
    "brackets": pgettext_lazy("flag of a score", "brackets"),
    "open": pgettext_lazy("flag of a score", "open"),
    "unparseable": pgettext_lazy("flag of a score", "unparseable"),
    "trailing text": pgettext_lazy("flag of a score", "trailing text"),
    "wrong unit": pgettext_lazy("flag of a score", "wrong unit"),
    "cut by length": pgettext_lazy("flag of a score", "cut by length"),
    "string match": pgettext_lazy("flag of a score", "string match"),
    "derivation in reasoning field": pgettext_lazy("flag of a score", "derivation in reasoning field"),
    "reference unparseable": pgettext_lazy("flag of a score", "reference unparseable"),
    "prose": pgettext_lazy("flag of a score", "prose"),
}
FINISHES = {
    "stop": pgettext_lazy("finish reason", "stop"),
    "length": pgettext_lazy("finish reason", "length"),
    "content_filter": pgettext_lazy("finish reason", "content_filter"),
    "tool_calls": pgettext_lazy("finish reason", "tool_calls"),
}
ROLES = {
    "system": pgettext_lazy("role of a message", "system"),
    "user": pgettext_lazy("role of a message", "user"),
    "assistant": pgettext_lazy("role of a message", "assistant"),
}
PARAMETERS = {
    "calls": pgettext_lazy("parameter", "calls"),
    "combine": pgettext_lazy("parameter", "combine"),
    "figures": pgettext_lazy("parameter", "figures"),
    "judge_repeats": pgettext_lazy("parameter", "judge_repeats"),
    "policy": pgettext_lazy("parameter", "policy"),
    "solution": pgettext_lazy("parameter", "solution"),
    "verdict_attempts": pgettext_lazy("parameter", "verdict_attempts"),
    "temperature": pgettext_lazy("parameter", "temperature"),
    "max_tokens": pgettext_lazy("parameter", "max_tokens"),
    "reasoning_effort": pgettext_lazy("parameter", "reasoning_effort"),
    "seed": pgettext_lazy("parameter", "seed"),
    "timeout_s": pgettext_lazy("parameter", "timeout_s"),
    "system_prompt": pgettext_lazy("parameter", "system_prompt"),
    "max_image_bytes": pgettext_lazy("parameter", "max_image_bytes"),
    "extra": pgettext_lazy("parameter", "extra"),
}
VALUES = {
    "criterion": pgettext_lazy("value of a parameter", "criterion"),
    "scheme": pgettext_lazy("value of a parameter", "scheme"),
    "mean": pgettext_lazy("value of a parameter", "mean"),
    "median": pgettext_lazy("value of a parameter", "median"),
    "majority": pgettext_lazy("value of a parameter", "majority"),
    "content": pgettext_lazy("value of a parameter", "content"),
    "reasoning+content": pgettext_lazy("value of a parameter", "reasoning+content"),
    "corrected": pgettext_lazy("value of a parameter", "corrected"),
    "official": pgettext_lazy("value of a parameter", "official"),
    "True": pgettext_lazy("value of a parameter", "True"),
    "False": pgettext_lazy("value of a parameter", "False"),
    "None": pgettext_lazy("value of a parameter", "None"),
}


def say_kind(kind: str) -> str:
    return str(KINDS.get(kind, kind))


def say_finish(reason: str) -> str:
    """Why the endpoint ended the reply."""
    return str(FINISHES.get(reason, reason))


def say_role(role: str) -> str:
    return str(ROLES.get(role, role))


def say_flag(flag: str) -> str:
    """A flag of a score; some carry a value: `reading:degrees`, `bare number read in cm`, `1 boxes for 3 answers`."""
    name, mark, value = flag.partition(":")
    if mark and name == "reading":
        return _("read as: %(name)s") % {"name": value}
    if flag.startswith("bare number read in "):
        return _("bare number read in %(unit)s") % {"unit": flag.removeprefix("bare number read in ")}
    if flag.startswith("one box split in "):
        return _("one box split in %(n)s") % {"n": flag.removeprefix("one box split in ")}
    if boxes := _BOXES.fullmatch(flag):
        found, wanted = boxes.groups()
        text = ngettext("%(n)s box for %(of)s answers", "%(n)s boxes for %(of)s answers", int(found))
        return text % {"n": found, "of": wanted}
    return str(FLAGS.get(flag, flag))


def say_parameters(params: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Name and value of each parameter in order; numbers, texts and unknown names stay, what is not set is left out."""
    for name, value in sorted(params.items()):
        if value in (None, "", {}, []):
            continue
        yield str(PARAMETERS.get(name, name)), str(VALUES.get(str(value), value))
