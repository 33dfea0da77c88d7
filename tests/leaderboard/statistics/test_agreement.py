"""Agreement against scikit-learn, scipy, statsmodels and krippendorff, and PandaLM's published figures."""

import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import cohens_kappa

from leaderboard.statistics.agreement import (
    cohen_kappa,
    errors_by_group,
    exact_agreement,
    mean_signed_error,
    pearson_r,
    quadratic_kappa,
    report_judge,
    spearman_r,
    tabulate_confusion,
)
from leaderboard.statistics.intervals import Kind
from leaderboard.statistics.reliability import Level, flip_rate, krippendorff_alpha, largest_disagreements

PANDALM = Path(__file__).resolve().parents[3] / "../shared/data/imports/votes/testset-v1.json"


def raters(n: int = 300, n_raters: int = 2, categories: int = 5, seed: int = 1) -> np.ndarray:
    """Ratings (raters, items) that follow a common truth with noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(categories, size=n)
    noisy = truth + rng.integers(-1, 2, size=(n_raters, n)) * (rng.random((n_raters, n)) < 0.4)
    return np.clip(noisy, 0, categories - 1).astype(float)


def with_gaps(ratings: np.ndarray, share: float = 0.25) -> np.ndarray:
    gaps = np.random.default_rng(9).random(ratings.shape) < share
    return np.where(gaps, np.nan, ratings)


@pytest.fixture(scope="module")
def pandalm() -> np.ndarray:
    if not PANDALM.exists():
        pytest.skip("PandaLM's human votes are not here")
    records = json.loads(PANDALM.read_text(encoding="utf-8"))
    return np.array([[r[f"annotator{k}"] for r in records] for k in (1, 2, 3)], dtype=float)


def test_pandalm_pairwise_agreement_is_as_published(pandalm: np.ndarray) -> None:
    values = [exact_agreement(pandalm[i], pandalm[j]).value for i, j in ((0, 1), (0, 2), (1, 2))]
    assert pandalm.shape == (3, 999)
    assert sorted(round(v, 3) for v in values) == [0.913, 0.918, 0.929]  # type: ignore[arg-type]


def test_pandalm_kappas_are_as_published(pandalm: np.ndarray) -> None:
    values = [cohen_kappa(pandalm[i], pandalm[j]).value for i, j in ((0, 1), (0, 2), (1, 2))]
    assert sorted(round(v, 3) for v in values) == [0.852, 0.862, 0.879]  # type: ignore[arg-type]


def test_pandalm_alpha_is_as_published_and_its_interval_holds_it(pandalm: np.ndarray) -> None:
    alpha = krippendorff_alpha(pandalm, Level.NOMINAL)
    assert alpha.value == pytest.approx(0.864, abs=5e-4)
    assert alpha.kind is Kind.BOOTSTRAP
    assert alpha.low is not None and alpha.high is not None
    assert 0.83 < alpha.low < 0.864 < alpha.high < 0.90


def test_all_three_of_pandalm_agree_in_879(pandalm: np.ndarray) -> None:
    assert int((flip_share(pandalm) == 0).sum()) == 879
    assert len(largest_disagreements(pandalm, 999)) == 999 - 879


def flip_share(ratings: np.ndarray) -> np.ndarray:
    return np.asarray(ratings.max(axis=0) - ratings.min(axis=0))


def test_cohen_kappa_agrees_with_scikit_learn_and_its_error_with_statsmodels() -> None:
    a, b = raters()
    result = cohen_kappa(a, b)
    table = confusion_matrix(a, b)
    assert result.value == pytest.approx(cohen_kappa_score(a, b))
    assert result.se == pytest.approx(float(np.sqrt(cohens_kappa(table).var_kappa)), rel=0.1)


def test_quadratic_kappa_agrees_with_scikit_learn() -> None:
    a, b = raters()
    assert quadratic_kappa(a, b).value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))


def test_quadratic_kappa_weighs_points_and_not_their_place_in_a_list() -> None:
    a, b = np.array([0.0, 0.1, 2.0, 2.0] * 6), np.array([0.1, 0.1, 2.0, 0.0] * 6)
    gap, chance = ((a - b) ** 2).mean(), ((a[:, None] - b[None, :]) ** 2).mean()
    assert quadratic_kappa(a, b).value == pytest.approx(1 - gap / chance)


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("n_raters", [2, 3, 6])
def test_alpha_agrees_with_krippendorff_with_gaps(level: Level, n_raters: int) -> None:
    ratings = with_gaps(raters(120, n_raters))
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level.value)
    assert krippendorff_alpha(ratings, level).value == pytest.approx(expected)


@pytest.mark.parametrize("level", list(Level))
def test_alpha_of_points_agrees_with_krippendorff(level: Level) -> None:
    ratings = with_gaps(raters(80, 4, categories=9) * 0.15)
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level.value)
    assert krippendorff_alpha(ratings, level).value == pytest.approx(expected)


def test_alpha_bootstrap_equals_a_plain_loop() -> None:
    ratings = with_gaps(raters(60, 3))
    result = krippendorff_alpha(ratings, Level.ORDINAL)
    usable = ratings[:, (~np.isnan(ratings)).sum(axis=0) >= 2]
    rng = np.random.default_rng(3)
    values = [
        krippendorff.alpha(
            usable[:, rng.integers(usable.shape[1], size=usable.shape[1])], level_of_measurement="ordinal"
        )
        for _ in range(300)
    ]
    assert result.se == pytest.approx(np.std(values), rel=0.2)


def test_items_are_resampled_by_cluster() -> None:
    base = raters(60)
    a, b = np.repeat(base, 10, axis=1)
    one_by_one = cohen_kappa(a, b)
    together = cohen_kappa(a, b, [i // 10 for i in range(600)])
    assert one_by_one.se is not None and together.se is not None
    assert together.se > 2.5 * one_by_one.se
    assert together.clusters == 60


def test_below_twenty_clusters_the_jackknife_stands_and_below_six_nothing() -> None:
    a, b = raters(60)
    assert cohen_kappa(a, b, [i % 10 for i in range(60)]).kind is Kind.JACKKNIFE
    few = cohen_kappa(a, b, [i % 5 for i in range(60)])
    assert (few.kind, few.note) == (Kind.NONE, "n = 5 items (60 parts)")


def test_agreement_that_cannot_be_beyond_chance_is_undefined() -> None:
    same = np.ones(30)
    assert cohen_kappa(same, same).value is None
    assert quadratic_kappa(same, same).value is None
    assert krippendorff_alpha(np.stack([same, same])).value is None
    assert pearson_r(same, np.arange(30.0)).value is None
    assert exact_agreement(same, same).value == 1.0


def test_nobody_rated_together_is_no_value() -> None:
    gaps = np.array([1.0, np.nan]), np.array([np.nan, 1.0])
    assert cohen_kappa(*gaps).value is None
    assert krippendorff_alpha(np.stack(gaps)).value is None
    assert pearson_r(*gaps).value is None


def test_pearson_agrees_with_scipy_also_far_from_zero() -> None:
    a, b = raters()
    assert pearson_r(a + 1e6, b).value == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-6)


def test_spearman_leaves_out_models_that_one_table_lacks() -> None:
    assert spearman_r([1.0, 2.0, None, 4.0], [10.0, 20.0, 5.0, 40.0]) == pytest.approx(1.0)
    assert spearman_r([1.0, None, 3.0], [1.0, 2.0, 3.0]) is None


def test_signed_error_is_judge_minus_human() -> None:
    judge, human = np.array([1.0, 1.0, 0.5] * 10), np.array([1.0, 0.5, np.nan] * 10)
    assert mean_signed_error(judge, human).value == pytest.approx(0.25)


def test_confusion_has_the_human_in_rows() -> None:
    table = tabulate_confusion(np.array([1.0, 1.0, 0.0, np.nan]), np.array([0.0, 1.0, 0.0, 1.0]))
    assert table.labels == (0.0, 1.0)
    assert table.counts.tolist() == [[1, 1], [0, 1]]


def test_flip_rate_is_the_chance_that_a_second_verdict_differs() -> None:
    verdicts = np.array([[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, np.nan], [1.0, 0.0, 0.0, np.nan]])
    result = flip_rate(verdicts)
    assert result.value == pytest.approx((0 + 2 / 3 + 0) / 3)
    assert result.n == 3


def test_largest_disagreements_come_first_and_agreed_items_never() -> None:
    ratings = np.array([[0.0, 1.0, 2.0, np.nan], [0.5, 1.0, 0.0, 3.0]])
    assert largest_disagreements(ratings, 10) == (2, 0)


def test_errors_by_group_show_a_judge_that_favours_its_family() -> None:
    human = np.tile([0.0, 1.0], 40)
    judge = human + np.repeat([0.3, 0.0], 40)
    own, other = errors_by_group(judge, human, ["own"] * 40 + ["other"] * 40)
    assert (own.group, other.group) == ("own", "other")
    assert own.error.value == pytest.approx(0.3)
    assert other.error.value == pytest.approx(0.0)


def test_judge_report_holds_every_coefficient_with_its_interval() -> None:
    judge, human = raters(400)
    human[:20] = np.nan
    replies = [i // 4 for i in range(400)]
    report = report_judge(judge, human, [i // 8 for i in range(400)], totals=replies)
    whole = slice(20, None)
    assert report.kappa.value == pytest.approx(cohen_kappa_score(judge[whole], human[whole]))
    assert report.exact.n == 380
    totals = [side[whole].reshape(-1, 4).sum(axis=1) for side in (judge, human)]
    assert report.total_r.value == pytest.approx(stats.pearsonr(*totals).statistic)
    assert report.total_r.n == 95
    for interval in (report.exact, report.kappa, report.weighted_kappa, report.mean_error, report.total_r):
        assert interval.kind is Kind.BOOTSTRAP
        assert interval.clusters == 48
    assert report.confusion.counts.sum() == 380


def test_ratings_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        exact_agreement(np.ones(3), np.ones(4))
