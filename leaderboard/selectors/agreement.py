"""How far each judge can be trusted: judge against people, reviewers among themselves, judges among themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.models import Adjudication, Judgment, Reply, Review, ReviewItem, Run, Scorer, User, Withdrawal
from arena.review_states import part_states
from arena.verdicts import read_awards
from leaderboard.selectors.agreement_pairs import Pair, Rating, benchmark_titles, collect_pairs
from leaderboard.selectors.reviews import judge_names
from leaderboard.selectors.wordings import say_part
from leaderboard.sentences import say_sentence
from leaderboard.statistics.agreement import (
    exact_agreement,
    mean_signed_error,
    quadratic_kappa,
    report_judge,
)
from leaderboard.statistics.intervals import Interval
from leaderboard.statistics.reliability import flip_rate, krippendorff_alpha, largest_disagreements

KEEP_S = 600
STEPS = ("none", "part", "full")  # of the attainable points, for confusion tables


@dataclass(frozen=True, slots=True)
class Cell:
    """A coefficient ready to print: value, interval as `0.62 to 0.81`, and why there is none."""

    value: str
    interval: str
    note: str
    number: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One judge on one benchmark against people. confusion[h][j]: counts, people's step by judge's step."""

    benchmark: str
    judge: str
    n: int
    n_random: int
    exact: Cell
    kappa: Cell
    weighted_kappa: Cell
    mean_error: Cell
    total_r: Cell
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class SliceRow:
    """A judge's agreement within one slice: a criterion kind, language, model, number of points or month."""

    benchmark: str
    judge: str
    slice: str
    n: int
    exact: Cell
    weighted_kappa: Cell
    mean_error: Cell


@dataclass(frozen=True, slots=True)
class RaterRow:
    """Several raters of one benchmark among themselves; `who` are people or judges."""

    benchmark: str
    who: str
    n: int
    alpha: Cell
    flips: Cell


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two reviewers, without names."""

    benchmark: str
    who: str
    n: int
    exact: Cell
    weighted_kappa: Cell


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A reviewer on the known items. Names are for maintainers; everybody sees their own."""

    who: str
    n: int
    exact: str
    mean_error: str


@dataclass(frozen=True, slots=True)
class WideGap:
    """A part on which judges or repeats differ most."""

    label: str
    url: str
    shares: str


@dataclass(frozen=True, slots=True)
class AgreementPage:
    """Everything on the page. sample: random or all."""

    sample: str
    n_pairs: int
    n_random: int
    judges: tuple[JudgeRow, ...]
    kinds: tuple[SliceRow, ...]
    languages: tuple[SliceRow, ...]
    points: tuple[SliceRow, ...]
    models: tuple[SliceRow, ...]
    families: tuple[SliceRow, ...]
    months: tuple[SliceRow, ...]
    reviewers: tuple[RaterRow, ...]
    reviewer_pairs: tuple[PairRow, ...]
    panels: tuple[RaterRow, ...]
    gaps: tuple[WideGap, ...]


def read_agreement(benchmark: str = "", sample: str = "") -> AgreementPage:
    """sample: `random`, `all`, or empty for the random sample where there is one. Kept until somebody reviews,
    publishes or withdraws anew.
    """
    sample = sample if sample in ("random", "all") else ""  # made-up values must not make the page anew each time
    newest = [table.objects.aggregate(n=Max("pk"))["n"] for table in (Review, Adjudication, ReviewItem, Withdrawal)]
    newest.append(Run.objects.aggregate(n=Max("published_at"))["n"])
    choices = repr((newest, benchmark, sample, get_language()))
    key = f"agreement:{hashlib.sha256(choices.encode()).hexdigest()}"
    page = cache.get(key)
    if page is None:
        page = _read(benchmark, sample)
        cache.set(key, page, KEEP_S)
    return page


def _read(benchmark: str, sample: str) -> AgreementPage:
    everything, ratings = collect_pairs(benchmark)
    n_random = sum(pair.is_random for pair in everything)
    sample = sample if sample in ("random", "all") else ("random" if n_random else "all")
    pairs = [pair for pair in everything if pair.is_random] if sample == "random" else everything
    panels, gaps = _panels(benchmark)
    return AgreementPage(
        sample=sample,
        n_pairs=len(everything),
        n_random=n_random,
        judges=tuple(_judge_rows(pairs)),
        kinds=tuple(_slices(pairs, lambda pair: say_part(pair.kind))),
        languages=tuple(_slices(pairs, lambda pair: pair.language)),
        points=tuple(_slices(pairs, lambda pair: f"{pair.maximum:g}")),
        models=tuple(_slices(pairs, lambda pair: pair.model)),
        families=tuple(_slices([p for p in pairs if p.own_family is not None], _family)),
        months=tuple(_slices(pairs, lambda pair: f"{pair.date:%Y-%m}")),
        reviewers=tuple(_reviewer_rows(ratings)),
        reviewer_pairs=tuple(_reviewer_pairs(ratings)),
        panels=panels,
        gaps=gaps,
    )


