"""A board as it stood at some moment, made anew from the records of truth: what a citation's link leads back to.

Records are only ever added, so leaving out what came later gives what was there. What was withdrawn since stays away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from arena.models import (
    Adjudication,
    Benchmark,
    DatasetRevision,
    Judgment,
    Review,
    ReviewItem,
    Run,
    Scorer,
    Withdrawal,
)
from arena.results import EFFECTIVE, MACHINE
from leaderboard.board_entries import (
    Entry,
    Reader,
    newest_runs,
    ruling_scorer,
    scorers_with_judgments,
    splits_on,
    why_never_ranked,
)
from leaderboard.models import RunVectors, Standing
from leaderboard.page_store import store
from leaderboard.problem_index import read_index
from leaderboard.standings import build_rows, list_columns
from leaderboard.vectors import Vectors, unpack

ROW_BYTES = 2000  # of one row in memory, roughly
SUPERSEDED = "superseded"  # why a run takes no rank that a newer one has taken the place of


@dataclass(frozen=True, slots=True)
class PastBoard:
    """rows: as the derived table held them. n_withdrawn: runs that stood there and have been withdrawn since."""

    at: datetime
    scorer: Scorer | None
    rows: tuple[Standing, ...]
    n_withdrawn: int


def read_past_board(revision: DatasetRevision, split: str, at: datetime, scorer: Scorer | None) -> PastBoard:
    """The board at that moment under the scorer that ranked then; kept in memory until any board changes."""
    key = ("past board", revision.pk, split, at.isoformat(), scorer.pk if scorer else 0)
    return store.remember(key, lambda: _build(revision, split, at, scorer), lambda found: ROW_BYTES * len(found.rows))


def measure_run(run: Run) -> tuple[Standing, ...]:
    """All numbers of a run that stands on no board any more, without places."""
    key = ("numbers of a run", run.pk)
    return store.remember(key, lambda: tuple(_measure(run)), lambda rows: ROW_BYTES * len(rows))


def _measure(run: Run) -> Iterable[Standing]:
    revision, benchmark = run.revision, run.revision.benchmark
    scorer = Scorer.objects.get(pk=ruling_scorer(run, scorers_with_judgments(run), benchmark))
    entry = Entry(run, scorer, *Reader(revision).read(run, scorer), "", True, SUPERSEDED)
    index = read_index(revision, run.split)
    return _complete(build_rows(revision, run.split, list_columns(benchmark, index), index, [entry], {}), [entry])


def _complete(rows: Iterable[Standing], entries: Iterable[Entry]) -> Iterable[Standing]:
    """The same rows with their objects: copies carry keys alone."""
    known = {entry.key: entry for entry in entries}
    for row in rows:
        entry = known[row.run_id, row.scorer_id]
        row.run, row.scorer, row.entrant = entry.run, entry.scorer, entry.run.entrant
        row.revision = entry.run.revision
        yield row


def _build(revision: DatasetRevision, split: str, at: datetime, scorer: Scorer | None) -> PastBoard:
    index = read_index(revision, split)
    runs = newest_runs(revision, split, until=at)
    entries = list(_read_entries(revision, runs, at, scorer))
    rows = build_rows(revision, split, list_columns(revision.benchmark, index), index, entries, {})
    return PastBoard(at, scorer, tuple(_complete(rows, entries)), _count_withdrawn(revision, split, at))


def _read_entries(
    revision: DatasetRevision, runs: Iterable[Run], at: datetime, scorer: Scorer | None
) -> Iterable[Entry]:
    """Each run under the ruling scorer of then, or its own where that one had not judged it."""
    then = Benchmark(pk=revision.benchmark.pk, slug=revision.benchmark.slug, scorer=scorer)
    runs = list(runs)
    judged = _judged_until(runs, at)
    changed, stored, reader = _changed_since(runs, at), _read_stored(runs), Reader(revision)
    for run in runs:
        is_ruling = scorer is not None and not run.is_own_judge and (run.pk, scorer.pk) in judged
        own = scorer if is_ruling and scorer is not None else run.scorer
        found = stored.get((run.pk, own.pk))
        if found is None or run.pk in changed:
            found = reader.read(run, own, until=at)
        yield Entry(run, own, *found, "", True, why_never_ranked(run, own, revision, then))


def _judged_until(runs: list[Run], at: datetime) -> set[tuple[int, int]]:
    rows = Judgment.objects.filter(reply__run__in=runs, created_at__lte=at).order_by()
    return set(rows.values_list("reply__run_id", "scorer_id").distinct())


def _changed_since(runs: list[Run], at: datetime) -> set[int]:
    """Runs of which anything was judged, reviewed or withdrawn later: their stored arrays are not those of then."""
    later = {"created_at__gt": at}
    queries = (
        Judgment.objects.filter(reply__run__in=runs, **later).values_list("reply__run_id"),
        Review.objects.filter(judgment__reply__run__in=runs, **later).values_list("judgment__reply__run_id"),
        Adjudication.objects.filter(item__reply__run__in=runs, **later).values_list("item__reply__run_id"),
        ReviewItem.objects.filter(reply__run__in=runs, **later).values_list("reply__run_id"),
    )
    return {pk for rows in queries for (pk,) in rows.order_by().distinct()}


def _read_stored(runs: list[Run]) -> Mapping[tuple[int, int], tuple[Vectors, Vectors]]:
    """(run, scorer) -> machine and effective arrays, of runs that still stand on a board."""
    rows: dict[tuple[int, int], dict[str, RunVectors]] = {}
    for row in RunVectors.objects.filter(run__in=runs):
        rows.setdefault((row.run_id, row.scorer_id), {})[row.basis] = row
    found = {}
    for key, own in rows.items():
        if MACHINE in own:
            machine = unpack(own[MACHINE].data)
            found[key] = machine, unpack(own[EFFECTIVE].data) if EFFECTIVE in own else machine
    return found


def _count_withdrawn(revision: DatasetRevision, split: str, at: datetime) -> int:
    later = Withdrawal.objects.filter(run__revision=revision, run__split__in=splits_on(split), created_at__gt=at)
    return later.filter(run__published_at__lte=at).values("run").distinct().count()
