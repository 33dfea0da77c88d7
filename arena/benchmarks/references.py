"""Official record -> Reference, until scoring.records is published."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from scoring.reference import Answer, Criterion, Option, Reference

from .sources import BadRecord

KINDS = {
    "Expression": "expression",
    "Numerical Value": "numeric",
    "Multiple Choice": "choice",
    "Equation": "equation",
    "Inequality": "inequality",
    "Open-Ended": "open",
}
AWARD = re.compile(r"(?:award|得)\s*(?:a total of\s*)?\$?\s*(\d*\.?\d+)\s*\$?\s*(?:pts?|points?|分)", re.I)


def hipho_reference(data: dict[str, Any]) -> Reference:
    units = data.get("unit") or []
    answers = tuple(
        Answer(value, KINDS[kind], (units[i] if i < len(units) else None) or "", points)
        for i, (value, kind, points) in enumerate(zip(data["answer"], data["answer_type"], data["points"]))
    )
    marking = data.get("marking") or []
    if marking and isinstance(marking[0], str):
        marking = [marking]
    schemes = tuple(
        tuple(Criterion(text, float(AWARD.search(text)[1])) for text in scheme)  # type: ignore[index]
        for scheme in marking
    )
    return Reference(answers, (), schemes, float(sum(Decimal(str(a.points)) for a in answers)))


def coin_flip_reference(data: dict[str, Any]) -> Reference:
    answer = str(data.get("answer")).strip().upper()
    if answer not in ("YES", "NO"):
        raise BadRecord(f"answer {data.get('answer')!r} is neither yes nor no")
    return Reference((Answer(answer, "yes_no"),))


def phybench_reference(data: dict[str, Any]) -> Reference:
    answer = data.get("answer") or ""
    return Reference((Answer(answer, "expression", "", 100.0),) if answer.strip() else (), max_points=100.0)


def arc_reference(data: dict[str, Any]) -> Reference:
    choices = data["choices"]
    options = tuple(
        Option("ABCDE"[int(label) - 1] if label.isdigit() else label, text)
        for label, text in zip(choices["label"], choices["text"])
    )
    key = data["answerKey"]
    key = "ABCDE"[int(key) - 1] if key.isdigit() else key
    return Reference((Answer(key, "choice"),), options)


OPTION = re.compile(r'([A-Z])\s*:\s*"(.*?)"(?=\s*,\s*[A-Z]\s*:\s*"|\s*,?\s*$)', re.S)


def phyx_oe_reference(data: dict[str, Any]) -> Reference:
    options = dict(OPTION.findall(data.get("options") or ""))
    answer = str(data["answer"]).strip()
    return Reference((Answer((options[answer] if options else answer).strip(), "auto"),))


def phyx_mc_reference(data: dict[str, Any]) -> Reference:
    options = dict(OPTION.findall(data.get("options") or ""))
    if not options:
        raise BadRecord("no options: multiple choice needs them")
    return Reference((Answer(data["answer"].strip(), "choice"),), tuple(Option(*pair) for pair in options.items()))
