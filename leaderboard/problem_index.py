"""What a board knows of its problems: one array or tuple a fact, in official order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena.models import Answer, DatasetRevision, RevisionProblem
from leaderboard.statistics.resampling import index_clusters

Ints = NDArray[np.int64]
SEVERAL = frozenset({"answer_kinds", "tags"})  # of which a problem may have more than one


@dataclass(frozen=True)
class ProblemIndex:
    """The problems of one revision and split in official order, each tuple or array (n,)."""

    problem_ids: Ints
    external_ids: tuple[str, ...]
    subsets: tuple[str, ...]
    clusters: tuple[str, ...]
    max_points: NDArray[np.float64]
    references: tuple[str, ...]  # upper case, of the first answer; empty where hidden or none
    answer_kinds: tuple[tuple[str, ...], ...]  # of all its answers, each once
    fields: tuple[str, ...]
    subfields: tuple[str, ...]
    modalities: tuple[str, ...]
    tags: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        return int(self.problem_ids.size)

    @cached_property
    def is_yes(self) -> NDArray[np.bool_]:
        return np.array([reference == "YES" for reference in self.references], dtype=bool)

    @cached_property
    def cluster_codes(self) -> Ints:
        return index_clusters(self.clusters, self.size)

    @cached_property
    def by_subset(self) -> Mapping[str, Ints]:
        return self._group(lambda i: (self.subsets[i],))

    def group(self, what: str) -> Mapping[str, Ints]:
        """Positions by value of `fields`, `subfields`, `modalities`, `answer_kinds` or `tags`; empty ones left out."""
        values = getattr(self, what)
        return self._group(lambda i: values[i] if what in SEVERAL else (values[i],))

    def _group(self, labels: Callable[[int], tuple[str, ...]]) -> Mapping[str, Ints]:
        found: dict[str, list[int]] = {}
        for i in range(self.size):
            for label in labels(i):
                if label:
                    found.setdefault(label, []).append(i)
        return {label: np.array(rows, dtype=np.int64) for label, rows in found.items()}

    def place(self, problem_ids: Ints) -> Ints:
        """Position of each of this board's problems among `problem_ids` (a run's), -1 where it was not planned."""
        order = np.argsort(problem_ids, kind="stable")
        if not order.size:
            return np.full(self.size, -1, dtype=np.int64)
        at = np.searchsorted(problem_ids, self.problem_ids, sorter=order)
        found = order[np.minimum(at, order.size - 1)]
        return np.where(problem_ids[found] == self.problem_ids, found, -1)


def read_index(revision: DatasetRevision | int, split: str) -> ProblemIndex:
    """Two queries."""
    entries = list(
        RevisionProblem.objects.filter(revision=revision, split=split)
        .order_by("position")
        .values_list(
            "problem_id", "external_id", "problem__subset__slug", "problem__cluster", "problem__max_points",
            "problem__field", "problem__subfield", "problem__modality", "problem__tags",
        )
    )  # fmt: skip
    references: dict[int, str] = {}
    kinds: dict[int, list[str]] = {}
    rows = Answer.objects.filter(problem__entries__revision=revision, problem__entries__split=split)
    for problem_id, value, kind, is_hidden in rows.order_by("problem_id", "position").values_list(
        "problem_id", "value", "kind", "is_hidden"
    ):
        references.setdefault(problem_id, "" if is_hidden else value.strip().upper())
        kinds.setdefault(problem_id, []).append(kind)
    return ProblemIndex(
        problem_ids=np.array([row[0] for row in entries], dtype=np.int64),
        external_ids=tuple(row[1] for row in entries),
        subsets=tuple(row[2] for row in entries),
        clusters=tuple(row[3] or row[1] for row in entries),
        max_points=np.array([float(row[4]) for row in entries]),
        references=tuple(references.get(row[0], "") for row in entries),
        answer_kinds=tuple(tuple(dict.fromkeys(filter(None, kinds.get(row[0], ())))) for row in entries),
        fields=tuple(row[5] for row in entries),
        subfields=tuple(row[6] for row in entries),
        modalities=tuple(row[7] for row in entries),
        tags=tuple(tuple(row[8] or ()) for row in entries),
    )