def _family(pair: Pair) -> str:
    return _("own family") if pair.own_family else _("other families")


def _judge_rows(pairs: Sequence[Pair]) -> list[JudgeRow]:
    """Best weighted kappa first within each benchmark: the ranking of judges that follows."""
    rows = [_judge_row(*key, group) for key, group in _grouped(pairs, lambda p: (p.benchmark, p.judge)).items()]
    missing = float("-inf")
    return sorted(
        rows,
        key=lambda row: (
            row.benchmark,
            -(missing if row.weighted_kappa.number is None else row.weighted_kappa.number),
            row.judge,
        ),
    )


def _judge_row(benchmark: str, judge: str, pairs: Sequence[Pair]) -> JudgeRow:
    machine, human, clusters = _arrays(pairs)
    report = report_judge(machine, human, clusters, totals=[pair.reply_id for pair in pairs])
    counts = [[0] * len(STEPS) for _ in STEPS]
    for pair in pairs:
        counts[_step(pair.share_human)][_step(pair.share_machine)] += 1
    return JudgeRow(
        benchmark=benchmark,
        judge=judge,
        n=len(pairs),
        n_random=sum(pair.is_random for pair in pairs),
        exact=_percent(report.exact),
        kappa=_cell(report.kappa),
        weighted_kappa=_cell(report.weighted_kappa),
        mean_error=_signed(report.mean_error),
        total_r=_cell(report.total_r),
        confusion=tuple(map(tuple, counts)),
    )


def _step(share: float) -> int:
    return 0 if share <= 1e-9 else 2 if share >= 1 - 1e-9 else 1


