"""The gap between a language and English on the questions that both have."""

from __future__ import annotations

from django.utils.translation import gettext as _
from scipy import stats

from arena.models import DatasetRevision
from leaderboard.selectors.catalog import Place, list_splits, main_split
from leaderboard.selectors.languages import gaps_to_english
from leaderboard.worked.steps import Worked, fixed, number


def work_gap() -> Worked | None:
    revision = (
        DatasetRevision.objects.filter(benchmark__slug="arc_indic", is_current=True).select_related("benchmark").first()
    )
    if revision is None:
        return None
    splits = list_splits(revision)
    place = Place(revision.benchmark, revision, main_split(splits), splits)
    found = next(((e, code, c) for e, code, c in gaps_to_english(place) if c.se and c.n_clusters > 1), None)
    if found is None:
        return None
    entry, code, gap = found
    quantile = float(stats.t.ppf(0.975, gap.n_clusters - 1))
    said = {"n": gap.n_shared, "more": gap.n_first_better, "less": gap.n_second_better, "code": code}
    said |= {
        "d": number(gap.difference, 6),
        "se": number(gap.se or 0.0, 6),
        "t": number(quantile),
        "df": gap.n_clusters - 1,
    }
    said |= {"low": fixed(100 * (gap.low or 0.0)), "high": fixed(100 * (gap.high or 0.0))}
    return Worked(
        f"{entry.run.entrant.name}, {place.title}, {code}",
        f"{fixed(100 * gap.difference)} [{said['low']}, {said['high']}]",
        (
            _("Of %(n)d questions that both languages have, %(more)d are better in %(code)s and %(less)d in English.")
            % said,
            _("Mean difference, question by question: %(d)s; its standard error: %(se)s.") % said,
            _(
                "t with %(df)d degrees of freedom is %(t)s: %(d)s ∓ %(t)s × %(se)s, in points of "
                "accuracy %(low)s to %(high)s."
            )
            % said,
        ),
        f"/b/arc_indic/charts/{place.query}",
    )
