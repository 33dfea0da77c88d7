"""One board, ready to print: ranked over the whole column first, filtered and sorted afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.http import Http404
from django.utils.translation import gettext as _

from arena.models import Benchmark, DatasetRevision, Scorer, Subset
from leaderboard.board_entries import read_entries
from leaderboard.models import BoardState
from leaderboard.problem_index import read_index
from leaderboard.scores import OVERALL_ONLY, full_of, make_sheet, measure, metrics_of
from leaderboard.selectors.board_print import BoardRow, Line, print_row
from leaderboard.selectors.board_query import BoardQuery
from leaderboard.selectors.board_rows import (
    BASELINE,
    REPORTED,
    CellValue,
    RowData,
    baseline_rows,
    read_reported_rows,
    read_run_rows,
    read_stale_rows,
)
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.wordings import say_modality
from leaderboard.standings import ensure_state
from leaderboard.statistics.ranks import order_missing_last

STYLES = {"full-text": "Full text", "text-minimal": "Text minimal"}
PLAIN_SORTS = ("scored", "repeats", "no_answer", "cut", "cost", "tokens", "latency", "date", "model", "rank")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the metric or subset it shows and how the board is sorted by it."""

    slug: str
    label: str
    next_sort: str
    direction: str = ""  # ascending, descending or empty
    title: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a filter."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Tier:
    """Rows between two rules; number None: not in order of rank, or nothing ranked."""

    number: int | None
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """Everything on a board page. data: its rows as numbers, in the order shown, for the twins and charts."""

    place: Place
    query: BoardQuery
    metric: str
    metric_label: str
    subset: str
    subset_title: str
    basis: str
    tiers: tuple[Tier, ...]
    data: tuple[RowData, ...]
    columns: Mapping[str, Column]
    metric_columns: tuple[Column, ...]
    subset_columns: tuple[Column, ...]
    filters: Mapping[str, tuple[Choice, ...]]
    scale: tuple[str, str]
    lines: tuple[Line, ...]
    facts: Mapping[str, Any]
    subset_facts: Mapping[str, Any]
    n_rows: int
    n_hidden: int
    scorer: Scorer | None
    revisions: tuple[DatasetRevision, ...]
    changed_at: Any
    is_exam_board: bool
    has_medals: bool
    test: str
    slice_label: str


def find_board(slug: str, revision: str = "", split: str = "") -> tuple[Place, BoardState, tuple[DatasetRevision, ...]]:
    """The place and its derived state in two queries; Http404 for what is not there."""
    benchmark = Benchmark.objects.select_related("scorer").filter(slug=slug, is_public=True).first()
    if benchmark is None:
        raise Http404
    states = list(BoardState.objects.filter(revision__benchmark=benchmark).select_related("revision"))
    revisions = {state.revision_id: state.revision for state in states}
    found = next((r for r in revisions.values() if (r.label == revision if revision else r.is_current)), None)
    if found is None:  # never built, or dropped
        found = benchmark.revisions.filter(**({"label": revision} if revision else {"is_current": True})).first()
        if found is None:
            raise Http404
        splits = found.entries.exclude(split="validation").order_by("split").values_list("split", flat=True).distinct()
        found.benchmark = benchmark
        states += [ensure_state(found, name) for name in splits]
        revisions[found.pk] = found
    mine = {state.split: state for state in states if state.revision_id == found.pk}
    if (split and split not in mine) or not mine:
        raise Http404
    chosen = split or next((name for name in ("test_mini", "test") if name in mine), min(mine))
    state = mine[chosen] if mine[chosen].facts else ensure_state(found, chosen)
    found.benchmark = benchmark
    newest_first = sorted(revisions.values(), key=lambda r: r.created_at, reverse=True)
    return Place(benchmark, found, chosen, tuple(sorted(mine))), state, tuple(newest_first)


