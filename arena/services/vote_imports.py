"""Import votes made elsewhere: names of models only, never of people, addresses or cookies.

A record that is no vote is refused by its place and the rest stands; a file in which nothing can be read refuses.
Importing the same file again adds nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from arena.errors import ImportRefused, Refused
from arena.models import Battle, Entrant, Pool, Vote
from arena.services.entrants import get_entrant
from arena.services.pairing import measure_style
from arena.services.texts import clean_text
from arena.services.vote_formats import (
    BadRecord,
    Neighbours,
    NoVerdict,
    RawVote,
    Record,
    find_format,
    read_lines,
    read_record,
)
from arena.services.voters import hash_voter
from arena.signals import votes_changed

MOST_BYTES = 256 * 2**20
_CHUNK = 1000
_SUFFIXES = (".json", ".jsonl", ".txt")


@dataclass(slots=True)
class VoteImport:
    """What an import came to. refused: one line each, naming file and record. no_verdict: judged, but unreadable."""

    imported: int = 0
    known: int = 0  # were there already
    no_verdict: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Source:
    """A file's records, each with where it stands, and the collection that its votes belong to."""

    name: str
    format: str
    records: list[tuple[str, Any]]
    beside: Neighbours


def import_votes(path: Path, source: str = "") -> VoteImport:
    """Every vote in a file or folder. source: the collection's name; by default the folder's or file's.

    Raises Refused for a path that cannot be read, ImportRefused where no record is a vote.
    """
    report = VoteImport()
    sources = list(_find_sources(path, source))
    if not sources:
        raise Refused("path", f"{path.name} holds no votes in a format that is known here")
    entrants: dict[str, Entrant] = {}
    with transaction.atomic():
        for found in sources:
            votes = list(_read_votes(found, report))
            for start in range(0, len(votes), _CHUNK):
                _store(found, votes[start : start + _CHUNK], entrants, report)
        if not (report.imported or report.known or report.no_verdict) and report.refused:
            raise ImportRefused(report.refused)
    votes_changed.send(sender=Vote, pools=[Pool.IMPORTED_PEOPLE, Pool.IMPORTED_JUDGE])
    return report


def _find_sources(path: Path, source: str) -> Iterator[_Source]:
    if not path.exists():
        raise Refused("path", f"{path.name}: no such file or folder")
    files = sorted(f for f in path.rglob("*") if f.suffix in _SUFFIXES) if path.is_dir() else [path]
    for file in files:
        records = _read_file(file)
        name = next(
            (name for _, record in records if isinstance(record, Mapping) and (name := find_format(record))), ""
        )
        if name:
            label = source or (path if path.is_dir() else file).stem
            yield _Source(clean_text(label)[:100], name, records, _look_beside(file, name))


def _read_file(file: Path) -> list[tuple[str, Any]]:
    """(place, record) of a JSON array, one object, JSON lines, or a list of verdict words."""
    if file.stat().st_size > MOST_BYTES:
        raise Refused("path", f"{file.name} is larger than {MOST_BYTES // 2**20} MiB")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("path", f"{file.name} cannot be read as UTF-8 text: {error}") from error
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _read_json_lines(file, text)
    rows = whole if isinstance(whole, list) else [whole]
    return [(f"{file.name}, record {number}", row) for number, row in enumerate(rows, start=1)]


