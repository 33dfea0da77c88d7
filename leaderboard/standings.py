"""The derived table behind every board. What stands there is a function of the records of truth alone.

A rebuild reads the arrays of runs that did not change and makes those of the others anew; measures of unchanged runs
are taken over, ranks and tiers are found again over the whole column. The result equals a rebuild from nothing.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.models import Benchmark, DatasetRevision, RevisionProblem, Subset
from arena.results import EFFECTIVE, MACHINE
from leaderboard.board_entries import Entry, Loaded, load_entries, newest_runs, with_versions
from leaderboard.board_facts import read_facts
from leaderboard.board_history import add_snapshot
from leaderboard.card_facts import read_card_facts
from leaderboard.columns import ESTIMATED, Column, measure_entry
from leaderboard.models import BoardState, PageVersion, RunVectors, StaleRun, Standing
from leaderboard.placing import place_column
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.scores import metrics_of
from leaderboard.vectors import VECTOR_NAMES

log = logging.getLogger(__name__)

ATTEMPTS = 5
MEASURED_BY = 3  # raised when runs are measured in another way: rows of the way before are not taken over
THRESHOLDS = ("gold", "silver", "bronze", "best_human", "full_mark", "full_mark_human")
COMPARED = tuple(field.attname for field in Standing._meta.concrete_fields if not field.primary_key)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What one rebuild found, before it is stored."""

    state: BoardState
    loaded: Loaded
    stale_rows: tuple[int, ...]
    rows: tuple[Standing, ...]
    facts: dict[str, Any]


def rebuild_board(revision_id: int, split: str, *, from_scratch: bool = False) -> int:
    """Rebuild the rows of one revision and split; returns how many there are now.

    from_scratch: trust nothing derived. Everything is computed outside the transaction that stores it; where another
    rebuild stored in the meantime, it is computed again.

    Overtaken every time it gives way: the last of those began after the one before had stored, so after this call, and
    read the same changes. An error here would undo the review or run that was just stored.
    """
    for _ in range(ATTEMPTS):
        rebuilt = _compute(revision_id, split, from_scratch)
        if _store(rebuilt):
            return len(rebuilt.rows)
    if from_scratch:
        raise RuntimeError(f"board {revision_id}/{split}: {ATTEMPTS} rebuilds in a row were overtaken")
    log.info("board %s/%s: overtaken %d times, left to the others", revision_id, split, ATTEMPTS)
    return len(rebuilt.rows)


def rebuild_all(*, from_scratch: bool = True) -> int:
    """Every board of every revision; returns how many rows there are."""
    return sum(rebuild_board(pk, split, from_scratch=from_scratch) for pk, split in list_boards_there())


def list_boards_there() -> list[tuple[int, str]]:
    entries = RevisionProblem.objects.exclude(split="validation").order_by("revision_id", "split")
    return list(entries.values_list("revision_id", "split").distinct())


def ensure_state(revision: DatasetRevision, split: str) -> BoardState:
    """The board's state; built where it was dropped or never made."""
    found = BoardState.objects.filter(revision=revision, split=split).first()
    if found is None or not found.facts:
        rebuild_board(revision.pk, split)
        found = BoardState.objects.get(revision=revision, split=split)
    return found


def change_pages() -> None:
    """Make every stored page old."""
    PageVersion.objects.update_or_create(pk=1, defaults={"token": secrets.token_hex(8)})


