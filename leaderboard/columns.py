"""One entry measured in every column of its board: the rows of the derived table, not yet placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.models import DatasetRevision, Subset
from arena.results import EFFECTIVE, MACHINE
from arena.summary import WITHOUT_ANSWER
from leaderboard.board_entries import Entry
from leaderboard.models import Standing
from leaderboard.problem_index import Ints, ProblemIndex
from leaderboard.scores import OVERALL_ONLY, Measure, Sheet, coverage_fault, make_sheet, measure, values_of
from leaderboard.statistics.corrected import corrected_mean, reviews_may_rank, share_upward
from leaderboard.statistics.exams import ExamResult, sit_exam
from leaderboard.statistics.intervals import Interval
from leaderboard.vectors import STATUS_CODES, STATUSES, Floats, Vectors
from scoring.metrics import MEDALS, Thresholds

ESTIMATED = "estimated"
ESTIMABLE = ("exam_score", "eed", "accuracy")
_WITHOUT = [STATUS_CODES[name] for name in WITHOUT_ANSWER]


@dataclass(frozen=True, slots=True)
class Column:
    """`overall` (rows None: all problems) or one subset with the positions of its problems."""

    subset: Subset
    rows: Ints | None

    @property
    def is_overall(self) -> bool:
        return self.subset.slug == Subset.OVERALL

    @property
    def is_exam(self) -> bool:
        return self.subset.kind == "exam"

    def pick(self, sheet: Sheet) -> Sheet:
        return sheet if self.rows is None else sheet.pick(self.rows)


def measure_entry(
    entry: Entry,
    revision: DatasetRevision,
    split: str,
    columns: Sequence[Column],
    index: ProblemIndex,
    metrics: Sequence[str],
) -> list[Standing]:
    """All rows of one run under one scorer."""
    slug, policy = revision.benchmark.slug, entry.scorer.params.get("policy", "corrected")
    whole = {MACHINE: make_sheet(entry.machine, index, slug, policy)}
    whole[EFFECTIVE] = (
        whole[MACHINE] if entry.effective is entry.machine else make_sheet(entry.effective, index, slug, policy)
    )
    rows: list[Standing] = []
    for column in columns:
        sheets = {basis: column.pick(sheet) for basis, sheet in whole.items()}
        own: dict[str, list[Standing]] = {MACHINE: []}
        for metric in metrics:
            if not (metric in OVERALL_ONLY and not column.is_overall):
                own[MACHINE] += _row(entry, revision, split, column, metric, MACHINE, sheets[MACHINE])
        if entry.effective is entry.machine:
            own[EFFECTIVE] = [_copy(row) for row in own[MACHINE]]
        else:
            own[EFFECTIVE] = [
                row
                for metric in metrics
                if not (metric in OVERALL_ONLY and not column.is_overall)
                for row in _row(entry, revision, split, column, metric, EFFECTIVE, sheets[EFFECTIVE])
            ]
        for basis, found in own.items():
            if found:  # what belongs to the run and not to a metric stands once a column
                found[0].details |= describe(sheets[basis].only_planned().vectors)
                found[0].details |= review_details(sheets[MACHINE], sheets[EFFECTIVE])
        rows += own[MACHINE] + own[EFFECTIVE]
        if column.is_overall:
            rows += _estimates(entry, revision, split, column, metrics, sheets)
    return rows


def _copy(row: Standing) -> Standing:
    fields = {field.attname: getattr(row, field.attname) for field in Standing._meta.concrete_fields}
    return Standing(**{**fields, "id": None, "basis": EFFECTIVE, "details": dict(row.details)})


def _row(
    entry: Entry, revision: DatasetRevision, split: str, column: Column, metric: str, basis: str, sheet: Sheet
) -> list[Standing]:
    """One row, or none where the run has no problem here."""
    measured = measure(metric, sheet)
    if measured is None:
        return []
    planned = sheet.only_planned()
    details: dict[str, Any] = {"note": measured.interval.note}
    value, se, low, high = (
        measured.interval.value,
        measured.interval.se,
        measured.interval.low,
        measured.interval.high,
    )
    kind = str(measured.interval.kind.value)
    if metric == "exam_score" and column.is_exam:
        exam = _sit(planned, column.subset, is_whole=sheet.is_complete)
        value, se, low, high = exam.score.value, exam.score.se, exam.score.low, exam.score.high
        kind = str(exam.score.kind.value)
        details = {"note": exam.score.note} | _exam_details(exam, planned, column.subset)
    details["n_planned"] = planned.vectors.n_problems
    details["fault"] = _fault(metric, sheet, planned, measured, column)
    if measured.interval.seed is not None:
        details |= {"seed": measured.interval.seed, "draws": measured.interval.draws}
    is_scored = ~np.isnan(planned.vectors.points)
    return [
        Standing(
            benchmark=revision.benchmark,
            revision=revision,
            split=split,
            subset=column.subset,
            entrant=entry.run.entrant,
            run=entry.run,
            scorer=entry.scorer,
            metric=metric,
            basis=basis,
            value=value,
            se=se,
            low=low,
            high=high,
            interval_kind=kind,
            bound_low=measured.bound_low,
            bound_high=measured.bound_high,
            n_problems=len(sheet.planned),
            n_scored=int(is_scored.any(axis=1).sum()),
            n_unscored=int((~is_scored).sum()),
            details=details,
        )
    ]


def _fault(metric: str, sheet: Sheet, planned: Sheet, measured: Measure, column: Column) -> str:
    if not sheet.is_complete:
        return "some subsets only" if column.is_overall else "some problems only"
    return coverage_fault(metric, planned, measured)


def _sit(sheet: Sheet, subset: Subset, *, is_whole: bool) -> ExamResult:
    """One exam: its sittings and interval over them; thresholds belong to the whole exam."""
    marks = [None if mark is None else float(mark) for mark in (subset.gold, subset.silver, subset.bronze)]
    thresholds = Thresholds(*marks) if is_whole else None
    return sit_exam(sheet.vectors.points, sheet.max_points, thresholds, lowest=sheet.vectors.low)


def _exam_details(exam: ExamResult, sheet: Sheet, subset: Subset) -> dict[str, Any]:
    return {
        "sittings": list(exam.low_totals),
        "sittings_high": list(exam.high_totals) if not exam.is_complete else [],
        "has_medals": exam.medal_low is not None,
        "medal": exam.medal or "",
        "medal_low": exam.medal_low or "",
        "medal_high": exam.medal_high or "",
        "medal_counts": {name: getattr(exam.sitting_medals, name) for name in MEDALS},
        "sentence": exam.sentence,
        "full_mark": float(sheet.max_points.sum()),
        "full_mark_human": None if subset.full_mark_human is None else float(subset.full_mark_human),
    }


def describe(vectors: Vectors) -> dict[str, Any]:
    """Outcomes, shares, tokens, latency and stated cost of a run's samples in one column."""
    status = vectors.status
    counts = np.bincount(status.ravel(), minlength=len(STATUSES))
    is_scored = ~np.isnan(vectors.points)
    n_scored = int(is_scored.sum())
    replied = vectors.reply_ids > 0
    return {
        "outcomes": {name: int(counts[code]) for code, name in enumerate(STATUSES) if counts[code] and name != "open"},
        "repeats": vectors.repeats,
        "n_samples": int(status.size),
        "n_scored_samples": n_scored,
        "cut": _share(int((status == STATUS_CODES["cut"]).sum()), n_scored),
        "no_answer": _share(int((np.isin(status, _WITHOUT) & is_scored).sum()), n_scored),
        "output_tokens": _mean(vectors.output_tokens[replied]),
        "prompt_tokens": _mean(vectors.prompt_tokens[replied]),
        "latency_ms": _mean(vectors.latency_ms[replied]),
        "cost_usd": _mean(vectors.cost_usd[replied]),
    }


