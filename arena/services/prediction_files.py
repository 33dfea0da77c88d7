"""A predictions file, read and matched to its problems as a whole: every bad line is named, or there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from arena.errors import ImportRefused
from arena.models import RevisionProblem
from arena.services.prediction_records import PipelineReader, Record, read_records
from arena.services.texts import clean_text

MAX_FAULTS = 200
MAX_REPEAT = 999


@dataclass(frozen=True, slots=True)
class Prediction:
    """One reply of the file, matched to its problem."""

    entry: RevisionProblem
    repeat: int
    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None


def read_predictions(
    data: bytes, entries: Sequence[RevisionProblem], subset: str = "", *, benchmark: str = "", model: str = ""
) -> list[Prediction]:
    """The file's replies. Raises ImportRefused naming the lines that are wrong.

    subset: where ids are those of one subset. benchmark: its own layouts are known. model: whose replies are wanted.
    """
    problems = Problems(entries, subset)
    as_ours = PipelineReader(model).read if benchmark == "phybench" else _as_they_are
    faults: list[str] = []
    found: dict[tuple[int, int], tuple[int, Prediction]] = {}
    for line, result in _read_all(data, problems, as_ours):
        if isinstance(result, Prediction):
            first, _same = found.setdefault((result.entry.problem_id, result.repeat), (line, result))
            if _same is not result:
                known = {"id": result.entry.external_id, "repeat": result.repeat, "line": first}
                result = _("id %(id)r repeat %(repeat)d stands in line %(line)d") % known
        if isinstance(result, str):
            faults.append(_("line %(line)d: %(fault)s") % {"line": line, "fault": result})
        if len(faults) >= MAX_FAULTS:
            faults.append(_("and more: the rest of the file was not read"))
            break
    if not faults and not found:
        faults = [_("the file holds no prediction")]
    if faults:
        raise ImportRefused(faults)
    return [prediction for _line, prediction in found.values()]


def _as_they_are(record: Record) -> list[Record]:
    return [record]


def _read_all(
    data: bytes, problems: Problems, as_ours: Callable[[Record], list[Record]]
) -> Iterator[tuple[int, Prediction | str]]:
    """(line, prediction or what is wrong)."""
    for numbered in read_records(data):
        if numbered.fault:
            yield numbered.line, numbered.fault
            continue
        try:
            for record in as_ours(numbered.record):
                yield numbered.line, _read_record(record, problems)
        except ValueError as error:
            yield numbered.line, str(error)


class Problems:
    """The problems a file may answer, by id and by their exact question."""

    def __init__(self, entries: Sequence[RevisionProblem], subset: str) -> None:
        self._subset = subset
        self._by_id = {entry.external_id: entry for entry in entries}
        self._by_question: dict[str, list[RevisionProblem]] = {}
        for entry in entries:
            self._by_question.setdefault(_plain(entry.problem.statement), []).append(entry)

    def find(self, record: Record) -> RevisionProblem:
        """Raises ValueError where the record names none, an unknown one or several."""
        name, question = record.get("id"), record.get("question")
        if name is not None:
            return self._find_id(name, str(record.get("subset") or self._subset))
        if isinstance(question, str):
            return self._find_question(question)
        raise ValueError(_("id is missing"))

    def _find_id(self, name: Any, subset: str) -> RevisionProblem:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise ValueError(_("id: text or a whole number is expected"))
        for candidate in (str(name), f"{subset}:{name}"):
            if candidate in self._by_id:
                return self._by_id[candidate]
        raise ValueError(_("id %(id)r is no problem of this revision") % {"id": str(name)})

    def _find_question(self, question: str) -> RevisionProblem:
        matches = self._by_question.get(_plain(question), [])
        if len(matches) == 1:
            return matches[0]
        start = {"start": question[:60]}
        if matches:
            raise ValueError(_("question %(start)r stands in several problems") % start)
        raise ValueError(_("question %(start)r is no problem of this revision") % start)


def _plain(question: str) -> str:
    """A question as its text alone: outer space and the prefix `Q: ` do not tell two questions apart."""
    return question.strip().removeprefix("Q:").strip()


def _read_record(record: Record, problems: Problems) -> Prediction:
    entry = problems.find(record)
    if not isinstance(record.get("reply"), str):
        raise ValueError(_("%(name)s: text is expected") % {"name": "reply"})
    usage = record.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Prediction(
        entry=entry,
        repeat=_repeat(record),
        text=_text(record, "reply"),
        reasoning=_text(record, "reasoning"),
        finish_reason=_text(record, "finish_reason")[:40],
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
    )


def _repeat(record: Record) -> int:
    repeat = record.get("repeat", record.get("attempt", 0))
    if isinstance(repeat, bool) or not isinstance(repeat, int) or not 0 <= repeat <= MAX_REPEAT:
        wanted = {"most": MAX_REPEAT, "given": repeat}
        raise ValueError(_("repeat: a whole number from 0 to %(most)d is expected, not %(given)r") % wanted)
    return repeat


def _text(record: Record, key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(_("%(name)s: text is expected") % {"name": key})
    return clean_text(value)


def _count(usage: dict[str, Any], key: str) -> int | None:
    value = usage.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
