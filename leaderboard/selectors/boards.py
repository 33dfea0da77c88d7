"""The home page and one board, from the derived table alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Benchmark, Figure, RevisionProblem, Run, Scorer, Subset
from leaderboard.models import Standing
from leaderboard.rendering.charts import StripTick, StripView, draw_strip
from leaderboard.selectors.catalog import Place, localised
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.scores import metrics_of
from leaderboard.statistics.ranks import order_missing_last


@dataclass(frozen=True, slots=True)
class BoardCard:
    """One benchmark on the home page."""

    slug: str
    title: str
    summary: str
    tags: tuple[str, ...]
    n_problems: int
    n_models: int
    metric: str
    leader: str
    leader_slug: str
    leader_value: str
    leader_interval: tuple[str, str] | None
    is_sample: bool
    changed_at: datetime | None


def list_boards() -> list[BoardCard]:
    """Every public benchmark with its leader by the headline metric."""
    return [
        _card(b) for b in Benchmark.objects.filter(is_public=True, revisions__is_current=True).select_related("scorer")
    ]


def _card(benchmark: Benchmark) -> BoardCard:
    revision = benchmark.current_revision
    assert revision is not None
    metric = metrics_of(benchmark.slug)[0]
    standings = Standing.objects.filter(
        revision=revision, subset__slug=Subset.OVERALL, metric=metric, basis=Standing.Basis.MACHINE
    ).select_related("entrant", "run")
    best = max((s for s in standings if s.value is not None), key=lambda s: (s.is_ranked, s.value), default=None)
    entries = RevisionProblem.objects.filter(revision=revision).exclude(split="validation")
    interval = None
    if best is not None and best.low is not None and best.high is not None:
        interval = (print_metric(metric, best.low), print_metric(metric, best.high))
    return BoardCard(
        slug=benchmark.slug,
        title=localised(benchmark, "title"),
        summary=localised(benchmark, "summary"),
        tags=tuple(benchmark.tags),
        n_problems=entries.values("problem").distinct().count(),
        n_models=standings.values("entrant").distinct().count(),
        metric=metric_label(metric),
        leader=best.entrant.name if best else "",
        leader_slug=best.entrant.slug if best else "",
        leader_value=print_metric(metric, best.value) if best else "–",
        leader_interval=interval,
        is_sample=revision.is_sample,
        changed_at=max((s.run.finished_at for s in standings if s.run.finished_at), default=None),
    )


@dataclass(frozen=True, slots=True)
class Column:
    """One metric or subset of the board; url sorts by it."""

    slug: str
    label: str
    url: str = ""
    sort: str = ""  # ascending, descending or empty


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number; medal and share where an exam earns one."""

    label: str
    text: str
    title: str = ""
    medal: str = ""
    share: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One run on the board, ready to print."""

    entrant: str
    entrant_slug: str
    by: str
    about: str
    run_url: str
    rank: str
    rank_title: str
    rank_span: str
    tier: int | None
    value: str
    strip: str
    text: str
    corrected: str
    metrics: tuple[Cell, ...]
    subsets: tuple[Cell, ...]
    scored: str
    output_tokens: str
    cut: str
    date: datetime | None
    mark: str
    mark_text: str
    note: str


@dataclass(frozen=True, slots=True)
class Tier:
    """Rows between two rules; number None: not ranked."""

    number: int | None
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """Everything on a board page."""

    place: Place
    metric: str
    metric_label: str
    subset: str
    basis: str
    tiers: tuple[Tier, ...]
    metric_columns: tuple[Column, ...]
    subset_columns: tuple[Column, ...]
    subset_options: tuple[tuple[str, str], ...]
    scale: tuple[str, str]
    n_problems: int
    n_figures: int
    n_rows: int
    n_columns: int
    scorer: Scorer | None
    languages: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())


def read_board(place: Place, *, subset: str = "", metric: str = "", basis: str = "machine", sort: str = "") -> Board:
    """The board of one revision and split; rows come ranked, or sorted by `sort` (a metric, `-` for ascending)."""
    metrics = metrics_of(place.benchmark.slug)
    chosen = metric if metric in metrics else metrics[0]
    subsets = [s for s in place.benchmark.subsets.all() if s.slug != Subset.OVERALL]
    column = next((s for s in subsets if s.slug == subset), None)
    if column is not None and chosen == "accuracy_macro":
        chosen = "accuracy"
    basis = basis if basis in Standing.Basis.values else Standing.Basis.MACHINE
    standings = list(
        Standing.objects.filter(revision=place.revision, split=place.split).select_related(
            "entrant", "run__owner", "subset", "scorer"
        )
    )
    by_run: dict[int, dict[tuple[str, str, str], Standing]] = {}
    for standing in standings:
        by_run.setdefault(standing.run_id, {})[(standing.subset.slug, standing.metric, standing.basis)] = standing
    there = {standing.subset.slug for standing in standings}
    shown_subsets = [s for s in subsets if s.slug in there] if column is None else []
    name = column.slug if column else Subset.OVERALL
    full = _full_scale(chosen, standings, name)
    rows = []
    for cells in by_run.values():
        head = cells.get((name, chosen, basis))
        if head is not None:
            rows.append((head, _row(head, cells, place, chosen, basis, metrics, shown_subsets, full, column)))
    ordered = _sort(rows, sort or chosen, name, basis, by_run)
    entries = RevisionProblem.objects.filter(revision=place.revision, split=place.split)
    if column is not None:
        entries = entries.filter(problem__subset=column)
    counts = entries.aggregate(n=Count("pk"))
    figures = Figure.objects.filter(problem__entries__in=entries).count()
    return Board(
        place=place,
        metric=chosen,
        metric_label=metric_label(chosen),
        subset=column.slug if column else "",
        basis=basis,
        tiers=_tiers(ordered, is_ranked_order=not sort or sort == chosen),
        metric_columns=tuple(
            Column(m, metric_label(m), f"?sort={'-' if sort == m else ''}{m}", _sort_word(sort, m))
            for m in metrics
            if m != chosen and not (column and m == "accuracy_macro")
        ),
        subset_columns=tuple(Column(s.slug, s.native_title or s.title) for s in shown_subsets),
        subset_options=tuple((s.slug, s.title) for s in subsets if s.slug in there),
        scale=(print_metric(chosen, 0.0, with_unit=False), print_metric(chosen, full, with_unit=False)),
        n_problems=counts["n"],
        n_figures=figures,
        n_rows=len(rows),
        n_columns=5 + len(metrics) - 1 + len(shown_subsets),
        scorer=place.benchmark.scorer,
        languages=tuple(sorted({s.language for s in subsets if s.slug in there})),
    )


def _sort_word(sort: str, metric: str) -> str:
    if sort.lstrip("-") != metric:
        return ""
    return "ascending" if sort.startswith("-") else "descending"


def _full_scale(metric: str, standings: Sequence[Standing], subset: str) -> float:
    if metric == "exam_score":
        marks = [s.bound_high or 0.0 for s in standings if s.metric == metric and s.subset.slug == subset]
        full = [s.details.get("full_mark") for s in standings if s.metric == metric and s.subset.slug == subset]
        return max([*marks, *(float(mark) for mark in full if mark)], default=1.0) or 1.0
    return 100.0 if metric == "eed" else 1.0


def _row(
    head: Standing,
    cells: dict[tuple[str, str, str], Standing],
    place: Place,
    metric: str,
    basis: str,
    metrics: Sequence[str],
    subsets: Sequence[Subset],
    full: float,
    column: Subset | None,
) -> BoardRow:
    run, entrant = head.run, head.entrant
    name = head.subset.slug
    other = cells.get((name, metric, "effective" if basis == "machine" else "machine"))
    is_corrected = other is not None and other.value is not None and head.value is not None and abs(other.value - head.value) > 1e-9
    ticks: Sequence[StripTick] = () if column is None or metric != "exam_score" else _ticks(column)
    reviewed = other.value if is_corrected and basis == "machine" and other else None
    return BoardRow(
        entrant=entrant.name,
        entrant_slug=entrant.slug,
        by=run.owner.username if run.owner_id and run.owner_id != entrant.owner_id and run.owner else "",
        about=_about(entrant),
        run_url=reverse("run", args=[run.uuid]),
        rank=str(head.rank) if head.rank else "–",
        rank_title=_("not ranked: %(reason)s") % {"reason": _reason(head.unranked_reason)} if not head.rank else "",
        rank_span=f"{head.rank_low}–{head.rank_high}" if head.rank and head.rank_low != head.rank_high else "",
        tier=head.tier,
        value=print_metric(metric, head.value),
        strip=_strip(metric, head, full, ticks, reviewed),
        text=_text_twin(metric, head),
        corrected=print_metric(metric, other.value) if is_corrected and other else "",
        metrics=tuple(
            Cell(metric_label(m), print_metric(m, found.value), _interval_title(m, found))
            for m in metrics
            if m != metric and not (column and m == "accuracy_macro")
            for found in [cells.get((name, m, basis), Standing(value=None, details={}))]
        ),
        subsets=tuple(_subset_cell(s, metric, cells, basis) for s in subsets),
        scored=f"{head.n_scored}/{head.n_problems}",
        output_tokens=_print_tokens(head.details.get("output_tokens")),
        cut=_cut_note(head.details),
        date=run.finished_at,
        mark=run.provenance,
        mark_text=_("uploaded") if run.provenance == Run.Provenance.UPLOADED else _("measured"),
        note=_reason(head.unranked_reason),
    )


def _strip(metric: str, head: Standing, full: float, ticks: Sequence[StripTick], reviewed: float | None) -> str:
    sittings = tuple(head.details.get("sittings") or ())
    view = StripView(
        estimate=head.value,
        low=head.low,
        high=head.high,
        sittings=sittings if len(sittings) > 1 else (),
        unscored_high=head.bound_high if head.n_unscored else None,
        reviewed=reviewed,
        text=f"{print_metric(metric, head.value)}, {_text_twin(metric, head)}".rstrip(", "),
    )
    return draw_strip(view, 0.0, full, ticks)


def _about(entrant: Any) -> str:
    parts = [entrant.organisation]
    if entrant.open_weights is not None:
        parts.append(_("open weights") if entrant.open_weights else _("closed"))
    if entrant.release_date:
        parts.append(entrant.release_date.strftime("%Y-%m"))
    return " · ".join(part for part in parts if part)


def _ticks(subset: Subset) -> tuple[StripTick, ...]:
    marks = (("bronze", subset.bronze), ("silver", subset.silver), ("gold", subset.gold), ("human", subset.best_human))
    return tuple(StripTick(float(value), name) for name, value in marks if value is not None)


def _reason(reason: str) -> str:
    words = {
        "sample set": _("sample set"),
        "uploaded": _("uploaded"),
        "limited run": _("limited run"),
        "own judge": _("own judge"),
        "other scorer": _("other scorer"),
        "some subsets only": _("some subsets only"),
    }
    return words.get(reason, reason)


def _subset_cell(
    subset: Subset, metric: str, cells: dict[tuple[str, str, str], Standing], basis: str
) -> Cell:
    label = subset.native_title or subset.title
    found = cells.get((subset.slug, "accuracy" if metric == "accuracy_macro" else metric, basis))
    if found is None:
        return Cell(label, "–")
    counts = found.details.get("medal_counts") or {}
    medal = found.details.get("medal") or ""
    sittings = len(found.details.get("sittings") or ())
    share = f"{counts.get(medal, 0)}/{sittings}" if medal and sittings > 1 and counts.get(medal, 0) < sittings else ""
    return Cell(label, print_metric(metric, found.value, with_unit=False), _interval_title(metric, found), medal, share)


def _interval_title(metric: str, standing: Standing) -> str:
    if standing.low is None or standing.high is None:
        return ""
    return _("95 %% interval %(low)s to %(high)s, %(kind)s") % {
        "low": print_metric(metric, standing.low),
        "high": print_metric(metric, standing.high),
        "kind": standing.interval_kind,
    }


def _text_twin(metric: str, head: Standing) -> str:
    """The headline cell in words, for those who do not see the strip."""
    parts = []
    if head.low is not None and head.high is not None:
        parts.append(
            _("95 %% interval %(low)s to %(high)s")
            % {"low": print_metric(metric, head.low), "high": print_metric(metric, head.high)}
        )
    sittings = head.details.get("sittings") or ()
    if len(sittings) > 1:
        parts.append(ngettext("%(n)d sitting", "%(n)d sittings", len(sittings)) % {"n": len(sittings)})
    if head.n_unscored:
        parts.append(ngettext("%(n)d unscored", "%(n)d unscored", head.n_unscored) % {"n": head.n_unscored})
    return ", ".join(parts)


def _print_tokens(value: float | None) -> str:
    return "–" if value is None else f"{round(value):,}"


def _cut_note(details: dict[str, Any]) -> str:
    share = details.get("cut") or 0.0
    return _("%(share)s cut by length: raise max_tokens") % {"share": f"{share:.1%}"} if share > 0.02 else ""


def _sort(
    rows: list[tuple[Standing, BoardRow]],
    sort: str,
    name: str,
    basis: str,
    by_run: dict[int, dict[tuple[str, str, str], Standing]],
) -> list[tuple[Standing, BoardRow]]:
    """By value, missing last in both directions; ranked rows before equal ones that are not."""
    metric, descending = sort.lstrip("-"), not sort.startswith("-")
    values = []
    for head, _row_ in rows:
        found = by_run[head.run_id].get((name, metric, basis))
        values.append(found.value if found else None)
    return [rows[i] for i in order_missing_last(values, descending=descending)]


def _tiers(rows: Sequence[tuple[Standing, BoardRow]], *, is_ranked_order: bool) -> tuple[Tier, ...]:
    """Rows cut at tiers; unranked rows stand where their value puts them, in the tier above."""
    if not is_ranked_order or not any(head.tier for head, _ in rows):
        return (Tier(None, tuple(row for _, row in rows)),) if rows else ()
    tiers: list[tuple[int, list[BoardRow]]] = []
    for head, row in rows:
        number = head.tier or (tiers[-1][0] if tiers else 1)
        if not tiers or tiers[-1][0] != number:
            tiers.append((number, []))
        tiers[-1][1].append(row)
    return tuple(Tier(number, tuple(group)) for number, group in tiers)


