"""Vote hygiene: honest voters stay, an attack is found and its effect undone; style has its own coefficients."""

import numpy as np
import pytest

from leaderboard.statistics.ratings import rate
from leaderboard.statistics.style import rate_with_style, relative_difference
from leaderboard.statistics.voters import Reason, keep_votes, score_voters
from leaderboard.statistics.votes import Votes, build_votes

N_MODELS, N_HONEST, N_ATTACK, N_BOTS, PROMOTED = 20, 20_000, 1_000, 50, 8
STRENGTHS = np.linspace(-1, 1, N_MODELS)


def honest_votes(seed: int, n: int = N_HONEST, n_voters: int = 800) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    first = rng.integers(N_MODELS, size=n)
    second = (first + rng.integers(1, N_MODELS, size=n)) % N_MODELS
    outcome = (rng.random(n) < 1 / (1 + np.exp(STRENGTHS[second] - STRENGTHS[first]))).astype(float)
    outcome[rng.random(n) < 0.15] = 0.5
    return first, second, outcome, rng.integers(n_voters, size=n)


def attacked_votes(seed: int, *, picks_battles: bool) -> tuple[Votes, Votes]:
    """Honest votes alone, and with 50 bots that let one model win; they skip other battles or vote at random there."""
    first, second, outcome, voter = honest_votes(seed)
    rng = np.random.default_rng(1000 + seed)
    other = rng.integers(N_MODELS - 1, size=N_ATTACK)
    other += other >= PROMOTED
    left = rng.random(N_ATTACK) < 0.5
    a, b = np.where(left, PROMOTED, other), np.where(left, other, PROMOTED)
    if not picks_battles:
        a = rng.integers(N_MODELS, size=N_ATTACK)
        b = (a + rng.integers(1, N_MODELS, size=N_ATTACK)) % N_MODELS
    random_outcome = (rng.random(N_ATTACK) < 0.5).astype(float)
    y = np.where(a == PROMOTED, 1.0, np.where(b == PROMOTED, 0.0, random_outcome))
    bots = 10_000 + np.arange(N_ATTACK) % N_BOTS
    honest = build_votes(first, second, outcome, voter, n_models=N_MODELS)
    joined = (np.concatenate(pair) for pair in ((first, a), (second, b), (outcome, y), (voter, bots)))
    return honest, build_votes(*joined, n_models=N_MODELS)


