"""A rehearsed attack on the arena: bots that let one model win, and what they move with and without quarantine.

Everything is simulated from seeds: the same numbers come out on every machine. Source of the concern: arXiv:2501.17858.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.ratings import Rating, rate
from leaderboard.statistics.voters import keep_votes, score_voters
from leaderboard.statistics.votes import Votes, build_votes

TIE_RATE = 0.15


@dataclass(frozen=True, slots=True)
class Attack:
    """The plan. promoted: position of the model, strengths rising evenly from -1 to 1 (natural log)."""

    n_models: int = 20
    n_honest: int = 20_000
    n_voters: int = 800
    n_attack: int = 1_000
    n_bots: int = 50
    promoted: int = 8
    seed: int = 0


@dataclass(frozen=True, slots=True)
class AttackReport:
    """The promoted model's rating from honest votes, from all with quarantine, and from all without it.

    n_bots_held, n_honest_held: voters in quarantine.
    """

    attack: Attack
    before: Rating
    guarded: Rating
    unguarded: Rating
    n_bots_held: int
    n_honest_held: int

    @property
    def width(self) -> float:
        """The honest rating's 95 % interval, in Elo points."""
        return (self.before.high or np.nan) - (self.before.low or np.nan)

    @property
    def moved(self) -> float:
        return abs((self.guarded.rating or np.nan) - (self.before.rating or np.nan))

    @property
    def would_have_moved(self) -> float:
        return abs((self.unguarded.rating or np.nan) - (self.before.rating or np.nan))


def rehearse(attack: Attack) -> AttackReport:
    """Simulate the plan and rate its model three ways."""
    honest, everything = _cast(attack)
    scores = score_voters(everything)
    guarded = rate(everything.select(keep_votes(everything, scores)))
    held = [score.voter for score in scores if score.is_quarantined]
    first_bot = honest.n_units
    return AttackReport(
        attack=attack,
        before=rate(honest).ratings[attack.promoted],
        guarded=guarded.ratings[attack.promoted],
        unguarded=rate(everything).ratings[attack.promoted],
        n_bots_held=sum(voter >= first_bot for voter in held),
        n_honest_held=sum(voter < first_bot for voter in held),
    )


def _cast(attack: Attack) -> tuple[Votes, Votes]:
    """Honest votes alone, and with the bots' behind them; codes follow first appearance, so bots come last."""
    rng = np.random.default_rng(attack.seed)
    m, n, k = attack.n_models, attack.n_honest, attack.n_attack
    strengths = np.linspace(-1, 1, m)
    first = rng.integers(m, size=n)
    second = (first + rng.integers(1, m, size=n)) % m
    outcome = (rng.random(n) < 1 / (1 + np.exp(strengths[second] - strengths[first]))).astype(np.float64)
    outcome[rng.random(n) < TIE_RATE] = 0.5
    voter = rng.integers(attack.n_voters, size=n)
    other = rng.integers(m - 1, size=k)
    other += other >= attack.promoted
    is_left = rng.random(k) < 0.5
    a, b = np.where(is_left, attack.promoted, other), np.where(is_left, other, attack.promoted)
    bots = attack.n_voters + np.arange(k) % attack.n_bots
    joined = (
        np.concatenate(pair) for pair in ((first, a), (second, b), (outcome, is_left.astype(np.float64)), (voter, bots))
    )
    return build_votes(first, second, outcome, voter, n_models=m), build_votes(*joined, n_models=m)
