"""What a run came to: point estimates, and every reply with its outcome, filtered, in order and paged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import Reply, Run, Scorer, Subset
from arena.results import EFFECTIVE, MACHINE
from arena.services.reporting import report_run
from arena.summary import as_rates
from leaderboard.board_entries import Reader, ruling_scorer, scorers_with_judgments
from leaderboard.models import RunVectors, StaleRun
from leaderboard.problem_index import Ints, ProblemIndex, read_index
from leaderboard.scores import make_sheet
from leaderboard.selectors.board_columns import Column, make_column
from leaderboard.selectors.board_filters import Choice
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.problem_groups import pick_group, print_accuracy, title_group
from leaderboard.selectors.problem_parts import outcome_of, print_marks, problem_url
from leaderboard.selectors.wordings import say_outcome
from leaderboard.statistics.ranks import order_missing_last
from leaderboard.vectors import STATUSES, Vectors, unpack

PER_PAGE = 50
KEPT = ("split", "group", "sort")  # parts of the address that the form of filters hands on
OUTCOMES = ("right", "partial", "wrong", *(name for name in STATUSES if name not in ("open", "scored")), "unscored")


@dataclass(frozen=True, slots=True)
class Sample:
    """One planned sample as numbers. points: by machine, after_review: as people left it; None is unscored."""

    position: int
    repeat: int
    outcome: str
    points: float | None
    after_review: float | None
    reply_id: int


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """One sample, ready to print. url: the reply's, or the problem's where none came. attempt: from 1, or 0."""

    external_id: str
    subset: str
    attempt: int
    outcome: str
    points: str
    after_review: str
    url: str


@dataclass(frozen=True, slots=True)
class RepliesPage:
    """A page of the samples that the filters leave. hidden: other parts of the address that a form keeps.

    group: where only problems of one kind are shown, what they are called and the mean over them.
    """

    page: Page[Any]
    page_range: tuple[Any, ...]
    rows: tuple[ReplyRow, ...]
    subsets: tuple[Choice, ...]
    outcomes: tuple[Choice, ...]
    points: Column
    hidden: tuple[tuple[str, str], ...]
    n_all: int
    group: tuple[str, str] | None = None


def read_estimates(run: Run) -> tuple[tuple[str, str], ...]:
    """Label and value of each metric of an ended run; the board adds intervals and rank."""
    report = report_run(run)
    return tuple((metric_label(name), print_metric(name, value)) for name, value in as_rates(report.metrics).items())


def read_replies(run: Run, given: Mapping[str, str]) -> RepliesPage:
    """The run's samples under the scorer that counts.

    given: an address. `subset`, `group` (of problems, by its name) and `outcome` leave samples out, `sort` is `points`
    or `-points` (else the official order), `split` leaves the problems of another split that this run also stands on,
    `page` is a number.
    """
    index = read_index(run.revision_id, given.get("split") or run.split)
    scorer = Scorer.objects.get(pk=ruling_scorer(run, scorers_with_judgments(run), run.revision.benchmark))
    vectors = _read_vectors(run, scorer)
    samples = _list_samples(*vectors, index)
    subset, outcome, sort, group = (given.get(name, "") for name in ("subset", "outcome", "sort", "group"))
    positions = pick_group(index, group)
    here = [sample for sample in samples if not subset or index.subsets[sample.position] == subset]
    if positions is not None:
        wanted = set(positions.tolist())
        here = [sample for sample in here if sample.position in wanted]
    kept = _sort([sample for sample in here if not outcome or sample.outcome == outcome], sort)
    paginator = Paginator(kept, PER_PAGE)
    page = paginator.get_page(given.get("page"))
    return RepliesPage(
        page=page,
        page_range=tuple(paginator.get_elided_page_range(page.number)),
        rows=_print_rows(run, index, list(page)),
        subsets=_list_subsets(run, index, samples, subset),
        outcomes=_list_outcomes(here, outcome),
        points=make_column("points", _("Points"), sort),
        hidden=tuple((name, given[name]) for name in KEPT if given.get(name)),
        n_all=len(samples),
        group=None if positions is None else (title_group(group), _mean_of(vectors[0], index, positions, run, scorer)),
    )


def _mean_of(machine: Vectors, index: ProblemIndex, positions: Ints, run: Run, scorer: Scorer) -> str:
    sheet = make_sheet(machine, index, run.revision.benchmark.slug, str(scorer.params.get("policy", "corrected")))
    return print_accuracy(sheet.pick(positions))


def _list_samples(machine: Vectors, effective: Vectors, index: ProblemIndex) -> list[Sample]:
    at = index.place(machine.problem_ids)
    found = []
    for position in np.flatnonzero(at >= 0):
        row, maximum = at[position], float(index.max_points[position])
        for repeat in range(machine.repeats):
            points, after = (_known(vectors.points[row, repeat]) for vectors in (machine, effective))
            status = STATUSES[machine.status[row, repeat]]
            reply_id = int(machine.reply_ids[row, repeat])
            found.append(
                Sample(int(position), repeat, outcome_of(status, points, maximum), points, after, reply_id)
            )  # fmt: skip
    return found


def _read_vectors(run: Run, scorer: Scorer) -> tuple[Vectors, Vectors]:
    """(machine, effective): as the board keeps them, else from the records."""
    if not StaleRun.objects.filter(run=run).exists():
        kept = {row.basis: row.data for row in RunVectors.objects.filter(run=run, scorer=scorer)}
        if MACHINE in kept:
            machine = unpack(kept[MACHINE])
            return machine, unpack(kept[EFFECTIVE]) if EFFECTIVE in kept else machine
    return Reader(run.revision).read(run, scorer)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _sort(samples: Sequence[Sample], sort: str) -> list[Sample]:
    """By points as they count, missing last in both directions; else in official order."""
    if sort.lstrip("-") != "points":
        return list(samples)
    order = order_missing_last([sample.after_review for sample in samples], descending=not sort.startswith("-"))
    return [samples[i] for i in order]


def _print_rows(run: Run, index: ProblemIndex, samples: Sequence[Sample]) -> tuple[ReplyRow, ...]:
    uuids = dict(Reply.objects.filter(pk__in=[s.reply_id for s in samples if s.reply_id]).values_list("pk", "uuid"))
    place = Place(run.revision.benchmark, run.revision, run.split, ())
    titles = _subset_titles(run)
    found = []
    for sample in samples:
        maximum, name = float(index.max_points[sample.position]), index.external_ids[sample.position]
        is_changed = sample.after_review is not None and sample.after_review != sample.points
        found.append(
            ReplyRow(
                external_id=name,
                subset=titles.get(index.subsets[sample.position], ""),
                attempt=sample.repeat + 1 if run.repeats > 1 else 0,
                outcome=sample.outcome,
                points=f"{print_marks(sample.points, maximum)} / {print_marks(maximum, maximum)}",
                after_review=print_marks(sample.after_review, maximum) if is_changed else "",
                url=reverse("reply", args=[uuids[sample.reply_id]])
                if sample.reply_id in uuids
                else problem_url(place, name),
            )
        )
    return tuple(found)


def _subset_titles(run: Run) -> dict[str, str]:
    return {subset.slug: say_subset(subset) for subset in Subset.objects.filter(benchmark=run.revision.benchmark_id)}


def _list_subsets(run: Run, index: ProblemIndex, samples: Sequence[Sample], chosen: str) -> tuple[Choice, ...]:
    names = dict.fromkeys(index.subsets[sample.position] for sample in samples)
    titles = _subset_titles(run)
    return tuple(Choice(name, titles.get(name, name), name == chosen) for name in names) if len(names) > 1 else ()


def _list_outcomes(samples: Sequence[Sample], chosen: str) -> tuple[Choice, ...]:
    """Those that occur, with their number."""
    counts = Counter(sample.outcome for sample in samples)
    return tuple(
        Choice(name, f"{say_outcome(name)} ({counts[name]})", name == chosen)
        for name in OUTCOMES
        if counts[name] or name == chosen
    )
