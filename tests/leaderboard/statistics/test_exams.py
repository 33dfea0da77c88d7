"""Medals: the published exam totals give the published counts; sittings, thresholds and unscored problems."""

import csv
from pathlib import Path

import numpy as np
import pytest

from leaderboard.statistics.exams import sit_exam, sittings_interval, tabulate_medals
from leaderboard.statistics.intervals import Kind
from scoring.metrics import MedalCount, Thresholds, medal

RESULTS = Path(__file__).resolve().parents[3] / "../shared/data/results"


def read_results(name: str) -> list[dict[str, str]]:
    path = RESULTS / name
    if not path.exists():
        pytest.skip(f"published results are not here: {name}")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def read_thresholds() -> dict[str, Thresholds]:
    return {
        row["exam"]: Thresholds(float(row["gold"]), float(row["silver"]), float(row["bronze"]))
        for row in read_results("hipho_exam_reference.csv")
    }


@pytest.mark.parametrize(("name", "n_models"), [("hipho_table3_scores.csv", 30), ("hipho_p1vl_table3_scores.csv", 43)])
def test_published_totals_earn_the_published_medals(name: str, n_models: int) -> None:
    thresholds, rows = read_thresholds(), read_results(name)
    medals = {row["model"]: [medal(float(row[exam]), t) for exam, t in thresholds.items()] for row in rows}
    table = tabulate_medals(medals, {row["model"]: float(row["IPhO_2025"]) for row in rows})
    counts = {row.model: row.medals for row in table}
    published = {
        row["model"]: MedalCount(*(int(row[f"{name}_medals"]) for name in ("gold", "silver", "bronze"))) for row in rows
    }
    assert len(published) == n_models
    assert counts == published


def test_published_table_leads_with_the_published_leader() -> None:
    rows, thresholds = read_results("hipho_p1vl_table3_scores.csv"), read_thresholds()
    medals = {row["model"]: [medal(float(row[exam]), t) for exam, t in thresholds.items()] for row in rows}
    table = tabulate_medals(medals, {row["model"]: float(row["IPhO_2025"]) for row in rows})
    assert table[0].model == "Gemini-3-Pro (high)"
    # 12, 1, 0 four times and more: the IPhO 2025 score decides.
    twelve = [row.tie_score for row in table if row.medals == MedalCount(12, 1, 0)]
    assert twelve == sorted(twelve, reverse=True) and len(twelve) > 2


EUPHO_2025 = Thresholds(16.5, 9.8, 5.8)
FULL = np.array([10.0, 10.0])


def test_a_total_on_the_threshold_earns_the_medal() -> None:
    points = np.array([[9.7], [0.1]])  # 9.799999999999999 in binary
    assert sit_exam(points, FULL, EUPHO_2025).medal == "silver"
    assert sit_exam(np.full((14, 1), 0.7), np.full(14, 1.0), EUPHO_2025).medal == "silver"


def test_the_mean_over_sittings_on_the_threshold_earns_the_medal() -> None:
    points = np.array([[9.7, 9.8, 9.9]])
    assert sit_exam(points, np.array([20.0]), EUPHO_2025).medal == "silver"


def test_equal_medals_are_ordered_by_the_tie_score_and_a_missing_one_is_last() -> None:
    rows = tabulate_medals(
        {"a": ["gold"], "b": ["gold"], "c": ["gold"], "d": [None], "e": ["gold"]},
        {"a": None, "b": 20.0, "c": 22.0, "e": 20.0},
    )
    assert [(row.model, row.rank) for row in rows] == [("c", 1), ("b", 2), ("e", 2), ("a", 4), ("d", 5)]


def test_more_silver_never_outweighs_gold() -> None:
    rows = tabulate_medals({"a": ["silver"] * 5, "b": ["gold"]}, {})
    assert [row.model for row in rows] == ["b", "a"]


def test_sittings_give_a_student_interval_with_k_minus_one_degrees_of_freedom() -> None:
    result = sittings_interval([20.0, 22.0, 24.0])
    assert (result.value, result.kind, result.clusters) == (22.0, Kind.SITTINGS, 3)
    assert (result.low, result.high) == pytest.approx((22 - 4.302653 * 2 / 3**0.5, 22 + 4.302653 * 2 / 3**0.5))


def test_one_sitting_has_a_medal_but_no_interval_and_no_probability() -> None:
    result = sit_exam(np.array([[9.0], [8.0]]), FULL, EUPHO_2025)
    assert (result.score.value, result.score.low, result.score.note) == (17.0, None, "one sitting")
    assert result.medal == "gold"
    assert result.sentence == ""


def test_gold_in_seven_of_eight_sittings() -> None:
    points = np.vstack([np.full(8, 9.0), [8, 8, 8, 8, 8, 8, 8, 2]])
    result = sit_exam(points, FULL, EUPHO_2025)
    assert result.sentence == "gold in 7 of 8 sittings"
    assert result.low_totals == (17.0,) * 7 + (11.0,)
    assert result.score.value == pytest.approx(16.25)
    assert result.medal == "silver"


def test_an_exam_without_thresholds_has_a_score_and_no_medal() -> None:
    result = sit_exam(np.array([[9.0, 8.0], [8.0, 8.0]]), FULL)
    assert result.medal is None
    assert result.sentence == ""
    assert sit_exam(np.array([[9.0]]), FULL[:1], Thresholds()).medal is None


def test_a_medal_is_shown_only_if_both_ends_earn_it() -> None:
    sure = sit_exam(np.array([[9.0], [np.nan]]), np.array([10.0, 1.0]), Thresholds(16.5, 9.0, 5.8))
    assert (sure.medal, sure.is_complete) == ("silver", False)


def test_an_unscored_problem_makes_the_exam_an_interval() -> None:
    result = sit_exam(np.array([[9.0], [np.nan]]), FULL, EUPHO_2025)
    assert (result.low, result.high) == (9.0, 19.0)
    assert result.score.value is None
    assert (result.medal, result.medal_low, result.medal_high) == ("", "bronze", "gold")
    assert not result.is_complete


def test_a_level_that_is_there_lifts_the_lower_end() -> None:
    result = sit_exam(np.array([[9.0], [np.nan]]), FULL, EUPHO_2025, lowest=np.array([[0.0], [8.0]]))
    assert (result.low, result.high) == (17.0, 19.0)
    assert result.medal == "gold"


def test_an_interval_over_sittings_holds_both_ends_of_the_unscored() -> None:
    result = sit_exam(np.array([[9.0, 9.5, 9.0], [5.0, np.nan, 5.0]]), FULL, EUPHO_2025)
    assert result.score.low is not None and result.score.high is not None
    assert result.score.low < result.low < result.high < result.score.high <= 20.0
    assert result.sitting_medals == MedalCount(0, 2, 0)


def test_judge_repeats_are_averaged_within_a_sitting() -> None:
    points = np.array([[[4.0, 6.0], [5.0, 5.0]], [[8.0, 8.0], [8.0, 9.0]]])
    assert sit_exam(points, FULL).low_totals == (13.0, 13.5)


def test_judge_repeats_of_one_sitting_are_its_sittings() -> None:
    points = np.array([[[4.0, 6.0]], [[8.0, 8.0]]])
    assert sit_exam(points, FULL).low_totals == (12.0, 14.0)


def test_points_and_full_marks_must_match() -> None:
    with pytest.raises(ValueError, match="3 full marks"):
        sit_exam(np.ones((2, 1)), np.ones(3))