@pytest.mark.parametrize("picks_battles", [True, False], ids=["bots pick battles", "bots take what comes"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_attack_moves_the_rating_by_less_than_its_interval(seed: int, picks_battles: bool) -> None:
    honest, attacked = attacked_votes(seed, picks_battles=picks_battles)
    before = rate(honest).ratings[PROMOTED]
    after = rate(attacked.select(keep_votes(attacked, score_voters(attacked)))).ratings[PROMOTED]
    assert before.rating is not None and before.low is not None and before.high is not None
    assert after.rating is not None
    assert abs(after.rating - before.rating) < before.high - before.low


def test_without_quarantine_the_attack_would_have_worked() -> None:
    honest, attacked = attacked_votes(0, picks_battles=True)
    before, after = rate(honest).ratings[PROMOTED], rate(attacked).ratings[PROMOTED]
    assert before.rating is not None and after.rating is not None
    assert after.rating - before.rating > 100


def test_bots_are_named_with_the_model_they_promote_and_honest_voters_are_left_alone() -> None:
    _, attacked = attacked_votes(1, picks_battles=True)
    held = [score for score in score_voters(attacked) if score.is_quarantined]
    bots = set(np.unique(attacked.unit[N_HONEST:]).tolist())
    assert {score.voter for score in held} == bots
    assert all(Reason.ONE_MODEL in score.reasons and score.favourite == PROMOTED for score in held)
    assert all(score.favourite_wins == score.favourite_battles == 20 for score in held)


@pytest.mark.parametrize("seed", range(5))
def test_honest_voters_are_hardly_ever_held_back(seed: int) -> None:
    votes = build_votes(*honest_votes(seed), n_models=N_MODELS)
    assert sum(score.is_quarantined for score in score_voters(votes)) <= 2


def with_one_more(outcome_of: str, seconds: float | None = None) -> tuple[Votes, np.ndarray | None]:
    first, second, outcome, voter = honest_votes(3, n=6000, n_voters=200)
    mine = np.arange(60)
    if outcome_of == "left":
        outcome[mine] = 1.0
    if outcome_of == "contrary":
        outcome[mine] = (STRENGTHS[first[mine]] < STRENGTHS[second[mine]]).astype(float)
    voter[mine] = 999
    times = None
    if seconds is not None:
        times = np.full(6000, 25.0)
        times[mine] = seconds
        times[100:200] = np.nan
    return build_votes(first, second, outcome, voter, n_models=N_MODELS), times


@pytest.mark.parametrize(
    ("outcome_of", "seconds", "reason"),
    [("left", None, Reason.SIDE), ("contrary", None, Reason.FIELD), ("honest", 1.2, Reason.SPEED)],
)
def test_each_kind_of_anomaly_is_found_with_its_reason(outcome_of: str, seconds: float | None, reason: Reason) -> None:
    votes, times = with_one_more(outcome_of, seconds)
    held = [score for score in score_voters(votes, times) if score.is_quarantined]
    assert [score.voter for score in held] == [0]
    assert reason in held[0].reasons


def test_scores_show_what_was_seen_and_what_was_expected() -> None:
    votes, times = with_one_more("left", 20.0)
    score = score_voters(votes, times)[0]
    assert (score.n_votes, score.left_share, score.fast_share) == (60, 1.0, 0.0)
    assert score.agreement is not None and score.expected_agreement is not None
    assert 0.5 < score.expected_agreement < 0.8


def test_a_voter_with_four_votes_is_never_accused() -> None:
    first, second, outcome, voter = honest_votes(3, n=6000, n_voters=200)
    voter[:4] = 999
    seconds = np.full(6000, 25.0)
    seconds[:4] = 0.1
    votes = build_votes(first, second, outcome, voter, n_models=N_MODELS)
    assert not score_voters(votes, seconds)[0].is_quarantined


def test_no_votes_have_no_voters() -> None:
    assert score_voters(build_votes([], [], [], n_models=2)) == ()


def styled_votes(n: int = 8000) -> tuple[Votes, dict[str, np.ndarray]]:
    """Model 3 is no better than 2 but writes longer; length wins votes, lists do not."""
    rng = np.random.default_rng(7)
    strengths, habit = np.array([-0.8, 0.0, 0.4, 0.4]), np.array([300.0, 400.0, 400.0, 1600.0])
    first = rng.integers(4, size=n)
    second = (first + rng.integers(1, 4, size=n)) % 4
    length = [habit[side] * rng.lognormal(0, 0.5, n) for side in (first, second)]
    lists = [rng.poisson(2.0, n).astype(float) for _ in range(2)]
    differences = {"length": relative_difference(*length), "lists": relative_difference(*lists)}
    logit = strengths[first] - strengths[second] + 1.2 * differences["length"]
    outcome = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(float)
    return build_votes(first, second, outcome, rng.integers(300, size=n)), differences


def test_style_control_takes_out_what_length_won() -> None:
    votes, differences = styled_votes()
    plain = [row.rating for row in rate(votes).ratings]
    table = rate_with_style(votes, differences)
    held_equal = [row.rating for row in table.ratings]
    assert plain[3] - plain[2] > 80  # type: ignore[operator]
    assert abs(held_equal[3] - held_equal[2]) < 40  # type: ignore[operator]


def test_style_coefficients_come_with_intervals() -> None:
    votes, differences = styled_votes()
    length, lists = rate_with_style(votes, differences).coefficients
    assert length.low is not None and length.high is not None and length.p is not None
    true = 1.2 * differences["length"].std()
    assert length.low < true < length.high
    assert length.p < 1e-10
    assert lists.p is not None and lists.p > 0.001


def test_without_an_effect_style_control_changes_little() -> None:
    votes = build_votes(*honest_votes(2), n_models=N_MODELS)
    noise = {"length": np.random.default_rng(5).normal(0, 1, N_HONEST)}
    plain = np.array([row.rating for row in rate(votes).ratings], dtype=float)
    styled = np.array([row.rating for row in rate_with_style(votes, noise).ratings], dtype=float)
    assert styled == pytest.approx(plain, abs=2)


def test_a_style_that_never_varies_is_named() -> None:
    votes = build_votes([0, 1], [1, 0], [1.0, 1.0])
    with pytest.raises(ValueError, match="formulas"):
        rate_with_style(votes, {"formulas": np.zeros(2)})


def test_relative_difference_of_nothing_is_nothing() -> None:
    assert relative_difference(np.array([0.0, 3.0]), np.array([0.0, 1.0])).tolist() == [0.0, 0.5]
