"""Point estimates: what a column of a board is made of. Intervals and tests live in leaderboard.statistics.

A metric is None where it is undefined; policy `official` gives 0 there, as the released scorers do.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scoring.points import add_points, mean_points, to_decimal

MAX_SUBSETS = 1000  # of k attempts, for maj@k; more are sampled with a fixed seed


def mean(values: Sequence[float]) -> float | None:
    """Plain mean: EED (0-100), or accuracy where each problem gives a number in [0, 1]."""
    return math.fsum(values) / len(values) if values else None


def mean_ratio(points: Sequence[float], max_points: Sequence[float]) -> float | None:
    """Accuracy of the seed: mean over problems of awarded / attainable."""
    return mean([min(1.0, p / m) if m else 0.0 for p, m in zip(points, max_points, strict=True)])


def accuracy_macro(by_subset: Mapping[str, Sequence[float]]) -> float | None:
    """Mean over the subsets that have a score of their means."""
    means = [m for m in map(mean, by_subset.values()) if m is not None]
    return mean(means)


@dataclass(frozen=True, slots=True)
class YesNoTable:
    """Counts of scored replies; YES is positive. missing_*: replies without an answer, by the reference."""

    tp: int = 0
    fp: int = 0
    tn: int = 0
    fn: int = 0
    missing_yes: int = 0
    missing_no: int = 0

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.tn + self.fn + self.missing_yes + self.missing_no


def tally_yes_no(pairs: Iterable[tuple[str, str | None]]) -> YesNoTable:
    """From (reference, answer) with YES, NO or, for the answer, None."""
    cells = Counter((target, answer or "") for target, answer in pairs)
    return YesNoTable(
        tp=cells["YES", "YES"],
        fp=cells["NO", "YES"],
        tn=cells["NO", "NO"],
        fn=cells["YES", "NO"],
        missing_yes=cells["YES", ""],
        missing_no=cells["NO", ""],
    )


def yes_no_metrics(table: YesNoTable, policy: str = "corrected") -> dict[str, float | None]:
    """CoinFlip's five metrics and the share without an answer (spec: benchmarks, section 5).

    A missing answer is wrong in accuracy and in recall, hence in F1, and stays in the denominator of yes_ratio.
    Policy `official` leaves missing answers out of recall and F1, and writes 0 where a metric is undefined.
    """
    is_official = policy == "official"
    undefined = 0.0 if is_official else None
    missed = table.fn if is_official else table.fn + table.missing_yes

    def ratio(part: int, whole: int) -> float | None:
        return part / whole if whole else undefined

    return {
        "accuracy": ratio(table.tp + table.tn, table.n),
        "precision": ratio(table.tp, table.tp + table.fp),
        "recall": ratio(table.tp, table.tp + missed),
        "f1_score": ratio(2 * table.tp, 2 * table.tp + table.fp + missed),
        "yes_ratio": ratio(table.tp + table.fp, table.n),
        "no_answer": ratio(table.missing_yes + table.missing_no, table.n),
    }


def always_yes_f1(table: YesNoTable) -> float | None:
    """F1 of the constant answer YES, 2p / (1 + p): a floor line."""
    positive = table.tp + table.fn + table.missing_yes
    return 2 * positive / (table.n + positive) if table.n and positive else None


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Probability that one of k attempts is right, unbiased from c right of n (arXiv:2107.03374); None for n < k."""
    if not 1 <= k <= n:
        return None
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """pass^k: probability that all of k attempts are right; None for n < k."""
    if not 1 <= k <= n:
        return None
    return math.comb(c, k) / math.comb(n, k)


def best_at_k(points: Sequence[float], k: int) -> float | None:
    """Expected best of k attempts drawn from these: sum over i of s_(i) C(i-1, k-1) / C(n, k); None for n < k."""
    n = len(points)
    if not 1 <= k <= n:
        return None
    weighted = (s * math.comb(i, k - 1) for i, s in enumerate(sorted(points)))
    return math.fsum(weighted) / math.comb(n, k)


