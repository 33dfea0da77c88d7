"""Several attempts at a problem: pass@k, best@k and the majority vote."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.problem_index import ProblemIndex
from leaderboard.scores import Sheet, mark_solved, values_of
from leaderboard.statistics.curves import best_curve, majority_curve, pass_curve
from leaderboard.vectors import NO_CLASS
from leaderboard.worked.steps import Worked, describe, number, problem_name, read_sheet, rows_now


def _find_repeated(*, is_exam: bool) -> tuple[Standing, Sheet, ProblemIndex] | None:
    """A run with repeats over everything: of exams, whose problems have points, or of answers right or wrong."""
    rows = rows_now(metric="accuracy", subset__slug="overall", run__repeats__gt=1)
    rows = rows.filter(benchmark__slug="hipho") if is_exam else rows.exclude(benchmark__slug="hipho")
    for row in rows.order_by("-run__repeats", "n_problems", "pk")[:5]:
        found = read_sheet(row)
        if found is not None:
            return row, *found
    return None


def _make(row: Standing, name: str, value: float, factor: float, steps: list[str], chart: str) -> Worked:
    shown = f"{name} = {number(factor * value, 1)}"
    url = f"/b/{row.benchmark.slug}/charts/?split={row.split}#chart-{chart}"
    return Worked(describe(row), shown, tuple(steps), url)


def work_pass() -> Worked | None:
    found = _find_repeated(is_exam=False)
    if found is None:
        return None
    row, sheet, index = found
    right = mark_solved(values_of("accuracy", sheet))
    n, k = right.shape[1], 2
    counts = np.where(np.isnan(right).any(axis=1), -1, np.nan_to_num(right).sum(axis=1)).astype(int)
    at = next((i for i, c in enumerate(counts) if 0 < c < n), None)
    value = pass_curve(right, (k,), sheet.clusters).points[0].value
    if at is None or value is None:
        return None
    c = int(counts[at])
    said = {"problem": problem_name(index, sheet, at), "n": n, "c": c, "rest": n - c, "k": k, "pairs": comb(n, k)}
    said |= {"lost": comb(n - c, k), "value": number(1 - comb(n - c, k) / comb(n, k)), "mean": number(value, 6)}
    return _make(
        row,
        "pass@2 (%)",
        value,
        100.0,
        [
            _(
                "%(problem)s: %(c)d of %(n)d attempts are right. Of C(%(n)d, 2) = %(pairs)d pairs of "
                "attempts C(%(rest)d, 2) = %(lost)d hold no right one."
            )
            % said,
            _("pass@2 = 1 − %(lost)d / %(pairs)d = %(value)s. Mean over all problems: %(mean)s.") % said,
        ],
        "pass-k",
    )


def work_best() -> Worked | None:
    found = _find_repeated(is_exam=True)
    if found is None:
        return None
    row, sheet, index = found
    points = sheet.vectors.points
    n, k = points.shape[1], 2
    whole = ~np.isnan(points).any(axis=1)
    at = next((i for i in np.flatnonzero(whole) if points[i].min() < points[i].max()), None)
    value = best_curve(points, (k,), sheet.clusters).points[0].value
    if at is None or value is None:
        return None
    ordered = np.sort(points[at])
    terms = " + ".join(f"{number(s)} × {comb(i, k - 1)}" for i, s in enumerate(ordered) if i >= k - 1)
    expected = sum(float(s) * comb(i, k - 1) for i, s in enumerate(ordered)) / comb(n, k)
    said = {
        "problem": problem_name(index, sheet, int(at)),
        "points": ", ".join(number(s) for s in ordered),
        "terms": terms,
    }
    said |= {"pairs": str(comb(n, k)), "value": number(expected), "mean": number(value, 6)}
    return _make(
        row,
        "best@2",
        value,
        1.0,
        [
            _("%(problem)s: the attempts got %(points)s points, in ascending order.") % said,
            _("best@2 = (%(terms)s) / %(pairs)s = %(value)s. Mean over all problems: %(mean)s points.") % said,
        ],
        "best-k",
    )


def work_majority() -> Worked | None:
    """Of all attempts: there is one subset only, so nothing is drawn."""
    found = _find_repeated(is_exam=False)
    if found is None:
        return None
    row, sheet, index = found
    points, n = values_of("accuracy", sheet), sheet.vectors.repeats
    classes = [[None if c == NO_CLASS else int(c) for c in line] for line in sheet.vectors.answer_class]
    value = majority_curve(classes, points, (n,), sheet.clusters).points[0].value
    split = [i for i, line in enumerate(classes) if _is_split(line, points[i])]
    at = min(split, key=lambda i: (_count_winners(classes[i]) > 1, i), default=None)
    if at is None or value is None:
        return None
    votes = Counter(c for c in classes[at] if c is not None)
    winners = [c for c, count in votes.items() if count == max(votes.values())]
    worth = {c: float(np.mean([p for p, d in zip(points[at], classes[at], strict=True) if d == c])) for c in winners}
    said = {
        "problem": problem_name(index, sheet, at),
        "n": n,
        "sizes": ", ".join(map(str, sorted(votes.values(), reverse=True))),
    }
    said |= {"none": sum(c is None for c in classes[at]), "most": max(votes.values()), "ties": len(winners)}
    said |= {"value": number(sum(worth.values()) / len(worth)), "mean": number(value, 6)}
    return _make(
        row,
        f"maj@{n} (%)",
        value,
        100.0,
        [
            _("%(problem)s: the %(n)d answers fall into classes of %(sizes)s; %(none)d give no answer and abstain.")
            % said,
            _(
                "The largest class has %(most)d votes (%(ties)d so large, they share): the problem "
                "counts %(value)s. Mean over all problems: %(mean)s."
            )
            % said,
        ],
        "maj-k",
    )


def _count_winners(classes: list[int | None]) -> int:
    votes = Counter(c for c in classes if c is not None)
    return sum(count == max(votes.values()) for count in votes.values())


def _is_split(classes: list[int | None], points: np.ndarray) -> bool:
    """Whether attempts differ in their answers and all are scored."""
    return not np.isnan(points).any() and len({c for c in classes if c is not None}) > 1
