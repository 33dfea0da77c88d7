"""What a problem expects, free of any file format: answers, options, marking schemes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """One reference answer. `value` is the official text with its wrapping (`\\boxed{}`, `$$..$$`) still on.

    kind: expression, numeric, choice, equation, inequality, interval, list, set, yes_no, open or auto.
    tolerance: relative, None for the rule's default.
    """

    value: str
    kind: str = "auto"
    unit: str = ""
    points: float = 1.0
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Option:
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a marking scheme; an award lies in [0, max_points]."""

    text: str
    max_points: float


@dataclass(frozen=True, slots=True)
class Reference:
    """All that a scorer may know of a problem beside the reply.

    schemes: alternative marking schemes; the best counts, never their sum.
    """

    answers: tuple[Answer, ...] = ()
    options: tuple[Option, ...] = ()
    schemes: tuple[tuple[Criterion, ...], ...] = ()
    max_points: float = 1.0
