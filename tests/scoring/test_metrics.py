"""Point estimates against hand-worked values, the oracle table and published medal counts."""

import csv
import math
from itertools import combinations

import pytest

from scoring.metrics import (
    ExamTotal,
    ProblemPoints,
    Thresholds,
    YesNoTable,
    accuracy_macro,
    always_yes_f1,
    best_at_k,
    count_medals,
    exam_total,
    majority_at_k,
    mean,
    mean_ratio,
    medal,
    medal_table_key,
    pass_at_k,
    pass_hat_k,
    sure_medal,
    tally_yes_no,
    yes_no_metrics,
)
from tests.scoring.shared_files import oracle, shared_path

FIVE = ("accuracy", "precision", "recall", "f1_score", "yes_ratio")


def table_of(row):
    counts = row["table"]
    return YesNoTable(
        counts["tp"], counts["fp"], counts["tn"], counts["fn"], counts["unparsed_gold_yes"], counts["unparsed_gold_no"]
    )


def test_coin_flip_metrics_agree_with_the_released_ones_under_policy_official():
    rows = oracle("coinflip_metrics")
    assert len(rows) == 10
    for row in rows:
        found = yes_no_metrics(table_of(row), "official")
        assert [found[m] for m in FIVE] == pytest.approx([row["official"][m] for m in FIVE]), row


def test_a_missing_answer_is_wrong_in_recall_and_f1():
    for row in oracle("coinflip_metrics"):
        table = table_of(row)
        found = yes_no_metrics(table)
        assert (found["recall"] or 0.0) == pytest.approx(row["recall_counting_unparsed_as_wrong"])
        denominator = 2 * table.tp + table.fp + table.fn + table.missing_yes
        assert found["f1_score"] == (pytest.approx(2 * table.tp / denominator) if denominator else None)


def test_metrics_are_undefined_rather_than_zero():
    found = yes_no_metrics(YesNoTable(tn=4, fn=1))
    assert (found["precision"], found["recall"], found["accuracy"]) == (None, 0.0, 0.8)
    assert set(yes_no_metrics(YesNoTable()).values()) == {None}
    assert set(yes_no_metrics(YesNoTable(), "official").values()) == {0.0}


def test_replies_are_tallied_by_reference_and_answer():
    pairs = [("YES", "YES"), ("YES", "NO"), ("YES", None), ("NO", "YES"), ("NO", "NO"), ("NO", None), ("NO", None)]
    table = tally_yes_no(pairs)
    assert table == YesNoTable(1, 1, 1, 1, 1, 2)
    assert (table.n, yes_no_metrics(table)["no_answer"]) == (7, pytest.approx(3 / 7))


def test_the_constant_answer_yes_has_f1_2p_over_1_plus_p():
    assert always_yes_f1(YesNoTable(tp=2, fn=1, tn=3, missing_no=6)) == pytest.approx(2 * 0.25 / 1.25)
    assert always_yes_f1(YesNoTable()) is None


def test_means():
    assert mean([]) is None
    assert mean([100.0, 30.0, 0.0, 10.0]) == 35.0
    assert mean_ratio([0.2, 3.0], [0.4, 3.0]) == 0.75
    assert accuracy_macro({"bn": [1.0, 1.0, 1.0, 1.0], "hi": [0.0, 1.0], "or": []}) == 0.75


def test_pass_at_k_is_unbiased():
    assert pass_at_k(10, 3, 1) == pytest.approx(0.3)
    assert pass_at_k(10, 3, 5) == pytest.approx(1 - math.comb(7, 5) / math.comb(10, 5))
    assert pass_at_k(4, 0, 2) == 0.0
    assert pass_at_k(4, 4, 4) == 1.0
    assert pass_at_k(3, 1, 4) is None
    assert pass_hat_k(10, 3, 2) == pytest.approx(3 / 45)
    assert pass_hat_k(2, 2, 3) is None


def test_best_at_k_is_the_mean_of_the_maximum_over_all_subsets():
    points = [0.5, 3.0, 0.0, 2.5, 1.0]
    for k in range(1, 6):
        expected = mean([max(chosen) for chosen in combinations(points, k)])
        assert best_at_k(points, k) == pytest.approx(expected)
    assert best_at_k(points, 6) is None


