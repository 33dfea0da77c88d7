"""A row of a board as it is printed: texts, strip, marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.board_entries import OTHER_SCORER
from leaderboard.models import Standing
from leaderboard.rendering.charts import StripTick, StripView, draw_strip
from leaderboard.selectors.board_columns import Shown, label_of, title_of
from leaderboard.selectors.board_rows import BASELINE, REPORTED, STALE, CellValue, RowData, Source
from leaderboard.selectors.formats import metric_label, print_cost, print_count, print_metric, print_share
from leaderboard.selectors.standing_words import interval_in_words, mark_in_words, reason_in_words
from leaderboard.selectors.wordings import say_floor
from leaderboard.sentences import join_words, say_sentence

HINT_FROM = 0.02  # a share cut by length above this comes with advice


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number; receipt: where it leads; medal and share where an exam earns one; corrected: see BoardRow."""

    label: str
    text: str
    title: str = ""
    receipt: str = ""
    medal: str = ""
    share: str = ""
    corrected: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One row, ready to print. css: classes of the row. corrected: the other of machine and after review."""

    css: str
    entrant: str
    entrant_slug: str
    by: str
    about: str
    run: str
    rank: str
    rank_title: str
    rank_span: str
    tier: int | None
    value: str
    receipt: str
    strip: str
    beside: Cell | None
    corrected: str
    corrected_title: str
    metrics: tuple[Cell, ...]
    subsets: tuple[Cell, ...]
    medals: str
    scored: str
    repeats: str
    no_answer: str
    cut: str
    cut_hint: str
    cost: str
    tokens: str
    latency: str
    scorer: str
    date: str
    mark: str
    mark_text: str
    note: str
    reviewed: str
    variant: str
    setting: str
    sources: tuple[Source, ...]


def print_row(row: RowData, shown: Shown) -> BoardRow:
    return BoardRow(
        **_print_who(row),
        **_print_place(row),
        **_print_headline(row, shown),
        **_print_columns(row, shown),
        **_print_run(row),
    )


def _print_who(row: RowData) -> dict[str, Any]:
    """Whose row it is, and where its numbers are from."""
    return {
        "css": _css(row),
        "entrant": say_floor(row.entrant) if row.mark == BASELINE else row.entrant,
        "entrant_slug": row.entrant_slug,
        "by": row.by,
        "about": _about(row),
        "variant": row.variant,
        "mark": row.mark if row.mark in ("measured", "uploaded", REPORTED) else "",
        "mark_text": mark_in_words(row.mark),
        "sources": row.sources,
        "setting": join_words(map(say_sentence, row.settings)),
    }


def _css(row: RowData) -> str:
    classes = {"human": "human", REPORTED: "reported", BASELINE: "reported", STALE: "stale"}
    found = (row.kind, row.mark, STALE if row.is_stale else "")
    return " ".join(dict.fromkeys(classes[name] for name in found if name in classes))


def _why_unranked(row: RowData) -> str:
    """Why there is no rank; what takes none anyway may be stale besides."""
    is_stale = row.is_stale and row.mark != STALE
    reasons = (row.unranked_reason, OTHER_SCORER) if is_stale else (row.unranked_reason,)
    return join_words(map(reason_in_words, dict.fromkeys(reasons)))


def _print_place(row: RowData) -> dict[str, Any]:
    reason = _why_unranked(row)
    return {
        "rank": str(row.rank) if row.rank else "–",
        "rank_title": "" if row.rank else _("not ranked: %(reason)s") % {"reason": reason},
        "rank_span": f"{row.rank_low}–{row.rank_high}" if row.rank and row.rank_low != row.rank_high else "",
        "tier": row.tier,
        "note": "" if row.rank or row.mark in (REPORTED, BASELINE) else reason,
    }


def _print_headline(row: RowData, shown: Shown) -> dict[str, Any]:
    """The number with its strip, and what reviews made of it."""
    head, other = shown.head(row), row.others.get((shown.subset, shown.metric))
    moved = other if other is not None and _differ(head.value, other.value) else None
    is_machine = shown.basis == Standing.Basis.MACHINE
    return {
        "value": _print_head(shown.metric, head),
        "receipt": receipt_path(row, shown, shown.subset, shown.metric),
        "strip": _strip(row, head, shown, moved if is_machine else None),
        "beside": _beside(row, shown),
        "corrected": print_metric(shown.metric, moved.value) if moved else "",
        "corrected_title": _("after review") if is_machine else _("by machine"),
        "reviewed": _reviewed(row.facts),
    }


def _differ(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and abs(first - second) > 1e-9


def _beside(row: RowData, shown: Shown) -> Cell | None:
    """The small second value; only runs have one."""
    if not shown.beside or (shown.subset, shown.beside) not in row.cells:
        return None
    return _cell(row, shown, shown.subset, shown.beside, metric_label(shown.beside))


def _print_columns(row: RowData, shown: Shown) -> dict[str, Any]:
    subsets = shown.subsets
    return {
        "metrics": tuple(_cell(row, shown, shown.subset, name, label_of(name)) for name in shown.others),
        "subsets": tuple(
            _cell(row, shown, s["slug"], shown.column_metric, title_of(s), with_unit=False) for s in subsets
        ),
        "medals": _medals(row, subsets, shown.column_metric),
    }


def _print_run(row: RowData) -> dict[str, Any]:
    """Coverage, outcomes and effort of the run."""
    facts = row.facts
    is_cut = (facts.get("cut") or 0.0) > HINT_FROM
    return {
        "run": row.run,
        "scored": "–" if row.n_problems is None else f"{row.n_scored}/{row.n_problems}",
        "repeats": str(facts.get("repeats") or "–"),
        "no_answer": print_share(facts.get("no_answer")),
        "cut": print_share(facts.get("cut")),
        "cut_hint": _("over 2 %% were cut by length: raise max_tokens") % {} if is_cut else "",
        "cost": print_cost(row.cost_usd),
        "tokens": print_count(facts.get("output_tokens")),
        "latency": _print_seconds(facts.get("latency_ms")),
        "scorer": row.scorer,
        "date": row.date or "–",
    }


def _about(row: RowData) -> str:
    parts = [row.organisation]
    if row.open_weights is not None:
        parts.append(_("open weights") if row.open_weights else _("closed"))
    if row.release_date:
        parts.append(row.release_date.strftime("%Y-%m"))
    return " · ".join(part for part in parts if part)


def receipt_path(row: RowData, shown: Shown, subset: str, metric: str) -> str:
    """Where the receipt is, relative to the board; only runs have one."""
    return f"receipt/{row.run}/{quote(subset, safe='')}/{metric}/{shown.receipts}" if row.run else ""


def _print_head(metric: str, head: CellValue) -> str:
    """The value, or while samples are unscored the span in which it lies."""
    if head.value is None and head.bounds is not None:
        low, high = (print_metric(metric, bound, with_unit=False) for bound in head.bounds)
        return low if low == high else f"{low}–{high}"
    return print_metric(metric, head.value)


def _strip(row: RowData, head: CellValue, shown: Shown, reviewed: CellValue | None) -> str:
    sittings = tuple(head.details.get("sittings") or ())
    attainable = head.details.get("full_mark")
    words = (_print_head(shown.metric, head), text_twin(shown.metric, row, head, reviewed))
    view = StripView(
        estimate=head.value,
        low=head.low,
        high=head.high,
        is_reported=row.mark == REPORTED,
        sittings=sittings if len(sittings) > 1 else (),
        unscored=head.bounds,
        reviewed=reviewed.value if reviewed else None,
        attainable=attainable if attainable and attainable < shown.full - 1e-9 else None,
        text=join_words(words),
    )
    return draw_strip(view, 0.0, shown.full, [StripTick(line.value, line.kind) for line in shown.lines])


def text_twin(metric: str, row: RowData, head: CellValue, reviewed: CellValue | None = None) -> str:
    """The headline cell in words."""
    parts = []
    if head.low is not None and head.high is not None:
        parts.append(interval_in_words(metric, head))
    elif head.note:
        parts.append(say_sentence(head.note))
    sittings = head.details.get("sittings") or ()
    if len(sittings) > 1:
        parts.append(ngettext("%(n)d sitting", "%(n)d sittings", len(sittings)) % {"n": len(sittings)})
    if sentence := head.details.get("sentence"):
        parts.append(say_sentence(str(sentence)))
    if row.n_unscored and head.bounds is not None:
        low, high = (print_metric(metric, bound) for bound in head.bounds)
        parts.append(_("from %(low)s to %(high)s with what is unscored") % {"low": low, "high": high})
    if reviewed is not None:
        parts.append(_("%(value)s after review") % {"value": print_metric(metric, reviewed.value)})
    if row.mark == REPORTED:
        parts.append(_("reported"))
    return join_words(parts)


def _cell(row: RowData, shown: Shown, subset: str, metric: str, label: str, *, with_unit: bool = True) -> Cell:
    found = row.cells.get((subset, metric))
    plain = metric.partition(":")[0]
    if found is None:
        return Cell(label, "–")
    counts = found.details.get("medal_counts") or {}
    medal = found.details.get("medal") or ""
    sittings = len(found.details.get("sittings") or ())
    earned = counts.get(medal, 0)
    share = f"{earned}/{sittings}" if medal and sittings > 1 and earned < sittings else ""
    text = _print_head(plain, found) if with_unit else _print_head(plain, found).removesuffix("%").rstrip("\u202f")
    # Subset cells are many: their interval stands in the receipt they lead to.
    title = interval_in_words(plain, found) if with_unit else ""
    other = row.others.get((subset, metric)) if with_unit else None
    corrected = print_metric(plain, other.value) if other and _differ(found.value, other.value) else ""
    return Cell(label, text, title, receipt_path(row, shown, subset, metric), medal, share, corrected)


def _medals(row: RowData, subsets: Sequence[Mapping[str, Any]], metric: str) -> str:
    """`12 · 1 · 0`: gold, silver, bronze over the exams sat whole; as published for reported rows."""
    if row.mark == REPORTED:
        found = [row.cell("overall", name).value for name in ("gold", "silver", "bronze")]
        return "–" if None in found else " · ".join(f"{value:.0f}" for value in found)
    sat = [details for s in subsets if (details := row.cell(s["slug"], metric).details).get("has_medals")]
    if not row.run or not sat:
        return "–"
    earned = [details["medal"] for details in sat]
    return " · ".join(str(earned.count(name)) for name in ("gold", "silver", "bronze"))


def _reviewed(facts: Mapping[str, Any]) -> str:
    share = facts.get("reviewed")
    if not share:
        return ""
    text = _("reviewed %(share)s") % {"share": print_share(share)}
    if facts.get("upward") is not None and not facts.get("may_rank_reviewed"):
        text += ", " + _("%(share)s of overrides upward") % {"share": print_share(facts["upward"])}
    return text


def _print_seconds(latency_ms: float | None) -> str:
    return "–" if latency_ms is None else f"{latency_ms / 1000:.1f}\u202fs"
