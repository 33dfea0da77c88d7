"""Benchmarks and their parts as addresses name them."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import get_language

from arena.models import Benchmark, DatasetRevision, RevisionProblem
from leaderboard.scores import metrics_of


def localised(row: object, field: str) -> str:
    """`title` or, for Chinese readers, `title_zh` where there is one."""
    if (get_language() or "").startswith("zh"):
        return getattr(row, f"{field}_zh", "") or getattr(row, field)
    return str(getattr(row, field))


@dataclass(frozen=True, slots=True)
class Place:
    """Which data a page is about: `?revision=` and `?split=`, else the current revision and its first split."""

    benchmark: Benchmark
    revision: DatasetRevision
    split: str
    splits: tuple[str, ...]

    @property
    def title(self) -> str:
        return localised(self.benchmark, "title")

    def page_title(self, page: str) -> str:
        return f"{page} · {self.title}"

    @property
    def has_exams(self) -> bool:
        """Whether its subsets are exams, with a page of their own."""
        return "exam_score" in metrics_of(self.benchmark.slug)

    @property
    def query(self) -> str:
        """The part of a query that keeps a link within this revision; empty for the current one."""
        return "" if self.revision.is_current else f"?revision={self.revision.label}"


def find_place(slug: str, revision: str = "", split: str = "") -> Place:
    """Raises Http404 for what is not there."""
    benchmark = get_object_or_404(Benchmark.objects.select_related("scorer"), slug=slug, is_public=True)
    found = benchmark.revisions.filter(label=revision).first() if revision else benchmark.current_revision
    if found is None:
        raise Http404
    splits = list_splits(found)
    if split and split not in splits:
        raise Http404
    return Place(benchmark, found, split or first_split(splits), splits)


def list_splits(revision: DatasetRevision) -> tuple[str, ...]:
    """Those that have a board, by name."""
    entries = RevisionProblem.objects.filter(revision=revision).exclude(split="validation")
    return tuple(entries.order_by("split").values_list("split", flat=True).distinct())


def first_split(splits: tuple[str, ...]) -> str:
    """The one that a page shows where its address names none."""
    return "test_mini" if "test_mini" in splits else (splits[0] if splits else "test")
