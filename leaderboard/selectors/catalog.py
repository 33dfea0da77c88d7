"""Benchmarks and their parts as addresses name them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import get_language

from arena.models import Benchmark, DatasetRevision, RevisionProblem, Run, Subset
from leaderboard.scores import metrics_of


def localised(row: object, field: str) -> str:
    """`title` or, for Chinese readers, `title_zh` where there is one."""
    if (get_language() or "").startswith("zh"):
        return getattr(row, f"{field}_zh", "") or getattr(row, field)
    return str(getattr(row, field))


_OF_PHYX = ("subfield", "reasoning_type")
KINDS = {"hipho": ("modality", "field", "answer_type"), "phyx_oe": _OF_PHYX, "phyx_mc": _OF_PHYX}


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
    def kinds(self) -> tuple[str, ...]:
        """What its problems can be cut by that is no column of the board; they have a page of their own."""
        return KINDS.get(self.benchmark.slug, ())

    @property
    def parameters(self) -> dict[str, str]:
        """What keeps an address within this revision and split; nothing for the current one and the main one."""
        found = {} if self.revision.is_current else {"revision": self.revision.label}
        return found if not self.splits or self.split == main_split(self.splits) else found | {"split": self.split}

    @property
    def query(self) -> str:
        return f"?{urlencode(self.parameters)}" if self.parameters else ""

    def receipt_url(self, run: Run, metric: str, subset: str = Subset.OVERALL, **parameters: str) -> str:
        """What a number of a run rests on. parameters: filters of the board."""
        path = reverse("receipt", args=[self.benchmark.slug, str(run.uuid)[:8], subset, metric])
        wanted = self.parameters | parameters
        return f"{path}?{urlencode(wanted)}" if wanted else path


def main_split(splits: Iterable[str]) -> str:
    """The split that a page is about unless told otherwise; published PhyX numbers belong to test_mini."""
    there = sorted(splits)
    return next((name for name in ("test_mini", "test") if name in there), there[0] if there else "test")


def find_place(slug: str, revision: str = "", split: str = "") -> Place:
    """Raises Http404 for what is not there."""
    benchmark = get_object_or_404(Benchmark.objects.select_related("scorer"), slug=slug, is_public=True)
    found = benchmark.revisions.filter(label=revision).first() if revision else benchmark.current_revision
    if found is None:
        raise Http404
    splits = list_splits(found)
    if split and split not in splits:
        raise Http404
    return Place(benchmark, found, split or main_split(splits), splits)


def list_splits(revision: DatasetRevision) -> tuple[str, ...]:
    """Those that have a board, by name."""
    entries = RevisionProblem.objects.filter(revision=revision).exclude(split="validation")
    return tuple(entries.order_by("split").values_list("split", flat=True).distinct())
