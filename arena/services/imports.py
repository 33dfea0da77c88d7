"""Brings replies made elsewhere: a predictions file, checked whole before anything is stored."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.errors import ImportRefused, Refused
from arena.models import Reply, RevisionProblem, Run, User
from arena.services.catalog import get_adapter
from arena.services.engine import advance_run
from arena.services.entrants import get_model
from arena.services.judging import clean_text
from arena.services.prompts import prompt_digest
from arena.services.runs import Credentials, RunRequest, choose_problems
from arena.services.samples import planned_entries
from arena.services.scorers import choose_scorer

MAX_BYTES = 512 * 2**20
MAX_RATIO = 200  # unpacked to packed; more is a bomb
MAX_FAULTS = 200
MAX_REPEATS = 64  # of an upload by a person, as of a run: one line may not plan a thousand sittings


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line of a predictions file, matched to its problem."""

    entry: RevisionProblem
    repeat: int
    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None


def import_predictions(
    data: bytes,
    file_name: str,
    *,
    benchmark: str,
    model: str,
    revision: str = "",
    split: str = "",
    subset: str = "",
    organisation: str = "",
    owner: User | None = None,
    inline: bool = True,
) -> Run:
    """Store a predictions file as one uploaded run and score it by rule. Raises ImportRefused with every bad line."""
    adapter = get_adapter(benchmark)
    request = RunRequest(
        benchmark=benchmark,
        model=model,
        base_url="",
        revision=revision,
        split=split,
        subsets=(subset,) if subset else (),
    )
    row, revision_row, split, subsets = choose_problems(adapter, request)
    run = Run(
        entrant=get_model(model, organisation, owner),
        owner=owner,
        revision=revision_row,
        scorer=_scorer_for_upload(adapter, row),
        split=split,
        subsets=list(subsets),
        prompt_digest=prompt_digest(adapter, 0),
        provenance=Run.Provenance.UPLOADED,
        code_version=settings.CODE_VERSION,
        judge_endpoint=row.judge_endpoint,
        started_at=timezone.now(),
    )
    entries = planned_entries(run)
    predictions = read_predictions(unpack(data, file_name), entries, subset)
    answered = {prediction.entry.problem_id for prediction in predictions}
    run.repeats = 1 + max(prediction.repeat for prediction in predictions)
    if owner is not None and run.repeats > MAX_REPEATS:
        raise ImportRefused([f"repeat: at most {MAX_REPEATS - 1} (each repeat plans every problem once more)"])
    run.planned = len(entries) * run.repeats
    run.partial = len(answered) < len(entries)
    with transaction.atomic():
        run.save()
        Reply.objects.bulk_create(
            [
                Reply(
                    run=run,
                    problem_id=prediction.entry.problem_id,
                    repeat=prediction.repeat,
                    text=prediction.text,
                    reasoning=prediction.reasoning,
                    finish_reason=prediction.finish_reason,
                    prompt_tokens=prediction.prompt_tokens,
                    completion_tokens=prediction.completion_tokens,
                )
                for prediction in predictions
            ],
            batch_size=500,
        )
    if inline:
        advance_run(run.pk, credentials=Credentials(), inline=True)
        run.refresh_from_db()
    return run


def _scorer_for_upload(adapter: Any, benchmark: Any) -> Any:
    if benchmark.scorer is not None and (benchmark.judge_endpoint is not None or not benchmark.scorer.judges.exists()):
        return benchmark.scorer
    if adapter.judge == "required":
        raise Refused("benchmark", f"{adapter.slug} needs an official judge before replies can be scored")
    return choose_scorer(adapter, strategy="rule")


def unpack(data: bytes, file_name: str) -> bytes:
    """The text inside a plain, gzip or zip file. Raises ImportRefused where it is too large."""
    try:
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                return _read_bounded(packed, len(data), file_name)
        if data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = [info for info in archive.infolist() if not info.is_dir()]
                if len(names) != 1:
                    raise ImportRefused([f"{file_name}: a zip file with exactly one file in it is expected"])
                with archive.open(names[0]) as packed:
                    return _read_bounded(packed, len(data), file_name)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise ImportRefused([f"{file_name}: cannot be unpacked: {error}"]) from error
    if len(data) > MAX_BYTES:
        raise ImportRefused([f"{file_name}: larger than {MAX_BYTES >> 20} MiB"])
    return data


