"""Strategies without a model, against exact values and against their own simulation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.models import BaselineScore, ReportedResult
from arena.services.baselines import Item, _flip_a_coin
from arena.services.published import import_shipped
from tests.factories import import_samples

pytestmark = pytest.mark.django_db


def read(name: str, subset: str = "overall", split: str = "test") -> dict[str, float | None]:
    rows = BaselineScore.objects.filter(entrant__name=name, subset=subset, split=split)
    return dict(rows.values_list("metric", "value"))


def import_flips(tmp_path: Path, yes: int, no: int) -> None:
    lines = [{"question": f"Is coin {i} heads?", "answer": "yes" if i < yes else "no"} for i in range(yes + no)]
    path = tmp_path / "test.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    import_samples("coin_flip", path)


def test_always_yes_has_the_f1_of_its_formula(tmp_path: Path) -> None:
    import_flips(tmp_path, 3, 5)
    p = 3 / 8
    found = read("Always YES")
    assert found["f1_score"] == pytest.approx(2 * p / (1 + p))
    assert (found["accuracy"], found["precision"], found["recall"], found["yes_ratio"]) == (p, p, 1.0, 1.0)


def test_silent_baseline_has_no_precision(tmp_path: Path) -> None:
    import_flips(tmp_path, 3, 5)
    found = read("Empty reply")
    assert found["precision"] is None and found["f1_score"] == 0 and found["no_answer"] == 1


def test_expected_f1_of_a_coin_is_exact() -> None:
    """One YES and one NO: the four equally likely answers give F1 of 1, 2/3, 0 and 0."""
    items = [Item("default", "YES", 2), Item("default", "NO", 2)]
    assert _flip_a_coin(items, items)["f1_score"] == pytest.approx((1 + 2 / 3) / 4)


def test_expected_f1_needs_no_float_luck_at_official_size() -> None:
    items = [Item("default", "YES" if i < 1666 else "NO", 2) for i in range(3333)]
    assert _flip_a_coin(items, items)["f1_score"] == pytest.approx(0.5, abs=2e-3)


def test_random_choice_is_the_mean_of_one_over_options() -> None:
    import_samples("arc_indic")
    found, options = read("Random choice"), []
    from arena.models import Problem

    for problem in Problem.objects.filter(subset__benchmark__slug="arc_indic"):
        options.append(1 / len(problem.choices))
    assert found["accuracy"] == pytest.approx(sum(options) / len(options))
    assert found["accuracy_macro"] == pytest.approx(found["accuracy"], abs=0.05)
    assert BaselineScore.objects.filter(entrant__name="Random choice", is_expected=True).exists()


def test_most_frequent_letter_never_loses_to_another_letter() -> None:
    import_samples("phyx_mc")
    from arena.models import Answer

    letters = list(Answer.objects.filter(problem__subset__benchmark__slug="phyx_mc").values_list("value", flat=True))
    best = max(letters.count(letter) for letter in set(letters)) / len(letters)
    split = BaselineScore.objects.values_list("split", flat=True).first()
    assert read("Most frequent letter", split=split or "")["accuracy"] == pytest.approx(best)


@pytest.mark.parametrize("slug", ["hipho", "phybench", "phyx_oe"])
def test_written_answers_have_only_the_empty_floor(slug: str) -> None:
    import_samples(slug)
    rows = BaselineScore.objects.filter(revision__benchmark__slug=slug)
    assert set(rows.values_list("entrant__name", flat=True)) == {"Empty reply"}
    assert rows.filter(metric="accuracy").exists() and not rows.filter(value__gt=0).exclude(metric="no_answer").exists()


def test_import_again_repeats_nothing() -> None:
    import_samples("arc_indic")
    before = BaselineScore.objects.count()
    import_samples("arc_indic")
    assert BaselineScore.objects.count() == before > 0


def test_published_random_choice_and_the_computed_one_are_one_entrant() -> None:
    import_samples("phyx_mc")
    import_shipped()
    published = ReportedResult.objects.filter(entrant__kind="baseline").first()
    assert published is not None and published.entrant.baseline_scores.exists()
