"""The command `python -m scoring`: shapes, order, bad lines, several processes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scoring.shared_files import oracle

ROOT = Path(__file__).resolve().parents[2]
SCORE_KEYS = {"points", "max_points", "status", "answer", "matched_by", "flags", "explanation", "parts"}


def run(*lines, options=()):
    """Response objects and the exit code; each line is an object or raw bytes."""
    data = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    done = subprocess.run(
        [sys.executable, "-m", "scoring", *options], input=data, capture_output=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


COIN = {"scorer": "coin_flip", "record": {"question": "?", "answer": "yes"}, "reply": "ANSWER: YES"}
HIPHO = {
    "scorer": "hipho",
    "record": {
        "answer": ["\\boxed{3}", "\\boxed{$mg$}"],
        "answer_type": ["Numerical Value", "Expression"],
        "unit": [None],
        "points": [0.5, 0.3],
    },
    "reply": "<think>...</think> \\boxed{3} and \\boxed{g m}",
}


def test_each_scorer_answers_in_its_shape_and_in_order():
    eed, value, hipho, phyx, phybench, arc, coin, rubric, listed = run(
        {"id": 1, "scorer": "eed", "target": "2 m g", "answer": "3 m g"},
        {"id": "v", "scorer": "value", "kind": "numeric", "target": "46.3 kN", "answer": "46300 N"},
        HIPHO,
        {"scorer": "phyx-units", "record": {"options": 'A:"0.5 m",B:"2"', "answer": "A"}, "reply": "\\boxed{50 cm}"},
        {"scorer": "phybench", "record": {"answer": "$$x = 2 m g$$"}, "reply": "so \\boxed{2 g m}", "trees": False},
        {
            "scorer": "arc",
            "record": {"choices": {"text": ["p", "q"], "label": ["1", "2"]}, "answerKey": "2"},
            "reply": "ANSWER: B",
        },
        COIN,
        {"scorer": "rubric", "marking": [["Award 0.2 pt if a", "Award 0.1 pt if b"]], "awarded": [[0.2, 0.1]]},
        {"scorer": "rubric", "marking": ["Award 0.2 pt if a", "Award 0.1 pt if b"]},
    )
    assert (eed["id"], eed["status"], eed["equivalent"], eed["size"]) == (1, "scored", False, 4)
    assert {"distance", "relative_distance", "edits", "target_tree", "answer_tree", "flags", "explanation"} <= set(eed)
    assert (value["id"], value["points"], value["max_points"]) == ("v", 1.0, 1.0)
    for response in (hipho, phyx, arc, coin):
        assert set(response) == SCORE_KEYS
        assert response["points"] == response["max_points"]
    assert (hipho["points"], [p["points"] for p in hipho["parts"]]) == (0.8, [0.5, 0.3])
    assert (phybench["points"], phybench["max_points"]) == (100.0, 100.0)
    assert "edits" not in phybench["details"]
    assert rubric == {
        "points": 0.3,
        "max_points": 0.3,
        "scheme": 0,
        "schemes": [{"points": 0.3, "max_points": 0.3}],
        "status": "scored",
    }
    assert listed == {"criteria": [[0.2, 0.1]], "max_points": 0.3}


BAD_LINES = [
    b"{bad",
    b"\xff\xfe",
    b"[1, 2]",
    b"null",
    b"[" * 100_000,
    b"",
    {"id": "x", "scorer": "nobody"},
    {"scorer": 3},
    {"scorer": "eed", "answer": "x"},
    {"scorer": "eed", "target": "x", "answer": "x", "policy": "kind"},
    {"scorer": "value", "kind": "colour", "target": "1", "answer": "1"},
    {"scorer": "coin_flip", "reply": "ANSWER: YES"},
    {"scorer": "coin_flip", "record": {"answer": "yes"}},
    {"scorer": "coin_flip", "record": {"answer": "yes"}, "reply": 5},
    {"scorer": "rubric", "marking": [["Award 0.2 pt if a"]], "awarded": [[0.3]]},
    {"scorer": "rubric", "marking": []},
]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_line_names_its_number_and_never_stops_the_rest(jobs):
    lines = [line for bad in BAD_LINES for line in (bad, COIN)]
    responses = run(*lines, options=["-j", jobs])
    assert len(responses) == len(lines)
    for number, response in enumerate(responses, start=1):
        if number % 2:
            assert (response["status"], response["line"]) == ("error", number)
            assert response["explanation"] and response["points"] is None
        else:
            assert response["points"] == 1.0
    assert responses[12]["id"] == "x"


def test_a_gap_in_the_awards_is_a_judge_failure():
    (response,) = run(
        {"scorer": "rubric", "marking": [["Award 0.2 pt if a", "Award 0.1 pt if b"]], "awarded": [[0.2, None]]}
    )
    assert (response["points"], response["status"], response["scheme"]) == (None, "judge_failed", None)


def test_a_reference_in_our_own_shape_stands_for_the_record():
    reference = {
        "answers": [{"value": "A", "kind": "choice"}],
        "options": [{"label": "A", "text": "1"}],
        "max_points": 2,
    }
    good, bad = run(
        {"scorer": "phyx_mc", "reference": reference, "reply": "A"},
        {"scorer": "phyx_mc", "reference": {"answers": [{"worth": "A"}]}, "reply": "A"},
    )
    assert (good["points"], good["max_points"]) == (2.0, 2.0)
    assert bad["status"] == "error" and "reference" in bad["explanation"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"reply": ""}, "no_answer"),
        ({"reply": None}, "no_answer"),
        ({"reply": "the coin is", "finish_reason": "length"}, "cut"),
        ({"reply": "", "finish_reason": "content_filter"}, "refused"),
        ({"reply": "I'm sorry, but I can't help with that."}, "refused"),
        ({"reply": "ANSWER: UNKNOWN"}, "no_answer"),
    ],
)
def test_a_reply_without_an_answer_says_why(changes, status):
    (response,) = run({**COIN, **changes})
    assert (response["points"], response["status"]) == (0.0, status)


def test_a_cut_reply_with_an_answer_is_scored_and_flagged():
    (response,) = run({**COIN, "finish_reason": "length"})
    assert (response["points"], response["flags"]) == (1.0, ["cut by length"])


def test_a_derivation_in_the_reasoning_field_is_flagged_and_never_searched():
    moved, inline = run(
        {**HIPHO, "reply": "\\boxed{3}", "reasoning": "so \\boxed{4} and \\boxed{mg}"}, {**HIPHO, "reasoning": "..."}
    )
    assert "derivation in reasoning field" in moved["flags"]
    assert [p["status"] for p in moved["parts"]] == ["scored", "no_answer"]
    assert "derivation in reasoning field" not in inline["flags"]


def test_an_unscorable_reference_has_no_points():
    withheld, open_ended = run(
        {"scorer": "phybench", "record": {"answer": ""}, "reply": "\\boxed{1}"},
        {
            "scorer": "hipho",
            "record": {"answer": [""], "answer_type": ["Open-Ended"], "unit": [None], "points": [3.0]},
            "reply": "\\boxed{1}",
        },
    )
    assert [(r["points"], r["status"]) for r in (withheld, open_ended)] == [(None, "unscorable")] * 2


def test_phyx_string_match_and_units_differ_as_published():
    rows = [row for row in oracle("phyx") if row["kind"] == "oe"]
    requests = [
        {"scorer": scorer, "record": {"options": "", "answer": row["gold"]}, "reply": row["reply"]}
        for row in rows
        for scorer in ("phyx-units", "phyx-rule")
    ]
    responses = run(*requests)
    for row, units, string in zip(rows, responses[::2], responses[1::2]):
        assert (bool(units["points"]), bool(string["points"])) == (row["right_match"], row["evalscope_match"]), row


def test_several_processes_give_the_same_lines():
    pairs = oracle("eed_pairs")[:60]
    requests = [
        {"id": i, "scorer": "eed", "target": p["gt"], "answer": p["gen"], "trees": False} for i, p in enumerate(pairs)
    ]
    assert run(*requests) == run(*requests, options=["-j", "2"])


def test_hostile_pairs_end_with_an_outcome():
    pairs = oracle("eed_adversarial")
    requests = [{"scorer": "eed", "target": p["gt"], "answer": p["gen"], "trees": False} for p in pairs]
    responses = run(*requests, COIN)
    assert all(r["points"] is not None and r["points"] < 100 for r in responses[:-1])
    assert responses[-1]["points"] == 1.0


HOSTILE = [
    "{" * 10_000 + "x" + "}" * 10_000,
    "\\sqrt{" * 33_000,
    "\\frac{1}{0}",
    "(10^9)!" * 50,
    "\\input{/etc/passwd}",
    "x\0y\u202e",
    "a" * 200_000,
    "9^{9^{9^{9^9}}}",
    "(a+b+c)^{400}",
]


def test_hostile_answers_end_in_every_scorer():
    requests = []
    for text in HOSTILE:
        boxed = f"\\boxed{{{text}}}"
        requests += [
            {"scorer": "eed", "target": "m g", "answer": text},
            {"scorer": "value", "kind": "numeric", "target": "3 m", "answer": text},
            {"scorer": "value", "kind": "auto", "target": "m g", "answer": text},
            {**HIPHO, "reply": boxed},
            {"scorer": "phybench", "record": {"answer": "m g"}, "reply": boxed},
            {**COIN, "reply": boxed},
        ]
    responses = run(*requests)
    assert [r["points"] for r in responses] == [0.0] * len(responses), [
        (r["status"], r["explanation"]) for r in responses if r["points"] != 0.0
    ]


def test_a_line_without_its_newline_is_answered():
    done = subprocess.run(
        [sys.executable, "-m", "scoring"], input=json.dumps(COIN).encode(), capture_output=True, cwd=ROOT, timeout=60
    )
    assert json.loads(done.stdout)["points"] == 1.0