def read_board(place: Place, state: BoardState, query: BoardQuery, revisions: Sequence[DatasetRevision] = ()) -> Board:
    """The board of one revision and split. Filters leave rows out and never move a rank or a tier."""
    benchmark, revision, facts = place.benchmark, place.revision, state.facts
    metrics = metrics_of(benchmark.slug)
    columns = {column["slug"]: column for column in facts.get("columns", ())}
    subset = query.subset if query.subset in columns else Subset.OVERALL
    is_overall = subset == Subset.OVERALL
    usable = [m for m in metrics if is_overall or m not in OVERALL_ONLY]
    metric = query.metric if query.metric in usable else usable[0]
    if query.has_slice and metric in ("exam_score", *OVERALL_ONLY):
        metric = "accuracy"
    column_metric = "accuracy" if metric in OVERALL_ONLY else metric
    data = read_run_rows(
        benchmark, revision, place.split,
        subset=subset, metric=metric, column_metric=column_metric, basis=query.basis, scorer=query.scorer,
    )  # fmt: skip
    if query.has_slice:
        data = _slice(data, place, query, metric, columns)
    else:
        if facts.get("n_reported"):
            data += read_reported_rows(benchmark, revision, place.split)
        data += baseline_rows(facts)
        if is_overall and len(revisions) != 1:
            data += read_stale_rows(revision, place.split, [row.entrant_slug for row in data if row.run])
    shown_subsets = list(columns) if is_overall and len(columns) > 1 else []
    everything = [row for row in data if _has_number(row, subset, usable, column_metric, shown_subsets)]
    kept = [row for row in everything if _matches(row, query)]
    ordered = _sort(kept, query.sort, subset, metric, column_metric)
    full = _full_scale(metric, columns.get(subset), facts, everything, subset)
    lines = _lines(columns.get(subset), metric)
    others = [m for m in usable if m != metric] + _style_metrics(everything, subset, metric)
    rows = {
        id(row): print_row(
            row,
            subset,
            metric,
            column_metric,
            others,
            [columns[slug] for slug in shown_subsets],
            full,
            lines,
            query.basis,
        )
        for row in ordered
    }
    is_rank_order = query.sort in ("", metric, "rank")
    return Board(
        place=place,
        query=query,
        metric=metric,
        metric_label=metric_label(metric),
        subset="" if is_overall else subset,
        subset_title="" if is_overall else columns[subset]["title"],
        basis=query.basis,
        tiers=_tiers(ordered, rows, is_rank_order=is_rank_order and not query.has_slice),
        data=tuple(ordered),
        columns=_plain_columns(query.sort, metric),
        metric_columns=tuple(_column(m, _label(m), query.sort) for m in others),
        subset_columns=tuple(
            _column(slug, columns[slug]["native_title"] or columns[slug]["title"], query.sort) for slug in shown_subsets
        ),
        filters=_filters(place, everything, query, facts, revisions),
        scale=(print_metric(metric, 0.0, with_unit=False), print_metric(metric, full, with_unit=False)),
        lines=lines,
        facts=facts,
        subset_facts=columns.get(subset, {}),
        n_rows=len(ordered),
        n_hidden=len(everything) - len(ordered),
        scorer=benchmark.scorer,
        revisions=tuple(revisions),
        changed_at=state.changed_at,
        is_exam_board=any(column["kind"] == "exam" for column in columns.values()),
        has_medals=benchmark.slug == "hipho" and any(column["gold"] for column in columns.values()),
        test=next((c.details["test"] for row in data for c in [row.cell(subset, metric)] if c.details.get("test")), ""),
        slice_label=" · ".join(part for part in (say_modality(query.modality), query.language, query.field) if part),
    )


def _has_number(row: RowData, subset: str, metrics: Sequence[str], column_metric: str, subsets: Sequence[str]) -> bool:
    """Rows of runs always stand; others only where this view shows a number of theirs."""
    if row.run:
        return True
    return any((subset, m) in row.cells for m in metrics) or any((s, column_metric) in row.cells for s in subsets)


def _matches(row: RowData, query: BoardQuery) -> bool:
    is_open = {"yes": row.open_weights is True, "no": row.open_weights is False}.get(query.open, True)
    return (
        (not query.kind or row.kind == query.kind)
        and (not query.organisation or row.organisation == query.organisation)
        and is_open
        and (not query.provenance or row.mark == query.provenance)
        and (not query.since or (bool(row.date) and row.date >= query.since[: len(row.date)]))
        and (not query.scorer or not row.scorer or row.scorer == query.scorer)
    )


