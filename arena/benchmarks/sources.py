"""Official files -> raw records that remember where they stood, and the list of what was wrong with them.

Reads JSON arrays, single objects and JSON lines, told apart by content: official files are named loosely.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from scoring.errors import ScoringError

from .base import ImportFault, ProblemRecord

T = TypeVar("T")
MAX_FILE_BYTES = 512 * 1024 * 1024


class BadRecord(ValueError):
    """One record that cannot be imported; the message says which field and why."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One official record. row: counted from 0; line: from 1, where the file is one of lines."""

    data: dict[str, Any]
    path: Path
    row: int
    line: int = 0

    @property
    def origin(self) -> str:
        return f"{self.path.name} " + (f"line {self.line}" if self.line else f"record {self.row}")


@dataclass(slots=True)
class Faults:
    """Collects every bad record of an import, so that a person mends a file once and not record by record."""

    found: list[str] = field(default_factory=list)

    def add(self, origin: str, reason: str, record_id: object = None) -> None:
        named = "" if record_id in (None, "") else f", id {record_id}"
        self.found.append(f"{origin}{named}: {reason}")

    def convert(self, records: Sequence[RawRecord], convert: Callable[[RawRecord], T]) -> list[T]:
        """Convert what can be converted and note the rest by file, position, id and reason."""
        converted = []
        for record in records:
            try:
                converted.append(convert(record))
            except (BadRecord, ScoringError) as error:
                self.add(record.origin, str(error), named_id(record.data))
        return converted

    def refuse_twins(self, problems: Sequence[ProblemRecord]) -> None:
        """Note every id that stands twice in one split, with both places."""
        first: dict[tuple[str, str], str] = {}
        for problem in problems:
            earlier = first.setdefault((problem.split, problem.external_id), problem.origin)
            if earlier != problem.origin:
                self.add(problem.origin, f"id stands twice, first in {earlier}", problem.external_id)

    def stop_if_any(self) -> None:
        if self.found:
            raise ImportFault(self.found)


def named_id(data: dict[str, Any]) -> object:
    """Whatever the record calls itself, for messages only; with the form that an address takes, if that differs."""
    told = next((data[key] for key in ("id", "index", "card") if isinstance(data.get(key), str | int)), None)
    return f"{told.replace('/', '-')} ({told})" if isinstance(told, str) and "/" in told else told


def stop(path: Path, reason: str) -> ImportFault:
    """The fault of an import that cannot even begin."""
    return ImportFault([f"{path.name or path}: {reason}"])


def list_files(folder: Path, *suffixes: str) -> list[Path]:
    """The visible files of a folder with one of these suffixes, by name."""
    return sorted(
        p for p in folder.iterdir() if p.suffix.lower() in suffixes and p.is_file() and not p.name.startswith(".")
    )


