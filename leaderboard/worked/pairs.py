"""Two models on the problems they share, the correction for many pairs, and the places that follow from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from django.utils.translation import gettext as _

from arena.models import Subset
from leaderboard.board_entries import read_entries
from leaderboard.models import Standing
from leaderboard.problem_index import read_index
from leaderboard.scores import Sheet, compare_sheets, make_sheet, metrics_of, values_of
from leaderboard.statistics.comparisons import PairMatrix, Test
from leaderboard.statistics.intervals import average_repeats
from leaderboard.worked.steps import Worked, describe, fixed, make_worked, number, policy_of, rows_now, say_p, short

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Field:
    """The ranked models of one board, best first, with their samples and all pairs compared."""

    rows: tuple[Standing, ...]
    sheets: tuple[Sheet, ...]
    matrix: PairMatrix


class Fields:
    """The boards as they are now; each is read when an example first looks at it, and once."""

    def __init__(self) -> None:
        self._heads = [
            row
            for row in rows_now(subset__slug=Subset.OVERALL, run__partial=False)
            if row.metric == metrics_of(row.benchmark.slug)[0]
        ]
        self._read: dict[tuple[int, ...], Field | None] = {}

    def find(self, *, is_ranked: bool) -> Iterator[Field]:
        """Boards with at least two models (that have a rank), those with the most first."""
        boards: dict[tuple[int, str], list[Standing]] = {}
        for row in self._heads:
            if row.rank is not None or not is_ranked:
                boards.setdefault((row.revision_id, row.split), []).append(row)
        for rows in sorted(boards.values(), key=len, reverse=True):
            best_first = sorted(rows, key=lambda row: (-(row.value or 0.0), row.pk))
            field = self._get(best_first) if len(rows) > 1 else None
            if field is not None:
                yield field

    def _get(self, rows: list[Standing]) -> Field | None:
        key = tuple(row.pk for row in rows)
        if key not in self._read:
            self._read[key] = _read_field(rows)
        return self._read[key]


def _read_field(rows: list[Standing]) -> Field | None:
    """None while samples of one of them are being made anew."""
    first = rows[0]
    entries = {entry.key: entry for entry in read_entries(first.revision, first.split)}
    if any((row.run_id, row.scorer_id) not in entries for row in rows):
        return None
    index, slug = read_index(first.revision, first.split), first.benchmark.slug
    sheets = [make_sheet(entries[row.run_id, row.scorer_id].machine, index, slug, policy_of(row)) for row in rows]
    return Field(tuple(rows), tuple(sheets), compare_sheets(first.metric, sheets))


def work_pair(test: Test, boards: Fields) -> Worked | None:
    """Two neighbours on a board that uses this test, of all those whose corrected p is nearest to the line."""
    fields = (field for is_ranked in (True, False) for field in boards.find(is_ranked=is_ranked))
    field = next((field for field in fields if field.matrix.test is test), None)
    if field is None:
        return None
    corrected = np.diag(field.matrix.p_holm, 1)
    if np.isnan(corrected).all():
        return None
    at = int(np.nanargmin(np.abs(corrected - ALPHA)))
    names = {"a": field.rows[at].entrant.name, "b": field.rows[at + 1].entrant.name}
    steps = {Test.MCNEMAR: _mcnemar_steps, Test.PAIRED_T: _t_steps, Test.BOOTSTRAP_NORMAL: _normal_steps}[test]
    runs = f"a={short(field.rows[at].run)}&b={short(field.rows[at + 1].run)}"
    first = field.rows[at]
    return Worked(
        describe(first),
        _("%(a)s against %(b)s") % names,
        (*steps(field, at, names), *_holm_steps(field.matrix, at)),
        f"/b/{first.benchmark.slug}/compare/?{runs}&split={first.split}",
    )


work_mcnemar = partial(work_pair, Test.MCNEMAR)
work_paired_t = partial(work_pair, Test.PAIRED_T)
work_normal = partial(work_pair, Test.BOOTSTRAP_NORMAL)


def _mcnemar_steps(field: Field, at: int, names: dict[str, str]) -> list[str]:
    values = [average_repeats(values_of(field.rows[0].metric, sheet)) for sheet in field.sheets[at : at + 2]]
    x, y = int((values[0] > values[1]).sum()), int((values[0] < values[1]).sum())
    said = {**names, "n": int(field.matrix.n_shared[at, at + 1]), "x": x, "y": y, "least": min(x, y), "both": x + y}
    said |= {"p": say_p(float(field.matrix.p[at, at + 1]))}
    return [
        _("On %(n)d shared problems %(a)s alone is right on %(x)d, %(b)s alone on %(y)d.") % said,
        _("p is twice the chance that of %(both)d tosses of a coin at most %(least)d show heads: p %(p)s.") % said,
    ]


def _say_difference(field: Field, at: int, names: dict[str, str]) -> dict[str, object]:
    matrix = field.matrix
    difference, se = float(matrix.difference[at, at + 1]), float(matrix.se[at, at + 1])
    return {
        **names,
        "n": int(matrix.n_shared[at, at + 1]),
        "g": int(matrix.n_clusters[at, at + 1]),
        "df": int(matrix.n_clusters[at, at + 1]) - 1,
        "d": number(difference, 6),
        "se": number(se, 6),
        "t": number(difference / se) if se > 0 else "–",
        "p": say_p(float(matrix.p[at, at + 1])),
        "draws": matrix.draws,
    }


def _t_steps(field: Field, at: int, names: dict[str, str]) -> list[str]:
    said = _say_difference(field, at, names)
    ahead = _("On %(n)d shared problems %(a)s is ahead of %(b)s by %(d)s on average.")
    error = _("The standard error of the differences over %(g)d clusters is %(se)s.")
    return [
        f"{ahead % said} {error % said}",
        *_total_step(field, at),
        _("t = %(d)s / %(se)s = %(t)s with %(df)d degrees of freedom: p %(p)s.") % said,
    ]


def _total_step(field: Field, at: int) -> list[str]:
    """Exams are compared by their points over all problems."""
    if field.rows[0].metric != "exam_score":
        return []
    difference, n = float(field.matrix.difference[at, at + 1]), int(field.matrix.n_shared[at, at + 1])
    said = {"n": n, "d": number(difference, 6), "total": fixed(n * difference)}
    return [_("Over all problems that is %(n)d × %(d)s = %(total)s points.") % said]


def _normal_steps(field: Field, at: int, names: dict[str, str]) -> list[str]:
    said = _say_difference(field, at, names)
    ahead = _("On %(n)d shared problems %(a)s is ahead of %(b)s by %(d)s.")
    error = _("Over %(draws)d draws of the same problems for both the difference varies by %(se)s.")
    return [
        f"{ahead % said} {error % said}",
        _("z = %(d)s / %(se)s = %(t)s; in a normal distribution p %(p)s.") % said,
    ]


def _holm_steps(matrix: PairMatrix, at: int) -> list[str]:
    tested = matrix.p[np.triu_indices(matrix.p.shape[0], 1)]
    tested = tested[~np.isnan(tested)]
    if tested.size == 1:
        return [_("This is the board's only pair: nothing is corrected.")]
    p = float(matrix.p[at, at + 1])
    below = int((tested < p).sum())
    said = {"pairs": tested.size, "below": below, "factor": tested.size - below}
    said |= {"product": say_p(min(1.0, (tested.size - below) * p))}
    said |= {"corrected": say_p(float(matrix.p_holm[at, at + 1]))}
    step = _(
        "Holm: of the board's %(pairs)d pairs %(below)d have a smaller p, so this one counts "
        "%(factor)d times: p %(product)s."
    )
    last = _("It is never less than that of a pair with a smaller p. Corrected: p %(corrected)s.")
    return [step % said, last % said]


def work_place(boards: Fields) -> Worked | None:
    """One model's rank interval and tier: of the first below the first tier, else of the last."""
    field = next(boards.find(is_ranked=True), None)
    if field is None:
        return None
    better = field.matrix.significantly_better()
    at = next((i for i, row in enumerate(field.rows) if (row.tier or 1) > 1), len(field.rows) - 1)
    row, m = field.rows[at], len(field.rows)
    n_better, n_worse = int(better[:, at].sum()), int(better[at].sum())
    said = {
        "m": m,
        "better": n_better,
        "worse": n_worse,
        "low": 1 + n_better,
        "high": m - n_worse,
        "rank": row.rank or 0,
    }
    steps = [
        _("Of %(m)d ranked models the number significantly better is %(better)d, significantly worse %(worse)d.")
        % said,
        _("Rank interval: 1 + %(better)d to %(m)d − %(worse)d = %(low)d to %(high)d. Its value puts it at %(rank)d.")
        % said,
        *_tier_steps(field, at),
    ]
    return make_worked(row, steps)


def _tier_steps(field: Field, at: int) -> list[str]:
    """Against the head of the tier above, or of its own where it heads none."""
    row = field.rows[at]
    above = next(i for i, other in enumerate(field.rows) if other.tier == max(1, (row.tier or 1) - 1))
    if above == at:
        return []
    said = {"head": field.rows[above].entrant.name, "last": field.rows[above].tier or 0, "tier": row.tier or 0}
    said |= {"p": say_p(float(field.matrix.p_holm[above, at]))}
    if row.tier == field.rows[above].tier:
        return [_("Tier %(last)d is headed by %(head)s; against it p %(p)s, not below 0.05: the same tier.") % said]
    return [_("Tier %(last)d is headed by %(head)s; against it p %(p)s, below 0.05: tier %(tier)d begins.") % said]
