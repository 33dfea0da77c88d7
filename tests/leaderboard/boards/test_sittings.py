"""Models in one exam are compared over sittings, never over problems."""

from __future__ import annotations

import numpy as np
from scipy import stats

from leaderboard.statistics.corrections import holm
from leaderboard.statistics.exams import better_in_sittings

SITTINGS = [[20.0, 21.0, 22.5, 20.5], [10.0, 11.5, 9.0, 10.2], [19.5, 21.5, 20.0, 22.0], [5.0]]


def test_welchs_t_with_holm_as_scipy_has_it() -> None:
    pairs = [(i, j) for i in range(3) for j in range(i + 1, 3)]
    p = holm(np.array([stats.ttest_ind(SITTINGS[i], SITTINGS[j], equal_var=False).pvalue for i, j in pairs]))
    better = better_in_sittings(SITTINGS)
    for (i, j), corrected in zip(pairs, p, strict=True):
        first_is_better = np.mean(SITTINGS[i]) > np.mean(SITTINGS[j])
        assert better[i, j] == (corrected < 0.05 and first_is_better)
        assert better[j, i] == (corrected < 0.05 and not first_is_better)


def test_one_sitting_is_never_better_or_worse() -> None:
    better = better_in_sittings(SITTINGS)
    assert not better[3].any() and not better[:, 3].any()


def test_sittings_that_all_agree_are_compared_by_their_orders() -> None:
    assert better_in_sittings([[9.0] * 8, [3.0] * 8])[0, 1]
    assert not better_in_sittings([[9.0] * 2, [3.0] * 2])[0, 1]
    assert not better_in_sittings([[9.0] * 8, [9.0] * 8]).any()
