"""Published numbers into the records of truth: each once, a correction beside what it corrects."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction

from arena.benchmarks.base import PUBLISHED, ImportFault
from arena.benchmarks.published_layouts import PHYBENCH_FIELDS, PHYX_DOMAINS
from arena.benchmarks.published_numbers import OVERALL, PublishedNumber
from arena.benchmarks.published_tables import read_published
from arena.errors import ImportRefused
from arena.models import Benchmark, Entrant, ReportedResult
from arena.services.catalog import ensure_benchmark, get_adapter
from arena.services.entrants import get_entrant
from arena.signals import catalog_changed

SHIPPED = ("hipho", "phybench", "phyx_oe", "phyx_mc", "arc_indic", "coin_flip")
_KNOWN_SUBSETS = {
    "phybench": frozenset(PHYBENCH_FIELDS.values()),
    "phyx_oe": frozenset((OVERALL, *PHYX_DOMAINS)),
    "phyx_mc": frozenset((OVERALL, *PHYX_DOMAINS)),
}


@dataclass(frozen=True, slots=True)
class PublishedReport:
    """What an import of published numbers did."""

    numbers: int
    new: int
    corrected: int  # of the new ones: those that supersede an older reading of the same cell
    entrants: int


def import_published(slug: str, data: bytes, *, source: str = "", date: str = "") -> PublishedReport:
    """Store a table's numbers as reported results. Raises ImportRefused naming the bad lines, storing nothing."""
    adapter = get_adapter(slug)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ImportRefused([f"the file is not UTF-8 at byte {error.start}"]) from error
    try:
        numbers = read_published(slug, text, split=adapter.default_split, source=source, date=date)
    except ImportFault as fault:
        raise ImportRefused(fault.faults) from fault
    if known := _KNOWN_SUBSETS.get(slug):
        faults = [f"line {n.line}: subset: {n.subset!r} is unknown" for n in numbers if n.subset not in known]
        if faults:
            raise ImportRefused(faults)
    benchmark = ensure_benchmark(adapter)
    with transaction.atomic():
        report = _store(benchmark, numbers)
        if report.new:
            for revision_id in benchmark.revisions.values_list("pk", flat=True):
                catalog_changed.send(sender=ReportedResult, revision_id=revision_id, inline=True)
    return report


def import_shipped() -> int:
    """The tables that come with the project; returns how many numbers were new."""
    return sum(import_published(slug, (PUBLISHED / f"{slug}.csv").read_bytes()).new for slug in SHIPPED)


def _store(benchmark: Benchmark, numbers: Sequence[PublishedNumber]) -> PublishedReport:
    digests = {_digest(benchmark, number): number for number in numbers}
    known = set(ReportedResult.objects.filter(benchmark=benchmark).values_list("digest", flat=True))
    new = {digest: number for digest, number in digests.items() if digest not in known}
    entrants = _find_entrants(list(new.values()))
    older = _newest_by_cell(benchmark) if new else {}
    rows = [
        _row(benchmark, entrants[number.entrant], number, digest, older.get(_cell(entrants[number.entrant].pk, number)))
        for digest, number in new.items()
    ]
    ReportedResult.objects.bulk_create(rows, batch_size=500)
    return PublishedReport(
        numbers=len(numbers),
        new=len(rows),
        corrected=sum(row.supersedes_id is not None for row in rows),
        entrants=len({number.entrant for number in numbers}),
    )


def _find_entrants(numbers: Sequence[PublishedNumber]) -> dict[str, Entrant]:
    """One entrant a name, made where it is new. Raises ImportRefused where the name is of another kind."""
    found: dict[str, Entrant] = {}
    faults = []
    for number in numbers:
        if number.entrant in found:
            continue
        entrant = get_entrant(number.entrant, number.organisation, kind=number.kind)
        if entrant.kind != number.kind:
            faults.append(f"line {number.line}: {number.entrant!r} is a {entrant.kind} here, not a {number.kind}")
        found[number.entrant] = entrant
    if faults:
        raise ImportRefused(faults)
    return found


Cell = tuple[object, ...]


def _cell(entrant_id: int, number: PublishedNumber | ReportedResult) -> Cell:
    n = number
    return entrant_id, n.split, n.subset, n.metric, n.style, n.setting, n.source, n.date


def _newest_by_cell(benchmark: Benchmark) -> dict[Cell, ReportedResult]:
    rows = ReportedResult.objects.filter(benchmark=benchmark).order_by("pk")
    return {_cell(row.entrant_id, row): row for row in rows}


def _digest(benchmark: Benchmark, number: PublishedNumber) -> str:
    fields = {key: value for key, value in asdict(number).items() if key not in ("line", "organisation")}
    return hashlib.sha256(json.dumps({"benchmark": benchmark.slug, **fields}, sort_keys=True).encode()).hexdigest()


def _row(
    benchmark: Benchmark, entrant: Entrant, number: PublishedNumber, digest: str, older: ReportedResult | None
) -> ReportedResult:
    fields = {
        key: value for key, value in asdict(number).items() if key not in ("line", "organisation", "kind", "entrant")
    }
    return ReportedResult(benchmark=benchmark, entrant=entrant, digest=digest, supersedes=older, **fields)
