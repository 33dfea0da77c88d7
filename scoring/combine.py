"""Answer level with step level: the one place where a reply's two grades become one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Combined:
    """Points that count, or the interval they lie in while a level is missing.

    points: None exactly while unscored. level: `answer` or `step`, empty while unscored. low, high: equal when scored.
    """

    points: float | None
    max_points: float
    level: str
    low: float
    high: float

    @property
    def is_scored(self) -> bool:
        return self.points is not None


def combine_max(
    answer: float | None, step: float | None, *, has_answer: bool, has_step: bool, max_points: float
) -> Combined:
    """HiPhO's `exam_score`: the larger of the two levels counts (arXiv:2509.07894, section 3).

    has_*: whether the problem has that level at all. While a level that exists has no outcome (None), the sample is
    unscored and its points lie between those of the other level and the maximum.
    """
    levels = [(points, name) for points, name, has in ((answer, "answer", has_answer), (step, "step", has_step)) if has]
    known = [(points, name) for points, name in levels if points is not None]
    best, name = max(known, key=lambda pair: pair[0], default=(0.0, ""))
    if levels and len(known) == len(levels):
        return Combined(best, max_points, name, best, best)
    return Combined(None, max_points, "", best, max_points)


def combine_step_else_answer(
    answer: float | None, step: float | None, *, has_answer: bool, has_step: bool, max_points: float
) -> Combined:
    """HiPhO's `accuracy` as in the seed: step level where a marking scheme exists, else answer level."""
    points, name = (step, "step") if has_step else (answer if has_answer else None, "answer")
    if points is None:
        return Combined(None, max_points, "", 0.0, max_points)
    return Combined(points, max_points, name, points, points)
