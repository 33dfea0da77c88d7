"""ARC-Challenge-Indic: languages from file names, odd labels, worked examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import ImportFault, TextPart

ARC = BENCHMARKS["arc_indic"]


def question_record(labels: str = "ABCD", key: str = "C", **changes: Any) -> dict[str, Any]:
    choices = {"text": [f"text {label}" for label in labels], "label": list(labels)}
    return {"id": "Q_1", "question": "Which?", "choices": choices, "answerKey": key} | changes


def test_english_is_read_whole_with_its_odd_labels(official: Callable[[str], Path]) -> None:
    problems = ARC.read(official("arc/arc_challenge_en_test_full1172_hf_shape.jsonl")).problems
    assert len(problems) == 1172
    assert Counter(len(problem.choices) for problem in problems) == {4: 1165, 3: 4, 5: 3}
    assert {(problem.subset, problem.split) for problem in problems} == {("en", "test")}
    assert {label for problem in problems for label in (o.label for o in problem.choices)} == set("ABCDE")
    assert {problem.answers[0].value for problem in problems} <= set("ABCDE")


def test_the_folder_of_translations_is_read_and_nepali_skipped(official: Callable[[str], Path]) -> None:
    data = ARC.read(official("arc_indic"))
    assert len(data.problems) == 9224
    assert [subset.slug for subset in data.subsets] == ["bn", "gu", "hi", "kn", "ml", "mr", "ta", "te"]
    assert [warning.partition(":")[0] for warning in data.warnings] == ["ne_test.jsonl", "sarvam_bn_row0.json"]
    shared = [problem for problem in data.problems if problem.cluster == "Mercury_SC_415719"]
    assert sorted(problem.external_id for problem in shared)[0] == "bn:Mercury_SC_415719"
    assert len(shared) == 8


def test_dev_means_validation(official: Callable[[str], Path]) -> None:
    problems = ARC.read(official("arc/arc_challenge_en_dev_hf_shape.jsonl")).problems
    assert {(problem.subset, problem.split) for problem in problems} == {("en", "validation")}


def test_two_files_for_one_language_and_split_are_refused(official: Callable[[str], Path]) -> None:
    with pytest.raises(ImportFault, match="holds en test, as arc_challenge_en_test_full1172"):
        ARC.read(official("arc"))


@pytest.mark.parametrize("name", ["arc_indic/ne_test.jsonl", "arc_indic/sarvam_bn_row0.json"])
def test_an_unknown_language_alone_is_refused(official: Callable[[str], Path], name: str) -> None:
    with pytest.raises(ImportFault, match=name.partition("/")[2]):
        ARC.read(official(name))


def test_the_official_row_gives_the_published_prompt(
    official: Callable[[str], Path], write: Callable[..., Path]
) -> None:
    text = official("arc_indic/sarvam_bn_row0.json").read_text(encoding="utf-8")
    path = write("bn_test.json", [])
    path.write_text(text, encoding="utf-8")
    problem = ARC.read(path).problems[0]
    (part,) = ARC.prompt(problem, ())
    assert isinstance(part, TextPart)
    assert part.text.startswith(
        "Answer the following multiple choice question. The entire content of your response should be of the following "
        "format: 'ANSWER: [LETTER]' (without quotes) where [LETTER] is one of A,B,C,D.\n\nএকজন"
    )
    assert part.text.endswith("\n\n" + "\n".join(f"{o.label}) {o.text}" for o in problem.choices))
    assert problem.external_id == "bn:Mercury_7175875"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("en_test.jsonl", ("en", "test")),
        ("arc_challenge_en_test_full1172_hf_shape.jsonl", ("en", "test")),
        ("my-arc-HI_dev.jsonl", ("hi", "validation")),
        ("pa_validation.v2.jsonl", ("pa", "validation")),
    ],
)
def test_language_and_split_stand_anywhere_in_the_name(
    write: Callable[..., Path], name: str, part: tuple[str, str]
) -> None:
    problem = ARC.read(write(name, [question_record()])).problems[0]
    assert (problem.subset, problem.split) == part


@pytest.mark.parametrize("name", ["arc_indic_test.jsonl", "golden_tests.jsonl", "arc.jsonl", "ben_test.jsonl"])
def test_a_name_that_tells_no_language_is_not_guessed(write: Callable[..., Path], name: str) -> None:
    with pytest.raises(ImportFault, match="tells no language"):
        ARC.read(write(name, [question_record()]))


@pytest.mark.parametrize("told", ["bn", "Bengali", "বাংলা"])
def test_a_language_field_tells_it_too(write: Callable[..., Path], told: str) -> None:
    problem = ARC.read(write("arc_validation.jsonl", [question_record(language=told)])).problems[0]
    assert (problem.subset, problem.split) == ("bn", "validation")


def test_one_file_may_hold_several_languages(write: Callable[..., Path]) -> None:
    rows = [question_record(language="Hindi"), question_record(language="Tamil")]
    problems = ARC.read(write("all.jsonl", rows)).problems
    assert [problem.external_id for problem in problems] == ["hi:Q_1", "ta:Q_1"]
    assert {problem.cluster for problem in problems} == {"Q_1"}


def test_a_language_field_against_the_name_is_refused(write: Callable[..., Path]) -> None:
    with pytest.raises(ImportFault, match="language 'hi' in a file of 'bn'"):
        ARC.read(write("bn_test.jsonl", [question_record(language="hi")]))


def test_digit_labels_become_letters(write: Callable[..., Path]) -> None:
    problem = ARC.read(write("en_test.jsonl", [question_record("1234", "2")])).problems[0]
    assert "".join(option.label for option in problem.choices) == "ABCD"
    assert problem.answers[0].value == "B"


@pytest.mark.parametrize("labels", ["ABC", "ABCDE"])
def test_three_and_five_options_are_listed_in_the_prompt(write: Callable[..., Path], labels: str) -> None:
    problem = ARC.read(write("en_test.jsonl", [question_record(labels)])).problems[0]
    (part,) = ARC.prompt(problem, ())
    assert isinstance(part, TextPart)
    assert f"is one of {','.join(labels)}.\n" in part.text
    assert part.text.endswith("\n".join(f"{label}) text {label}" for label in labels))


def test_worked_examples_stand_before_the_official_text(write: Callable[..., Path]) -> None:
    problem = ARC.read(write("en_test.jsonl", [question_record()])).problems[0]
    (with_shots,), (alone,) = ARC.prompt(problem, [problem, problem]), ARC.prompt(problem, ())
    assert isinstance(with_shots, TextPart) and isinstance(alone, TextPart)
    example = "Which?\nA) text A\nB) text B\nC) text C\nD) text D\nANSWER: C\n\n"
    assert with_shots.text == example * 2 + alone.text


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (question_record(key="E"), "answerKey"),
        (question_record(key=""), "answerKey is missing or blank"),
        (question_record("AB", "A"), "three to five in order are expected"),
        (question_record("BACD", "A"), "three to five in order are expected"),
        (question_record("AACD", "A"), "labels are not unique"),
        (question_record(choices=["a", "b", "c"]), "choices"),
        (question_record(choices={"text": ["a", "b", "c"], "label": ["A", "B"]}), "label"),
        (question_record(question=""), "question is missing"),
        (question_record(id="ARC/1"), "holds '/'"),
    ],
)
def test_a_bad_question_is_named(write: Callable[..., Path], record: dict[str, Any], reason: str) -> None:
    with pytest.raises(ImportFault) as caught:
        ARC.read(write("en_test.jsonl", [record]))
    assert caught.value.faults[0].startswith("en_test.jsonl line 1, id ")
    assert reason in caught.value.faults[0]
