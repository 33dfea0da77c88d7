"""PhyX: cards and index records, options in one string, figures beside or below, both question forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import FigurePart, ImportFault, ProblemRecord, TextPart

OPEN, CHOICE = BENCHMARKS["phyx_oe"], BENCHMARKS["phyx_mc"]


def problem_record(**changes: Any) -> dict[str, Any]:
    return {
        "index": "7",
        "question": "How far?",
        "question_description": "A long tale.",
        "question_simply": "A tale.",
        "options": 'A:"1, 2 m",B:"it\'s 3 m ",C:"4\\",D:"5 m"',
        "answer": "B",
        "image": "7.png",
        "category": "Waves/Acoustics",
        "subfield": "Sound",
        "reasoning_type": ["Numerical Reasoning"],
    } | changes


@pytest.fixture
def read_one(write: Callable[..., Path], draw: Callable[..., Path]) -> Callable[..., ProblemRecord]:
    def read(form: str = "phyx_oe", **changes: Any) -> ProblemRecord:
        draw("7.png")
        return BENCHMARKS[form].read(write("phyx.jsonl", [problem_record(**changes)])).problems[0]

    return read


def test_the_seven_cards_are_read_open_ended(official: Callable[[str], Path]) -> None:
    data = OPEN.read(official("phyx/phyx_cards_7.jsonl"))
    ids = [f"correct-{n}" for n in (1, 2, 3, 4)] + [f"error-{n}" for n in (1, 2, 3)]
    assert [problem.external_id for problem in data.problems] == ids
    assert data.problems[1].answers[0].value == "0.491m/s"  # the text of option C
    assert data.problems[4].answers[0].value == "1.2 m/s"  # a card without options
    assert data.problems[0].context.startswith("A firefighter")  # question_description stands in
    assert [figure.parent.name for figure in data.problems[0].figures] == ["cards"]
    assert [subset.slug for subset in data.subsets] == [
        "mechanics",
        "electromagnetism",
        "thermodynamics",
        "waves_acoustics",
        "optics",
        "modern_physics",
    ]


def test_multiple_choice_refuses_the_cards_without_options_by_name(official: Callable[[str], Path]) -> None:
    with pytest.raises(ImportFault) as caught:
        CHOICE.read(official("phyx/phyx_cards_7.jsonl"))
    assert len(caught.value.faults) == 5
    for fault, name in zip(caught.value.faults, ("correct-1", "correct-3", "error-1", "error-2", "error-3")):
        assert name in fault
        assert "options" in fault


def test_the_released_record_gives_the_published_prompt(
    official: Callable[[str], Path], write: Callable[..., Path], draw: Callable[..., Path]
) -> None:
    draw("images/0.png", "JPEG")  # 49 of the released figures are JPEG under a .png name
    record = json.loads(official("phyx/phyx_record_index0.json").read_text(encoding="utf-8"))
    path = write("phyx.json", [])
    path.write_text(json.dumps(record), encoding="utf-8")  # one object, not a list
    problem = OPEN.read(path).problems[0]
    figure, text = OPEN.prompt(problem, ())
    assert figure == FigurePart(0)
    assert isinstance(text, TextPart)
    assert text.text.startswith("A patient with a dislocated shoulder is put into a traction apparatus")
    assert text.text.endswith(
        "How large should these pulls be? Please answer the question with step by step reasoning."
    )
    assert problem.answers[0].value == "7.55N"
    _, choice = CHOICE.prompt(CHOICE.read(path).problems[0], ())
    assert isinstance(choice, TextPart)
    assert choice.text.endswith(
        "should these pulls be?Please directly answer the question and provide the correct OPTION LETTER ONLY,"
        " e.g., A, B, C, D. OPTION: A: 7.55N B: 5.55N C: 7.65N D: 6.65N"
    )


def test_options_hold_commas_apostrophes_and_trailing_backslashes(read_one: Callable[..., ProblemRecord]) -> None:
    options = read_one("phyx_mc").choices
    assert [(option.label, option.text.strip()) for option in options] == [
        ("A", "1, 2 m"),
        ("B", "it's 3 m"),
        ("C", "4\\"),
        ("D", "5 m"),
    ]


def test_the_open_reference_is_the_right_option_trimmed(read_one: Callable[..., ProblemRecord]) -> None:
    assert read_one().answers[0].value == "it's 3 m"
    assert read_one().choices == ()
    assert read_one("phyx_mc").answers[0].value == "B"


def test_a_category_with_a_slash_is_a_subset(read_one: Callable[..., ProblemRecord]) -> None:
    assert read_one().subset == "waves_acoustics"
    assert read_one().tags == ("Numerical Reasoning",)


@pytest.mark.parametrize(
    ("index", "splits"), [("999", ["test", "test_mini"]), (1000, ["test"]), (0, ["test", "test_mini"])]
)
def test_indexes_below_1000_are_the_mini_split_too(
    write: Callable[..., Path], draw: Callable[..., Path], index: object, splits: list[str]
) -> None:
    draw("7.png")
    problems = OPEN.read(write("phyx.jsonl", [problem_record(index=index)])).problems
    assert [problem.split for problem in problems] == splits
    assert {problem.external_id for problem in problems} == {str(index)}


def test_the_description_stands_in_for_a_missing_short_one(read_one: Callable[..., ProblemRecord]) -> None:
    assert read_one(question_simply=None).context == "A long tale."
    assert read_one(question_simply="").context == "A long tale."


def test_figures_lie_beside_the_file_or_one_folder_below(write: Callable[..., Path], draw: Callable[..., Path]) -> None:
    below = draw("images/7.png")
    file = write("phyx.jsonl", [problem_record()])
    assert OPEN.read(file).problems[0].figures == (below,)
    assert OPEN.read(file.parent).problems[0].figures == (below,)
    assert OPEN.read(write("phyx.jsonl", [problem_record(image="images/7.png")])).problems[0].figures == (below,)


def test_a_figure_that_lies_in_two_folders_is_refused(write: Callable[..., Path], draw: Callable[..., Path]) -> None:
    draw("a/7.png")
    draw("b/7.png")
    with pytest.raises(ImportFault, match="figure 7.png lies in several folders: a, b"):
        OPEN.read(write("phyx.jsonl", [problem_record()]))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"category": "Biology"}, "category 'Biology' is none of"),
        ({"answer": "E"}, "answer: 'E' is none of the options"),
        ({"answer": None}, "answer"),
        ({"answer": "", "options": ""}, "answer is missing or blank"),
        ({"image": "8.png"}, "figure 8.png is missing"),
        ({"image": "../7.png"}, "leads out of the imported folder"),
        ({"image": None}, "image is missing"),
        ({"question": ""}, "question is missing"),
        ({"question_simply": None, "question_description": None}, "question_description is missing"),
        ({"index": "a/b"}, "holds '/'"),
        ({"reasoning_type": "Numerical"}, "reasoning_type is not a list"),
    ],
)
def test_a_bad_record_is_named(read_one: Callable[..., ProblemRecord], changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ImportFault) as caught:
        read_one(**changes)
    assert caught.value.faults[0].startswith("phyx.jsonl line 1, id ")
    assert reason in caught.value.faults[0]


def test_figures_are_not_public(official: Callable[[str], Path]) -> None:
    assert not OPEN.figures_public
    assert not CHOICE.figures_public
    assert (OPEN.default_split, OPEN.split_fallbacks) == ("test_mini", ("test",))
