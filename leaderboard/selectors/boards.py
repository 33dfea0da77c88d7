"""One board, ready to print: ranked over the whole column first, filtered and sorted afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404
from django.shortcuts import get_object_or_404

from arena.models import Benchmark, DatasetRevision, Scorer
from arena.results import EFFECTIVE
from leaderboard.models import BoardState
from leaderboard.past_boards import PastBoard, read_past_board
from leaderboard.selectors.board_columns import (
    Column,
    Line,
    Shown,
    choose_shown,
    fit_columns,
    label_of,
    make_column,
    plain_columns,
    title_of,
)
from leaderboard.selectors.board_filters import (
    Choice,
    has_number,
    list_filters,
    matches,
    name_slice,
    say_parameter,
    slice_rows,
)
from leaderboard.selectors.board_order import Tier, cut_tiers, is_rank_order, sort_rows
from leaderboard.selectors.board_print import print_row
from leaderboard.selectors.board_query import BoardQuery
from leaderboard.selectors.board_rows import REPORTED, RowData, baseline_rows
from leaderboard.selectors.catalog import Place, main_split
from leaderboard.selectors.formats import metric_label
from leaderboard.selectors.reported_rows import read_reported_rows
from leaderboard.selectors.run_rows import find_scorer, make_run_rows, read_run_rows, read_stale_rows
from leaderboard.standings import ensure_state


@dataclass(frozen=True, slots=True)
class RevisionRuns:
    """One state of the data and how many runs are public on it."""

    label: str
    n_runs: int
    is_current: bool

    @property
    def query(self) -> str:
        return "" if self.is_current else f"?{urlencode({'revision': self.label})}"


@dataclass(frozen=True, slots=True)
class Board:
    """Everything on a board page. rows: as numbers, in the order shown, for the twins and charts; n_hidden: left out
    by filters. tiers: the same rows printed; has_tiers: there are two to compare. past: what the board is made of
    where an earlier moment is asked for.
    """

    place: Place
    query: BoardQuery
    shown: Shown
    facts: Mapping[str, Any]
    data: tuple[RowData, ...]
    tiers: tuple[Tier, ...]
    n_hidden: int
    columns: Mapping[str, Column]
    metric_columns: tuple[Column, ...]
    subset_columns: tuple[Column, ...]
    filters: Mapping[str, tuple[Choice, ...]]
    slice_label: str
    scorer: Scorer | None
    revisions: tuple[RevisionRuns, ...]
    changed_at: datetime | None
    test: str
    has_tiers: bool
    past: PastBoard | None

    @property
    def metric(self) -> str:
        return self.shown.metric

    @property
    def has_runs(self) -> bool:
        """Whether a run is among the rows shown."""
        return any(row.run for row in self.data)

    @property
    def is_only_reported(self) -> bool:
        """Whether published models stand here before any run does."""
        return not self.n_runs and not self.has_runs and any(row.mark == REPORTED for row in self.data)

    @property
    def keeps_machine_places(self) -> bool:
        """Whether the values shown are people's and the ranks beside them the machine's."""
        ranks = [row.rank for row in self.data if row.rank]
        is_sorted_otherwise = self.query.sort not in ("", "rank", self.metric)
        return self.basis == EFFECTIVE and not is_sorted_otherwise and ranks != sorted(ranks)

    @property
    def has_unsummed(self) -> bool:
        """Whether published rows lack the headline number, and so stand in the order of their medals."""
        return any(row.mark == REPORTED and self.shown.head(row).value is None for row in self.data)

    @property
    def metric_label(self) -> str:
        return metric_label(self.shown.metric)

    @property
    def basis(self) -> str:
        return self.shown.basis

    @property
    def subset(self) -> str:
        """Empty for all."""
        return "" if self.shown.is_overall else self.shown.subset

    @property
    def subset_title(self) -> str:
        return title_of(self.subset_facts) if self.subset_facts else ""

    @property
    def subset_facts(self) -> Mapping[str, Any]:
        return self.shown.column or {}

    @property
    def ignored(self) -> tuple[str, ...]:
        """Parameters of the address that mean nothing on this board, in words."""
        asked = self.query.metric
        unfit = ("metric",) if asked not in ("", self.shown.metric) else ()
        return tuple(say_parameter(name) for name in dict.fromkeys((*self.query.ignored, *unfit)))

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.shown.lines

    @property
    def scale(self) -> tuple[str, str]:
        return self.shown.scale

    @property
    def is_exam_board(self) -> bool:
        return any(column["kind"] == "exam" for column in self.facts.get("columns", ()))

    @property
    def n_runs(self) -> int:
        """On these data, whatever is filtered out."""
        return next((r.n_runs for r in self.revisions if r.label == self.place.revision.label), 0)

    @property
    def other_data(self) -> tuple[RevisionRuns, ...]:
        """Other states of the data on which runs stand: they are on none of this page's rows."""
        return tuple(r for r in self.revisions if r.n_runs and r.label != self.place.revision.label)

    @property
    def has_medals(self) -> bool:
        return any(column["kind"] == "exam" and column["gold"] for column in self.facts.get("columns", ()))


