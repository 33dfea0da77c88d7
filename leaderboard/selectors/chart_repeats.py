"""Charts of single replies: test-time scaling over repeats, and the distribution of EED scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.rendering.charts import Curve, curves, histogram
from leaderboard.scores import Sheet, make_sheet, mark_solved, values_of
from leaderboard.selectors.boards import Board
from leaderboard.selectors.chart_rows import make_view, print_number
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.run_settings import name_entries
from leaderboard.statistics import curves as over_k
from leaderboard.vectors import NO_CLASS


@dataclass(frozen=True, slots=True)
class Followed:
    """One model over k; values: by k where defined, in per cent or points."""

    name: str
    href: str
    values: dict[int, tuple[float, float | None, float | None]]  # value, low, high


def reply_charts(board: Board) -> list[ChartView | None]:
    entries = read_entries(board.place.revision, board.place.split)
    index = read_index(board.place.revision, board.place.split)
    return [*repeat_charts(board, entries, index), eed_chart(board, entries)]


def repeat_charts(board: Board, entries: Sequence[Entry], index: ProblemIndex) -> list[ChartView | None]:
    """pass@k, pass^k and maj@k (exams: best@k) over k, of the runs that have repeats."""
    slug = board.place.benchmark.slug
    sheets = [
        (entry, name, make_sheet(entry.machine, index, slug, entry.scorer.params.get("policy", "corrected")))
        for entry, name in zip(entries, name_entries(entries), strict=True)
        if entry.machine.repeats > 1
    ]
    if not sheets:
        return []
    kinds = {"best": _best} if slug == "hipho" else {"pass": _pass, "pass-hat": _pass_hat, "maj": _majority}
    factor = 1.0 if slug == "hipho" else 100.0
    return [
        _curve_view(
            board, kind, [_follow(e, name, estimate(sheet.only_planned()), factor) for e, name, sheet in sheets]
        )
        for kind, estimate in kinds.items()
    ]


def _best(sheet: Sheet) -> over_k.Curve:
    return over_k.best_curve(values_of("exam_score", sheet), over_k.default_ks(sheet.vectors.repeats), sheet.clusters)


def _pass(sheet: Sheet) -> over_k.Curve:
    return _of_solved(over_k.pass_curve, sheet)


def _pass_hat(sheet: Sheet) -> over_k.Curve:
    return _of_solved(over_k.pass_hat_curve, sheet)


def _of_solved(curve: Callable[..., over_k.Curve], sheet: Sheet) -> over_k.Curve:
    return curve(mark_solved(values_of("accuracy", sheet)), over_k.default_ks(sheet.vectors.repeats), sheet.clusters)


def _majority(sheet: Sheet) -> over_k.Curve:
    classes = [[None if c == NO_CLASS else int(c) for c in row] for row in sheet.vectors.answer_class]
    return over_k.majority_curve(
        classes, values_of("accuracy", sheet), over_k.default_ks(sheet.vectors.repeats), sheet.clusters
    )


def _follow(entry: Entry, name: str, curve: over_k.Curve, factor: float) -> Followed:
    def times(end: float | None) -> float | None:
        return None if end is None else factor * end

    values = {
        k: (factor * found.value, times(found.low), times(found.high))
        for k, found in zip(curve.ks, curve.points)
        if found.value is not None
    }
    return Followed(name, f"/m/{entry.run.entrant.slug}/", values)


def _curve_view(board: Board, kind: str, models: Sequence[Followed]) -> ChartView:
    titles = {
        "pass": _("pass@k: at least one of k attempts right"),
        "pass-hat": _("pass^k: all of k attempts right"),
        "best": _("best@k: the best of k attempts by points, mean over problems"),
        "maj": _("maj@k: the majority of k answers"),
    }
    title, y_axis = titles[kind], _("points") if kind == "best" else "%"
    caption = " ".join(filter(None, (_("Bands: over problems (95 %)."), _say_order(models))))
    lines = [_draw_model(model) for model in models]
    return make_view(
        board, f"{kind}-k", title, caption,
        lambda width: curves(lines, title=title, x_axis="k", y_axis=y_axis, x_is_log=True, width=width),
        Table(
            (_("Model"), "k", _("Value"), _("Low"), _("High")),
            tuple((m.name, str(k), *map(print_number, values)) for m in models for k, values in m.values.items()),
        ),
    )  # fmt: skip


def _draw_model(model: Followed) -> Curve:
    found = model.values.values()
    low = [value if low is None else low for value, low, _high in found]
    high = [value if high is None else high for value, _low, high in found]
    return Curve(model.name, list(model.values), [value for value, *_ends in found], low, high, model.href)


def _say_order(models: Sequence[Followed]) -> str:
    """Kendall's tau of the models' order between k = 1 and the other k that all of them have."""
    common = sorted(set.intersection(*(set(model.values) for model in models)))
    if len(models) < 2 or len(common) < 2:
        return ""
    change = over_k.follow_order(np.array([[model.values[k][0] for k in common] for model in models]), common)
    taus = ", ".join(f"k = {k}: {tau:.2f}" for k, tau in zip(change.ks[1:], change.taus[1:]) if tau is not None)
    return _("Kendall's tau of the model order against k = 1: %(taus)s.") % {"taus": taus} if taus else ""


def eed_chart(board: Board, entries: Sequence[Entry]) -> ChartView | None:
    """PHYBench: all replies by EED score, with the four bands."""
    if board.place.benchmark.slug != "phybench" or not entries:
        return None
    bins = over_k.bin_eed(np.concatenate([entry.machine.points.ravel() for entry in entries]))
    if not sum(bins.counts):
        return None
    title = _("Distribution of EED scores")
    words = {
        "exact": _("exact: 100"),
        "minor": _("a coefficient is wrong: 30 to 60"),
        "structural": _("the structure is wrong: 0 to 30"),
        "nothing in common": _("nothing in common: 0"),
    }
    return make_view(
        board, "eed", title, _("All scored replies of all models on the board."),
        lambda width: histogram(bins.edges, bins.counts, title=title, axis="EED", width=width),
        Table((_("Band"), _("Replies")), tuple((words[band.name], str(band.count)) for band in bins.bands)),
    )  # fmt: skip
