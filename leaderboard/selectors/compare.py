"""Two or more models on the problems they share: differences with corrected p values, and who solves what alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np
from django.core.cache import cache
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import Reply
from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.rendering.markdown import render_cached
from leaderboard.scores import OVERALL_ONLY, Sheet, compare_sheets, make_sheet, mark_solved, metrics_of, values_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.sentences import say_sentence
from leaderboard.statistics.comparisons import PairMatrix, Test, compare_slices
from leaderboard.statistics.intervals import average_repeats
from leaderboard.statistics.resampling import LEVEL

MOST_LISTED = 100
MOST_MODELS = 6


@dataclass(frozen=True, slots=True)
class Option:
    """A model that can be chosen. short: first digits of its run."""

    slug: str
    name: str
    short: str
    places: tuple[bool, ...]  # whether it is the choice of each field


@dataclass(frozen=True, slots=True)
class Pair:
    """First minus second, ready to print. wins, losses: problems where one has more."""

    first: str
    second: str
    difference: str
    interval: str
    p: str
    p_holm: str
    verdict: str
    n_shared: int
    n_first_better: int
    n_second_better: int


@dataclass(frozen=True, slots=True)
class OnlyOne:
    """A problem that one of the first two solves and the other does not."""

    external_id: str
    url: str
    subset: str
    first: str
    second: str
    side_url: str


@dataclass(frozen=True, slots=True)
class SideBySide:
    external_id: str
    url: str
    replies: tuple[tuple[str, str, SafeString, str], ...]  # model, address, text, points


@dataclass(frozen=True, slots=True)
class Comparison:
    place: Place
    metric: str
    metric_label: str
    options: tuple[Option, ...]
    fields: tuple[str, ...]
    chosen: tuple[str, ...]
    pairs: tuple[Pair, ...]
    test: str
    slices: Table | None
    only_first: tuple[OnlyOne, ...]
    only_second: tuple[OnlyOne, ...]
    n_only: tuple[int, int]
    agreement: Table | None
    agreement_text: str
    side: SideBySide | None


def read_comparison(place: Place, wanted: Sequence[str], *, metric: str = "", problem: str = "") -> Comparison:
    """wanted: slugs of entrants (or the first eight digits of runs), in order; unknown ones are left out."""
    entries = sorted(read_entries(place.revision, place.split), key=lambda e: e.run.entrant.name.casefold())
    index = read_index(place.revision, place.split)
    slug = place.benchmark.slug
    metrics = metrics_of(slug)
    metric = metric if metric in metrics else metrics[0]
    chosen = [entry for name in wanted if (entry := _find(entries, name)) is not None]
    chosen = list({entry.key: entry for entry in chosen}.values())[:MOST_MODELS]
    if not chosen and len(entries) >= 2:
        chosen = entries[:2]
    sheets = [make_sheet(e.machine, index, slug, e.scorer.params.get("policy", "corrected")) for e in entries]
    matrix = compare_sheets(metric, sheets) if len(entries) >= 2 else None
    place_of = {entry.key: i for i, entry in enumerate(entries)}
    positions = [place_of[entry.key] for entry in chosen]
    names = _names(entries)
    fields = tuple("abcdef"[: max(2, min(MOST_MODELS, len(chosen) + 1))])
    pairs = _pairs(matrix, positions, names, metric, index, sheets) if matrix else ()
    two = [sheets[i] for i in positions[:2]]
    solved = [_solved(sheet) for sheet in two]
    has_two = len(two) == 2
    return Comparison(
        place=place,
        metric=metric,
        metric_label=metric_label(metric),
        options=tuple(
            Option(
                e.run.entrant.slug,
                names[i],
                _short(e),
                tuple(len(chosen) > k and chosen[k] is e for k in range(len(fields))),
            )
            for i, e in enumerate(entries)
        ),
        fields=fields,
        chosen=tuple(names[i] for i in positions),
        pairs=pairs,
        test=say_sentence(str(matrix.test.value)) if matrix else "",
        slices=_slices(two, chosen, index, metric, matrix.test if matrix else None) if has_two else None,
        only_first=_only(place, index, solved[0], solved[1], chosen) if has_two else (),
        only_second=_only(place, index, solved[1], solved[0], chosen) if has_two else (),
        n_only=(_count(solved[0], solved[1]), _count(solved[1], solved[0])) if has_two else (0, 0),
        agreement=_agreement(solved, [names[i] for i in positions]) if has_two else None,
        agreement_text=_agreement_text(solved) if has_two else "",
        side=_side_by_side(place, index, chosen, problem) if problem and chosen else None,
    )


def _short(entry: Entry) -> str:
    return str(entry.run.uuid)[:8]


def _find(entries: Sequence[Entry], name: str) -> Entry | None:
    fitting = [e for e in entries if name and (e.run.entrant.slug == name or _short(e) == name[:8])]
    return max(fitting, key=lambda e: (not e.run.partial, e.run.pk), default=None)


def _names(entries: Sequence[Entry]) -> list[str]:
    """Names, with the run's digits where one model has several runs."""
    plain = [entry.run.entrant.name for entry in entries]
    return [f"{name} ({_short(e)})" if plain.count(name) > 1 else name for name, e in zip(plain, entries)]


