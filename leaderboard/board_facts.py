"""What a board's head and lines need beside the rows: read once a rebuild, kept as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.models import BaselineScore, DatasetRevision, Figure, ReportedResult
from leaderboard.columns import Column
from leaderboard.problem_index import ProblemIndex


def read_facts(revision: DatasetRevision, split: str, index: ProblemIndex, columns: Sequence[Column]) -> dict[str, Any]:
    """Counts, columns, human lines, baselines, and the splits of the revision."""
    figures = Figure.objects.filter(problem__entries__revision=revision, problem__entries__split=split)
    by_subset = dict.fromkeys(index.by_subset, 0)
    for slug in figures.values_list("problem__subset__slug", flat=True):
        by_subset[slug] = by_subset.get(slug, 0) + 1
    splits = revision.entries.exclude(split="validation").order_by("split").values_list("split", flat=True).distinct()
    return {
        "n_problems": index.size,
        "n_figures": sum(by_subset.values()),
        "n_answered": _count_scorable(index),
        "splits": list(splits),
        "columns": [_describe(column, index, by_subset) for column in columns if not column.is_overall],
        "languages": sorted({column.subset.language for column in columns if not column.is_overall}),
        "modalities": sorted({modality for modality in index.modalities if modality}),
        "fields": sorted({field for field in index.fields if field}),
        "n_reported": ReportedResult.objects.filter(
            benchmark=revision.benchmark_id, split=split, superseded_by__isnull=True
        ).count(),
        "share_yes": float(index.is_yes.mean()) if index.size and index.is_yes.any() else None,
        "baselines": [
            list(row)
            for row in BaselineScore.objects.filter(revision=revision, split=split)
            .order_by("entrant__name", "subset", "metric")
            .values_list("entrant__name", "subset", "metric", "value", "is_expected")
        ],
    }


def _describe(column: Column, index: ProblemIndex, figures: dict[str, int]) -> dict[str, Any]:
    subset, rows = column.subset, column.rows
    assert rows is not None
    marks = {
        name: None if (mark := getattr(subset, name)) is None else float(mark)
        for name in ("full_mark_human", "gold", "silver", "bronze", "best_human")
    }
    return {
        "slug": subset.slug,
        "title": subset.title,
        "native_title": subset.native_title,
        "kind": subset.kind,
        "language": subset.language,
        "n": int(rows.size),
        "n_figures": figures.get(subset.slug, 0),
        "full_mark": float(index.max_points[rows].sum()),
        **marks,
    }


def _count_scorable(index: ProblemIndex) -> int:
    return int(np.count_nonzero([bool(kind) for kind in index.answer_kinds]))
