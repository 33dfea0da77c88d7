"""The two levels of a HiPhO reply become one number, or an interval."""

from scoring.combine import combine_max, combine_step_else_answer


def test_the_larger_level_counts_in_the_exam():
    found = combine_max(0.5, 0.8, has_answer=True, has_step=True, max_points=1.0)
    assert (found.points, found.level, found.low, found.high) == (0.8, "step", 0.8, 0.8)
    assert combine_max(0.9, 0.8, has_answer=True, has_step=True, max_points=1.0).level == "answer"
    assert combine_max(0.9, None, has_answer=True, has_step=False, max_points=1.0).points == 0.9
    assert combine_max(None, 0.2, has_answer=False, has_step=True, max_points=1.0).points == 0.2


def test_a_missing_level_leaves_an_interval_from_the_other_ones_points():
    found = combine_max(0.5, None, has_answer=True, has_step=True, max_points=1.0)
    assert not found.is_scored
    assert (found.points, found.level, found.low, found.high) == (None, "", 0.5, 1.0)
    nothing = combine_max(None, None, has_answer=True, has_step=True, max_points=2.0)
    assert (nothing.low, nothing.high) == (0.0, 2.0)


def test_a_problem_without_any_level_is_unscored():
    assert not combine_max(None, None, has_answer=False, has_step=False, max_points=2.0).is_scored


def test_accuracy_takes_the_step_level_where_a_scheme_exists():
    assert combine_step_else_answer(1.0, 0.2, has_answer=True, has_step=True, max_points=1.0).points == 0.2
    assert combine_step_else_answer(1.0, None, has_answer=True, has_step=False, max_points=1.0).level == "answer"
    open_end = combine_step_else_answer(1.0, None, has_answer=True, has_step=True, max_points=1.0)
    assert (open_end.points, open_end.low, open_end.high) == (None, 0.0, 1.0)
