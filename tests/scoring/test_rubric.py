"""Criterion maxima, scheme sums and awards (HiPhO's marking schemes)."""

import pytest

from scoring.errors import ParseError
from scoring.points import add_points, is_same, mean_points
from scoring.rubric import parse_criterion_points, read_schemes, score_awards
from scoring.score import Status
from tests.scoring.shared_files import hipho_records, oracle


def test_every_published_criterion_has_its_right_maximum():
    rows = oracle("hipho_criteria")
    assert len(rows) == 1037
    wrong = [r for r in rows if parse_criterion_points(r["text"]) != r["right_points"]]
    assert wrong == []


def test_every_published_scheme_adds_up_to_its_record():
    records = {r["id"]: r for r in hipho_records()}
    rows = oracle("hipho_points")
    assert len(rows) == 403
    for row in rows:
        schemes = read_schemes(records[row["id"]].get("marking"), row["points_sum"])
        assert len(schemes) == (row["n_schemes"] if row["grading"] == "step" else 0), row["id"]
        assert [len(s) for s in schemes] == (row["n_criteria"] if schemes else []), row["id"]
        assert [add_points(c.max_points for c in s) for s in schemes] == (row["right_scheme_sums"] if schemes else [])
        assert is_same(add_points(row["points"]), row["points_sum"])


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Award 0.2 pt if the answer is right. Otherwise, award 0 pt.", 0.2),
        ("Award a total of 1.0 pt for the following: award 0.1 pt for each of ten.", 1.0),
        ("Award up to 0.5 pts for the sketch", 0.5),
        ("Award a maximum of 2 pts: 0.5 pt for each force.", 2.0),
        ("Award $0.5$ pt if the sign is right", 0.5),
        ("Award .5 point for the idea", 0.5),
        ("Award 3.0 pts if it is a prism compressor. Otherwise, award 0.0 pts.", 3.0),
        ("Deduct 0.1 pt for each error; award 0.5 pt if all is right.", 0.5),
        ("0.5 pt for the formula, minus 0.2 pt for a wrong sign", 0.5),
        ("If the answer is wrong, award 0 pt; otherwise award 0.5 pt.", 0.5),
        ("Do not award 0.4 pt for a guess; award 0.3 pt for a derivation.", 0.3),
        ("If the answer finds 5 points of light, award 0.3 pt.", 0.3),
        ("如果解答正确写出 $F=ma$，则得 2 分。否则得 0 分。", 2.0),
        ("共3分：写出A得1分，写出B得2分", 3.0),
        ("错误扣0.5分；写出公式得1.5分", 1.5),
        ("经过 2 分钟后温度正确，则得 3 分。", 3.0),
        ("不得分若无推导；给出推导得1分", 1.0),
    ],
)
def test_the_maximum_is_what_is_awarded_in_all(text, points):
    assert parse_criterion_points(text) == points


@pytest.mark.parametrize(
    "text", ["", "The answer is right.", "Deduct 0.5 pt for a wrong sign.", "扣0.5分", "in 3 minutes"]
)
def test_a_criterion_without_points_is_refused(text):
    with pytest.raises(ParseError, match="states no points"):
        parse_criterion_points(text)


def test_a_flat_list_is_one_scheme():
    (scheme,) = read_schemes(["Award 1.0 pt if a", "Award 1.5 pts if b"], 2.5)
    assert [c.max_points for c in scheme] == [1.0, 1.5]


@pytest.mark.parametrize("marking", [None, [], [[]]])
def test_no_marking_is_no_scheme(marking):
    assert read_schemes(marking, 1.0) == ()


@pytest.mark.parametrize("marking", ["Award 1 pt", [["Award 1 pt"], 3], [[1]], {"a": 1}])
def test_a_marking_of_another_shape_is_refused(marking):
    with pytest.raises(ParseError, match="marking"):
        read_schemes(marking, 1.0)


def test_a_scheme_that_does_not_add_up_is_refused():
    with pytest.raises(ParseError, match=r"scheme 1: its criteria add up to 0\.2, the record to 0\.3"):
        read_schemes([["Award 0.3 pt if a"], ["Award 0.2 pt if b"]], 0.3)


SCHEMES = read_schemes([["Award 0.2 pt if a", "Award 0.1 pt if b"], ["Award 0.3 pt if c"]], 0.3)


def test_the_best_scheme_counts_and_never_the_sum():
    score = score_awards(SCHEMES, [[0.2, 0.0], [0.1]])
    assert (score.points, score.scheme, score.status) == (0.2, 0, Status.SCORED)
    assert score_awards(SCHEMES, [[0.2, 0.0], [0.3]]).scheme == 1
    assert [s.points for s in score.schemes] == [0.2, 0.1]


def test_awards_are_added_as_decimals():
    schemes = read_schemes([["Award 0.67 pt if a", "Award 0.67 pt if b", "Award 0.66 pt if c"]], 2.0)
    assert score_awards(schemes, [[0.67, 0.67, 0.66]]).points == 2.0
    assert add_points([0.1] * 3) == 0.3
    assert mean_points([0.1, 0.2]) == 0.15


def test_a_missing_verdict_leaves_the_step_level_unscored():
    score = score_awards(SCHEMES, [[0.2, None], [0.1]])
    assert (score.points, score.scheme, score.status) == (None, None, Status.JUDGE_FAILED)
    assert [s.points for s in score.schemes] == [None, 0.1]


@pytest.mark.parametrize(
    ("awarded", "named"),
    [
        ([[0.2, 0.11], [0.0]], "scheme 0, criterion 1"),
        ([[-0.1, 0.1], [0.0]], "scheme 0, criterion 0"),
        ([[0.2, float("nan")], [0.0]], "scheme 0, criterion 1"),
        ([[0.2, True], [0.0]], "scheme 0, criterion 1"),
        ([[0.2, "0.1"], [0.0]], "scheme 0, criterion 1"),
        ([[0.2], [0.0]], "scheme 0: 2 criteria"),
        ([[0.2, 0.1]], "2 schemes"),
    ],
)
def test_awards_out_of_bounds_are_refused_and_never_clamped(awarded, named):
    with pytest.raises(ParseError, match=named):
        score_awards(SCHEMES, awarded)
