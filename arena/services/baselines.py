"""What strategies without any model get, from the data alone: the floor under every board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from arena.models import BaselineScore, DatasetRevision, Entrant, RevisionProblem, Subset
from arena.services.entrants import get_entrant

ALWAYS_YES = "Always YES"
RANDOM_CHOICE = "Random choice"
MOST_FREQUENT = "Most frequent letter"
EMPTY_REPLY = "Empty reply"
STRATEGIES = (ALWAYS_YES, RANDOM_CHOICE, MOST_FREQUENT, EMPTY_REPLY)

Metrics = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Item:
    """One scorable problem as a strategy sees it: its subset, its reference and how many options it has."""

    subset: str
    answer: str
    n_options: int


def compute_baselines(revision: DatasetRevision) -> int:
    """Rebuild the revision's baseline rows; returns how many there are."""
    slug = revision.benchmark.slug
    rows = []
    for split, items in _read_items(revision).items():
        for name, strategy in _strategies(slug).items():
            rows += _rows(revision, split, name, strategy, items)
    BaselineScore.objects.filter(revision=revision).delete()
    BaselineScore.objects.bulk_create(rows, batch_size=500)
    return len(rows)


def _read_items(revision: DatasetRevision) -> dict[str, list[Item]]:
    """Scorable problems by split; a problem without a reference is left out, as no strategy can be scored on it."""
    entries = (
        RevisionProblem.objects.filter(revision=revision)
        .exclude(split="validation")
        .select_related("problem__subset")
        .prefetch_related("problem__answers")
        .order_by("position")
    )
    found: dict[str, list[Item]] = {}
    for entry in entries.iterator(chunk_size=2000):
        answers = list(entry.problem.answers.all())
        if answers or revision.benchmark.slug == "hipho":
            value = answers[0].value.strip() if answers else ""
            item = Item(entry.problem.subset.slug, value, len(entry.problem.choices))
            found.setdefault(entry.split, []).append(item)
    return found


def _rows(
    revision: DatasetRevision, split: str, name: str, strategy: Strategy, items: Sequence[Item]
) -> list[BaselineScore]:
    entrant = get_entrant(name, kind=Entrant.Kind.BASELINE)
    columns = {Subset.OVERALL: list(items)}
    for item in items:
        columns.setdefault(item.subset, []).append(item)
    return [
        BaselineScore(
            entrant=entrant,
            revision=revision,
            split=split,
            subset=subset,
            metric=metric,
            value=value,
            is_expected=name == RANDOM_CHOICE,
        )
        for subset, column in columns.items()
        for metric, value in strategy(column, items).items()
        if not (metric == "accuracy_macro" and subset != Subset.OVERALL)
    ]


Strategy = Callable[[Sequence[Item], Sequence[Item]], Metrics]


def _strategies(slug: str) -> dict[str, Strategy]:
    if slug == "coin_flip":
        return {ALWAYS_YES: _always_yes, RANDOM_CHOICE: _flip_a_coin, EMPTY_REPLY: _say_nothing_to_yes_no}
    if slug in ("arc_indic", "phyx_mc"):
        return {RANDOM_CHOICE: _guess, MOST_FREQUENT: _repeat_one_letter, EMPTY_REPLY: _say_nothing}
    nothing = {"hipho": ("exam_score", "accuracy"), "phybench": ("eed", "accuracy")}.get(slug, ("accuracy",))
    return {EMPTY_REPLY: lambda column, _all: {**dict.fromkeys(nothing, 0.0), "no_answer": 1.0}}


# --- yes or no ----------------------------------------------------------------------------------------------------


def _count_yes_no(items: Sequence[Item]) -> tuple[int, int]:
    yes = sum(item.answer.upper() == "YES" for item in items)
    return yes, len(items) - yes


def _always_yes(items: Sequence[Item], _all: Sequence[Item]) -> Metrics:
    """Accuracy p, F1 = 2p / (1 + p), p the share of YES."""
    yes, no = _count_yes_no(items)
    p = yes / (yes + no)
    recall = 1.0 if yes else None
    return {
        "accuracy": p,
        "precision": p,
        "recall": recall,
        "f1_score": 2 * p / (1 + p),
        "yes_ratio": 1.0,
        "no_answer": 0.0,
    }


def _flip_a_coin(items: Sequence[Item], _all: Sequence[Item]) -> Metrics:
    """Exact expectations of YES with probability 1/2, independently for each problem.

    Precision: its expectation given that YES was said at all, which is p. F1: the sum over both binomials.
    """
    yes, no = _count_yes_no(items)
    hits, alarms = np.arange(yes + 1), np.arange(no + 1)
    weights = np.outer(binom.pmf(hits, yes, 0.5), binom.pmf(alarms, no, 0.5))
    below = hits[:, None] + alarms[None, :] + yes  # 2TP + FP + FN
    f1 = np.divide(2.0 * hits[:, None], below, out=np.zeros(below.shape), where=below > 0)
    return {
        "accuracy": 0.5,
        "precision": yes / (yes + no),
        "recall": 0.5 if yes else None,
        "f1_score": float((weights * f1).sum()) if yes else None,
        "yes_ratio": 0.5,
        "no_answer": 0.0,
    }


def _say_nothing_to_yes_no(items: Sequence[Item], _all: Sequence[Item]) -> Metrics:
    """A missing answer is wrong; precision is undefined, as nothing was called YES."""
    yes, _ = _count_yes_no(items)
    zero = 0.0 if yes else None
    return {"accuracy": 0.0, "precision": None, "recall": zero, "f1_score": zero, "yes_ratio": 0.0, "no_answer": 1.0}


# --- one of several letters ---------------------------------------------------------------------------------------


def _guess(items: Sequence[Item], _all: Sequence[Item]) -> Metrics:
    """Each option equally likely: the mean of 1 / number of options."""
    return _mean_over(items, lambda item: 1 / item.n_options if item.n_options else 0.0)


def _repeat_one_letter(items: Sequence[Item], everything: Sequence[Item]) -> Metrics:
    """The letter that is right most often in the whole split, the first of the alphabet among equals."""
    counts = Counter(item.answer for item in everything)
    letter = min(counts, key=lambda name: (-counts[name], name))
    return _mean_over(items, lambda item: float(item.answer == letter))


def _say_nothing(items: Sequence[Item], _all: Sequence[Item]) -> Metrics:
    return {**_mean_over(items, lambda _: 0.0), "no_answer": 1.0}


def _mean_over(items: Sequence[Item], score: Callable[[Item], float]) -> Metrics:
    by_subset: dict[str, list[float]] = {}
    for item in items:
        by_subset.setdefault(item.subset, []).append(score(item))
    return {
        "accuracy": _mean(value for values in by_subset.values() for value in values),
        "accuracy_macro": _mean(_mean(values) for values in by_subset.values()),
    }


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