def sort_value(row: RowData, key: str, subset: str, metric: str, column_metric: str) -> float | str | None:
    """What a row is sorted by: a metric, a subset, or a fact of the run; None is missing."""
    facts = {
        "scored": lambda: None if not row.n_problems else (row.n_scored or 0) / row.n_problems,
        "repeats": lambda: row.facts.get("repeats"),
        "no_answer": lambda: row.facts.get("no_answer"),
        "cut": lambda: row.facts.get("cut"),
        "cost": lambda: row.cost_usd,
        "tokens": lambda: row.facts.get("output_tokens"),
        "latency": lambda: row.facts.get("latency_ms"),
        "date": lambda: row.date or None,
        "model": lambda: row.entrant.casefold(),
    }
    if key in facts:
        return facts[key]()  # type: ignore[no-any-return, no-untyped-call]
    if (subset, key) in row.cells:
        return row.cells[subset, key].value
    return row.cell(key, column_metric).value


def _sort(rows: Sequence[RowData], sort: str, subset: str, metric: str, column_metric: str) -> list[RowData]:
    """Missing last in both directions; ranked before equal ones that are not; `-` turns the order round."""
    key = sort.lstrip("-")
    if key in ("", "rank"):
        key = metric
    tie_broken = sorted(rows, key=lambda row: (row.rank is None, row.entrant.casefold(), row.run))
    values = [sort_value(row, key, subset, metric, column_metric) for row in tie_broken]
    descending = (key not in ("model",)) != sort.startswith("-")
    if any(isinstance(value, str) for value in values):
        present = [row for row, value in zip(tie_broken, values) if value is not None]
        present.sort(key=lambda row: str(sort_value(row, key, subset, metric, column_metric)), reverse=descending)
        return present + [row for row, value in zip(tie_broken, values) if value is None]
    return [tie_broken[i] for i in order_missing_last(values, descending=descending)]  # type: ignore[arg-type]


def _column(slug: str, label: str, sort: str) -> Column:
    if sort.lstrip("-") != slug:
        return Column(slug, label, slug)
    turned = sort.startswith("-")
    is_text = slug == "model"
    return Column(slug, label, slug if turned else f"-{slug}", "ascending" if turned != is_text else "descending")


def _plain_columns(sort: str, metric: str) -> dict[str, Column]:
    found = {slug: _column(slug, slug, sort) for slug in PLAIN_SORTS}
    found["head"] = _column(metric, "", sort or metric)
    return found


def _tiers(rows: Sequence[RowData], printed: Mapping[int, BoardRow], *, is_rank_order: bool) -> tuple[Tier, ...]:
    """Rows cut at tiers; unranked rows stand where their value puts them, in the tier above."""
    if not rows:
        return ()
    if not is_rank_order or not any(row.tier for row in rows):
        return (Tier(None, tuple(printed[id(row)] for row in rows)),)
    tiers: list[tuple[int, list[BoardRow]]] = []
    for row in rows:
        number = row.tier or (tiers[-1][0] if tiers else 1)
        if not tiers or tiers[-1][0] != number:
            tiers.append((number, []))
        tiers[-1][1].append(printed[id(row)])
    return tuple(Tier(number, tuple(group)) for number, group in tiers)


def _full_scale(
    metric: str, column: Mapping[str, Any] | None, facts: Mapping[str, Any], rows: Sequence[RowData], subset: str
) -> float:
    if metric != "exam_score":
        return full_of(metric)
    if column is None:
        return float(sum(c["full_mark"] for c in facts.get("columns", ()))) or 1.0
    ends = [column["full_mark"], column.get("best_human") or 0.0, column.get("full_mark_human") or 0.0]
    return float(max(*ends, *(row.cell(subset, metric).value or 0.0 for row in rows), 0.0)) or 1.0