def read_records(path: Path, faults: Faults, *, list_key: str = "") -> list[RawRecord]:
    """The records of one file, in order; what is no JSON object is noted in `faults`.

    list_key: the key under which an object holds the list, as `examples` of CoinFlip.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadRecord(f"larger than {MAX_FILE_BYTES >> 20} MiB")
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        parsed = list(_parse(raw, path, faults, list_key))
    except OSError as error:
        faults.add(path.name, error.strerror or "cannot be read")
        return []
    except BadRecord as error:
        faults.add(path.name, str(error))
        return []
    if not parsed and not faults.found:
        faults.add(path.name, "holds no record")
    return parsed


def _parse(raw: bytes, path: Path, faults: Faults, list_key: str) -> Iterator[RawRecord]:
    try:
        value = parse_json(raw)
    except BadRecord:
        if not _is_of_lines(raw, path):
            raise
        yield from _parse_lines(raw, path, faults)
        return
    if isinstance(value, dict) and isinstance(value.get(list_key), list):
        value = value[list_key]
    if not isinstance(value, list):
        yield from _keep_object(value, path, faults, row=0, line=int(path.suffix.lower() == ".jsonl"))
        return
    for row, item in enumerate(value):
        yield from _keep_object(item, path, faults, row)


def _is_of_lines(raw: bytes, path: Path) -> bool:
    if path.suffix.lower() == ".jsonl":
        return True
    try:
        return isinstance(parse_json(raw.strip().partition(b"\n")[0]), dict)
    except BadRecord:
        return False


def _parse_lines(raw: bytes, path: Path, faults: Faults) -> Iterator[RawRecord]:
    # Split at b"\n" alone: str.splitlines would also cut at U+0085 or U+2028 inside a text.
    lines = [(number, line) for number, line in enumerate(raw.split(b"\n"), start=1) if line.strip()]
    for row, (number, line) in enumerate(lines):
        try:
            item = parse_json(line)
        except BadRecord as error:
            faults.add(f"{path.name} line {number}", str(error))
        else:
            yield from _keep_object(item, path, faults, row, number)


def _keep_object(item: object, path: Path, faults: Faults, row: int, line: int = 0) -> Iterator[RawRecord]:
    raw = RawRecord(item if isinstance(item, dict) else {}, path, row, line)
    if not isinstance(item, dict):
        faults.add(raw.origin, "not a JSON object")
    elif reason := _unstorable(item):
        faults.add(raw.origin, reason, named_id(item))
    else:
        yield raw


def parse_json(raw: bytes) -> Any:
    """Strict JSON in UTF-8. Raises BadRecord with the place inside the text; NaN and Infinity are refused."""
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadRecord(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise BadRecord(f"not JSON: {error.msg} (line {error.lineno} column {error.colno})") from error
    except RecursionError as error:
        raise BadRecord("nested too deeply") from error
    except ValueError as error:  # a number of more digits than Python converts
        raise BadRecord(f"not JSON: {error}") from error


def _refuse_constant(name: str) -> float:
    raise BadRecord(f"{name} is not JSON")


def _unstorable(value: object) -> str:
    """Why no database could hold this text: PostgreSQL refuses NUL, and a lone surrogate has no UTF-8."""
    if isinstance(value, str):
        if "\0" in value:
            return "a text holds a NUL character"
        if any("\ud800" <= character <= "\udfff" for character in value):
            return "a text holds a lone surrogate"
        return ""
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return next((reason for part in parts if (reason := _unstorable(part))), "")


def text_of(data: dict[str, Any], key: str, *, required: bool = True) -> str:
    """The text under `key`, as it stands; null and absent are empty. Raises BadRecord."""
    value = data.get(key)
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise BadRecord(f"{key} is {type(value).__name__}, not text")
    if required and not value.strip():
        raise BadRecord(f"{key} is missing or blank")
    return value


def texts_of(data: dict[str, Any], key: str) -> tuple[str, ...]:
    """The list of texts under `key`; null and absent are the empty list. Raises BadRecord."""
    value = data.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadRecord(f"{key} is not a list of texts")
    return tuple(value)


def id_of(value: object, key: str = "id") -> str:
    """An official id, text or whole number, that may stand in an address. Raises BadRecord."""
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise BadRecord(f"{key} is missing or neither text nor a whole number")
    text = str(value).strip()
    if "/" in text or any(not character.isprintable() for character in text) or len(text) > 200:
        raise BadRecord(f"{key} {text[:60]!r} holds '/' or a control character, or is longer than 200")
    return text


def find_figure(name: str, folders: Sequence[Path], root: Path) -> Path:
    """Where a named figure lies: in exactly one of `folders`, inside `root` even after links. Raises BadRecord."""
    base = root.resolve()
    if not name.strip() or "\0" in name or Path(name).is_absolute():
        raise BadRecord(f"figure path {name!r} is not a relative path")
    candidates = [folder / name for folder in folders]
    found = [candidate for candidate in candidates if candidate.is_file()]
    suspects = candidates if ".." in Path(name).parts else found
    if not all(suspect.resolve().is_relative_to(base) for suspect in suspects):
        raise BadRecord(f"figure {name} leads out of the imported folder")
    if len(found) != 1:
        where = ", ".join(sorted(path.parent.name for path in found))
        raise BadRecord(f"figure {name} lies in several folders: {where}" if found else f"figure {name} is missing")
    return found[0]
