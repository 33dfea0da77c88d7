"""Policy official against the released scorer's own results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sympy

from scoring.eed import score_eed
from scoring.errors import ParseError
from scoring.latex_official import parse_official, prepare_first, prepare_second

ORACLE = Path(__file__).resolve().parents[2] / "../shared/oracle"


def read_rows(name: str) -> list[dict[str, object]]:
    path = ORACLE / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


PAIRS, PARSED = read_rows("eed_pairs.jsonl"), read_rows("eed_parse_ref.jsonl")
needs_oracle = pytest.mark.skipif(not PAIRS, reason="the shared oracle is not there")
SECONDS_OF_RELEASED = 5  # one pair takes the released scorer 22 s


def prepared(text: str) -> tuple[str | None, str | None]:
    first = prepare_first(text)
    try:
        return first, prepare_second(first)
    except ParseError:
        return first, None


@needs_oracle
def test_both_text_stages_are_the_released_ones() -> None:
    wrong = [row["latex"] for row in PARSED if prepared(str(row["latex"])) != (row["stage1"], row["stage2"])]
    assert wrong == []


@needs_oracle
def test_the_parser_gives_the_released_expressions() -> None:
    for row in PARSED[::12]:
        try:
            found = sympy.srepr(parse_official(str(row["latex"])))
        except ParseError:
            found = None
        assert found == row["srepr"], row["latex"]


def agrees(row: dict[str, object]) -> bool:
    result = score_eed(str(row["gt"]), str(row["gen"]), policy="official", trees=False)
    if result.points != pytest.approx(row["score"], abs=1e-9):
        return False
    size = float(str(row["tree_size"]))
    return size <= 0 or (result.size == size and result.distance == pytest.approx(row["distance"]))


@needs_oracle
@pytest.mark.parametrize(
    "start", [pytest.param(0, id="every-tenth"), pytest.param(None, id="all", marks=pytest.mark.slow)]
)
def test_score_distance_and_size_are_the_released_ones(start: int | None) -> None:
    rows = [row for row in PAIRS if not row["official_wrong"] and float(str(row["seconds"])) <= SECONDS_OF_RELEASED]
    rows = rows if start is None else rows[start::10]
    assert sum(agrees(row) for row in rows) >= 0.995 * len(rows)


@pytest.mark.parametrize(
    ("target", "answer", "points"),
    [
        ("x", "", 0),
        ("\\int_0^1 x dx", "\\int_0^1 x dx", 0),
        ("\\sum_n n", "\\sum_n n", 0),
        ("x+y", "x+y", 100),
        ("5", "\\frac{10}{2}", 0),
        ("\\gamma m", "2\\gamma m", 0),
        ("a\\left(b+c\\right)", "ab+ac", 10),
    ],
)
def test_early_returns_and_known_faults_are_kept(target: str, answer: str, points: float) -> None:
    assert score_eed(target, answer, policy="official").points == points


@pytest.mark.parametrize(
    "text", ["9^{9^{9^9}}", "(10^9)!", "(a+b+c)^{400}", "\\cosh(1000^{40})", "(" * 60 + "x" + ")" * 60]
)
def test_hostile_input_is_refused(text: str) -> None:
    result = score_eed("\\frac{m v^2}{r}+\\frac{1}{2}k x^2-\\mu m g" * 3, text, policy="official")
    assert result.points == 0
    assert result.explanation