def _lines(column: Mapping[str, Any] | None, metric: str) -> tuple[Line, ...]:
    """Medal and human lines of one exam."""
    if column is None or metric != "exam_score":
        return ()
    names = {"bronze": _("bronze"), "silver": _("silver"), "gold": _("gold"), "best_human": _("best human")}
    return tuple(
        Line(column[key], "human" if key == "best_human" else key, label)
        for key, label in names.items()
        if column.get(key) is not None
    )


def _style_metrics(rows: Sequence[RowData], subset: str, metric: str) -> list[str]:
    """PhyX: published numbers come in three input styles, one column each."""
    found = {
        m for row in rows if row.mark == REPORTED for s, m in row.cells if s == subset and m.startswith(f"{metric}:")
    }
    return sorted(found)


def _label(metric: str) -> str:
    _name, _colon, style = metric.partition(":")
    return STYLES.get(style, style) if style else metric_label(metric)


def _filters(
    place: Place,
    rows: Sequence[RowData],
    query: BoardQuery,
    facts: Mapping[str, Any],
    revisions: Sequence[DatasetRevision],
) -> dict[str, tuple[Choice, ...]]:
    """Options of each filter that has more than one."""
    scorers = sorted({row.scorer for row in rows if row.scorer} | ({query.scorer} if query.scorer else set()))
    marks = {"measured": _("Measured"), "uploaded": _("Uploaded"), "reported": _("Reported")}
    kinds = {"model": _("Models"), "human": _("People"), BASELINE: _("Baselines")}
    options: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {
        "org": (
            query.organisation,
            [(name, name) for name in sorted({r.organisation for r in rows if r.organisation})],
        ),
        "open": (query.open, [("yes", _("Open")), ("no", _("Closed"))]),
        "kind": (query.kind, [(k, v) for k, v in kinds.items() if any(row.kind == k for row in rows)]),
        "provenance": (query.provenance, [(k, v) for k, v in marks.items() if any(row.mark == k for row in rows)]),
        "scorer": (query.scorer, [(name, name) for name in scorers]),
        "modality": (query.modality, [(name, say_modality(name)) for name in facts.get("modalities", ())]),
        "field": (query.field, [(name, name) for name in facts.get("fields", ())]),
        "language": (query.language, [(code, code) for code in facts.get("languages", ())]),
    }
    return {
        name: tuple(Choice(value, label, value == chosen) for value, label in choices)
        for name, (chosen, choices) in options.items()
        if len(choices) > 1 or chosen
    }


def _slice(
    data: Sequence[RowData], place: Place, query: BoardQuery, metric: str, columns: Mapping[str, Mapping[str, Any]]
) -> list[RowData]:
    """The same rows, with the number of some problems only; rank and tier stay those of the whole board."""
    from dataclasses import replace

    index = read_index(place.revision, place.split)
    keep = np.ones(index.size, dtype=bool)
    if query.modality:
        keep &= np.array([value == query.modality for value in index.modalities])
    if query.field:
        keep &= np.array([value == query.field for value in index.fields])
    if query.language:
        codes = {slug: column["language"] for slug, column in columns.items()}
        keep &= np.array([codes.get(slug) == query.language for slug in index.subsets])
    rows = np.flatnonzero(keep)
    subset = query.subset if query.subset in columns else Subset.OVERALL
    if subset != Subset.OVERALL:
        rows = rows[[index.subsets[i] == subset for i in rows]]
    entries = {(str(e.run.uuid)[:8], str(e.scorer)): e for e in read_entries(place.revision, place.split)}
    found = []
    for row in data:
        entry = entries.get((row.run, row.scorer))
        if entry is None:
            continue
        policy = entry.scorer.params.get("policy", "corrected")
        sheet = make_sheet(entry.vectors(query.basis), index, place.benchmark.slug, policy).pick(rows)
        measured = measure(metric, sheet)
        cell = CellValue(None)
        if measured is not None:
            i = measured.interval
            cell = CellValue(i.value, i.low, i.high, str(i.kind.value), note=i.note)
        n_scored = int((~np.isnan(sheet.vectors.points)).any(axis=1).sum())
        found.append(
            replace(
                row,
                cells={(subset, metric): cell},
                others={},
                n_problems=int(rows.size),
                n_scored=n_scored,
                facts=row.facts,
            )
        )
    return found
