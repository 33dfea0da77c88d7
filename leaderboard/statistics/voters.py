"""Which voters do not vote like people comparing replies: anomaly scores and a quarantine that names its reasons.

Each voter's votes are held against the field, a Bradley-Terry fit without the voters that look odd at a lenient level,
since an attack drags a fit of everybody towards itself and hides. Four exact tests a voter, Bonferroni within the
voter, Benjamini-Hochberg over voters. Source of the concern: arXiv:2501.17858.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import stats

from leaderboard.statistics.bradley_terry import RIDGE, fit, outcome_rates, tally
from leaderboard.statistics.corrections import benjamini_hochberg
from leaderboard.statistics.resampling import BoolArray, FloatArray, IntArray, divide
from leaderboard.statistics.votes import Votes

MIN_VOTES = 5  # fewer cannot be told from chance
FAST_S = 3.0  # nobody reads two replies in less
FAST_SHARE = 0.1  # a slip now and then is no anomaly
N_TESTS = 4
FALSE_DISCOVERY_RATE = 0.01
SUSPECT_P = 0.05  # kept out of the field that the others are held against; no accusation
_MAX_PASSES = 8


class Reason(StrEnum):
    """Why a voter is held back; the words stand on the exclusion list."""

    FIELD = "votes against the field"
    SIDE = "votes for one side"
    ONE_MODEL = "votes for one model"
    SPEED = "votes too fast to have read"


@dataclass(frozen=True, slots=True)
class VoterScore:
    """One voter (unit code). Shares are of decided votes; `expected_*` is what the field's ratings predict.

    `favourite`: the model whose wins with this voter surprise most, `p` the corrected evidence over all four tests.
    """

    voter: int
    n_votes: int
    agreement: float | None
    expected_agreement: float | None
    left_share: float | None
    favourite: int | None
    favourite_wins: float
    favourite_expected: float
    favourite_battles: int
    fast_share: float | None
    p: float
    p_corrected: float
    reasons: tuple[Reason, ...]

    @property
    def is_quarantined(self) -> bool:
        return bool(self.reasons)


@dataclass(frozen=True, slots=True)
class _Favourites:
    """Each voter's most surprising model, (U,) each; `model` -1 where none was met often enough."""

    model: IntArray
    wins: FloatArray
    expected: FloatArray
    battles: IntArray
    p: FloatArray


@dataclass(frozen=True, slots=True)
class _Tests:
    """Sums over each voter's votes, (U,) each, and p (U, 4) in the order of Reason."""

    n_votes: FloatArray
    decided: FloatArray
    agreed: FloatArray
    agreed_expected: FloatArray
    left: FloatArray
    timed: FloatArray
    fast: FloatArray
    favourites: _Favourites
    p: FloatArray


def score_voters(
    votes: Votes, seconds: FloatArray | None = None, *, fdr: float = FALSE_DISCOVERY_RATE
) -> tuple[VoterScore, ...]:
    """Anomaly scores of every voter, by unit code. `seconds` (V,): from showing the battle to the vote, NaN unknown.

    Deterministic. A flagged voter's votes are not deleted: leave them out with `keep_votes` and show both ratings.
    """
    voters, unit = np.unique(votes.unit, return_inverse=True)
    coded = Votes(votes.first, votes.second, votes.outcome, unit.astype(np.int64), votes.n_models)
    suspect = np.zeros(voters.size, dtype=np.bool_)
    for _ in range(_MAX_PASSES):
        tests = _test_voters(coded, ~suspect, seconds)
        p = np.minimum(N_TESTS * tests.p.min(axis=1), 1.0)
        before, suspect = suspect, p < SUSPECT_P
        if (suspect == before).all():
            break
    corrected = benjamini_hochberg(np.where(tests.n_votes >= MIN_VOTES, p, np.nan))
    p_corrected = np.where(np.isnan(corrected), 1.0, corrected)
    return tuple(
        _describe(int(voter), u, tests, float(p[u]), float(p_corrected[u]), fdr) for u, voter in enumerate(voters)
    )


def keep_votes(votes: Votes, scores: tuple[VoterScore, ...]) -> BoolArray:
    """(V,): True for the votes of voters that are not quarantined."""
    held = [score.voter for score in scores if score.is_quarantined]
    return ~np.isin(votes.unit, held)


