"""A board as it would be with runs that are not on it yet: their samples are foretold, their places found as ever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.models import DatasetRevision, Run
from arena.results import MACHINE, SampleResult
from leaderboard.board_entries import Entry, read_entries, series_of, why_never_ranked
from leaderboard.models import Standing
from leaderboard.problem_index import read_index
from leaderboard.scores import metrics_of
from leaderboard.standings import build_rows, list_columns
from leaderboard.vectors import to_vectors


def forecast_board(
    revision: DatasetRevision, split: str, newcomers: Iterable[tuple[Run, Sequence[SampleResult]]]
) -> dict[int, Standing]:
    """Run -> its headline over everything, of all that would stand there; newcomers by the run they come from.

    newcomers: unsaved runs with their samples. A run that stands there already keeps a newcomer of its series away.
    """
    there = read_entries(revision, split)
    taken = {series_of(entry.run) for entry in there}
    entries = [*there, *(_make_entry(revision, *new) for new in newcomers if series_of(new[0]) not in taken)]
    index = read_index(revision, split)
    overall = [column for column in list_columns(revision.benchmark, index) if column.is_overall]
    headline = metrics_of(revision.benchmark.slug)[0]
    rows = build_rows(revision, split, overall, index, entries, {})
    return {abs(row.run_id): row for row in rows if row.metric == headline and row.basis == MACHINE}


def _make_entry(revision: DatasetRevision, run: Run, samples: Sequence[SampleResult]) -> Entry:
    """run.pk: that of the run it comes from, negative, for it has none of its own."""
    scorer = run.scorer
    assert scorer is not None and run.carried_from_id is not None
    run.pk = -run.carried_from_id
    vectors = to_vectors(samples)
    unranked = why_never_ranked(run, scorer, revision, revision.benchmark)
    return Entry(run, scorer, vectors, vectors, "", True, unranked)
