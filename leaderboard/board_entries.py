"""Which runs stand on a board, under which scorers, and their samples as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from arena.effective import decided_parts
from arena.models import Benchmark, DatasetRevision, Judgment, ReviewItem, RevisionProblem, Run, Scorer
from arena.results import EFFECTIVE, MACHINE, ProblemFacts, judgments_of, problem_facts, read_results
from arena.services.samples import entries_of, planned_entries
from leaderboard.models import RunVectors
from leaderboard.vectors import Vectors, to_vectors, unpack

TEST_MINI = "test_mini"
OTHER_SCORER = "other scorer"  # why a run takes no rank until it is scored again
# Of an entry and its problem; statements are long and not read here.
READ = ("external_id", "problem__max_points", "problem__cluster", "problem__subset__slug")


@dataclass(frozen=True, slots=True)
class Entry:
    """One run under one scorer. effective is the same object as machine where people changed nothing.

    version: names the records that the arrays were made of; is_ruling: this scorer's numbers stand on the board.
    unranked: why the run takes no rank whatever its values.
    """

    run: Run
    scorer: Scorer
    machine: Vectors
    effective: Vectors
    version: str
    is_ruling: bool
    unranked: str

    @property
    def key(self) -> tuple[int, int]:
        return self.run.pk, self.scorer.pk

    def vectors(self, basis: str) -> Vectors:
        return self.machine if basis == MACHINE else self.effective


def newest_runs(revision: DatasetRevision, split: str, until: datetime | None = None) -> list[Run]:
    """The newest complete published run of each (entrant, shots, prompt, style); limited runs stand beside, unranked.

    PhyX: a run on `test` also stands on the board of `test_mini`, whose problems it holds. until: of those that were
    published then.
    """
    runs = (
        Run.objects.on_board()
        .filter(revision=revision, split__in=splits_on(split), state=Run.State.FINISHED)
        .select_related("entrant", "scorer", "owner", "endpoint", "revision__benchmark")
        .order_by("finished_at", "pk")
    )
    if until is not None:
        runs = runs.filter(published_at__lte=until)
    return sorted({series_of(run): run for run in runs}.values(), key=lambda run: run.pk)


def series_of(run: Run) -> tuple[Any, ...]:
    """What runs of one place on a board have in common: the newest of them stands there."""
    return (run.entrant_id, run.shots, run.prompt_digest, run.style, run.provenance, run.partial, run.is_own_judge)


def find_successors(runs: Iterable[Run]) -> dict[int, Run]:
    """Run -> the next newer run that took its place on the board of its split; the newest of each place have none."""
    in_order = sorted(runs, key=lambda run: (run.finished_at or run.created_at, run.pk))
    found = {}
    for at, run in enumerate(in_order):
        splits = splits_on(run.split)
        place = run.revision_id, series_of(run)
        newer = (other for other in in_order[at + 1 :] if (other.revision_id, series_of(other)) == place)
        if (taker := next((other for other in newer if other.split in splits), None)) is not None:
            found[run.pk] = taker
    return found


def splits_on(split: str) -> tuple[str, ...]:
    """Splits whose runs stand on the board of `split`: PhyX's `test` holds the problems of `test_mini`."""
    return ("test", split) if split == TEST_MINI else (split,)


def why_never_ranked(run: Run, scorer: Scorer, revision: DatasetRevision, benchmark: Benchmark) -> str:
    """The reason why a run takes no rank whatever its values; empty where it may."""
    if revision.is_sample:
        return "sample set"
    if run.provenance == Run.Provenance.UPLOADED:
        return "uploaded"
    if run.partial:
        return "limited run"
    if run.is_own_judge:
        return "own judge"
    if benchmark.scorer_id and scorer.pk != benchmark.scorer_id:
        return OTHER_SCORER
    return ""


def scorers_with_judgments(run: Run) -> list[int]:
    """Ids of the run's own scorer and of every other one that has judged its replies."""
    judged = Judgment.objects.filter(reply__run=run).order_by().values_list("scorer_id", flat=True).distinct()
    return sorted({run.scorer_id, *judged})


def ruling_scorer(run: Run, scorer_ids: Iterable[int], benchmark: Benchmark) -> int:
    """The benchmark's current scorer where it has judged this run; a run with its own judge keeps its own."""
    if not run.is_own_judge and benchmark.scorer_id in scorer_ids:
        return int(benchmark.scorer_id)
    return int(run.scorer_id)


