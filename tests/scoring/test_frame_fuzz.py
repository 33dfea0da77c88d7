"""Random texts: no public function of the frame raises anything but its own errors, and none hangs."""

import json
import string
from contextlib import suppress

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.errors import ParseError, VerdictError
from scoring.judge import Purpose, anchor_quote, build_message, detect_injection, parse_verdict
from scoring.reference import Criterion
from scoring.rubric import parse_criterion_points, read_schemes
from scoring.serving import parse_line
from scoring.wire import respond

PIECES = [
    '{"awarded": 0.1}',
    '"criteria": [',
    '{"',
    "}",
    "{",
    '"',
    "\\\\",
    "\\boxed{",
    "NaN",
    "null",
    ",",
    ":",
    "0.2 pt",
    "award",
    "得",
    "分",
]
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(PIECES) | st.text(string.printable, max_size=5), max_size=30).map("".join),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FUZZ = settings(max_examples=150, deadline=None)


@FUZZ
@given(st.sampled_from(list(Purpose)), TEXTS, TEXTS)
def test_any_judge_reply_gives_a_verdict_or_a_verdict_error(purpose, text, candidate):
    try:
        verdict = parse_verdict(purpose, text, candidate=candidate, max_points=[0.5])
    except VerdictError as error:
        assert error.kind
    else:
        assert all(0 <= award.awarded <= 0.5 for award in verdict.awards)


@FUZZ
@given(TEXTS, TEXTS)
def test_a_quote_is_anchored_inside_the_reply_or_not_at_all(quote, reply):
    span = anchor_quote(quote, reply)
    assert span is None or 0 <= span[0] < span[1] <= len(reply)


@FUZZ
@given(TEXTS)
def test_a_candidate_can_neither_close_its_fence_nor_break_the_detector(text):
    message = build_message(
        Purpose.CRITERION, "{prediction}", {"prediction": text}, fence="7f3a9c", criteria=(Criterion("c", 1.0),)
    )
    assert message.count("7f3a9c") == 4  # two around the text, two in the note
    detect_injection(text)


@FUZZ
@given(TEXTS)
def test_any_criterion_has_points_or_is_refused(text):
    with suppress(ParseError):
        assert parse_criterion_points(text) >= 0


@FUZZ
@given(JSON)
def test_any_marking_is_read_or_refused(marking):
    with suppress(ParseError):
        read_schemes(marking, 1.0)


@FUZZ
@given(
    st.sampled_from(["hipho", "phyx_oe", "phyx_mc", "phybench", "arc", "coin-flip", "rubric", "nobody"]),
    JSON,
    JSON,
    JSON,
)
@example(
    "hipho", {"answer": ["1"], "answer_type": ["Expression"], "points": [1e308], "marking": {}}, "\\boxed{1}", None
)
def test_any_request_has_a_response_that_is_json(scorer, record, reply, awarded):
    response = respond({"scorer": scorer, "record": record, "reply": reply, "marking": record, "awarded": awarded})
    assert "internal error" not in response.get("explanation", ""), response
    json.dumps(response)


@FUZZ
@given(st.binary(max_size=100))
def test_any_line_is_parsed_or_refused_with_a_sentence(line):
    try:
        parse_line(line)
    except ValueError as error:
        assert str(error)
