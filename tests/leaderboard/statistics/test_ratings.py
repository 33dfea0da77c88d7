"""Arena ratings against a worked example, choix, and simulations with known strengths."""

import json
from pathlib import Path

import choix
import numpy as np
import pytest

from leaderboard.statistics.bradley_terry import fit, outcome_rates, tally
from leaderboard.statistics.intervals import Kind
from leaderboard.statistics.ratings import ELO_PER_LOG, Ties, rank_upper_bounds, rate, win_rates
from leaderboard.statistics.votes import Votes, battles_from_scores, build_votes, check_field, count_wins

VOTES = Path(__file__).resolve().parents[3] / "../shared/data/imports/votes"


def simulate(
    strengths: np.ndarray, n: int, n_voters: int, seed: int, log_nu: float | None = None
) -> tuple[Votes, np.random.Generator]:
    rng = np.random.default_rng(seed)
    m = strengths.size
    first = rng.integers(m, size=n)
    second = (first + rng.integers(1, m, size=n)) % m
    win, loss, _ = outcome_rates(strengths[first] - strengths[second], log_nu)
    roll = rng.random(n)
    outcome = np.where(roll < win, 1.0, np.where(roll < win + loss, 0.0, 0.5))
    return build_votes(first, second, outcome, rng.integers(n_voters, size=n), n_models=m), rng


def as_choix_pairs(votes: Votes) -> list[tuple[int, int]]:
    """(winner, loser) with every vote twice, so that a tie is one win each."""
    pairs = []
    for a, b, y in zip(votes.first.tolist(), votes.second.tolist(), votes.outcome.tolist(), strict=True):
        pairs += [(a, b)] * round(2 * y) + [(b, a)] * round(2 - 2 * y)
    return pairs


def ratings_of(votes: Votes, **options: object) -> np.ndarray:
    return np.array([row.rating for row in rate(votes, **options).ratings], dtype=float)  # type: ignore[arg-type]


def test_four_players_have_the_strengths_worked_out_by_hand() -> None:
    wins = {"AB": 2, "AD": 1, "BA": 3, "BC": 5, "CB": 3, "CD": 1, "DA": 4, "DC": 3}
    first = [("ABCD".index(pair[0])) for pair, n in wins.items() for _ in range(n)]
    second = [("ABCD".index(pair[1])) for pair, n in wins.items() for _ in range(n)]
    votes = build_votes(first, second, [1.0] * len(first))
    strengths = np.exp(fit(tally(votes)).theta[0])
    assert strengths == pytest.approx([0.640, 1.043, 0.660, 2.270], abs=5e-4)
    assert np.prod(strengths) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_strengths_agree_with_choix_on_random_votes(seed: int) -> None:
    true = np.random.default_rng(100 + seed).normal(0, 1, 12)
    votes, _ = simulate(true, 3000, 50, seed, log_nu=-0.5)
    theirs = choix.ilsr_pairwise(12, as_choix_pairs(votes))
    ours = fit(tally(votes)).theta[0]
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-4)


def read_vicuna() -> Votes:
    names = {"gpt35": 0, "vicuna-13b": 1, "alpaca-13b": 2, "bard": 3}
    first, second, outcome, questions = [], [], [], []
    for path in sorted((VOTES / "vicuna_eval_2023").glob("review_*.jsonl")):
        left, right = path.stem.removeprefix("review_").split("_")
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            a, b = record["score"]
            if a < 0 or b < 0:
                continue
            first.append(names[left]), second.append(names[right])
            outcome.append(0.5 if a == b else float(a > b)), questions.append(record["question_id"])
    return build_votes(first, second, outcome, questions)


