"""One run's samples as arrays, packed for a table: the form in which boards, charts and comparisons read them.

Made once a run when its records change; everything across runs is then a matter of arrays, not of rows.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from arena.results import SampleResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STATUSES = (
    "open",
    "scored",
    "no_answer",
    "unparseable",
    "refused",
    "cut",
    "timeout",
    "error",
    "judge_failed",
    "call_failed",
    "unscorable",
)
STATUS_CODES = {name: code for code, name in enumerate(STATUSES)}
YES, NO, NEITHER = 1, 0, -1
NO_CLASS = -1


@dataclass(frozen=True, slots=True)
class Vectors:
    """The samples of one run: problem_ids (n,), every other array (n, repeats), problems in official order.

    points, low, high in points; ratio: awarded / attainable; NaN where unscored. status: code into STATUSES. said: 1
    YES, 0 NO, -1 neither. answer_class: number of the class of equivalent answers within its problem, -1 for none.
    string_match: PhyX, 1 where the released string match accepts; NaN elsewhere and where nobody looked.
    reply_ids: 0 where there is no reply. tokens, latency (ms), cost (USD, as stated): NaN where unknown.
    reviewed: people decided a part of it. chance: with which the random review sample took it, NaN where it did not.
    """

    problem_ids: Ints
    points: Floats
    low: Floats
    high: Floats
    ratio: Floats
    status: Ints
    said: Ints
    answer_class: Ints
    reply_ids: Ints
    prompt_tokens: Floats
    output_tokens: Floats
    latency_ms: Floats
    cost_usd: Floats
    reviewed: NDArray[np.bool_]
    chance: Floats
    string_match: Floats

    @property
    def n_problems(self) -> int:
        return int(self.problem_ids.size)

    @property
    def repeats(self) -> int:
        return int(self.points.shape[1])

    def pack(self) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, **{field.name: getattr(self, field.name) for field in fields(self)})
        return zlib.compress(buffer.getvalue(), 1)

    def pick(self, rows: Ints) -> Vectors:
        """The same for some problems, by their positions; -1 makes a row that was never planned."""
        return Vectors(**{field.name: _pick(field.name, getattr(self, field.name), rows) for field in fields(self)})


_BLANKS = {
    "status": STATUS_CODES["open"],
    "said": NEITHER,
    "answer_class": NO_CLASS,
    "reply_ids": 0,
    "problem_ids": 0,
    "reviewed": False,
}


def _pick(name: str, array: NDArray[np.generic], rows: Ints) -> NDArray[np.generic]:
    picked = array[np.maximum(rows, 0)]
    if (rows < 0).any():
        picked[rows < 0] = _BLANKS.get(name, np.nan)
    return picked


VECTOR_NAMES = tuple(field.name for field in fields(Vectors))


def unpack(data: bytes | memoryview) -> Vectors:
    """What `pack` made; an array that was not kept yet when it did is all NaN until the next rebuild."""
    with np.load(io.BytesIO(zlib.decompress(data))) as arrays:
        unknown = np.full(arrays["points"].shape, np.nan)
        return Vectors(**{name: arrays.get(name, unknown) for name in VECTOR_NAMES})


def to_vectors(
    results: Sequence[SampleResult],
    *,
    reviewed: frozenset[int] = frozenset(),
    chances: dict[int, float] | None = None,
) -> Vectors:
    """Results of one run (any order of repeats) as arrays. reviewed, chances: by reply."""
    places: dict[int, int] = {}
    for result in results:
        places.setdefault(result.problem_id, len(places))
    n, k = len(places), max((result.repeat for result in results), default=-1) + 1
    rows = np.fromiter((places[result.problem_id] for result in results), np.int64, len(results))
    columns = np.fromiter((result.repeat for result in results), np.int64, len(results))
    chances = chances or {}

    def spread(values: list[float | None], blank: float) -> Floats:
        array = np.full((n, k), blank)
        array[rows, columns] = [np.nan if value is None else value for value in values]
        return array

    def count(values: list[int], blank: int) -> Ints:
        array = np.full((n, k), blank, dtype=np.int64)
        array[rows, columns] = values
        return array

    nan = np.nan
    replies = count([result.reply_id or 0 for result in results], 0)
    return Vectors(
        problem_ids=np.fromiter(places, np.int64, n),
        points=spread([result.points for result in results], nan),
        low=spread([result.low for result in results], nan),
        high=spread([result.high for result in results], nan),
        ratio=spread([result.ratio for result in results], nan),
        status=count([STATUS_CODES[result.status] for result in results], 0),
        said=count([_said(result) for result in results], NEITHER),
        answer_class=_number_classes(results, rows, columns, (n, k)),
        reply_ids=replies,
        prompt_tokens=spread([result.prompt_tokens for result in results], nan),
        output_tokens=spread([result.completion_tokens for result in results], nan),
        latency_ms=spread([result.latency_ms for result in results], nan),
        cost_usd=spread([result.cost_usd for result in results], nan),
        reviewed=np.isin(replies, list(reviewed)) & (replies > 0),
        chance=spread([chances.get(result.reply_id or 0) for result in results], nan),
        string_match=spread([result.string_match for result in results], nan),
    )


def _said(result: SampleResult) -> int:
    return {"YES": YES, "NO": NO}.get(result.answer, NEITHER)


def _number_classes(results: Sequence[SampleResult], rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """Classes of equivalent answers numbered within each problem; without a stored class the answer's own text."""
    known: dict[tuple[int, str], int] = {}
    sizes: dict[int, int] = {}
    array = np.full(shape, NO_CLASS, dtype=np.int64)
    for row, column, result in zip(rows.tolist(), columns.tolist(), results, strict=True):
        label = result.answer_class or result.answer
        if not label:
            continue
        number = known.get((row, label))
        if number is None:
            number = known[row, label] = sizes.get(row, 0)
            sizes[row] = number + 1
        array[row, column] = number
    return array


__all__ = [
    "NEITHER",
    "NO",
    "NO_CLASS",
    "STATUSES",
    "STATUS_CODES",
    "VECTOR_NAMES",
    "YES",
    "Vectors",
    "to_vectors",
    "unpack",
]
