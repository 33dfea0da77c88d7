"""Values of every kind: the oracle, our own cases, references against themselves, hostile and random text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ParseError
from scoring.extract import find_boxes, phyx_answer
from scoring.score import Status
from scoring.value_text import normalise
from scoring.values import KINDS, compare_value

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "../shared"
KIND_BY_TYPE = {
    "Expression": "expression",
    "Numerical Value": "numeric",
    "Multiple Choice": "choice",
    "Equation": "equation",
    "Inequality": "inequality",
    "Open-Ended": "open",
    "synthetic": "auto",
}
CASES = json.loads((HERE / "cases" / "values.json").read_text(encoding="utf-8"))


def read_oracle(name: str) -> list[dict[str, object]]:
    path = SHARED / "oracle" / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["hipho_math_equal.jsonl", "hipho_math_equal_synth.jsonl"])
@pytest.mark.parametrize("by_type", [True, False])
def test_every_pair_of_the_oracle_with_a_truth_comes_out_right(name: str, by_type: bool) -> None:
    for row in read_oracle(name):
        if row["truth"] is None:
            continue
        kind = KIND_BY_TYPE[str(row["answer_type"])] if by_type else "auto"
        assert compare_value(str(row["raw_gold"]), str(row["pred"]), kind=kind).is_right == row["truth"], row


def test_every_open_ended_row_of_the_phyx_oracle_comes_out_right() -> None:
    for row in read_oracle("phyx.jsonl"):
        if row["kind"] == "oe":
            answer = phyx_answer(str(row["reply"])).answer
            assert compare_value(str(row["gold"]), answer or "").is_right == row["right_match"], row


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['kind']}: {c['target']} | {c['answer']} | {c['unit']}")
def test_own_cases(case: dict[str, str]) -> None:
    verdict = compare_value(case["target"], case["answer"], kind=case["kind"], unit=case["unit"])
    assert verdict.equal is case["equal"], verdict


@pytest.mark.slow
def test_every_hipho_reference_equals_itself_with_and_without_its_wrapping() -> None:
    folder = SHARED / "data/hipho/data"
    if not folder.exists():
        pytest.skip("the HiPhO files are not beside this checkout")
    for path in sorted(folder.glob("*.json")):
        for record in json.loads(path.read_text(encoding="utf-8")):
            units = record.get("unit") or []
            for place, target in enumerate(record.get("answer", [])):
                if not target:
                    continue
                unit = (units[place] if place < len(units) else None) or ""
                kind = KIND_BY_TYPE[record["answer_type"][place]]
                for answer in (target, target.replace("$", ""), f"so {target}" if find_boxes(target) else target):
                    verdict = compare_value(target, answer, kind=kind, unit=unit)
                    assert verdict.equal, (record["id"], target, answer, verdict)


def test_labels_make_a_choice_of_a_letter_and_of_several() -> None:
    assert compare_value("A", "(a) the first", kind="choice", labels="ABCD").equal
    assert compare_value("2", "Option 2", labels=("1", "2", "3")).equal
    assert compare_value("A", "E", kind="choice", labels="ABCD").status is Status.UNPARSEABLE


def test_an_empty_answer_is_no_answer_and_an_unreadable_one_is_unparseable() -> None:
    for answer in ("", "  ", "\\boxed{}", "$$", "\u200b"):
        assert compare_value("2", answer).status is Status.NO_ANSWER
    assert compare_value("\\frac{a}{b}", "\\frac{a", kind="expression").status is Status.UNPARSEABLE


def test_bad_requests_are_refused_by_name() -> None:
    with pytest.raises(ParseError, match="kind"):
        compare_value("2", "2", kind="number")
    with pytest.raises(ParseError, match="target"):
        compare_value(" ", "2")


def test_refused_sizes_are_a_timeout_of_the_answer_and_never_right() -> None:
    for answer in ("9^{9^{9^9}}", "10^{10^{10}}", "(10^{9})!", "1" * 50_000, "x" * 2_000_000):
        verdict = compare_value("1", answer)
        assert not verdict.is_right
        assert verdict.status in (Status.TIMEOUT, Status.SCORED, Status.UNPARSEABLE)


HOSTILE = [
    *("\\", "{", "}", "(", "\\frac{", "\\sqrt{", "\\text{", "^", "9^", "1,", "1 ", "a ", "=", "\\approx ", "-", "\x00"),
    *("\u202e", "°", "$", "\\boxed{", "or ", "for ", "1e9", "\\pm ", "km ", "m/", "m^2", "A, ", ":", " is ", ". "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_answers_end_with_an_outcome_in_every_kind(piece: str) -> None:
    for kind in KINDS:
        for size in (7, 2000):
            verdict = compare_value("5.2 m", piece * (size // len(piece)), kind=kind)
            assert not verdict.is_right and verdict.reason


FRAGMENTS = st.sampled_from(
    [
        *"0123456789abcxyzEmNJ.,;:=<>+-*/^_(){}[]$%°′ ×答क!",
        *(r"\frac", r"\sqrt", r"\pi", r"\times", r"\text{", r"\mathrm{kg}", r"\boxed{", r"\left(", r"\right)"),
        *(r"\approx", r"\pm", r"\mu", r"\circ", r"\\", r"\infty", r"\in"),
        *("10^", "⁻¹⁹", "e-19", " or "),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=25).map("".join), st.sampled_from(KINDS))
def test_random_text_raises_nothing(answer: str, kind: str) -> None:
    for target in ("5.2 m", "\\frac{a}{b}", "[1, 2]", "A, D"):
        assert compare_value(target, answer, kind=kind).reason
        if normalise(answer):
            assert compare_value(answer, "5.2 m", kind=kind).reason