def _compute(revision_id: int, split: str, from_scratch: bool) -> Rebuilt:
    revision = DatasetRevision.objects.select_related("benchmark__scorer").get(pk=revision_id)
    state, _ = BoardState.objects.get_or_create(revision=revision, split=split)
    runs = {run.pk for run in newest_runs(revision, split)}
    stale_rows = list(StaleRun.objects.filter(run__revision=revision).values_list("pk", "run_id"))
    index = read_index(revision, split)
    columns = list_columns(revision.benchmark, index)
    digest = index_digest(revision.benchmark.slug, index, columns)
    is_same_index = not from_scratch and state.facts.get("index") == digest
    # Other problems or answers: every run's samples may mean something else.
    stale = frozenset(runs & {run for _, run in stale_rows} if is_same_index else runs)
    loaded = load_entries(revision, split, stale=stale)
    kept = _kept_rows(revision, split, loaded.entries, state.facts.get("measured", {}) if is_same_index else {})
    rows = build_rows(revision, split, columns, index, loaded.entries, kept)
    facts = read_facts(revision, split, index, columns)
    facts["index"] = digest
    old_card = state.facts.get("card") if is_same_index else None
    facts["card"] = old_card if old_card is not None else read_card_facts(revision, split)
    elsewhere = _all_on_board(revision) - runs if any(run not in runs for _, run in stale_rows) else set()
    mine = tuple(pk for pk, run in stale_rows if run not in elsewhere)
    return Rebuilt(state, loaded, mine, tuple(rows), facts)


def _all_on_board(revision: DatasetRevision) -> set[int]:
    splits = revision.entries.exclude(split="validation").order_by().values_list("split", flat=True).distinct()
    return {run.pk for split in splits for run in newest_runs(revision, split)}


