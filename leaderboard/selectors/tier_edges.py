"""Runs beside a line between two tiers, where one more point may matter."""

from __future__ import annotations

from arena.models import Subset
from leaderboard.models import Standing


def runs_at_tier_edges(slug: str) -> dict[int, str]:
    """Run -> words, for the last of each tier and the first of the next, by the headline metric of the board."""
    rows = (
        Standing.objects.filter(
            benchmark__slug=slug, revision__is_current=True, subset__slug=Subset.OVERALL, is_ranked=True
        )
        .filter(basis=Standing.Basis.MACHINE, tier__isnull=False)
        .select_related("benchmark")
        .order_by("split", "rank", "pk")
    )
    found: dict[int, str] = {}
    shown = [row for row in rows if row.metric == row.benchmark.headline_metric]
    for above, below in zip(shown, shown[1:]):
        if above.split == below.split and above.tier != below.tier:
            words = f"line between tier {above.tier or 0} and tier {below.tier or 0}"  # stored: said when shown
            found.setdefault(above.run_id, words)
            found.setdefault(below.run_id, words)
    return found