def read_panda() -> tuple[Votes, np.ndarray]:
    """Votes of three annotators, and their ratings (3, 999)."""
    records = json.loads((VOTES / "testset-v1.json").read_text(encoding="utf-8"))
    models: dict[str, int] = {}
    first, second, outcome, annotators = [], [], [], []
    for record in records:
        left, right = record["cmp_key"].split("_", 1)
        a, b = models.setdefault(left, len(models)), models.setdefault(right, len(models))
        for who in (1, 2, 3):
            first.append(a), second.append(b), annotators.append(who)
            outcome.append({0: 0.5, 1: 1.0, 2: 0.0}[record[f"annotator{who}"]])
    ratings = np.array([[r[f"annotator{who}"] for r in records] for who in (1, 2, 3)], dtype=float)
    return build_votes(first, second, outcome, annotators), ratings


needs_votes = pytest.mark.skipif(not VOTES.exists(), reason="the real votes are not here")


@needs_votes
@pytest.mark.parametrize("read", [read_vicuna, lambda: read_panda()[0]], ids=["vicuna", "pandalm"])
def test_real_votes_give_the_ratings_of_choix(read: object) -> None:
    votes: Votes = read()  # type: ignore[operator]
    assert check_field(votes).is_connected
    theirs = choix.ilsr_pairwise(votes.n_models, as_choix_pairs(votes))
    assert fit(tally(votes)).theta[0] == pytest.approx(theirs - theirs.mean(), abs=1e-4)


@needs_votes
def test_three_annotators_are_too_few_to_resample() -> None:
    table = rate(read_panda()[0])
    assert table.kind is Kind.NONE
    assert table.warnings == ("n = 3 voters: no intervals",)


def test_ratings_have_mean_1000_and_400_points_are_ten_to_one() -> None:
    votes = build_votes([0] * 11, [1] * 11, [1.0] * 10 + [0.0])
    ratings = ratings_of(votes)
    assert ratings.mean() == pytest.approx(1000)
    assert ratings[0] - ratings[1] == pytest.approx(400)


def test_a_tie_is_half_a_win_for_each() -> None:
    with_ties = build_votes([0, 0, 0, 0], [1, 1, 1, 1], [1.0, 0.5, 0.5, 0.0])
    without = build_votes([0, 0, 0, 0], [1, 1, 1, 1], [1.0, 1.0, 0.0, 0.0])
    assert ratings_of(with_ties) == pytest.approx(ratings_of(without))


def test_davidson_recovers_strengths_and_the_tie_parameter() -> None:
    true = np.array([-1.0, -0.3, 0.2, 1.1])
    votes, _ = simulate(true, 40_000, 200, 3, log_nu=np.log(0.8))
    table = rate(votes, ties=Ties.DAVIDSON)
    estimated = (np.array([row.rating for row in table.ratings], dtype=float) - 1000) / ELO_PER_LOG
    assert table.tie_parameter == pytest.approx(0.8, abs=0.05)
    assert estimated == pytest.approx(true - true.mean(), abs=0.06)


def test_davidson_without_ties_is_bradley_terry() -> None:
    votes, _ = simulate(np.array([-1.0, 0.0, 1.0]), 500, 50, 1)
    assert ratings_of(votes, ties=Ties.DAVIDSON) == pytest.approx(ratings_of(votes), abs=1e-6)


@pytest.mark.parametrize("kind", [Kind.BOOTSTRAP, Kind.SANDWICH])
@pytest.mark.parametrize("ties", list(Ties))
def test_intervals_cover_known_strengths_about_as_often_as_they_say(kind: Kind, ties: Ties) -> None:
    true = np.linspace(-1, 1, 10)
    covered = []
    for seed in range(40):
        votes, _ = simulate(true, 3000, 150, seed, log_nu=None if ties is Ties.HALF else 0.0)
        for row, theta in zip(rate(votes, kind=kind, ties=ties).ratings, true, strict=True):
            assert row.low is not None and row.high is not None
            covered.append(row.low <= 1000 + ELO_PER_LOG * theta <= row.high)
    assert 0.91 <= np.mean(covered) <= 0.985


