"""EED results as data: the fields of the contract, invariances, and safety."""

from __future__ import annotations

import json
import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.eed import score_eed
from scoring.pool import get_pool
from scoring.score import Status

FIELDS = ["points", "status", "equivalent", "distance", "size", "relative_distance"]
TARGET = "2 m g + 4\\frac{m v_0^2}{l}"
ANSWER = "2 m g + 2\\frac{m v_0^2}{l}"
PUBLISHED_TARGET = (
    r"\bar{\eta}_k(p) = \frac{(p+4\nu k^2)\eta_k(0)+\eta'_k(0)}{(p+2\nu k^2)^2+(g+\frac{\tau}{\rho} k^2)k \tanh(kh)"
    r" - 4\nu^{3/2}k^3\frac{\sqrt{p+\nu k^2}\tanh(kh)}{\tanh\left(\sqrt{\frac{p+\nu k^2}{\nu}}h\right)}}"
)
PUBLISHED_ANSWER = (
    r"\bar{\eta}_k(p) = \frac{\eta_k(0)(p + 2\nu k^2) + \eta'_k(0)}{p^2 + 2\nu k^2 p + \frac{\tau k^3 \tanh(kh)}{\rho}}"
)


@pytest.mark.parametrize("policy", ["corrected", "official"])
def test_worked_example_of_the_published_code(policy: str) -> None:
    """phybench-official/phybench: size 15, distance 2 under the released order; 46.667."""
    result = score_eed("2 m g + 4\\frac{m v_0^2}{l}", ANSWER, policy=policy)
    assert (result.size, result.status) == (15, Status.SCORED)
    if policy == "official":
        assert (result.distance, result.points) == (2.0, pytest.approx(46.6667, abs=1e-3))


def test_published_regression_value() -> None:
    result = score_eed(PUBLISHED_TARGET, PUBLISHED_ANSWER, policy="official", trees=False)
    assert (result.size, result.distance) == (110, pytest.approx(58.4))


def test_json_has_the_fields_of_the_contract() -> None:
    full = score_eed(TARGET, ANSWER).as_json()
    assert list(full) == [*FIELDS, "edits", "target_tree", "answer_tree", "flags", "explanation"]
    assert list(score_eed(TARGET, ANSWER, trees=False).as_json(trees=False)) == [*FIELDS, "flags", "explanation"]
    assert {edit["op"] for edit in full["edits"]} <= {"rename", "insert", "delete", "insert_tree", "delete_tree"}
    json.dumps(full)


def test_rows_of_a_matrix_are_told_apart() -> None:
    square = r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}"
    assert score_eed(square, r"\begin{pmatrix} a & b c & d \end{pmatrix}").points < 100
    assert score_eed(square, r"\begin{bmatrix} a & b \\ c & d \\ \end{bmatrix}").points == 100


@pytest.mark.parametrize(
    ("target", "answer", "words"),
    [
        (TARGET, ANSWER, "edit distance 2, 15 nodes in the reference"),
        ("5", "x+1", "edit distance 3, 1 node in the reference"),
    ],
)
def test_explanation_tells_the_distance_and_the_size(target: str, answer: str, words: str) -> None:
    assert score_eed(target, answer).explanation.endswith(words)


def test_trees_hold_the_number_of_nodes_that_size_tells() -> None:
    result = score_eed(TARGET, ANSWER)
    assert result.target_tree is not None
    assert result.target_tree.size == result.size


@pytest.mark.parametrize(
    ("target", "answer", "status", "points"),
    [
        ("x", "", Status.NO_ANSWER, 0.0),
        ("x", "x+", Status.UNPARSEABLE, 0.0),
        ("x+", "x", Status.UNSCORABLE, None),
        ("x", "9^{9^{9^{9}}}", Status.TIMEOUT, 0.0),
        ("x", "\\sqrt{" * 33_000, Status.UNPARSEABLE, 0.0),
        ("x", "{" * 10_000 + "x" + "}" * 10_000, Status.UNPARSEABLE, 0.0),
        ("x", "x\x00\u202e", Status.SCORED, 100.0),
        ("x", "\u0445", Status.SCORED, 0.0),
        ("x", "\\frac{1}{0}", Status.SCORED, 0.0),
    ],
)
def test_every_input_has_an_outcome_with_a_reason(
    target: str, answer: str, status: Status, points: float | None
) -> None:
    result = score_eed(target, answer)
    assert (result.status, result.points) == (status, points)
    assert result.explanation


