"""Official record -> Reference, until scoring.records is published."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from scoring.reference import Answer, Criterion, Reference

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
