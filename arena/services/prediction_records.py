"""The records of a predictions file, whatever its layout, in the one shape that is matched and stored.

The layout is told by the content: JSON lines or one JSON array; our own records (CONTRACT.md, "Predictions file") or,
for PHYBench, those of its official pipeline (github.com/phybench-official/phybench-pipeline, README).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from arena.services.json_faults import describe_json_fault

Record = dict[str, Any]
_SPACE = re.compile(r"[ \t\r\n]*")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Numbered:
    """One record of the file and the line it begins in, or what is wrong there."""

    line: int
    record: Record = field(default_factory=dict)
    fault: str = ""


def read_records(data: bytes) -> Iterator[Numbered]:
    """Every record of JSON lines or of one JSON array, in the order of the file."""
    data = data.removeprefix(_BOM)
    return _read_array(data) if data.lstrip().startswith(b"[") else _read_lines(data)


def _read_lines(data: bytes) -> Iterator[Numbered]:
    for line, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            yield _numbered(line, json.loads(raw.decode("utf-8")))
        except UnicodeDecodeError as error:
            yield Numbered(line, fault=_("not UTF-8 at byte %(n)d") % {"n": error.start})
        except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
            yield Numbered(line, fault=_("not JSON: %(reason)s") % {"reason": describe_json_fault(error)})


def _read_array(data: bytes) -> Iterator[Numbered]:
    """Record by record, so that each has its line; after a fault in the JSON itself the rest cannot be read."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield Numbered(line, fault=_("not UTF-8 at byte %(n)d") % {"n": error.start})
        return
    decoder, at, line, counted = json.JSONDecoder(), _skip(text, text.index("[") + 1), 1, 0
    while text[at : at + 1] != "]":
        line, counted = line + text.count("\n", counted, at), at
        try:
            item, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line += text.count("\n", at, getattr(error, "pos", at))
            yield Numbered(line, fault=_("not JSON: %(reason)s") % {"reason": describe_json_fault(error)})
            return
        yield _numbered(line, item)
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            line += text.count("\n", counted, at)
            yield Numbered(line, fault=_("not JSON: a comma or the end of the list is expected"))
            return
    end = _skip(text, at + 1)
    if end < len(text):
        line += text.count("\n", counted, end)
        yield Numbered(line, fault=_("not JSON: nothing may follow the list"))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _numbered(line: int, item: Any) -> Numbered:
    return Numbered(line, item) if isinstance(item, dict) else Numbered(line, fault=_("not a JSON object"))


class PipelineReader:
    """Records of PHYBench's official pipeline as our own.

    Solutions (`model_solution`) are replies, but for those of a call that failed: these hold an error message, and a
    failure is no reply. Evaluations (parallel lists over models) hold the final answers alone, which are taken as the
    reply of the model that is named. model: as typed by who uploads; it must stand in a file of several models.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._name = ""  # of the model whose solutions these are

    def read(self, record: Record) -> list[Record]:
        """The replies in one record; any other record as it stands. Raises ValueError saying what is wrong."""
        if "reply" in record:
            return [record]
        if "model_solution" in record:
            return self._read_solution(record)
        if isinstance(record.get("model_name"), list):
            return self._read_evaluation(record)
        return [record]

    def _read_solution(self, record: Record) -> list[Record]:
        name = str(record.get("model") or "")
        self._name = self._name or name
        if name != self._name:
            raise ValueError(
                _("model %(name)r after %(first)r: one file is one model's") % {"name": name, "first": self._name}
            )
        solution, answer = record["model_solution"], record.get("model_answer")
        if record.get("error_message") or record.get("error") or not (solution or answer):
            return []
        if solution and not isinstance(solution, str):
            raise ValueError(_("%(name)s: text is expected") % {"name": "model_solution"})
        if solution and solution.startswith("Error") and not answer:  # as the pipeline itself tells a failed call
            return []
        repeat = record.get("repeat_index")
        return [
            {
                "id": record.get("id"),
                "reply": solution or _boxed(answer),
                "repeat": 0 if repeat is None else repeat,
                "usage": record,
            }
        ]

    def _read_evaluation(self, record: Record) -> list[Record]:
        names, answers = record["model_name"], record.get("model_answer")
        if not isinstance(answers, list) or len(answers) != len(names):
            raise ValueError(_("model_answer: a list as long as model_name is expected"))
        several = sorted({str(name) for name in names})
        chosen = several[0] if len(several) == 1 else self._model
        if chosen not in several:
            raise ValueError(
                _("model_name: %(model)r is none of %(names)s") % {"model": self._model, "names": ", ".join(several)}
            )
        own = [answer for name, answer in zip(names, answers, strict=True) if name == chosen]
        return [
            {"id": record.get("id"), "reply": _boxed(answer), "repeat": n} for n, answer in enumerate(own) if answer
        ]


def _boxed(answer: Any) -> str:
    if not isinstance(answer, str):
        raise ValueError(_("%(name)s: text is expected") % {"name": "model_answer"})
    return rf"\boxed{{{answer}}}"