RENAMED = [
    (("\\frac{1}{2}mv^2+\\frac{1}{2}I\\omega^2", "\\frac{1}{2}mv^2+I\\omega^2"), {"m": "z", "v": "a", "I": "p"}),
    (("x_0(1-e^{-t/\\tau})", "x_0(1+e^{-t/\\tau})"), {"x": "q", "t": "a", "\\tau": "\\beta"}),
    (("\\frac{a+b+c}{g+h+k}", "\\frac{a+b-c}{g+h+k}"), {"a": "z", "b": "y", "c": "a", "g": "b", "h": "x", "k": "c"}),
    (("\\mu_0 N I/(2\\pi r)", "\\epsilon_0 N I/(2\\pi r)"), {"N": "a", "I": "z", "r": "A"}),
]


@pytest.mark.parametrize(("pair", "names"), RENAMED)
def test_score_is_the_same_under_consistent_renaming(pair: tuple[str, str], names: dict[str, str]) -> None:
    def rename(text: str) -> str:
        return re.sub(r"\\[A-Za-z]+|[A-Za-z]", lambda match: names.get(match[0], match[0]), text)

    before, after = score_eed(*pair), score_eed(*map(rename, pair))
    assert (before.points, before.distance, before.size) == (after.points, after.distance, after.size)


def test_a_thread_gets_the_same_score() -> None:
    found: list[float | None] = []
    thread = threading.Thread(target=lambda: found.append(score_eed(TARGET, ANSWER).points))
    thread.start()
    thread.join()
    assert found == [score_eed(TARGET, ANSWER).points]


def test_a_decimal_for_an_exact_value_is_flagged() -> None:
    result = score_eed("\\frac{\\sqrt{3}}{2}a", "0.866a")
    assert "numeric" in result.flags
    assert result.points is not None and result.points < 100


def test_a_chain_counts_by_its_last_member() -> None:
    result = score_eed("mg/k", "x = y = mg/k")
    assert (result.points, "chain" in result.flags) == (100.0, True)


def test_unknown_policy_is_an_error() -> None:
    with pytest.raises(ValueError, match="policy"):
        score_eed("x", "x", policy="strict")


PIECES = st.sampled_from(
    [*"abxyzmgIeid0129+-*/^_=<>(){}[]|,.!' $&%~:;", "\\frac", "\\sqrt", "\\left", "\\right", "\\sin", "\\ln", "\\theta"]
    + [
        "\\pm",
        "\\int",
        "\\sum",
        "\\text{if }",
        "\\vec",
        "\\dot",
        "\\times",
        "\\cdot",
        "\\approx",
        "\\leq",
        "\\infty",
        "d x",
    ]
    + [
        "\\begin{pmatrix}",
        "\\end{pmatrix}",
        "\\\\",
        "\\quad",
        "\\boxed{",
        "\\mathrm{m}",
        "^{2}",
        "_{0}",
        "\\circ",
        "，",
        "其中",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_no_text_made_of_latex_raises(text: str) -> None:
    result = score_eed("\\frac{m v^2}{r}-\\mu m g", text, trees=False)
    assert result.status in (Status.SCORED, Status.NO_ANSWER, Status.UNPARSEABLE, Status.TIMEOUT)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_no_text_at_all_raises(text: str) -> None:
    assert score_eed("x^2+1", text, trees=False).points is not None


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_what_can_be_read_equals_itself(text: str) -> None:
    result = score_eed(text, text, trees=False)
    assert result.points in (100.0, 0.0, None)
    if result.status is Status.SCORED:
        assert result.points == 100.0


def test_thousands_of_names_are_compared_within_the_bound() -> None:
    many = "+".join(f"x_{{{n}}}" for n in range(3000))
    request = {"scorer": "eed", "target": r"(a+b)^2 \phi", "answer": rf"{many}+\varphi", "trees": False}
    assert get_pool().score(request)["status"] == "scored"
