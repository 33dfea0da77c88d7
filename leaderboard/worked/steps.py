"""What examples are made of: a number on a board, the arrays behind it, and steps that lead to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from arena.models import Run, Subset
from leaderboard.models import RunVectors, Standing
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.scores import Sheet, make_sheet
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.compare_pairs import print_p
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.sentences import join_words
from leaderboard.vectors import unpack

Z = 1.959964  # of 95 %


@dataclass(frozen=True, slots=True)
class Worked:
    """One example. whose: model, board and column; result: the number as the board prints it; url: where it stands.

    name: of the formula.
    """

    whose: str
    result: str
    steps: tuple[str, ...]
    url: str
    name: str = ""


def rows_now(**wanted: object) -> QuerySet[Standing]:
    """Numbers of machines on boards of the current data; filters as of a queryset."""
    return (
        Standing.objects.filter(revision__is_current=True, basis=Standing.Basis.MACHINE, value__isnull=False)
        .filter(**wanted)
        .exclude(details__is_ruling=False)
        .select_related("entrant", "run", "scorer", "subset", "benchmark", "revision__benchmark")
        .order_by("n_problems", "pk")
    )


def read_sheet(row: Standing) -> tuple[Sheet, ProblemIndex] | None:
    """The samples behind a number, of the problems that its run planned; None where they are being made anew."""
    stored = RunVectors.objects.filter(run=row.run, scorer=row.scorer, basis=Standing.Basis.MACHINE).first()
    if stored is None:
        return None
    index = read_index(row.revision, row.split)
    sheet = make_sheet(unpack(stored.data), index, row.benchmark.slug, policy_of(row))
    if row.subset.slug != Subset.OVERALL:
        sheet = sheet.pick(index.by_subset[row.subset.slug])
    return sheet.only_planned(), index


def problem_name(index: ProblemIndex, sheet: Sheet, at: int) -> str:
    """The official id of a problem of the sheet."""
    place = np.flatnonzero(index.problem_ids == sheet.vectors.problem_ids[at])
    return index.external_ids[int(place[0])] if place.size else str(at)


def policy_of(row: Standing) -> str:
    return str(row.scorer.params.get("policy", "corrected"))


def make_worked(row: Standing, steps: Iterable[str]) -> Worked:
    """The example of one number; its receipt is the address."""
    value = print_metric(row.metric, row.value)
    if row.low is not None and row.high is not None:
        ends = {"low": print_metric(row.metric, row.low), "high": print_metric(row.metric, row.high)}
        value += " " + _("(95 %% %(low)s to %(high)s)") % ends
    return Worked(describe(row), value, tuple(steps), receipt_url(row))


def describe(row: Standing) -> str:
    subset = "" if row.subset.slug == Subset.OVERALL else say_subset(row.subset)
    return join_words((row.entrant.name, localised(row.benchmark, "title"), subset, metric_label(row.metric)))


def receipt_url(row: Standing) -> str:
    subset = quote(row.subset.slug, safe="")
    return f"/b/{row.benchmark.slug}/receipt/{short(row.run)}/{subset}/{row.metric}/?split={row.split}"


def short(run: Run) -> str:
    return str(run.uuid)[:8]


def say_p(p: float) -> str:
    """`= 0.02` or `< 0.0001`."""
    text = print_p(p)
    return text if text.startswith("<") else f"= {text}"


def fixed(value: float, digits: int = 1) -> str:
    """As boards print it: always so many digits."""
    return f"{value:.{digits}f}".replace("-", "−")


def number(value: float, digits: int = 4) -> str:
    """Enough digits to follow by hand, without trailing zeros."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", "−")