def index_digest(slug: str, index: ProblemIndex, columns: Sequence[Column]) -> str:
    """Names what is measured and all that it is measured against: problems, references, the thresholds of exams."""
    parts = (
        MEASURED_BY,
        VECTOR_NAMES,
        metrics_of(slug),
        index.problem_ids.tolist(),
        index.subsets,
        index.clusters,
        index.max_points.tolist(),
        index.references,
        index.answer_kinds,
        [(c.subset.slug, *(str(getattr(c.subset, name)) for name in THRESHOLDS)) for c in columns],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def list_columns(benchmark: Benchmark, index: ProblemIndex) -> list[Column]:
    """`overall` and the subsets that are there; rows None means all problems."""
    groups = index.by_subset
    columns = []
    for subset in benchmark.subsets.all():
        if subset.slug == Subset.OVERALL:
            columns.insert(0, Column(subset, None))
        elif subset.slug in groups:
            columns.append(Column(subset, groups[subset.slug]))
    return columns


Key = tuple[int, int, int, str, str]  # run, scorer, subset, metric, basis


def row_key(row: Standing) -> Key:
    return row.run_id, row.scorer_id, row.subset_id, row.metric, row.basis


def _kept_rows(
    revision: DatasetRevision, split: str, entries: Sequence[Entry], measured: Mapping[str, str]
) -> dict[Key, Standing]:
    """Rows of entries whose arrays are those that the rows were measured from."""
    same = {entry.key for entry in entries if entry.version and measured.get(_name(entry)) == entry.version}
    if not same:
        return {}
    rows = Standing.objects.filter(revision=revision, split=split)
    return {row_key(row): row for row in rows if (row.run_id, row.scorer_id) in same}


def _name(entry: Entry) -> str:
    return f"{entry.run.pk}:{entry.scorer.pk}"


def build_rows(
    revision: DatasetRevision,
    split: str,
    columns: Sequence[Column],
    index: ProblemIndex,
    entries: Sequence[Entry],
    kept: Mapping[Key, Standing],
) -> list[Standing]:
    """Measured entry by entry, then placed column by column; nothing is stored. kept: rows that need no measuring."""
    metrics = metrics_of(revision.benchmark.slug)
    kept_entries = {(run, scorer) for run, scorer, *_ in kept}
    rows: dict[Key, Standing] = {}
    for entry in entries:
        if entry.key in kept_entries:
            own = [row for key, row in kept.items() if key[:2] == entry.key]
        else:
            own = measure_entry(entry, revision, split, columns, index, metrics)
        rows |= {row_key(row): row for row in own}
    ruling = [entry for entry in entries if entry.is_ruling]
    _clear_places(rows.values(), {entry.key: entry for entry in entries})
    for basis in (MACHINE, EFFECTIVE):
        test = None
        for column in columns:
            for metric in metrics:
                found = {
                    entry.key: rows[key]
                    for entry in ruling
                    if (key := (*entry.key, column.subset.pk, metric, basis)) in rows
                }
                chosen = place_column(found, ruling, rows, column, metric, basis, index, revision.benchmark.slug, test)
                if column.is_overall and metric == metrics[0]:
                    test = chosen
    return list(rows.values())


def _clear_places(rows: Iterable[Standing], entries: Mapping[tuple[int, int], Entry]) -> None:
    """Rows taken over carry the places and reasons of the last time."""
    for row in rows:
        entry = entries[row.run_id, row.scorer_id]
        row.rank = row.rank_low = row.rank_high = row.tier = None
        row.details.pop("test", None)
        row.details["is_ruling"] = entry.is_ruling
        reason = entry.unranked or row.details.get("fault", "")
        if row.basis == ESTIMATED:
            reason = "estimate"
        row.unranked_reason = reason
        row.is_ranked = not reason and row.value is not None and entry.is_ruling


def _store(rebuilt: Rebuilt) -> bool:
    """Store all in one transaction; False where another rebuild came first. Pages grow old only on a change."""
    state, revision, split = rebuilt.state, rebuilt.state.revision, rebuilt.state.split
    loaded = rebuilt.loaded
    with transaction.atomic():
        mine = BoardState.objects.filter(pk=state.pk, generation=state.generation)
        if not mine.update(generation=F("generation") + 1):
            return False
        _store_vectors(revision, split, loaded)
        StaleRun.objects.filter(pk__in=rebuilt.stale_rows).delete()
        entries = with_versions(loaded.entries, loaded.new_rows)
        facts = {**rebuilt.facts, "measured": {_name(entry): entry.version for entry in entries}}
        has_changed = _store_rows(revision, split, rebuilt.rows) or _shown(facts) != _shown(state.facts)
        changes: dict[str, Any] = {"facts": facts}
        if has_changed:
            now = timezone.now()
            changes["changed_at"] = now
            changes["history"] = add_snapshot(state.history, rebuilt.rows, metrics_of(revision.benchmark.slug)[0], now)
            change_pages()
        BoardState.objects.filter(pk=state.pk).update(**changes)
    return True


def _shown(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if key not in ("measured", "index")}


def _store_vectors(revision: DatasetRevision, split: str, loaded: Loaded) -> None:
    made = {row.run_id for row in loaded.new_rows}
    RunVectors.objects.filter(run__in=made).delete()
    gone = RunVectors.objects.filter(run__revision=revision, run__split=split)
    gone.exclude(run__in={entry.run.pk for entry in loaded.entries}).delete()
    # One by one: bulk_create gives no primary keys back on every engine, and there are few.
    for row in loaded.new_rows:
        row.pk = None
        row.save(force_insert=True)


def _store_rows(revision: DatasetRevision, split: str, rows: Sequence[Standing]) -> bool:
    """Write what differs; returns whether anything did."""
    there = {row_key(row): row for row in Standing.objects.filter(revision=revision, split=split)}
    new = [row for row in rows if not _is_same(there.get(row_key(row)), row)]
    keys = {row_key(row) for row in rows}
    old = [row.pk for key, row in there.items() if key not in keys]
    old += [there[row_key(row)].pk for row in new if row_key(row) in there]
    for start in range(0, len(old), 500):
        Standing.objects.filter(pk__in=old[start : start + 500]).delete()
    for row in new:
        row.pk = None
        row._state.adding = True
    Standing.objects.bulk_create(new, batch_size=500)
    return bool(new or old)


def _is_same(old: Standing | None, new: Standing) -> bool:
    return old is not None and all(getattr(old, name) == getattr(new, name) for name in COMPARED)


def last_change(states: Iterable[BoardState]) -> datetime | None:
    return max((state.changed_at for state in states if state.changed_at), default=None)


__all__ = [
    "build_rows",
    "change_pages",
    "ensure_state",
    "list_boards_there",
    "metrics_of",
    "newest_runs",
    "rebuild_all",
    "rebuild_board",
    "row_key",
]
