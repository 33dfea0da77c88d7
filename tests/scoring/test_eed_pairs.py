"""Judgement on pairs: our own for every cause in which the released scorer errs, then the visible oracle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.eed import score_eed
from scoring.expression import compare_expressions
from scoring.latex import strip_math, strip_wrapping

OWN = json.loads((Path(__file__).parent / "cases" / "eed_pairs_own.json").read_text())
SHARED = Path(__file__).resolve().parents[2] / "../shared"


def own_pairs(truth: str) -> list[tuple[str, str]]:
    return [(target, answer) for pairs in OWN[truth].values() for target, answer in pairs]


def shared_rows(name: str) -> list[dict[str, object]]:
    path = SHARED / name
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


PAIRS = shared_rows("oracle/eed_pairs.jsonl")
needs_oracle = pytest.mark.skipif(not PAIRS, reason="the shared oracle is not there")
# -(0) is 0; the row's label comes from a generator that negates every answer.
MISLABELLED = {425}


@pytest.mark.parametrize(("target", "answer"), own_pairs("equivalent"))
def test_equivalent_answer_scores_100(target: str, answer: str) -> None:
    result = score_eed(target, answer, trees=False)
    assert (result.points, result.equivalent) == (100.0, True), result.explanation


@pytest.mark.parametrize(("target", "answer"), own_pairs("wrong"))
def test_wrong_answer_scores_below_100(target: str, answer: str) -> None:
    result = score_eed(target, answer, trees=False)
    assert result.points is not None
    assert result.points <= 60 and not result.equivalent


@pytest.mark.parametrize(("target", "answer"), OWN["same order"])
def test_inequality_may_be_turned_round_with_its_sign(target: str, answer: str) -> None:
    assert compare_expressions(target, answer).equal is True


@needs_oracle
def test_every_visible_pair_is_judged_as_labelled() -> None:
    wrong: list[object] = []
    for row in PAIRS:
        if row["truth"] not in ("equivalent", "wrong", "equivalent_with_units") or row["id"] in MISLABELLED:
            continue
        result = score_eed(str(row["gt"]), str(row["gen"]), trees=False)
        if (result.points == 100) == (row["truth"] == "wrong"):
            wrong.append(row["id"])
    assert wrong == []


@needs_oracle
def test_stray_unit_is_dropped_and_flagged() -> None:
    flags = [
        score_eed(str(row["gt"]), str(row["gen"])).flags for row in PAIRS if row["truth"] == "equivalent_with_units"
    ]
    assert flags
    assert all("unit" in found for found in flags)


# What the released scorer misreads although the pair counts as well scored: a function's argument swallows factors
# (68-70, 344, 345), \times is a symbol (89, 367, 449, 450, 520, 742), \left cuts (161, 579, 610), lists and conditions
# are run together (642, 916), the charge e is 2.718 (779).
MISREAD = {68, 69, 70, 89, 161, 344, 345, 367, 449, 450, 520, 579, 610, 642, 742, 779, 916}


@needs_oracle
def test_wrong_pairs_keep_the_released_number_where_it_was_read_right() -> None:
    rows = [
        row
        for row in PAIRS
        if row["truth"] == "wrong"
        and not row["official_wrong"]
        and float(str(row["tree_size"])) > 0
        and row["id"] not in MISREAD
    ]
    same = [
        score_eed(str(row["gt"]), str(row["gen"]), trees=False).points == pytest.approx(row["score"]) for row in rows
    ]
    assert len(rows) > 130
    assert sum(same) >= 0.95 * len(rows)


def phybench_answers() -> list[tuple[int, str]]:
    path = SHARED / "data/phybench/PHYBench-fullques_v1.json"
    if not path.exists():
        return []
    return [(record["id"], record["answer"]) for record in json.loads(path.read_text())]


FORMS = {
    "plain": "{}",
    "boxed": "\\boxed{{{}}}",
    "dollars": "${}$",
    "display": "\\[{}\\]",
    "sentence": "The answer is $\\boxed{{{}}}$.",
    "unit": "{}\\ \\mathrm{{m/s}}",
}
BARE_FORMS = {
    "bare": "{}",
    "named": "x = {}",
    "boxed name": "\\boxed{{Q = {}}}",
    "product": "1\\times({})",
    "spaced": "\\,{}\\,",
}


@pytest.mark.parametrize("form", [*FORMS, *BARE_FORMS, "dfrac", "without left"])
def test_every_published_answer_equals_itself_in_another_dress(form: str) -> None:
    answers = phybench_answers()
    if not answers:
        pytest.skip("PHYBench is not there")
    failed = []
    for number, answer in answers:
        text = strip_math(answer)
        if form in FORMS:
            text = FORMS[form].format(text)
        elif form in BARE_FORMS:
            text = BARE_FORMS[form].format(strip_wrapping(answer))
        elif form == "dfrac":
            text = text.replace("\\frac", "\\dfrac")
        else:
            text = text.replace("\\left", "").replace("\\right", "")
        if score_eed(answer, text, trees=False).points != 100:
            failed.append(number)
    assert failed == []
