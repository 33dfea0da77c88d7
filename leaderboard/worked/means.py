"""The mean, its standard error, and each kind of interval around it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext as _
from scipy import stats

from leaderboard.models import Standing
from leaderboard.problem_index import ProblemIndex
from leaderboard.scores import Sheet, values_of
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.formats import print_metric
from leaderboard.statistics.intervals import average_repeats
from leaderboard.statistics.resampling import index_clusters, sum_by_cluster
from leaderboard.worked.steps import Worked, Z, fixed, make_worked, number, problem_name, read_sheet, rows_now

MEANS = ("accuracy", "eed")
MOST_SHOWN = 4


def _find(kind: str, metrics: tuple[str, ...] = MEANS) -> Iterator[tuple[Standing, Sheet, ProblemIndex]]:
    """Numbers with an interval of this kind, of few problems first."""
    for row in rows_now(interval_kind=kind, metric__in=metrics)[:20]:
        found = read_sheet(row)
        if found is not None:
            yield row, *found


def work_mean() -> Worked | None:
    """Of a run with repeats, where there is one: they are averaged first."""
    rows = list(rows_now(metric__in=MEANS, run__repeats__gt=1)[:20]) or list(rows_now(metric__in=MEANS)[:20])
    for row in rows:
        found = read_sheet(row)
        if found is None:
            continue
        sheet, index = found
        values = values_of(row.metric, sheet)
        means = average_repeats(values)
        scored = ~np.isnan(means)
        return make_worked(row, [*_average_steps(row, sheet, index, means), _sum_step(row, means[scored])])
    return None


def _average_steps(row: Standing, sheet: Sheet, index: ProblemIndex, means: np.ndarray) -> Iterator[str]:
    """How the first problem whose repeats differ becomes one value."""
    values = values_of(row.metric, sheet)
    for at in np.flatnonzero(~np.isnan(means)):
        repeats = values[at][~np.isnan(values[at])]
        if repeats.size > 1 and repeats.min() < repeats.max():
            yield _("%(problem)s: the repeats got %(values)s, on average %(mean)s.") % {
                "problem": problem_name(index, sheet, int(at)),
                "values": ", ".join(number(value) for value in repeats),
                "mean": number(means[at]),
            }
            return


def _sum_step(row: Standing, means: np.ndarray) -> str:
    return _(
        "Added up over %(n)d scored problems: %(sum)s. Mean: %(sum)s / %(n)d = %(mean)s, printed as %(shown)s."
    ) % {
        "n": means.size,
        "sum": number(float(means.sum())),
        "mean": number(float(means.mean()), 6),
        "shown": print_metric(row.metric, row.value),
    }


def work_macro() -> Worked | None:
    """Mean over subsets of their means."""
    for row in rows_now(metric="accuracy_macro")[:5]:
        found = read_sheet(row)
        if found is None:
            continue
        sheet, _index = found
        titles = {subset.slug: say_subset(subset) for subset in row.benchmark.subsets.all()}
        means = average_repeats(values_of("accuracy", sheet))
        parts = {}
        for slug in dict.fromkeys(sheet.subsets):
            mine = means[np.array([subset == slug for subset in sheet.subsets])]
            parts[titles[slug]] = float(mine[~np.isnan(mine)].mean())
        listed = ", ".join(f"{name} {number(value)}" for name, value in parts.items())
        step = _("Means of the %(n)d subsets: %(parts)s. Their mean: %(sum)s / %(n)d = %(mean)s.") % {
            "n": len(parts),
            "parts": listed,
            "sum": number(sum(parts.values())),
            "mean": number(sum(parts.values()) / len(parts), 6),
        }
        return make_worked(row, [step])
    return None


def work_wilson() -> Worked | None:
    for row, sheet, _index in _find("Wilson", ("accuracy",)):
        means = average_repeats(values_of(row.metric, sheet))
        means = means[~np.isnan(means)]
        n, right = means.size, float(means.sum())
        share = right / n
        centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * float(np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)))
        said = {"n": n, "right": number(right), "share": number(share, 6), "z": f"{Z:.4f}"}
        ends = {"centre": number(centre, 6), "half": number(half, 6)}
        ends |= {"low": fixed(100 * max(0.0, centre - half)), "high": fixed(100 * min(1.0, centre + half))}
        return make_worked(
            row,
            [
                _("%(right)s of %(n)d problems are right: p = %(share)s. z = %(z)s holds 95 %%.") % said,
                _("Centre: (p + z² / (2 n)) / (1 + z² / n) = %(centre)s.") % ends,
                _("Half width: z / (1 + z² / n) × √(p (1 − p) / n + z² / (4 n²)) = %(half)s.") % ends,
                _("%(centre)s ∓ %(half)s = %(low)s %% to %(high)s %%.") % ends,
            ],
        )
    return None


def work_bootstrap() -> Worked | None:
    for row, sheet, _index in _find("cluster bootstrap"):
        steps, se = _error_steps(row, sheet)
        said = {
            "draws": row.details.get("draws", 0),
            "seed": row.details.get("seed", 0),
            "low": print_metric(row.metric, row.low),
            "high": print_metric(row.metric, row.high),
            "near": number((row.value or 0.0) - Z * se),
            "far": number((row.value or 0.0) + Z * se),
        }
        steps.append(
            _(
                "Drawn again %(draws)d times (seed %(seed)d): 2.5 %% of the means lie below %(low)s, 2.5 "
                "%% above %(high)s."
            )
            % said
        )
        steps.append(_("For comparison, mean ∓ 1.96 × standard error: %(near)s to %(far)s.") % said)
        return make_worked(row, steps)
    return None


def work_t() -> Worked | None:
    for row, sheet, _index in _find("t"):
        steps, se = _error_steps(row, sheet)
        n_clusters = len(set(sheet.clusters))
        quantile = float(stats.t.ppf(0.975, n_clusters - 1))
        said = {"df": n_clusters - 1, "t": number(quantile), "half": number(quantile * se), "se": number(se, 6)}
        said |= {"mean": number(row.value or 0.0, 6)}
        said |= {"low": print_metric(row.metric, row.low), "high": print_metric(row.metric, row.high)}
        steps.append(_("t with %(df)d degrees of freedom is %(t)s. Half width: %(t)s × %(se)s = %(half)s.") % said)
        steps.append(_("%(mean)s ∓ %(half)s, cut at the ends of the scale: %(low)s to %(high)s.") % said)
        return make_worked(row, steps)
    return None


def work_unanimous() -> Worked | None:
    """Where every cluster stands at the same end of the scale."""
    row = rows_now(interval_kind="Wilson over clusters", metric="accuracy").first()
    found = read_sheet(row) if row else None
    if row is None or found is None:
        return None
    g, right = len(set(found[0].clusters)), (row.value or 0.0) >= 1
    edge = Z * Z / (g + Z * Z)
    said = {"g": g, "edge": number(edge, 6), "all": fixed(100.0 if right else 0.0)}
    said |= {"low": fixed(100 * (1 - edge) if right else 0.0), "high": fixed(100.0 if right else 100 * edge)}
    return make_worked(
        row,
        [
            _("All %(g)d clusters stand at %(all)s %%, so they count as %(g)d attempts.") % said,
            _("Wilson's other end lies z² / (G + z²) = %(edge)s away: %(low)s %% to %(high)s %%.") % said,
        ],
    )


def work_jackknife() -> Worked | None:
    """Points over all exams of few problems: each problem is left out once."""
    row = rows_now(interval_kind="jackknife t", metric="exam_score").first()
    found = read_sheet(row) if row else None
    if row is None or found is None:
        return None
    sheet, _index = found
    points, codes = average_repeats(sheet.vectors.points), index_clusters(sheet.clusters, len(sheet.clusters))
    sums = sum_by_cluster(np.column_stack([points, sheet.max_points]), codes)
    full, g = float(sheet.max_points.sum()), sums.shape[0]
    rest = sums.sum(axis=0) - sums
    left_out = full * rest[:, 0] / rest[:, 1]
    squares = float(((left_out - left_out.mean()) ** 2).sum())
    se, quantile = float(np.sqrt((g - 1) / g * squares)), float(stats.t.ppf(0.975, g - 1))
    names = list(dict.fromkeys(sheet.clusters))
    first = ", ".join(f"{name} {number(value, 2)}" for name, value in zip(names, left_out[:MOST_SHOWN]))
    said = {"g": g, "less": g - 1, "first": first, "squares": number(squares), "se": number(se), "t": number(quantile)}
    said |= {"value": print_metric(row.metric, row.value)}
    said |= {"low": print_metric(row.metric, row.low), "high": print_metric(row.metric, row.high)}
    return make_worked(
        row,
        [
            _("Total with each of %(g)d problems left out, as points of all: %(first)s …") % said,
            _("Squared deviations add up to %(squares)s. Standard error: √(%(less)d / %(g)d × %(squares)s) = %(se)s.")
            % said,
            _("%(value)s ∓ %(t)s × %(se)s, cut at the ends of the scale: %(low)s to %(high)s.") % said,
        ],
    )


def _error_steps(row: Standing, sheet: Sheet) -> tuple[list[str], float]:
    """The clustered standard error, and how it comes about."""
    means = average_repeats(values_of(row.metric, sheet))
    scored = ~np.isnan(means)
    values = means[scored]
    names = [name for name, keep in zip(sheet.clusters, scored, strict=True) if keep]
    sums = sum_by_cluster((values - values.mean())[:, None], index_clusters(names, values.size))[:, 0]
    squares, n_clusters = float((sums**2).sum()), sums.size
    se = float(np.sqrt(n_clusters / (n_clusters - 1) * squares) / values.size)
    first = ", ".join(f"{name} {number(value)}" for name, value in zip(dict.fromkeys(names), sums[:MOST_SHOWN]))
    said = {"g": n_clusters, "n": values.size, "mean": number(float(values.mean()), 6), "first": first}
    said |= {"squares": number(squares), "se": number(se, 6), "less": n_clusters - 1}
    return [
        _("Mean of %(n)d problems: %(mean)s. Deviations from it, added up in each of %(g)d clusters: %(first)s …")
        % said,
        _("Their squares add up to %(squares)s. Standard error: √(%(g)d / %(less)d × %(squares)s) / %(n)d = %(se)s.")
        % said,
    ], se


def work_coverage() -> Worked | None:
    """A value with unscored samples, and where it may still go."""
    row = rows_now(n_unscored__gt=0, metric__in=MEANS, bound_low__isnull=False).first()
    if row is None:
        return None
    found = read_sheet(row)
    if found is None:
        return None
    points = values_of(row.metric, found[0])
    scored = ~np.isnan(points)
    n, k = int(scored.sum()), points.size
    said = {"n": n, "k": k, "share": number(100 * n / k, 1), "mean": print_metric(row.metric, row.value)}
    said |= {"low": print_metric(row.metric, row.bound_low), "high": print_metric(row.metric, row.bound_high)}
    return make_worked(
        row,
        [
            _("%(n)d of %(k)d samples are scored: %(share)s %%. Their mean is %(mean)s.") % said,
            _("With the others as nothing it would be %(low)s, with them in full %(high)s.") % said,
        ],
    )