def test_voters_with_a_taste_of_their_own_widen_the_interval() -> None:
    rng = np.random.default_rng(6)
    taste = rng.normal(0, 1.5, (40, 6))
    voter = rng.integers(40, size=4000)
    first = rng.integers(6, size=4000)
    second = (first + rng.integers(1, 6, size=4000)) % 6
    rate_of_first = 1 / (1 + np.exp(taste[voter, second] - taste[voter, first]))
    outcome = (rng.random(4000) < rate_of_first).astype(float)
    by_voter = rate(build_votes(first, second, outcome, voter)).ratings[0]
    by_vote = rate(build_votes(first, second, outcome)).ratings[0]
    assert by_voter.se is not None and by_vote.se is not None
    assert by_voter.se > 2 * by_vote.se


def test_bootstrap_and_sandwich_agree_on_plenty_of_votes() -> None:
    votes, _ = simulate(np.linspace(-1, 1, 8), 20_000, 400, 2)
    boot, sandwich = rate(votes, rounds=400), rate(votes, kind=Kind.SANDWICH)
    for a, b in zip(boot.ratings, sandwich.ratings, strict=True):
        assert a.rating == pytest.approx(b.rating)
        assert a.se == pytest.approx(b.se, rel=0.15)


def test_the_same_votes_give_the_same_intervals() -> None:
    votes, _ = simulate(np.linspace(-1, 1, 5), 500, 30, 2)
    assert rate(votes) == rate(votes)
    assert rate(votes).seed is not None


def test_fewer_than_one_hundred_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="under 100"):
        rate(build_votes([0], [1], [1.0]), rounds=99)


def test_between_six_and_twenty_voters_the_interval_is_students() -> None:
    votes, _ = simulate(np.linspace(-1, 1, 4), 600, 10, 2)
    assert rate(votes).kind is Kind.SANDWICH


def test_rank_upper_bound_counts_the_models_surely_above() -> None:
    assert rank_upper_bounds([1100.0, 1050.0, 900.0, None], [1200.0, 1150.0, 1060.0, None]) == [1, 1, 2, None]


def test_an_all_win_and_an_all_loss_model_carry_a_note_and_a_finite_rating() -> None:
    first, second = [0] * 40 + [1] * 40 + [1] * 40, [1] * 40 + [2] * 40 + [3] * 40
    outcome = [1.0] * 40 + [1.0, 0.0] * 20 + [1.0] * 40
    table = rate(build_votes(first, second, outcome, [i % 40 for i in range(120)]))
    assert table.check.all_win == (0,) and table.check.all_loss == (3,)
    assert "won every battle" in table.ratings[0].note and "lost every battle" in table.ratings[3].note
    assert "not strongly connected (3 groups)" in table.warnings[0]
    values = [row.rating for row in table.ratings]
    assert np.isfinite(np.array(values, dtype=float)).all()
    assert values[0] > values[1] > values[3]


def test_two_islands_are_told_apart() -> None:
    votes = build_votes([0, 0, 2, 2], [1, 1, 3, 3], [1.0, 0.0, 1.0, 0.0])
    assert check_field(votes).components == ((0, 1), (2, 3))


def test_a_tie_connects_both_ways() -> None:
    assert check_field(build_votes([0], [1], [0.5])).is_connected


def test_under_thirty_votes_a_rating_is_preliminary() -> None:
    votes = build_votes([0] * 29 + [1], [1] * 29 + [2], [1.0, 0.0] * 14 + [1.0, 0.5])
    assert [row.is_preliminary for row in rate(votes).ratings] == [True, False, True]


def test_a_model_without_votes_has_no_rating_and_moves_no_mean() -> None:
    votes = build_votes([0] * 40, [2] * 40, [1.0, 0.0] * 20, n_models=3)
    rows = rate(votes).ratings
    assert (rows[1].rating, rows[1].rank, rows[1].note) == (None, None, "no votes")
    assert rows[0].rating == rows[2].rating == pytest.approx(1000)


def test_no_votes_at_all_is_an_empty_table() -> None:
    table = rate(build_votes([], [], [], n_models=2))
    assert [row.rating for row in table.ratings] == [None, None]