def majority_at_k(
    classes: Sequence[Hashable | None], points: Sequence[float], k: int, *, seed: int = 0
) -> float | None:
    """Expected points of the majority answer among k attempts; None for n < k.

    classes: for each attempt its class of equivalent answers, None where it has no answer (it abstains). points: of
    each attempt; a class counts with the mean of its own. Ties share. Mean over all k-subsets, or over 1,000 drawn
    with `seed` where there are more.
    """
    n = len(classes)
    if not 1 <= k <= n:
        return None
    worth = {
        c: mean([p for other, p in zip(classes, points, strict=True) if other == c]) or 0.0
        for c in classes
        if c is not None
    }
    return mean([_vote(classes, chosen, worth) for chosen in _subsets(n, k, seed)])


def _subsets(n: int, k: int, seed: int) -> Iterable[Sequence[int]]:
    if math.comb(n, k) <= MAX_SUBSETS:
        return combinations(range(n), k)
    draw = random.Random(seed)
    return (draw.sample(range(n), k) for _ in range(MAX_SUBSETS))


def _vote(classes: Sequence[Hashable | None], chosen: Sequence[int], worth: Mapping[Hashable, float]) -> float:
    votes = Counter(c for c in (classes[i] for i in chosen) if c is not None)
    if not votes:
        return 0.0
    most = max(votes.values())
    winners = [worth[c] for c, count in votes.items() if count == most]
    return math.fsum(winners) / len(winners)


@dataclass(frozen=True, slots=True)
class ProblemPoints:
    """A problem's points in one exam, one entry a repeat; None where that is unscored, then within its low..high."""

    points: tuple[float | None, ...]
    max_points: float
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ExamTotal:
    """points: None while a problem is unscored; the total then lies in low..high. Decimal arithmetic."""

    points: float | None
    low: float
    high: float
    max_points: float


def exam_total(problems: Sequence[ProblemPoints]) -> ExamTotal:
    """The paper's exam score: mean over a problem's repeats, summed over problems (arXiv:2509.07894)."""
    lows, highs = (
        [_mean_bound(p, p.low, 0.0) for p in problems],
        [_mean_bound(p, p.high, p.max_points) for p in problems],
    )
    low, high = add_points(lows), add_points(highs)
    is_scored = all(None not in p.points and p.points for p in problems)
    return ExamTotal(low if is_scored else None, low, high, add_points(p.max_points for p in problems))


def _mean_bound(problem: ProblemPoints, bounds: Sequence[float], default: float) -> float:
    filled = [p if p is not None else (bounds[i] if bounds else default) for i, p in enumerate(problem.points)] or [
        default
    ]
    return mean_points(filled) or 0.0


MEDALS = ("gold", "silver", "bronze")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score of each medal; None where an exam has no published cut-offs (CPhO_2025)."""

    gold: float | None = None
    silver: float | None = None
    bronze: float | None = None


def medal(score: float | None, thresholds: Thresholds) -> str:
    """gold, silver, bronze, or empty. A score at the threshold earns it (9.8 is silver in EuPhO 2025).

    Nine decimals count, so that the noise of a sum made in binary costs no medal.
    """
    if score is None:
        return ""
    for name in MEDALS:
        least = getattr(thresholds, name)
        if least is not None and to_decimal(round(score, 9)) >= to_decimal(least):
            return name
    return ""


def sure_medal(low: float, high: float, thresholds: Thresholds) -> str:
    """The medal that both ends of an interval earn; empty while they differ."""
    lowest, highest = medal(low, thresholds), medal(high, thresholds)
    return lowest if lowest == highest else ""


@dataclass(frozen=True, slots=True)
class MedalCount:
    gold: int
    silver: int
    bronze: int


def count_medals(medals: Iterable[str]) -> MedalCount:
    counts = Counter(medals)
    return MedalCount(*(counts[name] for name in MEDALS))


def medal_table_key(count: MedalCount, tie_break: float | None) -> tuple[int, int, int, float]:
    """Sort key, best first when ascending: gold, silver, bronze, then the IPhO_2025 score."""
    return (-count.gold, -count.silver, -count.bronze, -(tie_break if tie_break is not None else -math.inf))
