"""What two ratings say of the battles between their models."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.ballots import names_of
from leaderboard.models import Rating
from leaderboard.ratings import read_report
from leaderboard.selectors.arena_scope import read_scope
from leaderboard.worked.steps import Worked, fixed, number


def work_rating() -> Worked | None:
    """The two best rated models of the pool with the most votes, of those with a finite rating."""
    rated = Rating.objects.filter(rating__isnull=False, benchmark="", note="").values_list("pool", "n_votes")
    votes: dict[str, int] = {}
    for pool, n in rated:
        votes[pool] = votes.get(pool, 0) + n
    if not votes:
        return None
    pool = max(votes, key=lambda name: votes[name])
    report = read_report(read_scope({"pool": pool}))
    finite = [(r.rating or 0.0, i) for i, r in enumerate(report.table.ratings) if r.rating is not None and not r.note]
    if len(finite) < 2:
        return None
    (first, at), (second, other) = sorted(finite, reverse=True)[:2]
    names = {pk: entrant.name for pk, entrant in names_of(report.entrants).items()}
    own, gap = report.table.ratings[at], first - second
    said: dict[str, object] = {"a": names[report.entrants[at]], "b": names[report.entrants[other]]}
    said |= {"wins": own.wins, "losses": own.losses, "ties": own.ties, "ra": fixed(first), "rb": fixed(second)}
    said |= {"gap": fixed(gap), "odds": number(10 ** (gap / 400), 3), "share": fixed(100 / (1 + 10 ** (-gap / 400)))}
    return Worked(
        f"{said['a']}, {said['b']}",
        f"{fixed(first, 0)}, {fixed(second, 0)}",
        (
            _(
                "%(a)s won %(wins)d battles, lost %(losses)d and tied %(ties)d; the fit gives it %(ra)s points, "
                "%(b)s %(rb)s."
            )
            % said,
            _(
                "%(gap)s points apart are odds of 10^(%(gap)s / 400), so %(odds)s : 1: it is expected to win "
                "%(share)s %% of their battles."
            )
            % said,
        ),
        f"/arena/ratings/?pool={pool}",
    )
