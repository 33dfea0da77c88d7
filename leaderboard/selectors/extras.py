"""What one benchmark alone has: bias and flips of CoinFlip, gaps to English, efficiency of EED, types of PhyX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Run
from leaderboard.board_entries import read_entries
from leaderboard.problem_index import Ints, ProblemIndex, read_index
from leaderboard.scores import Sheet, make_sheet, values_of
from leaderboard.selectors.answer_forms import compare_forms
from leaderboard.selectors.boards import Board
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.chart_views import Table
from leaderboard.selectors.fields import column_title
from leaderboard.selectors.formats import print_metric, print_points_gap
from leaderboard.selectors.languages import gaps_to_english
from leaderboard.selectors.problem_groups import FLIPS, group_problems, print_accuracy, replies_url, say_overlap
from leaderboard.selectors.run_settings import name_entries
from leaderboard.selectors.wordings import say_group
from leaderboard.statistics.comparisons import Comparison
from leaderboard.statistics.curves import compare_efficiency
from leaderboard.vectors import YES, Floats

PUBLISHED_GAIN = 204  # per cent, PHYBench (arXiv:2504.16074)

FILTERS = {"modalities": "modality", "fields": "field"}  # of a board, by what they take problems by


@dataclass(frozen=True, slots=True)
class Model:
    """name: each only once in a table."""

    name: str
    sheet: Sheet
    run: Run


Models = Sequence[Model]


@dataclass(frozen=True, slots=True)
class Extra:
    """A titled table with a sentence."""

    title: str
    text: str
    table: Table

    def with_intervals(self) -> Extra:
        """Says that accuracy is shown, and of intervals where there are any."""
        has_any = any("[" in cell for row in self.table.rows for cell in row[1:])
        words = _("Accuracy, in brackets its interval (95 %).") if has_any else _("Accuracy.")
        return replace(self, text=" ".join(filter(None, (words, self.text))))


def read_extras(board: Board) -> tuple[Extra, ...]:
    """Models in the order of the board."""
    place = board.place
    order = {row.run: at for at, row in enumerate(board.data)}
    entries = [e for e in read_entries(place.revision, place.split) if str(e.run.uuid)[:8] in order]
    if not entries:
        return ()
    entries.sort(key=lambda entry: order[str(entry.run.uuid)[:8]])
    index = read_index(place.revision, place.split)
    sheets = [
        make_sheet(e.machine, index, place.benchmark.slug, e.scorer.params.get("policy", "corrected")) for e in entries
    ]
    models = [Model(*of) for of in zip(name_entries(entries), sheets, (e.run for e in entries), strict=True)]
    return tuple(extra for extra in _choose(board, models, index) if extra is not None)


def _choose(board: Board, models: Models, index: ProblemIndex) -> Sequence[Extra | None]:
    slug = board.place.benchmark.slug
    if slug == "coin_flip":
        return _bias(board, models), _flips(board, models, index)
    if slug == "arc_indic":
        return (_gaps(board),)
    if slug == "phybench":
        return (_efficiency(board, models),)
    if slug == "hipho":
        titles = {"modalities": _("By modality"), "fields": _("By field"), "answer_kinds": _("By answer type")}
        return [_groups(board, models, index, what, title) for what, title in titles.items()]
    if slug.startswith("phyx"):
        titles = {"subfields": _("By subfield"), "tags": _("By reasoning type")}
        return _forms(board.place), *(_groups(board, models, index, what, title) for what, title in titles.items())
    return ()


def _forms(place: Place) -> Extra | None:
    table = compare_forms(place)
    text = _(
        "The same questions asked both ways; the difference in points, paired by question, with its interval (95 %)."
    )
    return Extra(_("Open-ended against multiple choice"), text, table) if table else None


def _groups(board: Board, models: Models, index: ProblemIndex, kind: str, title: str) -> Extra | None:
    """Mean share of the points in each group, with its interval."""
    groups = index.group(kind)
    if len(groups) < 2:
        return None
    heads = [f"{say_group(name)} ({positions.size})" for name, positions in groups.items()]
    return Extra(title, say_overlap(kind), _measure_groups(board, models, kind, heads, groups)).with_intervals()


def _measure_groups(board: Board, models: Models, kind: str, heads: Sequence[str], groups: Mapping[str, Ints]) -> Table:
    """Where the board has a filter for the groups, heads lead to it and numbers to their receipts; else to replies."""
    rows = [(m.name, *(print_accuracy(m.sheet.pick(positions)) for positions in groups.values())) for m in models]
    if kind in FILTERS:
        heads_urls = [_board_url(board, metric="accuracy", **{FILTERS[kind]: name}) for name in groups]
        urls = [
            [board.place.receipt_url(m.run, "accuracy", **{FILTERS[kind]: name}) for name in groups] for m in models
        ]
    else:
        heads_urls = []
        urls = [[replies_url(m.run, board.place.split, kind, name) for name in groups] for m in models]
    return Table((_("Model"), *heads), tuple(rows), ("", *heads_urls), tuple(("", *line) for line in urls))


def _board_url(board: Board, **parameters: str) -> str:
    query = urlencode(board.place.parameters | parameters)
    return f"{reverse('board', args=[board.place.benchmark.slug])}?{query}"


def _bias(board: Board, models: Models) -> Extra:
    """How much more often a model says YES than is true."""
    rows, urls = [], []
    for model in models:
        sheet = model.sheet
        scored = ~np.isnan(sheet.vectors.points)
        if not scored.any():
            continue
        said = float(((sheet.vectors.said == YES) & scored).sum() / scored.sum())
        truth = float((np.broadcast_to(sheet.is_yes[:, None], scored.shape) & scored).sum() / scored.sum())
        shares = (print_metric("yes_ratio", share) for share in (said, truth))
        rows.append((model.name, *shares, print_points_gap(said - truth)))
        urls.append(("", board.place.receipt_url(model.run, "yes_ratio")))
    head = (_("Model"), _("Says YES"), _("True share of YES"), _("Bias, in points"))
    table = Table(head, tuple(rows), cell_links=tuple(urls))
    return Extra(_("Bias towards YES"), _("Missing answers stay in the denominator."), table)


def _flips(board: Board, models: Models, index: ProblemIndex) -> Extra | None:
    """Accuracy by how often the coin is really flipped."""
    groups = group_problems(index, FLIPS)
    if not groups:
        return None
    heads = [
        ngettext("%(n)d flip (%(k)d)", "%(n)d flips (%(k)d)", int(n)) % {"n": int(n), "k": positions.size}
        for n, positions in groups.items()
    ]
    text = _("Flips counted from the text by rule, in brackets how many problems.")
    table = _measure_groups(board, models, FLIPS, heads, groups)
    return Extra(_("Accuracy by number of flips"), text, table).with_intervals()


def _gaps(board: Board) -> Extra | None:
    """A row a model, a column a language."""
    found = gaps_to_english(board.place)
    if not found:
        return None
    titles = {column["slug"]: column_title(column) for column in board.facts.get("columns", ())}
    codes = [code for code in titles if any(code == own for _entry, own, _pair in found)]
    entries = list({entry.key: entry for entry, _code, _pair in found}.values())
    pairs = {(entry.key, code): pair for entry, code, pair in found if pair.n_shared}
    rows = [
        (name, *(_print_gap(pairs.get((entry.key, code))) for code in codes))
        for entry, name in zip(entries, name_entries(entries), strict=True)
    ]
    return Extra(
        _("Gap to English"),
        _("Points of accuracy against English on the questions that both languages have, paired by question, 95 %."),
        Table(
            (_("Model"), *(titles[code] for code in codes)),
            tuple(rows),
            ("", *(_board_url(board, subset=code) for code in codes)),
            tuple(("", *(board.place.receipt_url(e.run, "accuracy", code) for code in codes)) for e in entries),
        ),
    )


def _print_gap(pair: Comparison | None) -> str:
    return "–" if pair is None else print_points_gap(pair.difference, pair.low, pair.high)


def _efficiency(board: Board, models: Models) -> Extra | None:
    """Sample efficiency of EED against accuracy, by model and pooled, beside the published number."""
    scores = [(m.name, values_of("eed", m.sheet), values_of("accuracy", m.sheet)) for m in models]
    all_eed = np.concatenate([eed.ravel() for _name, eed, _right in scores])
    all_right = np.concatenate([right.ravel() for _name, _eed, right in scores])
    rows = [(name, _print_gain(eed, right)) for name, eed, right in scores]
    rows.append((_("all models"), _print_gain(all_eed, all_right)))
    rows.append((_("as published (arXiv:2504.16074)"), f"+{PUBLISHED_GAIN}\u202f%"))
    return Extra(
        _("Sample efficiency of EED"),
        _("How many more problems accuracy needs for the same relative error: its variance / mean² over EED's."),
        Table(
            (_("Model"), _("Gain")),
            tuple(rows),
            cell_links=tuple(("", board.place.receipt_url(m.run, "eed")) for m in models),
        ),
    )


def _print_gain(eed: Floats, right: Floats) -> str:
    gain = compare_efficiency(eed, right).gain_percent
    return "–" if gain is None else f"{gain:+.0f}\u202f%"
