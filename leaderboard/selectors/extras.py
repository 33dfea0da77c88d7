"""What one benchmark alone has: bias and flips of CoinFlip, gaps to English, efficiency of EED, types of PhyX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from arena.benchmarks.coin_flip import count_flips
from arena.models import Problem
from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.scores import Sheet, make_sheet, measure, values_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.formats import print_metric
from leaderboard.selectors.languages import gaps_to_english
from leaderboard.selectors.wordings import say_group
from leaderboard.statistics.curves import compare_efficiency
from leaderboard.vectors import YES

PUBLISHED_GAIN = 204  # per cent, PHYBench (arXiv:2504.16074)


@dataclass(frozen=True, slots=True)
class Extra:
    """A titled table with a sentence."""

    title: str
    text: str
    table: Table


def read_extras(place: Place, facts: Mapping[str, Any]) -> tuple[Extra, ...]:
    entries = read_entries(place.revision, place.split)
    if not entries:
        return ()
    index = read_index(place.revision, place.split)
    sheets = [
        (e, make_sheet(e.machine, index, place.benchmark.slug, e.scorer.params.get("policy", "corrected")))
        for e in entries
    ]
    slug = place.benchmark.slug
    found: list[Extra | None] = []
    if slug == "coin_flip":
        found = [_bias(sheets, index), _flips(sheets, index)]
    if slug == "arc_indic":
        found = [_gaps(place)]
    if slug == "phybench":
        found = [_efficiency(sheets)]
    if slug.startswith("phyx"):
        found = [
            _groups(sheets, index, "subfields", _("By subfield")),
            _groups(sheets, index, "tags", _("By reasoning type")),
        ]
    if slug == "hipho":
        found = [
            _groups(sheets, index, "modalities", _("By modality")),
            _groups(sheets, index, "fields", _("By field")),
            _groups(sheets, index, "answer_kinds", _("By answer type")),
        ]
    return tuple(extra for extra in found if extra is not None)


def _groups(sheets: list[tuple[Entry, Sheet]], index: ProblemIndex, what: str, title: str) -> Extra | None:
    """Mean share of the points in each group, with its interval."""
    groups = index.group(what)
    if len(groups) < 2:
        return None
    rows = []
    for entry, sheet in sheets:
        cells = []
        for positions in groups.values():
            measured = measure("accuracy", sheet.pick(positions))
            cells.append(_with_interval(measured.interval if measured else None))
        rows.append((entry.run.entrant.name, *cells))
    head = (_("Model"), *(f"{say_group(name)} ({positions.size})" for name, positions in groups.items()))
    return Extra(title, _("Accuracy, in brackets its interval (95 %)."), Table(head, tuple(rows)))


def _with_interval(interval: Any) -> str:
    if interval is None or interval.value is None:
        return "–"
    text = print_metric("accuracy", interval.value)
    if interval.low is None:
        return text
    low, high = (print_metric("accuracy", bound, with_unit=False) for bound in (interval.low, interval.high))
    return f"{text} [{low}, {high}]"


def _bias(sheets: list[tuple[Entry, Sheet]], index: ProblemIndex) -> Extra:
    """How much more often a model says YES than is true."""
    rows = []
    for entry, sheet in sheets:
        scored = ~np.isnan(sheet.vectors.points)
        if not scored.any():
            continue
        said = float(((sheet.vectors.said == YES) & scored).sum() / scored.sum())
        truth = float((np.broadcast_to(sheet.is_yes[:, None], scored.shape) & scored).sum() / scored.sum())
        gap = 100 * (said - truth)
        sign = "−" if gap < 0 else "+"
        rows.append(
            (
                entry.run.entrant.name,
                print_metric("yes_ratio", said),
                print_metric("yes_ratio", truth),
                f"{sign}{abs(gap):.1f}\u202f%",
            )
        )
    head = (_("Model"), _("Says YES"), _("True share of YES"), _("Bias"))
    return Extra(_("Bias towards YES"), _("Missing answers stay in the denominator."), Table(head, tuple(rows)))


def _flips(sheets: list[tuple[Entry, Sheet]], index: ProblemIndex) -> Extra | None:
    """Accuracy by how often the coin is really flipped, counted from the text."""
    texts = dict(Problem.objects.filter(pk__in=index.problem_ids.tolist()).values_list("pk", "statement"))
    groups: dict[int, list[int]] = {}
    for i, pk in enumerate(index.problem_ids.tolist()):
        counted = count_flips(texts[pk])
        if counted is not None:
            n = sum(": it is now " in step for step in counted[0])
            groups.setdefault(n, []).append(i)
    if not groups:
        return None
    numbers = sorted(groups)
    rows = []
    for entry, sheet in sheets:
        cells = []
        for n in numbers:
            measured = measure("accuracy", sheet.pick(np.array(groups[n], dtype=np.int64)))
            cells.append(_with_interval(measured.interval if measured else None))
        rows.append((entry.run.entrant.name, *cells))
    head = (_("Model"), *(_("%(n)d flips (%(k)d)") % {"n": n, "k": len(groups[n])} for n in numbers))
    return Extra(_("Accuracy by number of flips"), _("Flips counted from the text by rule."), Table(head, tuple(rows)))


def _gaps(place: Place) -> Extra | None:
    found = gaps_to_english(place)
    if not found:
        return None
    codes = sorted({code for _entry, code, _c in found})
    cells = {(id(entry), code): comparison for entry, code, comparison in found}
    entries = list({id(entry): entry for entry, _code, _c in found}.values())
    rows = []
    for entry in entries:
        line = []
        for code in codes:
            c = cells.get((id(entry), code))
            if c is None or c.n_shared == 0:
                line.append("–")
                continue
            text = f"{100 * c.difference:+.1f}".replace("-", "−")
            if c.low is not None and c.high is not None:
                text += f" [{100 * c.low:+.1f}, {100 * c.high:+.1f}]".replace("-", "−")
            line.append(text)
        rows.append((entry.run.entrant.name, *line))
    return Extra(
        _("Gap to English"),
        _("Points of accuracy against English on the questions that both languages have, paired by question, 95 %."),
        Table((_("Model"), *codes), tuple(rows)),
    )


def _efficiency(sheets: list[tuple[Entry, Sheet]]) -> Extra | None:
    """Sample efficiency of EED against accuracy, by model and pooled, beside the published number."""
    rows, eed, right = [], [], []
    for entry, sheet in sheets:
        points, accuracy = values_of("eed", sheet), values_of("accuracy", sheet)
        eed.append(points.ravel())
        right.append(accuracy.ravel())
        gain = compare_efficiency(points, accuracy).gain_percent
        rows.append((entry.run.entrant.name, "–" if gain is None else f"{gain:+.0f}\u202f%"))
    pooled = compare_efficiency(np.concatenate(eed), np.concatenate(right)).gain_percent
    rows.append((_("all models"), "–" if pooled is None else f"{pooled:+.0f}\u202f%"))
    rows.append((_("as published (arXiv:2504.16074)"), f"+{PUBLISHED_GAIN}\u202f%"))
    return Extra(
        _("Sample efficiency of EED"),
        _("How many more problems accuracy needs for the same relative error: its variance / mean² over EED's."),
        Table((_("Model"), _("Gain")), tuple(rows)),
    )
