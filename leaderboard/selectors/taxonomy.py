"""Where wrong replies first go wrong: error classes by model and by field, with examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from arena.models import ErrorClass, ErrorLabel, Run
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.fields import say_field
from leaderboard.selectors.problem_parts import render_quote

EXAMPLES = 4


@dataclass(frozen=True, slots=True)
class ClassShare:
    """How many replies of a row fall into one class. percent: rounded, as text."""

    n: int
    percent: str
    step: int  # 0-9, of the heat scale


@dataclass(frozen=True, slots=True)
class TaxonomyRow:
    """One model or field with its labelled replies."""

    name: str
    url: str
    n: int
    shares: tuple[ClassShare, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled reply with its first wrong step."""

    model: str
    problem: str
    step: SafeString
    url: str


@dataclass(frozen=True, slots=True)
class ClassExamples:
    label: str
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class TaxonomyPage:
    """The page /review/errors/. classes: labels in the order of each row's shares."""

    n: int
    classes: tuple[str, ...]
    benchmarks: tuple[tuple[str, str, bool], ...]
    by_model: tuple[TaxonomyRow, ...]
    by_field: tuple[TaxonomyRow, ...]
    examples: tuple[ClassExamples, ...]


def read_taxonomy(benchmark: str = "") -> TaxonomyPage:
    """From the newest label of each published reply."""
    labels = (
        ErrorLabel.objects.filter(reply__run__in=Run.objects.on_board(), reply__withdrawals__isnull=True)
        .exclude(item__is_calibration=True)
        .select_related("reply__run__entrant", "reply__run__revision__benchmark", "reply__problem__subset")
        .order_by("created_at", "pk")
    )
    newest = {label.reply_id: label for label in labels}
    found = sorted({label.reply.run.revision.benchmark for label in newest.values()}, key=lambda b: b.position)
    chosen = [
        label for label in newest.values() if not benchmark or label.reply.run.revision.benchmark.slug == benchmark
    ]
    return TaxonomyPage(
        n=len(chosen),
        classes=tuple(str(c.label) for c in ErrorClass),
        benchmarks=tuple((b.slug, localised(b, "title"), b.slug == benchmark) for b in found),
        by_model=_rows(chosen, _model_of),
        by_field=_rows(chosen, _field_of),
        examples=tuple(_examples(chosen, c) for c in ErrorClass),
    )


def _model_of(label: ErrorLabel) -> tuple[str, str]:
    entrant = label.reply.run.entrant
    return entrant.name, reverse("entrant", args=[entrant.slug])


def _field_of(label: ErrorLabel) -> tuple[str, str]:
    """In one case: data sets differ in that of a field."""
    problem = label.reply.problem
    return capfirst(say_field((problem.field or problem.subset.title).lower())), ""


def _rows(labels: Sequence[ErrorLabel], name: Callable[[ErrorLabel], tuple[str, str]]) -> tuple[TaxonomyRow, ...]:
    groups: dict[tuple[str, str], list[str]] = {}
    for label in labels:
        groups.setdefault(name(label), []).append(label.error_class)
    return tuple(
        TaxonomyRow(word, url, len(classes), tuple(_share(classes.count(c), len(classes)) for c in ErrorClass.values))
        for (word, url), classes in sorted(groups.items())
    )


def _share(n: int, total: int) -> ClassShare:
    share = n / total
    return ClassShare(n, f"{number_format(round(100 * share), 0)}{chr(8239)}%", min(9, int(share * 10)))


def _examples(labels: Sequence[ErrorLabel], error_class: ErrorClass) -> ClassExamples:
    here = [label for label in reversed(labels) if label.error_class == error_class]
    here.sort(key=lambda label: not label.step)  # those that name the step first
    return ClassExamples(
        str(error_class.label),
        tuple(
            Example(
                label.reply.run.entrant.name,
                label.reply.problem.external_id,
                render_quote(label.step) if label.step else SafeString(""),
                reverse("reply", args=[label.reply.uuid]),
            )
            for label in here[:EXAMPLES]
        ),
    )