def review_details(machine: Sheet, effective: Sheet) -> dict[str, Any]:
    """How much of this column people looked at, and whether their points may rank."""
    planned = machine.only_planned().vectors
    after = effective.only_planned().vectors
    n_reviewed = int(planned.reviewed.sum())
    if not n_reviewed:
        return {}
    n_scored = int((~np.isnan(planned.points)).sum())
    looked = planned.reviewed
    is_random = not np.isnan(planned.chance[looked]).any()
    human = np.where(looked, after.points, np.nan).ravel()
    return {
        "n_reviewed": n_reviewed,
        "reviewed": _share(n_reviewed, n_scored),
        "upward": share_upward(planned.points.ravel(), human),
        "may_rank_reviewed": reviews_may_rank(n_scored, n_reviewed, is_random),
    }


def _estimates(
    entry: Entry,
    revision: DatasetRevision,
    split: str,
    column: Column,
    metrics: Sequence[str],
    sheets: dict[str, Sheet],
) -> list[Standing]:
    """The corrected mean from the random review sample, where it is large enough."""
    machine, effective = sheets[MACHINE].only_planned(), sheets[EFFECTIVE].only_planned()
    if np.isnan(machine.vectors.chance).all():
        return []
    rows = []
    for metric in metrics:
        interval = _estimate(metric, machine, effective) if metric in ESTIMABLE else None
        if interval is not None and interval.value is not None:
            rows += _row(entry, revision, split, column, metric, MACHINE, sheets[MACHINE])
            row = rows[-1]
            row.basis, row.value, row.se, row.low, row.high = (
                ESTIMATED,
                interval.value,
                interval.se,
                interval.low,
                interval.high,
            )
            row.interval_kind = str(interval.kind.value)
            row.details = {"note": interval.note, "n_reviews": interval.n, "fault": "estimate"}
    return rows


def _estimate(metric: str, machine: Sheet, effective: Sheet) -> Interval | None:
    before, after = values_of(metric, machine), values_of(metric, effective)
    if np.isnan(before).all():
        return None
    human = np.where(machine.vectors.reviewed, after, np.nan)
    clusters = np.repeat(np.array(machine.clusters, dtype=object), before.shape[1])
    found = corrected_mean(before.ravel(), human.ravel(), machine.vectors.chance.ravel(), clusters.tolist())
    return _times(found, before.shape[0]) if metric == "exam_score" else found


def _times(interval: Interval, n: int) -> Interval:
    """A mean over problems as the sum over them."""
    scaled = [None if x is None else n * x for x in (interval.value, interval.low, interval.high, interval.se)]
    return Interval(*scaled, interval.kind, interval.n, interval.clusters, interval.note)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None
