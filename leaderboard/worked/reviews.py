"""The machine's mean, moved by what a random sample of reviews found."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.selectors.formats import print_metric
from leaderboard.worked.steps import Worked, describe, number, receipt_url


def work_correction() -> Worked | None:
    estimates = Standing.objects.filter(basis=Standing.Basis.ESTIMATED, revision__is_current=True, value__isnull=False)
    row = estimates.select_related("entrant", "run", "subset", "benchmark", "revision").order_by("pk").first()
    if row is None or row.value is None:
        return None
    machine = Standing.objects.filter(
        run=row.run, scorer=row.scorer, subset=row.subset, split=row.split, metric=row.metric, basis="machine"
    ).first()
    if machine is None or machine.value is None:
        return None
    said = {"machine": number(machine.value, 6), "n": row.details.get("n_reviews", 0)}
    said |= {"shift": number(row.value - machine.value, 6), "value": number(row.value, 6)}
    said |= {"shown": print_metric(row.metric, row.value)}
    return Worked(
        describe(row),
        print_metric(row.metric, row.value),
        (
            _(
                "Machine's mean over all replies: %(machine)s. Over %(n)d reviews of the random sample "
                "people gave on average %(shift)s more."
            )
            % said,
            _("%(machine)s + (%(shift)s) = %(value)s, printed as %(shown)s.") % said,
        ),
        f"{receipt_url(row)}&basis=estimated",
    )
