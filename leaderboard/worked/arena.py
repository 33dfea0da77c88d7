"""What two ratings say of the battles between their models."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.models import Rating
from leaderboard.worked.steps import Worked, fixed, number


def work_rating() -> Worked | None:
    """The two best rated models of the pool with the most votes."""
    rated = (
        Rating.objects.filter(rating__isnull=False, benchmark="").select_related("entrant").order_by("-rating", "pk")
    )
    pools: dict[str, list[Rating]] = {}
    for row in rated:
        pools.setdefault(row.pool, []).append(row)
    rows = max(pools.values(), key=lambda own: (len(own) > 1, sum(row.n_votes for row in own)), default=[])
    if len(rows) < 2:
        return None
    first, second = rows[:2]
    gap = (first.rating or 0.0) - (second.rating or 0.0)
    said = {"a": first.entrant.name, "b": second.entrant.name, "ra": number(first.rating or 0, 1)}
    said |= {"rb": number(second.rating or 0, 1), "gap": number(gap, 1), "odds": number(10 ** (gap / 400), 3)}
    said |= {"share": fixed(100 / (1 + 10 ** (-gap / 400)))}
    said |= {"wins": str(first.wins), "losses": str(first.losses), "ties": str(first.ties)}
    return Worked(
        f"{first.entrant.name}, {second.entrant.name}",
        f"{fixed(first.rating or 0, 0)}, {fixed(second.rating or 0, 0)}",
        (
            _(
                "%(a)s won %(wins)s battles, lost %(losses)s and tied %(ties)s; the fit gives it %(ra)s "
                "points, %(b)s %(rb)s."
            )
            % said,
            _(
                "%(gap)s points apart are odds of 10^(%(gap)s / 400), so %(odds)s : 1: it is expected to win "
                "%(share)s %% of their battles."
            )
            % said,
        ),
        f"/arena/ratings/?pool={first.pool}",
    )