def find_board(slug: str, revision: str = "", split: str = "") -> tuple[Place, BoardState, tuple[RevisionRuns, ...]]:
    """The place, its derived state and all revisions, newest first, in one query; Http404 for what is not there."""
    built = BoardState.objects.filter(revision__benchmark__slug=slug, revision__benchmark__is_public=True)
    states = list(built.select_related("revision__benchmark__scorer"))
    if states:
        benchmark = states[0].revision.benchmark
    else:
        benchmark = get_object_or_404(Benchmark.objects.select_related("scorer"), slug=slug, is_public=True)
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
    chosen = split or main_split(mine)
    state = mine[chosen] if mine[chosen].facts else ensure_state(found, chosen)
    found.benchmark = benchmark
    newest_first = sorted(revisions.values(), key=lambda r: r.created_at, reverse=True)
    return (
        Place(benchmark, found, chosen, tuple(sorted(mine))),
        state,
        tuple(_count_runs(r, states) for r in newest_first),
    )


def _count_runs(revision: DatasetRevision, states: Sequence[BoardState]) -> RevisionRuns:
    """The runs that its boards were built from; one that several scorers graded, or two splits show, counts once."""
    names = {name for state in states if state.revision_id == revision.pk for name in state.facts.get("measured", ())}
    return RevisionRuns(revision.label, len({name.partition(":")[0] for name in names}), revision.is_current)


def read_board(place: Place, state: BoardState, query: BoardQuery, revisions: Sequence[RevisionRuns] = ()) -> Board:
    """The board of one revision and split. Filters leave rows out and never move a rank or a tier."""
    facts = state.facts
    shown = choose_shown(place, facts, query)
    past = _find_past(place, query)
    all_rows = _read_past_rows(place, facts, past, shown) if past else _read_rows(place, facts, query, shown, revisions)
    rows = [row for row in all_rows if has_number(row, shown)]
    shown = fit_columns(shown, facts, rows)
    ordered = sort_rows([row for row in rows if matches(row, query)], query.sort, shown)
    printed = {id(row): print_row(row, shown) for row in ordered}
    has_tiers = sum(row.rank is not None for row in rows) > 1
    in_rank_order = has_tiers and is_rank_order(query.sort, shown.metric, ordered) and not query.has_slice
    return Board(
        place=place,
        query=query,
        shown=shown,
        facts=facts,
        data=tuple(ordered),
        tiers=cut_tiers(ordered, printed, in_rank_order=in_rank_order),
        n_hidden=len(rows) - len(ordered),
        columns=plain_columns(query.sort, shown.metric),
        metric_columns=tuple(make_column(name, label_of(name), query.sort) for name in shown.others),
        subset_columns=tuple(make_column(c["slug"], title_of(c), query.sort) for c in shown.subsets),
        filters=list_filters(rows, query, facts),
        slice_label=name_slice(query),
        scorer=past.scorer if past else place.benchmark.scorer,
        revisions=tuple(revisions),
        changed_at=past.at if past else state.changed_at,
        test=next((test for row in rows if (test := shown.head(row).details.get("test"))), ""),
        has_tiers=has_tiers,
        past=past,
    )


def _find_past(place: Place, query: BoardQuery) -> PastBoard | None:
    """The board of the moment asked for, under the scorer asked for; numbers of some problems are those of now."""
    if query.moment is None or query.has_slice:
        return None
    scorer = find_scorer(place, query.scorer) if query.scorer else place.benchmark.scorer
    return read_past_board(place.revision, place.split, query.moment, scorer)


def _read_past_rows(place: Place, facts: Mapping[str, Any], past: PastBoard, shown: Shown) -> list[RowData]:
    rows = make_run_rows(past.rows, past.scorer, shown)
    return rows + read_reported_rows(place.benchmark, place.revision, place.split, past.at) + baseline_rows(facts)


def _read_rows(
    place: Place,
    facts: Mapping[str, Any],
    query: BoardQuery,
    shown: Shown,
    revisions: Sequence[RevisionRuns],
) -> list[RowData]:
    """All rows of the column, whatever the filters. Numbers of some problems only exist of runs alone."""
    rows = read_run_rows(place, shown, query.scorer)
    if query.has_slice:
        return slice_rows(rows, place, facts, query, shown)
    if facts.get("n_reported"):
        rows += read_reported_rows(place.benchmark, place.revision, place.split)
    rows += baseline_rows(facts)
    if shown.is_overall and len(revisions) != 1:
        rows += read_stale_rows(place.revision, place.split, [row.entrant_slug for row in rows if row.run])
    return rows
