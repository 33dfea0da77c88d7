"""YES or NO: the answer line, the plain closing sentence, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.yes_no import extract_yes_no

SHARED = Path(__file__).resolve().parents[2] / "../shared"


def read_rows(name: str) -> list[dict[str, str]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_coinflip_row_of_the_oracle_comes_out_right() -> None:
    for row in read_rows("oracle/coinflip.jsonl"):
        assert (extract_yes_no(row["reply"]).answer or "none") == row["right_label"], row["reply"]


def test_the_real_replies_give_the_published_accuracy() -> None:
    rows = read_rows("data/replies/coin_flip_gpt3_zero_shot_cot.jsonl")
    right = sum((extract_yes_no(row["reply"]).answer or "").lower() == row["answer"] for row in rows)
    assert right / len(rows) == 0.914


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("ANSWER: UNKNOWN", None),
        ("ANSWER: NO", "NO"),
        ("ANSWER: No", "NO"),
        ("ANSWER: YES, NOT no", "YES"),
        ("The coin is NOT flipped", None),
        ("Jeff does NOT flip the coin.", None),
        ("So the answer is no.", "NO"),
        ("the coin is still heads up", "YES"),
        ("Therefore, the coin is no longer heads up.", "NO"),
        ("So the coin is not heads up.", "NO"),
        ("So the coin is not still heads up.", "NO"),
        ("The coin is now tails up.", "NO"),
        ("ANSWER: the coin is still heads up", "YES"),
        ("ANSWER: The coin is tails up.", "NO"),
        ("**ANSWER:** *yes*", "YES"),
        ("ANSWER: (YES)", "YES"),
        ("ANSWER:\u200b \u202eYES", "YES"),
        ("ANSWER: [NO]", "NO"),
        ("ANSWER: <YES>", "YES"),
        ("ANSWER - YES\nANSWER： no。", "NO"),
        ("answer: `yes`", "YES"),
        ("Final Answer: NO", "NO"),
        (r"ANSWER: \(\boxed{\text{No}}\)", "NO"),
        ("ANSWER: It is NO", "NO"),
        ("ANSWER: YES or NO", None),
        ("ANSWER: YES/NO", None),
        ("ANSWER: YES|NO", None),
        ("ANSWER: NOBODY knows", None),
        ("ANSWER: NONE", None),
        ("ANSWER: NO IDEA", None),
        ("ANSWER: YESTERDAY", None),
        ("ANSWER: maybe", None),
        ("ANSWER: YES\nANSWER: UNKNOWN", None),
        ("ANSWER: YES\nPut it as ANSWER: [ANSWER]", "YES"),
        ("<think>ANSWER: YES</think>", "YES"),
        ("<think>ANSWER: YES</think> I cannot say.", None),
        ("<think>ANSWER: YES", None),
        ("Yes.", "YES"),
        ("no", "NO"),
        ("No, it is tails up.", "NO"),
        ("Nothing is known.", None),
        ("Notably, the coin was flipped.", None),
        ("I think it might be heads.", None),
        ("Is the coin heads up or tails up?", None),
        ("The coin is either heads up or tails up.", None),
        (r"\boxed{YES}", "YES"),
        (r"We get \boxed{42}", None),
        ("", None),
    ],
)
def test_only_a_plain_statement_counts(reply: str, answer: str | None) -> None:
    assert extract_yes_no(reply).answer == answer


def test_the_span_is_that_of_the_word() -> None:
    reply = "<think>no</think> ANSWER: **Yes**."
    found = extract_yes_no(reply)
    assert found.span and reply[found.span[0] : found.span[1]] == "Yes"


@pytest.mark.parametrize(
    "piece", ["ANSWER: ", "answer", "the coin is ", "is ", "so ", "\n", "no ", "*", "\\boxed{", "answer to a ", ". "]
)
def test_two_megabytes_of_hostile_text_end_with_an_outcome(piece: str) -> None:
    """A quadratic search would run for hours here and meet the suite's own time limit."""
    assert extract_yes_no(piece * (2_000_000 // len(piece))).answer in (None, "NO")
