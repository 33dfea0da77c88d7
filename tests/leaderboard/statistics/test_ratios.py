"""F1, precision, recall and yes_ratio: values against scikit-learn, bounds, and what a missing answer does."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from leaderboard.statistics.intervals import Kind
from leaderboard.statistics.ratios import (
    ConfusionMetric,
    Said,
    compare_ratios,
    confusion_parts,
    ratio_bounds,
    ratio_interval,
)
from scoring.metrics import tally_yes_no, yes_no_metrics


def said(words: list[str]) -> Said:
    array = np.array(words)
    return Said(array == "yes", array == "no", array != "failed")


WORDS = ["yes", "yes", "no", "no", "none", "none", "yes", "failed"] * 5
TRUTH = np.array([True, False, True, False, True, False, True, True] * 5)


@pytest.mark.parametrize(
    ("metric", "counts_missing", "expected"),
    [
        (ConfusionMetric.F1, True, 4 / 7),  # 2TP / (2TP + FP + FN + M1) = 4 / (4 + 1 + 1 + 1)
        (ConfusionMetric.F1, False, 4 / 6),
        (ConfusionMetric.RECALL, True, 2 / 4),
        (ConfusionMetric.RECALL, False, 2 / 3),
        (ConfusionMetric.PRECISION, True, 2 / 3),
        (ConfusionMetric.YES_RATIO, True, 3 / 7),  # a failure is out of the denominator, a missing answer is in
    ],
)
def test_missing_answers_count_as_the_protocol_says(
    metric: ConfusionMetric, counts_missing: bool, expected: float
) -> None:
    result = ratio_interval(*confusion_parts(metric, said(WORDS), TRUTH, counts_missing=counts_missing))
    assert result.value == pytest.approx(expected)
    assert result.kind is Kind.BOOTSTRAP
    assert result.low is not None and result.high is not None
    assert result.low < expected < result.high


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (ConfusionMetric.F1, f1_score),
        (ConfusionMetric.PRECISION, precision_score),
        (ConfusionMetric.RECALL, recall_score),
    ],
)
def test_ratios_agree_with_scikit_learn(metric: ConfusionMetric, score: Callable[..., float]) -> None:
    rng = np.random.default_rng(3)
    truth, yes = rng.random(300) < 0.6, rng.random(300) < 0.5
    replies = Said(yes, ~yes, np.ones(300, dtype=bool))
    assert ratio_interval(*confusion_parts(metric, replies, truth)).value == pytest.approx(score(truth, yes))


def test_ratios_are_bootstrapped_from_six_problems_and_have_no_interval_below() -> None:
    truth = np.array([True] * 6)
    replies = said(["yes", "no", "yes", "yes", "no", "yes"])
    assert ratio_interval(*confusion_parts(ConfusionMetric.F1, replies, truth)).kind is Kind.BOOTSTRAP
    few = ratio_interval(*confusion_parts(ConfusionMetric.F1, said(["yes"] * 5), truth[:5]))
    assert (few.kind, few.note) == (Kind.NONE, "n = 5 problems")


def test_precision_is_undefined_when_nothing_was_called_yes() -> None:
    result = ratio_interval(*confusion_parts(ConfusionMetric.PRECISION, said(["no"] * 30), np.array([True] * 30)))
    assert result.value is None


def test_repeats_of_a_problem_are_averaged_first() -> None:
    words = np.array([["yes", "no"], ["yes", "yes"]] * 10)
    replies = Said(words == "yes", words == "no", np.ones(words.shape, dtype=bool))
    result = ratio_interval(*confusion_parts(ConfusionMetric.RECALL, replies, np.array([True] * 20)))
    assert result.value == pytest.approx(0.75)
    assert result.n == 20


def test_bounds_take_unscored_samples_as_wrong_and_as_right() -> None:
    low, high = ratio_bounds(ConfusionMetric.F1, said(["yes", "no", "failed"]), np.array([True, False, True]))
    assert (low, high) == pytest.approx((2 / 3, 1.0))


def test_bounds_meet_where_everything_is_scored() -> None:
    low, high = ratio_bounds(ConfusionMetric.F1, said(["yes", "no", "none"]), np.array([True, False, True]))
    assert low == high == pytest.approx(2 / 3)


def test_f1_pairs_find_a_real_difference_and_no_other() -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(1500) < 0.5
    parts = []
    for accuracy in (0.80, 0.80, 0.70):
        right = rng.random(1500) < accuracy
        yes = np.where(right, truth, ~truth)
        parts.append(confusion_parts(ConfusionMetric.F1, Said(yes, ~yes, np.ones(1500, dtype=bool)), truth))
    pairs = compare_ratios(np.stack([p[0] for p in parts]), np.stack([p[1] for p in parts]))
    assert pairs.p[0, 2] < 1e-6
    assert pairs.p[0, 1] > 0.05
    assert pairs.difference[0, 2] == pytest.approx(-pairs.difference[2, 0])


def test_f1_pairs_use_shared_problems_only() -> None:
    rng = np.random.default_rng(8)
    truth, yes = rng.random(200) < 0.5, rng.random((2, 200)) < 0.5
    scored = np.ones((2, 200), dtype=bool)
    scored[1, :50] = False
    parts = [confusion_parts(ConfusionMetric.F1, Said(yes[i], ~yes[i], scored[i]), truth) for i in range(2)]
    pairs = compare_ratios(np.stack([p[0] for p in parts]), np.stack([p[1] for p in parts]))
    expected = f1_score(truth[50:], yes[0, 50:]) - f1_score(truth[50:], yes[1, 50:])
    assert pairs.difference[0, 1] == pytest.approx(expected)
    assert pairs.n_shared[0, 1] == 150


def test_ratios_agree_with_the_point_estimates_of_scoring() -> None:
    answers = [{"yes": "YES", "no": "NO"}.get(word) for word in WORDS]
    scored = [(("YES" if t else "NO"), a) for t, a, w in zip(TRUTH, answers, WORDS, strict=True) if w != "failed"]
    for policy in ("corrected", "official"):
        expected = yes_no_metrics(tally_yes_no(scored), policy)
        for metric in ConfusionMetric:
            parts = confusion_parts(metric, said(WORDS), TRUTH, counts_missing=policy == "corrected")
            assert ratio_interval(*parts).value == pytest.approx(expected[metric.value])


def test_nothing_of_nothing_is_undefined_and_officially_0() -> None:
    """A model that never answers has no precision; the released scorer writes 0, and so does what it is compared by."""
    silent = [("YES" if t else "NO", None) for t in TRUTH]
    none = Said(np.zeros(len(TRUTH), bool), np.zeros(len(TRUTH), bool), np.ones(len(TRUTH), bool))
    for policy, undefined in (("corrected", math.nan), ("official", 0.0)):
        expected = yes_no_metrics(tally_yes_no(silent), policy)
        for metric in ConfusionMetric:
            counts = {"counts_missing": policy == "corrected"}
            parts = confusion_parts(metric, none, TRUTH, **counts)
            assert ratio_interval(*parts, undefined=undefined).value == expected[metric.value], (policy, metric)
            bounds = ratio_bounds(metric, none, TRUTH, **counts, undefined=undefined)
            assert bounds == (expected[metric.value],) * 2
    rival = confusion_parts(ConfusionMetric.F1, Said(TRUTH, ~TRUTH, none.is_scored), TRUTH, counts_missing=False)
    parts = confusion_parts(ConfusionMetric.F1, none, TRUTH, counts_missing=False)
    stacks = [np.stack(pair) for pair in zip(rival, parts, strict=True)]
    assert compare_ratios(*stacks, undefined=0.0).difference[0, 1] == 1.0
    assert np.isnan(compare_ratios(*stacks).difference[0, 1])


def test_a_perfect_recall_counts_how_few_cases_it_rests_on() -> None:
    truth = np.array([True] * 8 + [False] * 12)
    perfect = Said(truth, ~truth, np.ones(20, dtype=bool))
    recall = ratio_interval(*confusion_parts(ConfusionMetric.RECALL, perfect, truth))
    assert recall.kind is Kind.UNANIMOUS
    assert (recall.low, recall.high) == pytest.approx(proportion_confint(8, 8, method="wilson"))
    few = ratio_interval(*confusion_parts(ConfusionMetric.RECALL, perfect, np.arange(20) < 3))
    assert (few.value, few.low, few.note) == (1.0, None, "n = 3 problems")