def test_majority_vote_shares_ties_and_lets_missing_answers_abstain():
    assert majority_at_k(["a", "a", "b"], [1.0, 1.0, 0.0], 3) == 1.0
    assert majority_at_k(["a", "b", None], [1.0, 0.0, 0.0], 3) == 0.5
    assert majority_at_k([None, None], [0.0, 0.0], 2) == 0.0
    assert majority_at_k(["a", "a", "b"], [1.0, 1.0, 0.0], 2) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert majority_at_k(["a"], [1.0], 2) is None


def test_majority_vote_over_many_attempts_is_repeatable():
    classes, points = ["a"] * 12 + ["b"] * 8, [1.0] * 12 + [0.0] * 8
    first = majority_at_k(classes, points, 9, seed=3)
    assert first == majority_at_k(classes, points, 9, seed=3)
    assert 0.6 < first < 1.0


def test_exam_totals_are_decimal_means_over_repeats_summed_over_problems():
    total = exam_total(
        [ProblemPoints((0.67, 0.67), 0.7), ProblemPoints((0.67, 0.67), 0.7), ProblemPoints((0.66,), 0.7)]
    )
    assert total == ExamTotal(2.0, 2.0, 2.0, 2.1)


def test_an_unscored_problem_makes_the_exam_an_interval():
    total = exam_total([ProblemPoints((1.0, 3.0), 4.0), ProblemPoints((None, 1.0), 2.0, low=(0.5, 0), high=(2.0, 0))])
    assert (total.points, total.low, total.high) == (None, 2.75, 3.5)
    assert exam_total([ProblemPoints((), 2.0)]) == ExamTotal(None, 0.0, 2.0, 2.0)


def test_a_score_at_the_threshold_earns_the_medal():
    eupho_2025 = Thresholds(16.5, 9.8, 5.8)
    assert medal(9.8, eupho_2025) == "silver"
    assert medal(9.7999, eupho_2025) == "bronze"
    assert medal(0.1 + 9.7, eupho_2025) == "silver"
    assert medal(29.0, eupho_2025) == "gold"
    assert medal(1.0, eupho_2025) == ""
    assert medal(None, eupho_2025) == ""
    assert medal(320.0, Thresholds()) == ""


def test_an_interval_shows_a_medal_only_where_both_ends_earn_it():
    thresholds = Thresholds(16.5, 9.8, 5.8)
    assert sure_medal(10.0, 16.0, thresholds) == "silver"
    assert sure_medal(10.0, 17.0, thresholds) == ""
    assert sure_medal(5.0, 6.0, thresholds) == ""


def thresholds_by_exam():
    rows = csv.DictReader(shared_path("data/results/hipho_exam_reference.csv").open(encoding="utf-8"))
    return {r["exam"]: Thresholds(float(r["gold"]), float(r["silver"]), float(r["bronze"])) for r in rows}


@pytest.mark.parametrize(("name", "n"), [("hipho_table3_scores", 30), ("hipho_p1vl_table3_scores", 43)])
def test_published_totals_give_the_published_medal_counts(name, n):
    thresholds = thresholds_by_exam()
    rows = list(csv.DictReader(shared_path(f"data/results/{name}.csv").open(encoding="utf-8")))
    assert len(rows) == n
    for row in rows:
        count = count_medals(medal(float(row[exam]), thresholds[exam]) for exam in thresholds if row.get(exam))
        published = [int(row[key]) for key in row if "gold" in key or "silver" in key or "bronze" in key]
        assert [count.gold, count.silver, count.bronze] == published, row


def test_the_medal_table_breaks_ties_by_the_ipho_2025_score():
    rows = [
        (count_medals(["gold", "silver"]), 20.0),
        (count_medals(["gold", "silver"]), 21.0),
        (count_medals(["gold"] * 2), None),
    ]
    ordered = sorted(rows, key=lambda row: medal_table_key(*row))
    assert [score for _, score in ordered] == [None, 21.0, 20.0]