class Reader:
    """Reads samples of runs of one revision; what runs have in common is read once."""

    def __init__(self, revision: DatasetRevision) -> None:
        self.revision = revision
        self._entries: dict[str, list[RevisionProblem]] = {}
        self._facts: dict[int, ProblemFacts] = {}

    def read(self, run: Run, scorer: Scorer, until: datetime | None = None) -> tuple[Vectors, Vectors]:
        """(machine, effective) arrays from the records of truth; one object twice where people changed nothing.

        until: of what had been judged and decided then.
        """
        if run.split not in self._entries:
            self._entries[run.split] = entries_of(self.revision, run.split, READ)
            self._facts |= problem_facts(entry.problem_id for entry in self._entries[run.split])
        entries = planned_entries(run, self._entries[run.split])
        machine = read_results(run, entries=entries, scorer=scorer, facts=self._facts, until=until)
        judgments = judgments_of(run, scorer, until)
        reviewed = {row.reply_id for row, _ in decided_parts(judgments, until).values()}
        # A sampled reply that is not decided yet may carry an older, one-sided override: it is no sample yet.
        sampled = ReviewItem.objects.filter(
            reply__run=run,
            scorer=scorer,
            is_calibration=False,
            inclusion_probability__isnull=False,
            state=ReviewItem.State.DONE,
        )
        if until is not None:
            sampled = sampled.filter(decided_at__lte=until)
        chances = dict(sampled.values_list("reply_id", "inclusion_probability"))
        marks = {"reviewed": frozenset(reviewed), "chances": chances}
        before = to_vectors(machine, **marks)
        if not reviewed:
            return before, before
        after = read_results(run, entries=entries, scorer=scorer, basis=EFFECTIVE, facts=self._facts, until=until)
        return before, to_vectors(after, **marks)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Entries of a board, and the vector rows that are new: to be stored with the board."""

    entries: tuple[Entry, ...]
    new_rows: tuple[RunVectors, ...]


def load_entries(revision: DatasetRevision, split: str, *, stale: frozenset[int] = frozenset()) -> Loaded:
    """Every run on the board under each of its scorers; arrays of stale runs are made anew, the others read."""
    benchmark = revision.benchmark
    runs = newest_runs(revision, split)
    rows: dict[int, dict[tuple[int, str], RunVectors]] = {}
    for row in RunVectors.objects.filter(run__in=[run for run in runs if run.pk not in stale]):
        rows.setdefault(row.run_id, {})[row.scorer_id, row.basis] = row
    # The scorers of a run that did not change are those of its stored arrays.
    scorer_ids = {
        run.pk: sorted({pk for pk, _ in rows[run.pk]}) if run.pk in rows else scorers_with_judgments(run)
        for run in runs
    }
    scorers = Scorer.objects.in_bulk({pk for ids in scorer_ids.values() for pk in ids})
    reader = Reader(revision)
    entries: list[Entry] = []
    new_rows: list[RunVectors] = []
    for run in runs:
        ruling = ruling_scorer(run, scorer_ids[run.pk], benchmark)
        for pk in scorer_ids[run.pk]:
            scorer, own = scorers[pk], rows.get(run.pk, {})
            if found := own.get((pk, MACHINE)):
                machine, version = unpack(found.data), str(found.pk)
                other = own.get((pk, EFFECTIVE))
                effective = unpack(other.data) if other else machine
            else:
                version = ""
                machine, effective = reader.read(run, scorer)
                new_rows += _rows(run, scorer, machine, effective)
            unranked = why_never_ranked(run, scorer, revision, benchmark)
            entries.append(Entry(run, scorer, machine, effective, version, pk == ruling, unranked))
    return Loaded(tuple(entries), tuple(new_rows))


def _rows(run: Run, scorer: Scorer, machine: Vectors, effective: Vectors) -> list[RunVectors]:
    rows = [RunVectors(run=run, scorer=scorer, basis=MACHINE, data=machine.pack())]
    if effective is not machine:
        rows.append(RunVectors(run=run, scorer=scorer, basis=EFFECTIVE, data=effective.pack()))
    return rows


def with_versions(entries: Sequence[Entry], rows: Iterable[RunVectors]) -> tuple[Entry, ...]:
    """The entries with the names of the vector rows that were stored for them."""
    stored = {(row.run_id, row.scorer_id): str(row.pk) for row in rows if row.basis == MACHINE}
    return tuple(replace(entry, version=stored.get(entry.key, entry.version)) for entry in entries)


def read_entries(revision: DatasetRevision, split: str) -> list[Entry]:
    """The ruling entries of a board from stored arrays; for pages that need samples (compare, grid, charts)."""
    return [entry for entry in load_entries(revision, split).entries if entry.is_ruling]
