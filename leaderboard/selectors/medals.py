"""HiPhO: the medal table over exams, one model's exams strip by strip, and what figures cost by modality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.urls import reverse

from leaderboard.board_entries import read_entries
from leaderboard.problem_index import read_index
from leaderboard.rendering.charts import StripTick, StripView, draw_strip
from leaderboard.scores import make_sheet, measure
from leaderboard.selectors.board_columns import Line, exam_lines, title_of
from leaderboard.selectors.board_print import receipt_path, text_twin
from leaderboard.selectors.board_rows import REPORTED, RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_metric, print_points_gap
from leaderboard.selectors.run_settings import name_entries
from leaderboard.sentences import join_words
from leaderboard.statistics.exams import tabulate_medals
from leaderboard.statistics.intervals import Interval

TIE_EXAM = "IPhO_2025"
Z = 1.959964  # of 95 %
MODALITIES = (
    ("TO", "text-only"),
    ("TI", "text+illustration figure"),
    ("TV", "text+variable figure"),
    ("TD", "text+data figure"),
)


@dataclass(frozen=True, slots=True)
class MedalLine:
    rank: int
    name: str
    slug: str
    mark: str
    gold: int
    silver: int
    bronze: int
    n_exams: int
    tie: str
    receipt: str


@dataclass(frozen=True, slots=True)
class ExamLine:
    """One exam of one model: its strip, to the attainable maximum. receipt: empty for reported numbers."""

    title: str
    slug: str
    value: str
    receipt: str
    strip: str
    words: str
    medal: str
    share: str
    attainable: str
    full: str
    lines: tuple[Line, ...]
    best_human: str


@dataclass(frozen=True, slots=True)
class ModalityLine:
    """values: with the receipts behind them."""

    name: str
    slug: str
    values: tuple[tuple[str, str], ...]
    drop: str
    interval: str


@dataclass(frozen=True, slots=True)
class Medals:
    place: Place
    table: tuple[MedalLine, ...]
    models: tuple[tuple[str, str, bool], ...]
    model: str
    exams: tuple[ExamLine, ...]
    modalities: tuple[tuple[str, str], ...]
    by_modality: tuple[ModalityLine, ...]


def read_medals(board: Board, model: str = "") -> Medals:
    """board: of exam points over all exams. model: an entrant's slug; by default the best."""
    columns = [c for c in board.facts.get("columns", ()) if c["kind"] == "exam"]
    rows = [r for r in board.data if r.entrant_slug and any((c["slug"], "exam_score") in r.cells for c in columns)]
    table = _table(board, rows, columns)
    order = [line.slug for line in table]
    chosen = next((row for row in rows if row.entrant_slug == model), None)
    if chosen is None and order:
        chosen = next((row for row in rows if row.entrant_slug == order[0]), None)
    if chosen is None and rows:
        chosen = rows[0]
    names = {row.entrant_slug: row.entrant for row in rows}
    return Medals(
        place=board.place,
        table=table,
        models=tuple(
            (slug, name, chosen is not None and slug == chosen.entrant_slug) for slug, name in sorted(names.items())
        ),
        model=chosen.entrant if chosen else "",
        exams=tuple(_exam(board, chosen, column) for column in columns) if chosen else (),
        modalities=MODALITIES,
        by_modality=_by_modality(board),
    )


def medal_of(row: RowData, column: Mapping[str, Any]) -> str | None:
    """The medal of one row in one exam; None where there are no thresholds or the exam was not sat whole."""
    cell = row.cell(column["slug"], "exam_score")
    if column.get("gold") is None or cell.value is None:
        return None
    if row.mark != REPORTED:
        return str(cell.details.get("medal") or "") if cell.details.get("has_medals") else None
    return next((name for name in ("gold", "silver", "bronze") if cell.value >= column[name] - 1e-9), "")


