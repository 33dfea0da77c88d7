"""Which text is the answer: boxes, answer blocks, thinking, alignment, final-answer lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.extract import answer_boxes, final_answers, find_boxes, hide_thinking, phyx_answer, split_items

ORACLE = Path(__file__).resolve().parents[2] / "../shared/oracle"


def read_oracle(name: str) -> list[dict[str, object]]:
    path = ORACLE / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_boxed_row_of_the_oracle_comes_out_as_its_right_column_says() -> None:
    rows = read_oracle("hipho_boxed.jsonl")
    got = [[box.content for box in answer_boxes(str(row["reply"]))] for row in rows]
    assert got == [row["right"] for row in rows]


def test_every_alignment_row_of_the_oracle_comes_out_right() -> None:
    for row in read_oracle("hipho_align.jsonl"):
        reply = " ".join(rf"\boxed{{{box}}}" for box in row["boxes"])  # type: ignore[attr-defined]
        answers = final_answers(reply, int(str(row["n_gold"]))).answers
        assert [answer or "" for answer in answers] == row["aligned"], row["note"]


@pytest.mark.parametrize(
    ("reply", "boxes"),
    [
        (r"\boxed{\text{a {nested} brace}}", [r"\text{a {nested} brace}"]),
        (r"\boxed{1} then \boxed{2", ["1"]),
        (r"\boxed{a{b} and \boxed{3}", ["3"]),
        (r"\boxed{\boxed{2}}", [r"\boxed{2}"]),
        (r"\boxed{ \fbox{2}", ["2"]),
        (r"\framebox[3cm]{5} \framebox[3cm][l]{6}", ["5"]),
        (r"\\boxed{B}", ["B"]),
        (r"\boxed{x \% \$ \_ \}}", [r"x \% \$ \_ \}"]),
        (r"{ open \boxed{7}", ["7"]),
        ("\\boxed\n{8}", ["8"]),
        ("\\boxed{a\x00b\u202e}", ["a\x00b\u202e"]),
    ],
)
def test_a_box_is_complete_and_its_braces_count(reply: str, boxes: list[str]) -> None:
    assert [box.content for box in find_boxes(reply)] == boxes


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"<think>\boxed{1}</think> so \boxed{2}", "2"),
        (r"<think>\boxed{1}</think> nothing boxed here", None),
        (r"<think>\boxed{1}</think>", "1"),
        ("<think>\\boxed{1}</think>\n\n ", "1"),
        (r"\boxed{1}</think> and \boxed{2}", "2"),
        (r"\boxed{1}</think> only words", None),
        (r"<THINK>\boxed{1}</THINK>\boxed{2}", "2"),
        (r"<thinking>\boxed{1}</thinking>\boxed{2}", "2"),
        (r"<think>a</think>\boxed{2}<think>\boxed{3}</think> done", "2"),
        (r"\boxed{2} <think>\boxed{3}", "2"),
        (r"<answer>\boxed{1}</answer> wait <answer>\boxed{2}</answer> \boxed{9}", "2"),
        (r"<answer>\boxed{1}", "1"),
        (r"\boxed{5} <answer>5</answer>", "5"),
        (r"\boxed{5} as asked, in \boxed{}.", "5"),
        (r"\boxed{1} \boxed{1}", "1"),
        (r"\boxed{}", ""),
        ("", None),
    ],
)
def test_the_last_visible_box_is_the_answer(reply: str, answer: str | None) -> None:
    assert final_answers(reply, 1).answers == (answer,)


def test_equal_boxes_stay_apart_where_several_answers_are_asked() -> None:
    assert final_answers(r"\boxed{0} \boxed{0} \boxed{1}", 3).answers == ("0", "0", "1")


@pytest.mark.parametrize(
    ("content", "n", "items"),
    [
        ("x=1, y=2", 2, ("x=1", "y=2")),
        ("(1,2), (3,4)", 2, ("(1,2)", "(3,4)")),
        ("1,000, 2", 2, ("1,000", "2")),
        ("1; 2; 3", 3, ("1", "2", "3")),
        ("1,5; 2,5", 2, ("1,5", "2,5")),
        (r"\frac{a,b}{c}, d", 2, (r"\frac{a,b}{c}", "d")),
        (r"\left(1, 2\right)", 2, ("1", "2")),
        ("1 and 2", 2, ("1", "2")),
        ("a、b", 2, ("a", "b")),
        (r"\{1, 2\}", 2, ("1", "2")),
        ("$1$, $2$", 2, ("1", "2")),
    ],
)
def test_one_box_with_exactly_n_items_is_split(content: str, n: int, items: tuple[str, ...]) -> None:
    found = final_answers(rf"so \boxed{{{content}}}.", n)
    assert found.answers == items
    assert found.flags == (f"one box split in {n}",)


def test_a_box_that_does_not_split_in_n_fills_the_first_answer() -> None:
    found = final_answers(r"\boxed{1, 2}", 3)
    assert found.answers == ("1, 2", None, None)
    assert found.flags == ("1 boxes for 3 answers",)


def test_spans_point_at_the_answers_in_the_reply_as_it_came() -> None:
    reply = r"<think>\boxed{0}</think> é \boxed{ x=1,\;y=2 }"
    found = final_answers(reply, 2)
    assert [reply[span[0] : span[1]] for span in found.spans if span] == list(found.answers)
    reply = "<think>hm</think>\nFinal answer: **3 m**."
    phyx = phyx_answer(reply)
    assert phyx.span and reply[phyx.span[0] : phyx.span[1]] == phyx.answer == "3 m"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"Final answer: 2 m, no: \boxed{3 m}", "3 m"),
        ("**Final Answer:** 3 m", "3 m"),
        ("Final answer：3 m", "3 m"),
        ("The correct answer is: 3 m\n\nmore", "3 m"),
        ("The final answer is 3 m.", "3 m"),
        ("Final answer:\n\n3 m\nBye", "3 m"),
        ("**Final Answer:**\nThe height is:\n\n\\[\nh = 3 m\n\\]\nBye", "h = 3 m"),
        ("Final answer:\nThe height is:\n$$h = 3$$", "h = 3"),
        ("Final answer: the height is:\n\n**3 m**", "3 m"),
        ("Final answer: 1 m. Correct answer: 2 m", "2 m"),
        ("26.7kg", "26.7kg"),
        ("<think>Final answer: 1</think> 2 m", "2 m"),
        ("", None),
        ("Final answer:", None),
    ],
)
def test_phyx_reads_box_then_final_line_then_the_whole_reply(reply: str, answer: str | None) -> None:
    assert phyx_answer(reply).answer == answer


def test_hiding_keeps_every_offset() -> None:
    reply = "ab<think>cd</think>ef"
    assert len(hide_thinking(reply)) == len(reply)
    assert hide_thinking(reply).split() == ["ab", "ef"]


def test_split_items_takes_as_many_as_there_are_and_none_for_one() -> None:
    assert split_items("[1, 2, 3]") == ["1", "2", "3"]
    assert split_items("1,000") == []
    assert split_items("x") == []


@pytest.mark.parametrize(
    "piece",
    [
        "\\",
        "{",
        "\\boxed{",
        "\\boxed ",
        "\\framebox[",
        "<think>",
        "<answer>",
        "final answer ",
        "}",
        "\\left(",
        "\x00",
        " ",
        "a,",
    ],
)
def test_two_megabytes_of_hostile_text_end_with_an_outcome(piece: str) -> None:
    """A quadratic search would run for hours here and meet the suite's own time limit."""
    reply = piece * (2_000_000 // len(piece))
    assert final_answers(reply, 3).answers == (None, None, None)
    assert phyx_answer(reply + " final answer: 7 m").answer in ("7 m", reply + " final answer: 7 m", None)
