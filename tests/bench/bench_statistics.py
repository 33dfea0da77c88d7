"""Times of the statistics at the sizes of the issues: figures, no assertion. Run as a script from the repository."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from leaderboard.statistics.comparisons import compare_all
from leaderboard.statistics.intervals import mean_intervals
from leaderboard.statistics.ratings import Ties, rate
from leaderboard.statistics.reliability import Level, krippendorff_alpha
from leaderboard.statistics.voters import score_voters
from leaderboard.statistics.votes import Votes, battles_from_scores, build_votes
from tests.bench.verdicts import report

ROUNDS = 5


def best_times_s(work: Callable[[], object]) -> tuple[float, float]:
    """Shortest wall and CPU time of a few runs after one to warm up."""
    work()
    walls, spent = [], []
    for _ in range(ROUNDS):
        start, start_cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - start)
        spent.append(time.process_time() - start_cpu)
    return min(walls), min(spent)


def simulate_votes(n_models: int, n_votes: int, n_voters: int) -> Votes:
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 0.7, n_models)
    first = rng.integers(n_models, size=n_votes)
    second = (first + rng.integers(1, n_models, size=n_votes)) % n_models
    outcome = (rng.random(n_votes) < 1 / (1 + np.exp(strengths[second] - strengths[first]))).astype(float)
    outcome[rng.random(n_votes) < 0.2] = 0.5
    return build_votes(first, second, outcome, rng.integers(n_voters, size=n_votes), n_models=n_models)


def main() -> None:
    rng = np.random.default_rng(0)
    partial = rng.random((30, 3333))
    right = (rng.random((60, 3333)) < 0.5).astype(float)
    points, parents = rng.random((60, 3333)), [i // 4 for i in range(3333)]
    votes, own_votes = simulate_votes(100, 100_000, 5_000), simulate_votes(100, 100_000, 100_000)
    ratings = rng.integers(5, size=(3, 5000)).astype(float)
    cases: list[tuple[str, float | None, Callable[[], object]]] = [
        ("bootstrap, 1,000 draws x 30 models x 3,333 problems", 0.06, lambda: mean_intervals(partial, draws=1000)),
        ("bootstrap, 2,000 draws x 30 models x 3,333 problems", None, lambda: mean_intervals(partial)),
        ("all pairs, exact McNemar, 60 models x 3,333", None, lambda: compare_all(right)),
        ("all pairs, clustered t, 60 models x 3,333", None, lambda: compare_all(points, parents)),
        ("ratings, 100 models x 100,000 votes x 100 rounds", 0.25, lambda: rate(votes, rounds=100)),
        ("the same with each vote its own voter", 0.25, lambda: rate(own_votes, rounds=100)),
        ("the same by Davidson", None, lambda: rate(votes, ties=Ties.DAVIDSON, rounds=100)),
        ("ratings from scores, 30 models x 3,333", None, lambda: rate(battles_from_scores(partial, parents))),
        ("anomaly scores of 5,000 voters, 100,000 votes", None, lambda: score_voters(votes)),
        ("alpha, ordinal, 3 raters x 5,000 items", None, lambda: krippendorff_alpha(ratings, Level.ORDINAL)),
    ]
    for name, target_s, work in cases:
        wall, cpu = best_times_s(work)
        report(name, wall, "s", most=target_s, note=f"CPU {cpu:.3f} s")


if __name__ == "__main__":
    main()