def _slices(pairs: Sequence[Pair], name: Callable[[Pair], str]) -> list[SliceRow]:
    rows = []
    for (benchmark, judge, word), group in sorted(
        _grouped(pairs, lambda p: (p.benchmark, p.judge, name(p))).items(), key=lambda item: item[0]
    ):
        machine, human, clusters = _arrays(group)
        rows.append(
            SliceRow(
                benchmark=benchmark,
                judge=judge,
                slice=word,
                n=len(group),
                exact=_percent(exact_agreement(machine, human, clusters)),
                weighted_kappa=_cell(quadratic_kappa(machine, human, clusters)),
                mean_error=_signed(mean_signed_error(machine, human, clusters)),
            )
        )
    return rows


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _grouped(rows: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _arrays(pairs: Sequence[Pair]):  # type: ignore[no-untyped-def]
    """(machine, human) points (n,), cluster labels."""
    return (
        np.array([pair.machine for pair in pairs]),
        np.array([pair.human for pair in pairs]),
        [pair.cluster for pair in pairs],
    )


# --- raters among themselves ----------------------------------------------------------------------------------------


def _matrix(rows: Sequence[tuple[Hashable, Hashable, float]]):  # type: ignore[no-untyped-def]
    """(raters, items) of (rater, item, value), NaN where none was given, and the items in order of columns."""
    raters = {rater: n for n, rater in enumerate(dict.fromkeys(rater for rater, _, _ in rows))}
    items = {item: n for n, item in enumerate(dict.fromkeys(item for _, item, _ in rows))}
    matrix = np.full((len(raters), len(items)), np.nan)
    for rater, item, value in rows:
        matrix[raters[rater], items[item]] = value
    return matrix, list(items)


def _reviewer_rows(ratings: Sequence[Rating]) -> list[RaterRow]:
    rows = []
    for benchmark, group in sorted(_grouped(ratings, lambda r: r.benchmark).items()):
        matrix, parts = _matrix([(r.reviewer_id, r.part, r.share) for r in group])
        shared = int(((~np.isnan(matrix)).sum(axis=0) >= 2).sum())
        if not shared:
            continue
        clusters = {r.part: r.cluster for r in group}
        labels = [clusters[part] for part in parts]
        who = _("%(n)d reviewers") % {"n": matrix.shape[0]}
        alpha, flips = krippendorff_alpha(matrix, clusters=labels), flip_rate(matrix, labels)
        rows.append(RaterRow(benchmark, who, shared, _cell(alpha), _percent(flips)))
    return rows


def _reviewer_pairs(ratings: Sequence[Rating]) -> list[PairRow]:
    """Every two reviewers who rated the same parts; numbers stand for names."""
    rows = []
    for benchmark, group in sorted(_grouped(ratings, lambda r: r.benchmark).items()):
        by_reviewer = _grouped(group, lambda r: r.reviewer_id)
        for (i, a), (j, b) in combinations(enumerate(sorted(by_reviewer), start=1), 2):
            first = {r.part: r for r in by_reviewer[a]}
            second = {r.part: r for r in by_reviewer[b]}
            both = [part for part in first if part in second]
            if len(both) < 2:
                continue
            x, y = (np.array([side[part].share for part in both]) for side in (first, second))
            clusters = [first[part].cluster for part in both]
            exact, kappa = exact_agreement(x, y, clusters), quadratic_kappa(x, y, clusters)
            who = _("reviewers %(a)d and %(b)d") % {"a": i, "b": j}
            rows.append(PairRow(benchmark, who, len(both), _percent(exact), _cell(kappa)))
    return rows


def _panels(benchmark: str) -> tuple[tuple[RaterRow, ...], tuple[WideGap, ...]]:
    """Judges (or repeats of one) among themselves, where a scorer asks more than once."""
    rows, gaps = [], []
    standing = Judgment.objects.filter(reply__run__in=Run.objects.on_board(), reply__withdrawals=None)
    scorers = Scorer.objects.annotate(n_judges=Count("judges"))
    asked_twice = [s for s in scorers if s.n_judges > 1 or int(s.params.get("judge_repeats", 1)) > 1]
    names, titles = judge_names([scorer.pk for scorer in asked_twice]), benchmark_titles()
    for scorer in asked_twice:
        slug = str(scorer.params.get("benchmark", ""))
        if benchmark and slug != benchmark:
            continue
        awards = list(read_awards(standing.filter(scorer=scorer)))
        matrix, items = _matrix([((a.judge_id, a.repeat), (a.reply_id, a.target), a.share) for a in awards])
        if matrix.shape[0] < 2:
            continue
        clusters = [reply_id for reply_id, _target in items]
        alpha, flips = krippendorff_alpha(matrix, clusters=clusters), flip_rate(matrix, clusters)
        shared = int(((~np.isnan(matrix)).sum(axis=0) >= 2).sum())
        who = f"{names[scorer.pk]} × {int(scorer.params.get('judge_repeats', 1))}"
        rows.append(RaterRow(titles.get(slug, slug), who, shared, _cell(alpha), _percent(flips)))
        gaps += [_gap(items[n], matrix[:, n]) for n in largest_disagreements(matrix, 10)]
    return tuple(rows), tuple(gaps)


def _gap(item: tuple[int, str], column) -> WideGap:  # type: ignore[no-untyped-def]
    reply_id, target = item
    reply = Reply.objects.select_related("problem").get(pk=reply_id)
    shares = ", ".join(number_format(round(100 * value), 0) + " %" for value in column[~np.isnan(column)])
    label = f"{reply.problem.external_id} {target}".strip()
    return WideGap(label, reverse("reply", args=[reply.uuid]), shares)


def read_known(viewer: User | object) -> tuple[KnownRow, ...]:
    """Reviewers on known items: all of them for maintainers, their own row for others."""
    sees_all = bool(getattr(viewer, "is_maintainer", False))
    gaps: dict[str, list[float]] = {}
    for item in ReviewItem.objects.filter(is_calibration=True).select_related("reply", "scorer", "focus"):
        for state in part_states(item):
            known = item.known.get(state.part.key)
            if known is None or not state.part.maximum:
                continue
            for review in state.reviews:
                if sees_all or review.reviewer_id == getattr(viewer, "pk", None):
                    gap = (float(review.points) - float(known)) / float(state.part.maximum)
                    gaps.setdefault(review.reviewer.username, []).append(gap)
    return tuple(
        KnownRow(
            who,
            len(values),
            number_format(100 * sum(abs(v) < 1e-6 for v in values) / len(values), 0) + " %",
            f"{sum(values) / len(values):+.2f}",
        )
        for who, values in sorted(gaps.items())
    )


# --- printing -------------------------------------------------------------------------------------------------------


def _cell(interval: Interval, scale: float = 1.0, digits: int = 2, sign: bool = False, unit: str = "") -> Cell:
    def show(number: float) -> str:
        text = number_format(round(number * scale, digits) + 0.0, digits).replace("-", "−")
        return f"+{text}" if sign and number > 0 else text

    if interval.value is None:
        return Cell("–", "", say_sentence(interval.note), None, None, None)
    value = show(interval.value) + unit
    if interval.low is None or interval.high is None:
        return Cell(value, "", say_sentence(interval.note), interval.value, None, None)
    words = _("%(low)s to %(high)s") % {"low": show(interval.low), "high": show(interval.high)}
    return Cell(value, words, "", interval.value, interval.low, interval.high)


def _percent(interval: Interval) -> Cell:
    return _cell(interval, 100, 1, unit=chr(8239) + "%")


def _signed(interval: Interval) -> Cell:
    return _cell(interval, digits=3, sign=True)