def _pairs(
    matrix: PairMatrix,
    positions: Sequence[int],
    names: Sequence[str],
    metric: str,
    index: ProblemIndex,
    sheets: Sequence[Sheet],
) -> tuple[Pair, ...]:
    from scipy import stats

    is_total = metric == "exam_score"
    found = []
    for k, i in enumerate(positions):
        for j in positions[k + 1 :]:
            factor = float(matrix.n_shared[i, j]) if is_total else 1.0
            difference, se = factor * float(matrix.difference[i, j]), factor * float(matrix.se[i, j])
            df = int(matrix.n_clusters[i, j]) - 1
            half = float(stats.t.ppf(0.5 + LEVEL / 2, df)) * se if df > 0 and not np.isnan(se) else None
            p, p_holm = float(matrix.p[i, j]), float(matrix.p_holm[i, j])
            first, second = (_per_problem(sheets[x], metric) for x in (i, j))
            found.append(
                Pair(
                    names[i],
                    names[j],
                    _signed(metric, difference),
                    "–"
                    if half is None
                    else f"{_signed(metric, difference - half)} … {_signed(metric, difference + half)}",
                    print_p(p),
                    print_p(p_holm),
                    _verdict(p_holm, difference),
                    int(matrix.n_shared[i, j]),
                    int((first > second).sum()),
                    int((first < second).sum()),
                )
            )
    return tuple(found)


def _per_problem(sheet: Sheet, metric: str) -> np.ndarray:
    return average_repeats(values_of("accuracy" if metric in OVERALL_ONLY else metric, sheet))


def _signed(metric: str, value: float) -> str:
    text = print_metric(metric, abs(value))
    return f"{'−' if value < 0 else '+'}{text}"


def print_p(p: float) -> str:
    if np.isnan(p):
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _verdict(p_holm: float, difference: float) -> str:
    if np.isnan(p_holm):
        return _("cannot be tested")
    if p_holm >= 1 - LEVEL:
        return _("not distinguishable")
    return _("first is better") if difference > 0 else _("second is better")


def _slices(
    two: Sequence[Sheet], chosen: Sequence[Entry], index: ProblemIndex, metric: str, test: Test | None
) -> Table | None:
    """The same pair by subset, p corrected by Benjamini-Hochberg."""
    groups = index.by_subset
    if len(groups) < 2:
        return None
    plain = "accuracy" if metric in (*OVERALL_ONLY, "exam_score", "f1_score") else metric
    first, second = (values_of(plain, sheet) for sheet in two)
    usable = {
        name: rows
        for name, rows in groups.items()
        if (~np.isnan(first[rows]).all(axis=1) & ~np.isnan(second[rows]).all(axis=1)).sum() > 1
    }
    if not usable:
        return None
    kind = test if test in (Test.MCNEMAR, Test.PAIRED_T) and first.shape[1] == second.shape[1] == 1 else Test.PAIRED_T
    found = compare_slices(first, second, usable, index.clusters, test=kind)
    return Table(
        (_("Subset"), _("Difference"), _("interval (95 %)"), "p", _("p, corrected (BH)"), "n"),
        tuple(
            (
                name,
                _signed(plain, c.difference),
                "–" if c.low is None or c.high is None else f"{_signed(plain, c.low)} … {_signed(plain, c.high)}",
                print_p(np.nan if c.p is None else c.p),
                print_p(np.nan if c.p_corrected is None else c.p_corrected),
                str(c.n_shared),
            )
            for name, c in found.items()
        ),
    )


