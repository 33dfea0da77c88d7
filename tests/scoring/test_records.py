"""Official records become references, with every irregularity seen in real data."""

import json
from collections import Counter

import pytest

from scoring.errors import ParseError
from scoring.points import add_points
from scoring.records import READERS, read_options, read_record
from scoring.reference import Answer
from tests.scoring.shared_files import hipho_records, oracle, shared_path


def hipho(**changes):
    record = {
        "answer": ["\\boxed{3}"],
        "answer_type": ["Numerical Value"],
        "unit": [None],
        "points": [0.5],
        "marking": [],
    }
    return {**record, **changes}


def test_all_403_hipho_records_are_read():
    references = {r["id"]: read_record("hipho", r) for r in hipho_records()}
    assert len(references) == 403
    assert add_points(r.max_points for r in references.values()) == 1007.2
    assert sum(not r.schemes for r in references.values()) == 179
    assert Counter(len(r.answers) for r in references.values()) == {1: 290, 2: 69, 3: 24, 4: 9, 5: 5, 6: 4, 7: 1, 9: 1}
    kinds = Counter(a.kind for r in references.values() for a in r.answers)
    assert kinds == {"expression": 292, "numeric": 153, "choice": 97, "equation": 37, "open": 11, "inequality": 11}
    by_points = {row["id"]: row["points"] for row in oracle("hipho_points")}
    assert all([a.points for a in r.answers] == by_points[key] for key, r in references.items())


def test_a_short_unit_list_is_padded():
    record = hipho(answer=["1", "2"], answer_type=["Expression"] * 2, points=[0.5, 0.5], unit=[None])
    assert [a.unit for a in read_record("hipho", record).answers] == ["", ""]
    assert read_record("hipho", hipho(unit=[" $K$ "])).answers[0].unit == "$K$"
    without = {k: v for k, v in hipho().items() if k not in ("unit", "marking")}
    assert read_record("hipho", without).answers == (Answer("\\boxed{3}", "numeric", "", 0.5),)


def test_marking_may_be_flat_nested_empty_null_or_absent():
    for marking in (["Award 0.5 pts if a"], [["Award 0.5 pt if a"]]):
        assert [len(s) for s in read_record("hipho", hipho(marking=marking)).schemes] == [1]
    for marking in ([], None):
        assert read_record("hipho", hipho(marking=marking)).schemes == ()


def test_an_empty_answer_stays_empty_and_an_open_box_is_closed():
    assert read_record("hipho", hipho(answer=[""], answer_type=["Open-Ended"])).answers[0].value == ""
    assert read_record("hipho", hipho(answer=["\\boxed{$x$"])).answers[0].value == "\\boxed{$x$}"


def test_choice_answers_come_with_labels():
    reference = read_record("hipho", hipho(answer=["\\boxed{A, D}"], answer_type=["Multiple Choice"]))
    assert [o.label for o in reference.options] == list("ABCDE")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"points": [0.5, 0.5]}, "points"),
        ({"points": ["x"]}, "points"),
        ({"points": [-1.0]}, "points"),
        ({"points": [float("nan")]}, "points"),
        ({"answer": None}, "answer"),
        ({"answer": []}, "answer"),
        ({"answer_type": ["Poem"]}, "answer_type"),
        ({"answer_type": []}, "answer_type"),
        ({"unit": ["m", "s"]}, "unit"),
        ({"unit": [3]}, "unit"),
        ({"marking": [["Award 0.4 pt if a"]]}, "scheme 0"),
        ({"marking": "Award 0.5 pt"}, "marking"),
    ],
)
def test_a_bad_hipho_record_names_its_field(changes, named):
    with pytest.raises(ParseError, match=named):
        read_record("hipho", hipho(**changes))


@pytest.mark.parametrize("benchmark", list(READERS))
def test_what_is_no_object_is_refused(benchmark):
    with pytest.raises(ParseError, match="record"):
        read_record(benchmark, ["a"])


PHYX = {"options": 'A:"7.55N",B:"5,5 N ",C:"x\\",D:"it\'s"', "answer": "b"}


def test_phyx_open_takes_the_right_options_text_trimmed():
    assert read_record("phyx_oe", PHYX).answers[0].value == "5,5 N"
    assert read_record("phyx_mc", PHYX).answers[0] == Answer("B", "choice")
    assert [o.text.strip() for o in read_record("phyx_mc", PHYX).options] == ["7.55N", "5,5 N", "x\\", "it's"]


def test_phyx_without_options_holds_the_value_itself():
    assert read_record("phyx_oe", {"options": "", "answer": " d \\tan x "}).answers[0].value == "d \\tan x"
    assert read_record("phyx_oe", {"answer": "A"}).answers[0].value == "A"
    with pytest.raises(ParseError, match="options"):
        read_record("phyx_mc", {"answer": "A"})


def test_an_answer_outside_the_options_is_refused():
    with pytest.raises(ParseError, match="answer"):
        read_record("phyx_mc", {**PHYX, "answer": "E"})


def test_options_are_read_from_all_their_shapes():
    expected = ["A", "B"]
    for raw in ('A:"1",B:"2"', {"A": "1", "b": "2"}, ["1", "2"], {"text": ["1", "2"], "label": ["1", "2"]}):
        assert [o.label for o in read_options(raw)] == expected, raw
    with pytest.raises(ParseError):
        read_options("nothing of the kind")


def test_arc_digits_become_letters():
    record = {"choices": {"text": ["p", "q", "r"], "label": ["1", "2", "3"]}, "answerKey": "2"}
    reference = read_record("arc_indic", record)
    assert [o.label for o in reference.options] == ["A", "B", "C"]
    assert reference.answers == (Answer("B", "choice"),)


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({"answerKey": "A"}, "choices"),
        ({"choices": {"text": ["p", "q"], "label": ["A"]}, "answerKey": "A"}, "label"),
        ({"choices": {"text": ["p", "q"], "label": ["A", "A"]}, "answerKey": "A"}, "unique"),
        ({"choices": {"text": ["p", "q"], "label": ["A", "B"]}, "answerKey": "C"}, "answerKey"),
    ],
)
def test_a_bad_arc_record_names_its_field(record, named):
    with pytest.raises(ParseError, match=named):
        read_record("arc_indic", record)


@pytest.mark.parametrize(
    "name", ["arc/arc_challenge_en_test_full1172_hf_shape", "arc_indic/bn_test", "arc_indic/ta_test"]
)
def test_real_arc_files_are_read_whole(name):
    rows = [json.loads(line) for line in shared_path(f"data/{name}.jsonl").open(encoding="utf-8")]
    references = [read_record("arc_indic", row) for row in rows]
    assert all(r.answers[0].value in "ABCDE" and 3 <= len(r.options) <= 5 for r in references)


@pytest.mark.parametrize(("word", "value"), [("yes", "YES"), ("No", "NO"), ("YES", "YES"), (" no.", "NO")])
def test_coin_flip_answers_come_in_any_case(word, value):
    assert read_record("coin_flip", {"question": "?", "answer": word}).answers == (Answer(value, "yes_no"),)


def test_another_word_is_no_coin_flip_answer():
    with pytest.raises(ParseError, match="yes or no"):
        read_record("coin_flip", {"answer": "maybe"})


def test_a_withheld_phybench_answer_leaves_no_reference():
    for answer in ("", None, "  "):
        assert read_record("phybench", {"answer": answer}).answers == ()
    reference = read_record("phybench", {"answer": "$$x = 2$$"})
    assert (reference.answers[0].kind, reference.max_points) == ("expression", 100.0)
