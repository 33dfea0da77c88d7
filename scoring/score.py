"""The outcome of scoring one reply: the same ten statuses everywhere (docs/scoring-rules.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What became of a sample. The last four have no points: a failure is never a zero."""

    SCORED = "scored"
    NO_ANSWER = "no_answer"
    UNPARSEABLE = "unparseable"
    REFUSED = "refused"
    CUT = "cut"
    TIMEOUT = "timeout"
    ERROR = "error"
    JUDGE_FAILED = "judge_failed"
    CALL_FAILED = "call_failed"
    UNSCORABLE = "unscorable"

    @property
    def has_points(self) -> bool:
        return self not in _WITHOUT_POINTS


_WITHOUT_POINTS = frozenset({Status.ERROR, Status.JUDGE_FAILED, Status.CALL_FAILED, Status.UNSCORABLE})


@dataclass(frozen=True, slots=True)
class Part:
    """One reference answer (or one criterion) of a Score, in the record's order."""

    points: float | None
    max_points: float
    status: Status
    answer: str = ""
    target: str = ""
    matched_by: str = ""  # rule, judge, or empty where nothing matched
    flags: tuple[str, ...] = ()
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Points of one reply. `points` is None exactly where `status.has_points` is False."""

    points: float | None
    max_points: float
    status: Status
    answer: str = ""  # the extracted answer, as text
    matched_by: str = ""
    flags: tuple[str, ...] = ()
    explanation: str = ""
    parts: tuple[Part, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)  # scorer's own: EED distance, edits, trees

    def __post_init__(self) -> None:
        if (self.points is None) == self.status.has_points:
            raise ValueError(f"status {self.status} does not go with points {self.points!r}")
        if self.points is not None and not 0 <= self.points <= self.max_points:
            raise ValueError(f"points {self.points!r} outside 0..{self.max_points!r}")