def test_win_matrix_counts_ties_half_and_leaves_strangers_undefined() -> None:
    votes = build_votes([0, 1, 0], [1, 0, 1], [1.0, 0.5, 0.0], n_models=3)
    matrix = count_wins(votes)
    assert matrix.wins[0, 1] == matrix.wins[1, 0] == 1.5
    assert matrix.battles[0, 1] == matrix.battles[1, 0] == 3
    assert win_rates(votes)[0, 1] == 0.5
    assert np.isnan(win_rates(votes)[0, 2])


@pytest.mark.parametrize(
    ("first", "second", "outcome", "message"),
    [
        ([0, 1], [1, 1], [1.0, 1.0], "vote 1: a model against itself"),
        ([0, 0], [1, 5], [1.0, 1.0], "vote 1: model position"),
        ([0, 0], [1, 1], [1.0, 0.7], "vote 1: outcome"),
        ([0], [1, 1], [1.0], "one length"),
    ],
)
def test_bad_votes_are_named(first: list[int], second: list[int], outcome: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_votes(first, second, outcome, n_models=2)


def test_battles_from_scores_keep_ties_and_resample_parent_problems() -> None:
    scores = np.array([[1.0, 0.5, np.nan, 0.0], [0.5, 0.5, 1.0, 1.0]])
    votes = battles_from_scores(scores, ["p1", "p1", "p2", "p2"])
    assert votes.outcome.tolist() == [1.0, 0.5, 0.0]
    assert votes.unit.tolist() == [0, 0, 1]


def test_ratings_from_scores_keep_the_order_of_the_board() -> None:
    rng = np.random.default_rng(0)
    scores = (rng.random((5, 300)) < np.linspace(0.2, 0.8, 5)[:, None]).astype(float)
    table = rate(battles_from_scores(scores, [i // 3 for i in range(300)]), ties=Ties.DAVIDSON)
    assert [row.rank for row in table.ratings] == [5, 4, 3, 2, 1]
    assert (table.kind, table.n_units) == (Kind.BOOTSTRAP, 100)


def test_a_resample_without_ties_converges() -> None:
    votes = build_votes([0] * 40, [1] * 40, [1.0, 0.0] * 19 + [0.5, 1.0], list(range(40)))
    table = rate(votes, ties=Ties.DAVIDSON)
    assert table.ratings[0].low is not None


def test_davidson_is_warned_of_a_field_that_ties_alone_connect() -> None:
    # Only ties lead back from the loser: a large enough tie parameter explains them at any distance.
    votes = build_votes([0, 0, 1, 1], [1, 1, 2, 2], [1.0, 0.5, 1.0, 0.5])
    assert rate(votes).warnings[0].startswith("n = ")
    davidson = rate(votes, ties=Ties.DAVIDSON)
    assert "not strongly connected" in davidson.warnings[0]
    assert np.isfinite([row.rating for row in davidson.ratings]).all()


def test_a_field_without_finite_strengths_fails_loudly_unless_ridged() -> None:
    votes = build_votes([0] * 30, [1] * 30, [1.0] * 30)
    with pytest.raises(ArithmeticError, match="did not converge"):
        fit(tally(votes))
    assert np.isfinite(fit(tally(votes), ridge=1e-3).theta).all()


@pytest.mark.parametrize("tie_share", [0.0, 0.2, 0.9])
def test_any_small_field_is_rated_with_finite_bounds(tie_share: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        m, n = int(rng.integers(2, 10)), int(rng.integers(1, 80))
        first = rng.integers(m, size=n)
        second = (first + rng.integers(1, m, size=n)) % m
        outcome = np.where(rng.random(n) < tie_share, 0.5, (rng.random(n) < 0.5) + 0.0)
        votes = build_votes(first, second, outcome, rng.integers(40, size=n), n_models=m)
        for ties in Ties:
            for row in rate(votes, ties=ties, rounds=100).ratings:
                assert row.n_votes == 0 or (row.rating is not None and np.isfinite(row.rating))
                assert row.low is None or (row.high is not None and -np.inf < row.low <= row.high < np.inf)
