"""One published number, and how the cells of a table are read.

A dash or an empty cell is missing. No Django here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

POINT_METRICS = frozenset({"eed", "exam_score", "exam_score_mean", "gold", "silver", "bronze"})
RATE_METRICS = frozenset({"accuracy", "accuracy_macro", "precision", "recall", "f1_score", "yes_ratio", "no_answer"})
KINDS = ("model", "human", "baseline")
OVERALL = "overall"
_AT_K = re.compile(r"(?:pass|maj|best)@[1-9]\d*")
_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One number as it was published. value: a rate in 0-1, or points; line: of the file, for messages."""

    entrant: str
    metric: str
    value: float
    source: str
    date: str
    line: int
    organisation: str = ""
    kind: str = "model"
    split: str = "test"
    subset: str = OVERALL
    low: float | None = None
    high: float | None = None
    style: str = ""
    repeats: int | None = None
    judge: str = ""
    temperature: float | None = None
    setting: str = ""
    source_url: str = ""


class BadCell(ValueError):
    """A cell that cannot be read; the message names its column."""


def is_rate(metric: str) -> bool:
    return metric in RATE_METRICS or bool(_AT_K.fullmatch(metric))


def read_number(row: Row, column: str) -> float | None:
    """A cell's number as it stands, a percent sign taken as 1/100; None where it is missing."""
    text = row.get(column, "")
    if text in ("", "-", "–", "—", "n/a", "N/A"):
        return None
    scale = 0.01 if text.endswith("%") else 1.0
    try:
        value = float(text.removesuffix("%").strip()) * scale
    except ValueError:
        raise BadCell(f"{column}: {text!r} is no number") from None
    if not math.isfinite(value):
        raise BadCell(f"{column}: {text!r} is no number")
    return value


def read_percent(row: Row, column: str) -> float | None:
    """A cell that holds percent, as a rate."""
    value = read_number(row, column)
    if value is None or row[column].endswith("%"):
        return value
    return round(value / 100, 12)


def read_name(row: Row, column: str) -> str:
    name = " ".join(row.get(column, "").split())
    if not name:
        raise BadCell(f"{column}: a name is expected")
    return name


def check_number(number: PublishedNumber) -> PublishedNumber:
    if not number.source:
        raise BadCell("source: say where the number was published")
    if not _DATE.fullmatch(number.date):
        raise BadCell(f"date: {number.date!r} is not of the form 2025-12-05, 2025-12 or 2025")
    if number.source_url and not number.source_url.startswith(("https://", "http://")):
        raise BadCell(f"source_url: {number.source_url!r} is no web address")
    if number.kind not in KINDS:
        raise BadCell(f"kind: {number.kind!r} is none of {', '.join(KINDS)}")
    if number.metric not in POINT_METRICS and not is_rate(number.metric):
        raise BadCell(f"metric: {number.metric!r} is unknown")
    if number.value < 0 or (number.metric == "eed" and number.value > 100):
        raise BadCell(f"value: {number.value:g} is out of range for {number.metric}")
    return number
