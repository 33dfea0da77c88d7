"""Exam points and their medals, sittings, and the total over all exams."""

from __future__ import annotations

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from scipy import stats

from leaderboard.models import Standing
from leaderboard.selectors.formats import print_metric
from leaderboard.statistics.intervals import average_repeats
from leaderboard.worked.steps import Worked, make_worked, number, read_sheet, rows_now

MOST_SHOWN = 12


def work_exam() -> Worked | None:
    """Points of an exam's problems, their total, and the medal: of an exam with thresholds where there is one."""
    rows = rows_now(metric="exam_score", subset__kind="exam")
    row = rows.filter(subset__gold__isnull=False, run__partial=False).first() or rows.first()
    found = read_sheet(row) if row else None
    if row is None or found is None:
        return None
    sheet, _index = found
    points = average_repeats(sheet.vectors.points)
    parents = list(dict.fromkeys(sheet.clusters))
    codes = np.array([parents.index(name) for name in sheet.clusters])
    sums = [float(points[codes == i].sum()) for i in range(len(parents))]
    maxima = [float(sheet.max_points[codes == i].sum()) for i in range(len(parents))]
    listed = [f"{name} {number(a)} / {number(b)}" for name, a, b in zip(parents, sums, maxima, strict=True)]
    more = " …" if len(listed) > MOST_SHOWN else ""
    total = {"parts": ", ".join(listed[:MOST_SHOWN]) + more, "sum": number(sum(sums)), "full": number(sum(maxima))}
    return make_worked(
        row,
        [
            _("Points of its problems, parts added up and repeats averaged: %(parts)s.") % total,
            _("Together %(sum)s of %(full)s attainable.") % total,
            *_medal_steps(row),
        ],
    )


def _medal_steps(row: Standing) -> list[str]:
    subset = row.subset
    if subset.gold is None or subset.silver is None or subset.bronze is None:
        return []
    said = {
        "value": print_metric(row.metric, row.value),
        "bronze": number(float(subset.bronze)),
        "silver": number(float(subset.silver)),
        "gold": number(float(subset.gold)),
        "medal": _say_medal(row.details.get("medal") or ""),
    }
    thresholds = _(
        "Bronze from %(bronze)s, silver from %(silver)s, gold from %(gold)s: with %(value)s the medal is %(medal)s."
    )
    return [thresholds % said]


def _say_medal(medal: str) -> str:
    words = {
        "gold": pgettext("medal", "gold"),
        "silver": pgettext("medal", "silver"),
        "bronze": pgettext("medal", "bronze"),
    }
    return words.get(medal, pgettext("medal", "none"))


def work_sittings() -> Worked | None:
    row = rows_now(metric="exam_score", interval_kind="t over sittings").first()
    totals = row.details.get("sittings") or [] if row else []
    if row is None or len(totals) < 2:
        return None
    k, spread = len(totals), float(np.std(totals, ddof=1))
    quantile = float(stats.t.ppf(0.975, k - 1))
    half = quantile * spread / k**0.5
    said = {"k": k, "df": k - 1, "totals": ", ".join(number(total) for total in totals)}
    said |= {
        "mean": number(float(np.mean(totals))),
        "spread": number(spread),
        "t": number(quantile),
        "half": number(half),
    }
    return make_worked(
        row,
        [
            _("Totals of %(k)d sittings: %(totals)s. Mean %(mean)s, standard deviation %(spread)s.") % said,
            _("t with %(df)d degrees of freedom is %(t)s. Half width: %(t)s × %(spread)s / √%(k)d = %(half)s.") % said,
        ],
    )


def work_total() -> Worked | None:
    """All exams together: the share of the attainable points times these points."""
    row = rows_now(metric="exam_score", subset__slug="overall", low__isnull=False).first()
    found = read_sheet(row) if row else None
    if row is None or found is None:
        return None
    sheet, _index = found
    points, full = float(average_repeats(sheet.vectors.points).sum()), float(sheet.max_points.sum())
    said = {"points": number(points), "full": number(full), "share": number(points / full, 6)}
    said |= {"clusters": len(set(sheet.clusters)), "draws": row.details.get("draws", 0)}
    said |= {"low": print_metric(row.metric, row.low), "high": print_metric(row.metric, row.high)}
    return make_worked(
        row,
        [
            _("%(points)s of %(full)s attainable points: a share of %(share)s.") % said,
            _(
                "The %(clusters)d problems are drawn again %(draws)d times; each draw's share times "
                "%(full)s. 2.5 %% lie below %(low)s, 2.5 %% above %(high)s."
            )
            % said,
        ],
    )
