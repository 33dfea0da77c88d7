"""PHYBench: 500 problems of which 400 withhold their answer, merged from three files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import ImportFault, TextPart, read_prompt

PHYBENCH = BENCHMARKS["phybench"]
FIELDS = ["mechanics", "electricity", "thermodynamics", "optics", "modern", "advanced"]


def problem_record(**changes: Any) -> dict[str, Any]:
    return {"id": 1, "tag": "OPTICS", "content": "Find x.", "solution": "", "answer": ""} | changes


@pytest.mark.parametrize("name", ["phybench", "phybench/PHYBench-questions_v1.json"])
def test_the_official_set_is_read_whole(official: Callable[[str], Path], name: str) -> None:
    data = PHYBENCH.read(official(name))
    assert len(data.problems) == 500
    assert sum(not problem.answers for problem in data.problems) == 400
    assert Counter(problem.subset for problem in data.problems) == dict(zip(FIELDS, (191, 142, 66, 41, 42, 18)))
    assert [subset.slug for subset in data.subsets] == FIELDS
    assert {problem.max_points for problem in data.problems} == {100}
    assert sum(problem.statement == "" for problem in data.problems) == 1
    assert len(data.warnings) == 1
    assert "id 778: published without its question" in data.warnings[0]


def test_the_folder_and_the_complete_file_give_the_same_order(official: Callable[[str], Path]) -> None:
    merged, alone = PHYBENCH.read(official("phybench")), PHYBENCH.read(official("phybench/PHYBench-questions_v1.json"))
    assert [p.external_id for p in merged.problems] == [p.external_id for p in alone.problems]
    assert [p.answers for p in merged.problems] == [p.answers for p in alone.problems]


def test_two_problems_of_equal_text_stay_two(official: Callable[[str], Path]) -> None:
    texts = Counter(problem.statement for problem in PHYBENCH.read(official("phybench")).problems)
    assert sorted(texts.values())[-2:] == [1, 2]


def test_answers_keep_their_wrapping_and_zero_width_spaces(official: Callable[[str], Path]) -> None:
    values = [p.answers[0].value for p in PHYBENCH.read(official("phybench")).problems if p.answers]
    stripped = [value.strip() for value in values]
    assert sum(value.startswith("$$") for value in stripped) == 94
    assert sum(value.startswith(r"\[") for value in stripped) == 5
    assert sum(r"\boxed" in value for value in values) == 4


def test_the_prompt_is_the_official_text_without_the_solution(write: Callable[..., Path]) -> None:
    record = problem_record(solution="SECRET", answer="$$x$$", content="  Find x.\n")
    problem = PHYBENCH.read(write("x.json", [record])).problems[0]
    (part,) = PHYBENCH.prompt(problem, ())
    prefix, suffix = read_prompt("phybench_prefix.txt"), read_prompt("phybench_suffix.txt")
    assert part == TextPart(f"{prefix}\n\nQuestion:   Find x.\n\n\n{suffix}")
    assert problem.solution == "SECRET"


def test_the_record_with_an_answer_wins_whichever_comes_first(write: Callable[..., Path]) -> None:
    write("a.json", [problem_record(), problem_record(id=2, answer="$$2$$", solution="why")])
    folder = write("b.json", [problem_record(answer="$$1$$", solution="so"), problem_record(id=2)]).parent
    problems = PHYBENCH.read(folder).problems
    assert [(p.external_id, p.answers[0].value, p.solution) for p in problems] == [
        ("1", "$$1$$", "so"),
        ("2", "$$2$$", "why"),
    ]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"content": "Find y."}, "statement"),
        ({"tag": "MODERN"}, "subset"),
        ({"answer": "$$2$$"}, "answers"),
        ({"answer": "$$1$$", "solution": "otherwise"}, "solution"),
    ],
)
def test_contradicting_records_are_refused(write: Callable[..., Path], changes: dict[str, Any], named: str) -> None:
    write("a.json", [problem_record(answer="$$1$$", solution="so")])
    folder = write("b.json", [problem_record(**changes)]).parent
    with pytest.raises(ImportFault, match=f"b.json record 0, id 1: {named} contradicts a.json record 0"):
        PHYBENCH.read(folder)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tag": "BIOLOGY"}, "tag 'BIOLOGY' is none of"),
        ({"tag": None}, "tag is missing"),
        ({"content": "", "answer": "$$1$$"}, "content is missing"),
        ({"id": None}, "id is missing"),
        ({"id": 1.5}, "id is missing or neither"),
        ({"answer": 7}, "answer"),
    ],
)
def test_a_bad_record_is_named(write: Callable[..., Path], changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ImportFault) as caught:
        PHYBENCH.read(write("x.json", [problem_record(**changes)]))
    assert caught.value.faults[0].startswith("x.json record 0")
    assert reason in caught.value.faults[0]


def test_an_id_twice_in_one_file_is_refused(write: Callable[..., Path]) -> None:
    with pytest.raises(ImportFault, match="id stands twice"):
        PHYBENCH.read(write("x.json", [problem_record(), problem_record()]))