def _read_json_lines(file: Path, text: str) -> list[tuple[str, Any]]:
    lines = text.splitlines() if "\u2028" not in text and "\x85" not in text else text.split("\n")
    if words := read_lines(lines):
        return [(f"{file.name}, line {row['line']}", row) for row in words]
    rows: list[tuple[str, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append((f"{file.name}, line {number}", json.loads(line)))
        except (ValueError, RecursionError):
            rows.append((f"{file.name}, line {number}", BadRecord("is no JSON")))
    return rows


def _look_beside(file: Path, name: str) -> Neighbours:
    """Vicuna's reviews and PandaLM's verdicts name answers and items that stand in other files of the folder."""
    answers: dict[str, tuple[str, str]] = {}
    items: dict[int, Record] = {}
    questions: dict[str, str] = {}
    for other in sorted(file.parent.glob("*.json*")) if name in ("vicuna", "pandalm-verdicts") else []:
        if other == file:
            continue
        for _, row in _read_file(other):
            if not isinstance(row, Mapping):
                continue
            if "answer_id" in row and "model_id" in row:
                answers[str(row["answer_id"])] = (_bare_model(str(row["model_id"])), str(row.get("text", "")))
            elif "cmp_key" in row and isinstance(row.get("idx"), int):
                items[row["idx"]] = row
            elif "question_id" in row and "category" in row:
                questions[str(row["question_id"])] = str(row["category"])
    return Neighbours(answers, items, questions)


def _bare_model(name: str) -> str:
    """`gpt-3.5-turbo` of `gpt-3.5-turbo:20230327`."""
    return name.partition(":")[0]


def _read_votes(found: _Source, report: VoteImport) -> Iterator[tuple[RawVote, str]]:
    """Each vote with what tells it from another vote of the same voter on the same question."""
    for place, record in found.records:
        if isinstance(record, BadRecord):
            report.refused.append(f"{place} {record}")
            continue
        try:
            votes = list(read_record(found.format, record, found.beside))
        except NoVerdict:
            report.no_verdict += 1
            continue
        except BadRecord as bad:
            report.refused.append(f"{place}: {bad}")
            continue
        except (KeyError, TypeError, AttributeError) as error:
            report.refused.append(f"{place}: is not of the format {found.format} ({type(error).__name__}: {error})")
            continue
        for vote in votes:
            yield vote, _digest(record) if not vote.voter else ""


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()


def _store(found: _Source, votes: list[tuple[RawVote, str]], entrants: dict[str, Entrant], report: VoteImport) -> None:
    battles = {battle.key: battle for battle in (_battle_of(found, vote, entrants) for vote, _ in votes)}
    Battle.objects.bulk_create(battles.values(), ignore_conflicts=True)
    stored = dict(Battle.objects.filter(key__in=battles).values_list("key", "pk"))
    rows: dict[tuple[int, str], Vote] = {}
    for vote, own in votes:
        battle = _battle_of(found, vote, entrants)
        row = _vote_of(found, vote, own, entrants)
        row.battle_id = stored[battle.key]
        if rows.setdefault((row.battle_id, row.voter), row) is not row:
            report.known += 1
    there = set(Vote.objects.filter(battle_id__in=[battle for battle, _ in rows]).values_list("battle_id", "voter"))
    fresh = [row for key, row in rows.items() if key not in there]
    Vote.objects.bulk_create(fresh)
    report.imported += len(fresh)
    report.known += len(rows) - len(fresh)
    report.formats[found.format] += len(fresh)


def _battle_of(found: _Source, vote: RawVote, entrants: dict[str, Entrant]) -> Battle:
    (a, text_a), (b, text_b) = _in_order(vote, entrants)
    parts = (found.format, vote.question, a.pk, b.pk, text_a, text_b)
    return Battle(
        key=f"imported:{_digest(parts)}",
        origin=Battle.Origin.IMPORTED,
        entrant_a=a,
        entrant_b=b,
        source=found.name,
        question=clean_text(vote.question)[:200],
        field=clean_text(vote.field)[:100],
        language=clean_text(vote.language)[:20],
        style={"a": measure_style(text_a), "b": measure_style(text_b)} if text_a and text_b else {},
    )


def _in_order(vote: RawVote, entrants: dict[str, Entrant]) -> list[tuple[Entrant, str]]:
    """Both sides, the entrant with the lower primary key first."""
    sides = [(_entrant(vote.model_a, entrants), vote.text_a), (_entrant(vote.model_b, entrants), vote.text_b)]
    return sorted(sides, key=lambda side: side[0].pk)


def _entrant(name: str, known: dict[str, Entrant]) -> Entrant:
    if name not in known:
        known[name] = get_entrant(clean_text(name))
    return known[name]


def _vote_of(found: _Source, vote: RawVote, own: str, entrants: dict[str, Entrant]) -> Vote:
    (a, _), _b = _in_order(vote, entrants)
    swapped = a != _entrant(vote.model_a, entrants)
    flip = {"a": "b", "b": "a"} if swapped else {}
    return Vote(
        voter=hash_voter("imported", f"{found.format}:{vote.voter or own}"),
        pool=Pool.IMPORTED_JUDGE if vote.by_judge else Pool.IMPORTED_PEOPLE,
        outcome=flip.get(vote.outcome, vote.outcome),
        swapped=swapped,
        games=",".join(flip.get(game, game) for game in vote.games.split(",")) if vote.games else "",
    )