def _test_voters(votes: Votes, trusted: BoolArray, seconds: FloatArray | None) -> _Tests:
    n_voters = trusted.size
    field = votes.select(trusted[votes.unit])
    theta = fit(tally(field), ridge=RIDGE).theta[0] if field.first.size else np.zeros(votes.n_models)
    rate = outcome_rates(theta[votes.first] - theta[votes.second], None)[0]
    is_decided = votes.outcome != 0.5
    is_timed = np.zeros(rate.size, dtype=np.bool_) if seconds is None else ~np.isnan(seconds)
    is_fast = np.zeros(rate.size, dtype=np.bool_) if seconds is None else is_timed & (np.asarray(seconds) < FAST_S)

    def total(values: FloatArray | BoolArray) -> FloatArray:
        return np.bincount(votes.unit, weights=values, minlength=n_voters).astype(np.float64)

    n_votes, decided = total(np.ones(rate.size)), total(is_decided)
    agreed = total(is_decided & ((votes.outcome == 1) == (rate >= 0.5)))
    agreed_expected = total(np.where(is_decided, np.maximum(rate, 1 - rate), 0.0))
    left, left_expected = total(votes.outcome == 1), total(np.where(is_decided, rate, 0.0))
    timed, fast = total(is_timed), total(is_fast)
    favourites = _find_favourites(votes, rate, n_voters)
    p = np.column_stack(
        [
            stats.binom.cdf(agreed, decided, divide(agreed_expected, decided)),
            _two_sided(left, decided, divide(left_expected, decided)),
            favourites.p,
            stats.binom.sf(fast - 1, timed, FAST_SHARE),
        ]
    )
    p = np.minimum(np.where(np.isnan(p), 1.0, p), 1.0)
    return _Tests(n_votes, decided, agreed, agreed_expected, left, timed, fast, favourites, p)


def _two_sided(hits: FloatArray, trials: FloatArray, rate: FloatArray) -> FloatArray:
    tails = np.minimum(stats.binom.cdf(hits, trials, rate), stats.binom.sf(hits - 1, trials, rate))
    return np.asarray(2 * tails, dtype=np.float64)


def _find_favourites(votes: Votes, rate: FloatArray, n_voters: int) -> _Favourites:
    """p is the binomial tail at the mean rate, corrected for the number of models met often enough.

    The sum of unlike trials has a lighter upper tail than the binomial with their mean (Hoeffding 1956): cautious.
    """
    m = votes.n_models
    key = np.concatenate([votes.unit * m + votes.first, votes.unit * m + votes.second])
    cells, cell = np.unique(key, return_inverse=True)
    battles = np.bincount(cell)
    wins = np.bincount(cell, weights=np.concatenate([votes.outcome, 1 - votes.outcome])).astype(np.float64)
    expected = np.bincount(cell, weights=np.concatenate([rate, 1 - rate])).astype(np.float64)
    is_tested, voter = battles >= MIN_VOTES, cells // m
    looks = np.bincount(voter[is_tested], minlength=n_voters)
    tail = np.asarray(stats.binom.sf(np.floor(wins) - 1, battles, expected / battles), dtype=np.float64)
    p = np.where(is_tested, np.minimum(tail * looks[voter], 1.0), 1.0)
    order = np.lexsort((-battles, p, voter))
    best = order[np.searchsorted(voter[order], np.arange(n_voters))]
    model = np.where(is_tested[best], cells[best] % m, -1)
    return _Favourites(model, wins[best], expected[best], battles[best], p[best])


def _describe(voter: int, u: int, tests: _Tests, p: float, p_corrected: float, fdr: float) -> VoterScore:
    chosen = tests.favourites
    has_favourite = bool(chosen.model[u] >= 0)
    return VoterScore(
        voter=voter,
        n_votes=int(tests.n_votes[u]),
        agreement=_share(tests.agreed[u], tests.decided[u]),
        expected_agreement=_share(tests.agreed_expected[u], tests.decided[u]),
        left_share=_share(tests.left[u], tests.decided[u]),
        favourite=int(chosen.model[u]) if has_favourite else None,
        favourite_wins=float(chosen.wins[u]) if has_favourite else 0.0,
        favourite_expected=float(chosen.expected[u]) if has_favourite else 0.0,
        favourite_battles=int(chosen.battles[u]) if has_favourite else 0,
        fast_share=_share(tests.fast[u], tests.timed[u]),
        p=p,
        p_corrected=p_corrected,
        reasons=_list_reasons(tests.p[u], fdr) if p_corrected < fdr else (),
    )


def _share(part: float, whole: float) -> float | None:
    return float(part / whole) if whole > 0 else None


def _list_reasons(p: FloatArray, fdr: float) -> tuple[Reason, ...]:
    """The tests that speak against the voter by themselves; at least the strongest."""
    strongest = int(np.argmin(p))
    return tuple(reason for k, reason in enumerate(Reason) if k == strongest or N_TESTS * p[k] < fdr)