def _read_bounded(packed: Any, size: int, file_name: str) -> bytes:
    most = min(MAX_BYTES, max(size * MAX_RATIO, 10 * 2**20))
    data = packed.read(most + 1)
    if len(data) > most:
        raise ImportRefused([f"{file_name}: unpacks to more than {most >> 20} MiB"])
    return bytes(data)


def read_predictions(data: bytes, entries: list[RevisionProblem], subset: str = "") -> list[Prediction]:
    """The file's lines, matched. Raises ImportRefused naming the lines that are wrong; then nothing is stored."""
    by_id = {entry.external_id: entry for entry in entries}
    by_question: dict[str, list[RevisionProblem]] = {}
    for entry in entries:
        by_question.setdefault(_plain(entry.problem.statement), []).append(entry)
    faults: list[str] = []
    found: dict[tuple[int, int], tuple[int, Prediction]] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            prediction = _read_line(line, by_id, by_question, subset)
            key = (prediction.entry.problem_id, prediction.repeat)
            if key in found:
                first = found[key][0]
                raise ValueError(
                    f"id {prediction.entry.external_id!r} repeat {prediction.repeat} stands in line {first}"
                )
            found[key] = (number, prediction)
        except ValueError as error:
            faults.append(f"line {number}: {error}")
            if len(faults) >= MAX_FAULTS:
                faults.append("and more: the rest of the file was not read")
                break
    if faults:
        raise ImportRefused(faults)
    if not found:
        raise ImportRefused(["the file holds no prediction"])
    return [prediction for _, prediction in found.values()]


def _read_line(
    line: bytes, by_id: dict[str, RevisionProblem], by_question: dict[str, list[RevisionProblem]], subset: str
) -> Prediction:
    try:
        item = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(item, dict):
        raise ValueError("not a JSON object")
    entry = _match(item, by_id, by_question, subset)
    text = item.get("reply")
    if not isinstance(text, str):
        raise ValueError("reply: text is expected")
    repeat = item.get("repeat", item.get("attempt", 0))
    if isinstance(repeat, bool) or not isinstance(repeat, int) or not 0 <= repeat < 1000:
        raise ValueError(f"repeat: a whole number from 0 to 999 is expected, not {repeat!r}")
    usage = item.get("usage") if isinstance(item.get("usage"), dict) else {}
    return Prediction(
        entry=entry,
        repeat=repeat,
        text=clean_text(text),
        reasoning=clean_text(_text(item, "reasoning")),
        finish_reason=_text(item, "finish_reason")[:40],
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
    )


def _match(
    item: dict[str, Any], by_id: dict[str, RevisionProblem], by_question: dict[str, list[RevisionProblem]], subset: str
) -> RevisionProblem:
    if "id" in item and item["id"] is not None:
        if isinstance(item["id"], bool) or not isinstance(item["id"], str | int):
            raise ValueError("id: text or a whole number is expected")
        name = str(item["id"])
        chosen = str(item.get("subset") or subset or "")
        for candidate in (name, f"{chosen}:{name}"):
            if candidate in by_id:
                return by_id[candidate]
        raise ValueError(f"id {name!r} is no problem of this revision")
    if isinstance(item.get("question"), str):
        matches = by_question.get(_plain(item["question"]), [])
        if len(matches) == 1:
            return matches[0]
        reason = "stands in several problems" if matches else "is no problem of this revision"
        raise ValueError(f"question {item['question'][:60]!r} {reason}")
    raise ValueError("id is missing")


def _plain(question: str) -> str:
    """A question as its text alone: outer space and the prefix `Q: ` do not tell two questions apart."""
    return question.strip().removeprefix("Q:").strip()


def _text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{key}: text is expected")
    return value


def _count(usage: dict[str, Any], key: str) -> int | None:
    value = usage.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
