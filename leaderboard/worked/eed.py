"""One EED score from its edits."""

from __future__ import annotations

from django.utils.translation import gettext as _

from arena.models import Judgment
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.formats import print_metric
from leaderboard.sentences import join_words
from leaderboard.worked.steps import Worked, number, rows_now


def work_eed() -> Worked | None:
    """A reply on a board that is neither exact nor nothing."""
    row = rows_now(metric="eed", subset__slug="overall").first()
    if row is None:
        return None
    judged = Judgment.objects.of_run(row.run, row.scorer).filter(points__gt=0, points__lt=100)
    found = (
        judged.filter(details__details__distance__isnull=False).select_related("reply__problem").order_by("pk").first()
    )
    distance, size = (found.details["details"].get(name) for name in ("distance", "size")) if found else (None, None)
    if found is None or distance is None or not size:
        return None
    said = {"d": number(distance), "n": number(size), "share": number(distance / size, 4)}
    said |= {"score": number(max(0.0, 60 - 100 * distance / size)), "shown": print_metric("eed", float(found.points))}
    whose = join_words((row.entrant.name, localised(row.benchmark, "title"), found.reply.problem.external_id))
    return Worked(
        whose,
        print_metric("eed", float(found.points)),
        (
            _(
                "The tree of the reference holds n = %(n)s nodes; the cheapest edits to the answer's "
                "tree cost d = %(d)s."
            )
            % said,
            _(
                "Relative distance: %(d)s / %(n)s = %(share)s. Score: 60 − 100 × %(share)s = %(score)s, "
                "printed as %(shown)s."
            )
            % said,
        ),
        f"/replies/{found.reply.uuid}/",
    )