def _solved(sheet: Sheet) -> np.ndarray:
    """1 solved, 0 not, NaN where not scored."""
    return mark_solved(average_repeats(values_of("accuracy", sheet)))


def _count(first: np.ndarray, second: np.ndarray) -> int:
    return int(((first == 1) & (second == 0)).sum())


def _only(
    place: Place, index: ProblemIndex, winner: np.ndarray, loser: np.ndarray, chosen: Sequence[Entry]
) -> tuple[OnlyOne, ...]:
    rows = np.flatnonzero((winner == 1) & (loser == 0))[:MOST_LISTED]
    found = []
    for i in rows:
        name = index.external_ids[i]
        base = f"/b/{place.benchmark.slug}/"
        a, b = (f"{base}grid/{_short(entry)}/{quote(name, safe='')}/" for entry in chosen[:2])
        names = "&".join(f"{key}={_short(entry)}" for key, entry in zip("ab", chosen))
        side = f"?{names}&problem={quote(name, safe='')}#side"
        found.append(
            OnlyOne(name, f"{base}problems/{quote(name, safe='')}/{place.query}", index.subsets[i], a, b, side)
        )
    return tuple(found)


def _agreement(solved: Sequence[np.ndarray], names: Sequence[str]) -> Table:
    first, second = solved
    cells = [[int(((first == a) & (second == b)).sum()) for b in (1, 0)] for a in (1, 0)]
    return Table(
        ("", _("%(name)s solves it") % {"name": names[1]}, _("does not")),
        (
            (_("%(name)s solves it") % {"name": names[0]}, *map(str, cells[0])),
            (_("does not"), *map(str, cells[1])),
        ),
    )


def _agreement_text(solved: Sequence[np.ndarray]) -> str:
    """Share of problems on which both do or both do not, and Cohen's kappa."""
    both = ~np.isnan(solved[0]) & ~np.isnan(solved[1])
    n = int(both.sum())
    if not n:
        return ""
    a, b = solved[0][both], solved[1][both]
    agree = float((a == b).mean())
    expected = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
    kappa = None if expected == 1 else (agree - expected) / (1 - expected)
    return _("They agree on %(share)s of %(n)d problems; Cohen's kappa %(kappa)s.") % {
        "share": print_metric("accuracy", agree),
        "n": n,
        "kappa": "–" if kappa is None else f"{kappa:.2f}",
    }


def _side_by_side(place: Place, index: ProblemIndex, chosen: Sequence[Entry], problem: str) -> SideBySide | None:
    if problem not in index.external_ids:
        return None
    problem_id = int(index.problem_ids[index.external_ids.index(problem)])
    runs = [entry.run for entry in chosen]
    rows = Reply.objects.filter(run__in=runs, problem_id=problem_id, withdrawals__isnull=True).order_by("repeat")
    first: dict[int, Reply] = {}
    for reply in rows:
        first.setdefault(reply.run_id, reply)
    found = []
    for entry in chosen:
        reply = first.get(entry.run.pk)
        if reply is None:
            continue
        at = np.flatnonzero(entry.machine.problem_ids == problem_id)
        points = entry.machine.points[at[0], reply.repeat] if at.size else np.nan
        text = render_cached(reply.text, cache)
        found.append(
            (entry.run.entrant.name, f"/replies/{reply.uuid}/", text, "–" if np.isnan(points) else f"{points:g}")
        )
    return SideBySide(
        problem, f"/b/{place.benchmark.slug}/problems/{quote(problem, safe='')}/{place.query}", tuple(found)
    )