def _table(board: Board, rows: Sequence[RowData], columns: Sequence[Mapping[str, Any]]) -> tuple[MedalLine, ...]:
    """Best first: gold, then silver, then bronze, then the IPhO 2025 score."""
    thresholds = [c for c in columns if c.get("gold") is not None]
    keys: dict[str, RowData] = {}
    for row in rows:
        if row.kind == "model" and not row.is_stale:
            keys.setdefault(f"{row.entrant}\0{row.mark}\0{row.run}{row.sources}", row)
    medals = {key: [medal_of(row, column) for column in thresholds] for key, row in keys.items()}
    medals = {key: earned for key, earned in medals.items() if any(name is not None for name in earned)}
    ties = {key: keys[key].cell(TIE_EXAM, "exam_score").value for key in medals}
    return tuple(
        MedalLine(
            line.rank,
            keys[line.model].entrant,
            keys[line.model].entrant_slug,
            keys[line.model].mark,
            line.medals.gold,
            line.medals.silver,
            line.medals.bronze,
            sum(name is not None for name in medals[line.model]),
            print_metric("exam_score", line.tie_score),
            _receipt(board, keys[line.model], TIE_EXAM),
        )
        for line in tabulate_medals(medals, ties)
    )


def _receipt(board: Board, row: RowData, subset: str) -> str:
    path = receipt_path(row, board.shown, subset, "exam_score")
    return reverse("board", args=[board.place.benchmark.slug]) + path if path else ""


def _exam(board: Board, row: RowData, column: Mapping[str, Any]) -> ExamLine:
    cell = row.cell(column["slug"], "exam_score")
    marks = exam_lines(column)
    attainable = column["full_mark"]
    full = max(attainable, column.get("full_mark_human") or 0.0, column.get("best_human") or 0.0)
    sittings = tuple(cell.details.get("sittings") or ())
    view = StripView(
        estimate=cell.value,
        low=cell.low,
        high=cell.high,
        is_reported=row.mark == REPORTED,
        sittings=sittings if len(sittings) > 1 else (),
        unscored=cell.bounds,
        attainable=attainable if attainable < full - 1e-9 else None,
        text=join_words((print_metric("exam_score", cell.value), text_twin("exam_score", row, cell))),
    )
    medal = medal_of(row, column) or ""
    earned = (cell.details.get("medal_counts") or {}).get(medal, 0)
    return ExamLine(
        title=title_of(column),
        slug=column["slug"],
        value=print_metric("exam_score", cell.value),
        receipt=_receipt(board, row, column["slug"]) if cell.value is not None else "",
        strip=draw_strip(view, 0.0, full, [StripTick(mark.value, mark.kind) for mark in marks]),
        words=text_twin("exam_score", row, cell),
        medal=medal,
        share=f"{earned}/{len(sittings)}" if medal and len(sittings) > 1 and earned < len(sittings) else "",
        attainable=f"{attainable:g}",
        full=f"{column['full_mark_human']:g}" if column.get("full_mark_human") else "",
        lines=tuple(mark for mark in marks if mark.kind != "human"),
        best_human=print_metric("exam_score", column.get("best_human")),
    )


def _by_modality(board: Board) -> tuple[ModalityLine, ...]:
    """Share of the points by modality, and the drop from text alone to data figures; in the order of the board."""
    place = board.place
    index = read_index(place.revision, place.split)
    groups = index.group("modalities")
    entries = read_entries(place.revision, place.split)
    order = {row.run: at for at, row in enumerate(board.data)}
    rows: dict[int, ModalityLine] = {}
    for entry, model in zip(entries, name_entries(entries), strict=True):
        sheet = make_sheet(entry.machine, index, place.benchmark.slug, entry.scorer.params.get("policy", "corrected"))
        found = [measure("accuracy", sheet.pick(groups[name])) if name in groups else None for _, name in MODALITIES]
        shares = [measured.interval if measured else None for measured in found]
        if any(share and share.value is not None for share in shares):
            printed = tuple(
                (print_metric("accuracy", share.value), place.receipt_url(entry.run, "accuracy", modality=name))
                if share
                else ("–", "")
                for share, (_, name) in zip(shares, MODALITIES, strict=True)
            )
            at = order.get(str(entry.run.uuid)[:8], len(order) + entry.run.pk)
            rows[at] = ModalityLine(model, entry.run.entrant.slug, printed, *_print_drop(shares[0], shares[-1]))
    return tuple(rows[at] for at in sorted(rows))


def _print_drop(first: Interval | None, last: Interval | None) -> tuple[str, str]:
    """In points, and its interval; the problems are others, so it is unpaired."""
    if first is None or last is None or first.value is None or last.value is None:
        return "–", ""
    gap = first.value - last.value
    if first.se is None or last.se is None:
        return print_points_gap(gap), ""
    half = Z * float(np.hypot(first.se, last.se))
    return print_points_gap(gap), f"{print_points_gap(gap - half)} … {print_points_gap(gap + half)}"
