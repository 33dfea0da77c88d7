"""CoinFlip: the official rows, the file shapes seen in the wild, and worked examples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import ImportFault, ProblemRecord, TextPart, read_prompt
from arena.benchmarks.coin_flip import count_flips

COIN_FLIP = BENCHMARKS["coin_flip"]
QUESTION = "Q: A coin is heads up. ada flips the coin. bo does not flip the coin.  Is the coin still heads up?"


def prompt_text(problem: ProblemRecord, *shots: ProblemRecord) -> str:
    (part,) = COIN_FLIP.prompt(problem, shots)
    assert isinstance(part, TextPart)
    return part.text


@pytest.mark.parametrize(
    ("name", "n_yes"),
    [
        ("coin_flip_official_shape_500.jsonl", 254),
        ("autoform_first500.jsonl", 254),
        ("coin_flip_wei_2022_500.jsonl", 253),
        ("coin_flip.json", 253),
    ],
)
def test_each_official_file_is_read_whole(official: Callable[[str], Path], name: str, n_yes: int) -> None:
    data = COIN_FLIP.read(official(f"coin_flip/{name}"))
    assert [problem.external_id for problem in data.problems] == [str(row) for row in range(500)]
    assert sum(problem.answers[0].value == "YES" for problem in data.problems) == n_yes
    assert data.warnings == ()  # counting the flips agrees with every label, U+009A in row 224 included
    assert [subset.slug for subset in data.subsets] == ["default"]


def test_official_texts_stay_literal(official: Callable[[str], Path]) -> None:
    path = official("coin_flip/coin_flip_official_shape_500.jsonl")
    raw = [json.loads(line)["question"] for line in path.read_bytes().split(b"\n") if line]
    problems = COIN_FLIP.read(path).problems
    assert [problem.statement for problem in problems] == raw
    assert "\u009a" in problems[224].statement
    assert all("  Is the coin still heads up?" in problem.statement for problem in problems)
    lengths = [len(prompt_text(problem)) for problem in problems]
    assert max(lengths) == 551  # the longest of the published statistics is among these rows


def test_the_prompt_is_the_official_text_and_nothing_else(write: Callable[..., Path]) -> None:
    problem = COIN_FLIP.read(write("x.jsonl", [{"question": QUESTION, "answer": "No"}])).problems[0]
    assert prompt_text(problem) == read_prompt("coin_flip.txt").replace("{question}", QUESTION)
    assert problem.answers[0].value == "NO"


def test_a_record_keeps_its_own_id_and_the_others_take_their_row(write: Callable[..., Path]) -> None:
    rows = [{"id": 70, "question": QUESTION, "answer": "NO"}, {"input": QUESTION, "answer": "no"}]
    assert [p.external_id for p in COIN_FLIP.read(write("x.jsonl", rows)).problems] == ["70", "1"]


def test_a_folder_holds_test_and_validation(write: Callable[..., Path]) -> None:
    write("validation.jsonl", [{"question": QUESTION, "answer": "no"}])
    folder = write("test.jsonl", [{"question": QUESTION, "answer": "no"}]).parent
    assert [(p.split, p.external_id) for p in COIN_FLIP.read(folder).problems] == [("test", "0"), ("validation", "0")]


def test_a_folder_without_test_is_refused(write: Callable[..., Path]) -> None:
    folder = write("validation.jsonl", [{"question": QUESTION, "answer": "no"}]).parent
    with pytest.raises(ImportFault, match="neither a file nor a folder with test.jsonl"):
        COIN_FLIP.read(folder)


def test_worked_examples_are_counted_flip_by_flip(write: Callable[..., Path]) -> None:
    capital = "A coin is heads up. Ada flips the coin. Bo flips the coin. Is the coin still heads up?"
    rows = [{"question": QUESTION, "answer": "no"}, {"question": capital, "answer": "yes"}]
    first, second = COIN_FLIP.read(write("x.jsonl", rows)).problems
    text = prompt_text(second, first, second)
    assert text.startswith("Here are some examples of how to solve similar problems:\n\n" + QUESTION)
    assert (
        "\n\nReasoning:\nThe coin starts heads up.\nada flips the coin: it is now tails up.\n"
        "bo does not flip the coin: it is still tails up.\nANSWER: NO\n\nA coin is heads up. Ada" in text
    )
    assert "Bo flips the coin: it is now heads up.\nANSWER: YES\n\n\nSolve the following" in text
    assert text.endswith("\n\nReasoning:\n")


def test_names_of_any_characters_are_counted() -> None:
    odd = "A coin is heads up. o'ne\u009al flips the coin. Mary Ann does not flip the coin. Is the coin still heads up?"
    steps = count_flips(odd)
    assert steps is not None
    assert steps[1] == "NO"
    assert steps[0][2].startswith("Mary Ann does not flip")


def test_an_example_whose_label_contradicts_the_flips_is_refused(write: Callable[..., Path]) -> None:
    data = COIN_FLIP.read(write("x.jsonl", [{"question": QUESTION, "answer": "yes"}]))
    assert data.warnings == ("x.jsonl line 1: the answer is YES, counting the flips gives NO",)
    with pytest.raises(ValueError, match="example 0 cannot be worked out"):
        prompt_text(data.problems[0], data.problems[0])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"question": QUESTION, "answer": "maybe"}, "yes or no is expected"),
        ({"question": QUESTION}, "yes or no is expected"),
        ({"question": " ", "answer": "no"}, "question is missing or blank"),
        ({"answer": "no"}, "question is missing or blank"),
        ({"id": "a/b", "question": QUESTION, "answer": "no"}, "holds '/'"),
        ({"id": True, "question": QUESTION, "answer": "no"}, "neither text nor a whole number"),
    ],
)
def test_a_bad_row_is_named_with_its_line(write: Callable[..., Path], row: dict[str, object], reason: str) -> None:
    with pytest.raises(ImportFault) as caught:
        COIN_FLIP.read(write("x.jsonl", [{"question": QUESTION, "answer": "no"}, row]))
    assert caught.value.faults[0].startswith("x.jsonl line 2")
    assert reason in caught.value.faults[0]
