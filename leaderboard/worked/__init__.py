"""Worked examples for the page of methods: each formula with the numbers of a board as it is now, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.worked.arena import work_rating
from leaderboard.worked.eed import work_eed
from leaderboard.worked.exams import work_exam, work_sittings, work_total
from leaderboard.worked.languages import work_gap
from leaderboard.worked.means import (
    work_bootstrap,
    work_coverage,
    work_jackknife,
    work_macro,
    work_mean,
    work_t,
    work_unanimous,
    work_wilson,
)
from leaderboard.worked.pairs import Fields, work_mcnemar, work_normal, work_paired_t, work_place
from leaderboard.worked.repeats import work_best, work_majority, work_pass
from leaderboard.worked.reviews import work_correction
from leaderboard.worked.steps import Worked
from leaderboard.worked.yes_no import work_f1

EXAMPLES: dict[str, tuple[Promise, Callable[[], Worked | None]]] = {
    "mean": (gettext_lazy("Mean over problems"), work_mean),
    "macro": (gettext_lazy("Mean over subsets"), work_macro),
    "wilson": (gettext_lazy("Wilson interval"), work_wilson),
    "bootstrap": (gettext_lazy("Cluster bootstrap"), work_bootstrap),
    "t": (gettext_lazy("Student’s t"), work_t),
    "jackknife": (gettext_lazy("Jackknife"), work_jackknife),
    "unanimous": (gettext_lazy("Wilson over clusters"), work_unanimous),
    "exam": (gettext_lazy("Points and medal of one exam"), work_exam),
    "sittings": (gettext_lazy("Several sittings"), work_sittings),
    "total": (gettext_lazy("All exams together"), work_total),
    "f1": (gettext_lazy("F1, precision and recall"), work_f1),
    "eed": (gettext_lazy("EED of one reply"), work_eed),
    "coverage": (gettext_lazy("Coverage and bounds"), work_coverage),
    "pass": (gettext_lazy("pass@2"), work_pass),
    "best": (gettext_lazy("best@2"), work_best),
    "majority": (gettext_lazy("Majority vote"), work_majority),
    "gap": (gettext_lazy("Gap to English"), work_gap),
    "correction": (gettext_lazy("Corrected mean"), work_correction),
    "rating": (gettext_lazy("Two ratings"), work_rating),
}

COMPARISONS: dict[str, tuple[Promise, Callable[[Fields], Worked | None]]] = {
    "mcnemar": (gettext_lazy("Exact McNemar test"), work_mcnemar),
    "paired_t": (gettext_lazy("Paired difference and t"), work_paired_t),
    "normal": (gettext_lazy("Paired bootstrap error"), work_normal),
    "place": (gettext_lazy("Rank interval and tier"), work_place),
}


def work_examples() -> Mapping[str, Worked]:
    """Those for which a board holds numbers now, by key."""
    fields = Fields()
    found = {key: (name, work()) for key, (name, work) in EXAMPLES.items()}
    found |= {key: (name, work(fields)) for key, (name, work) in COMPARISONS.items()}
    return {key: replace(example, name=str(name)) for key, (name, example) in found.items() if example is not None}


__all__ = ["COMPARISONS", "EXAMPLES", "Worked", "work_examples"]
