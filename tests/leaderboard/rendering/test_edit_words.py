"""Edits told in words: true to the trees, adding up to the distance, as a marker would say them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rendering.edit_script import node_at, read_script
from leaderboard.rendering.edit_words import describe_edits
from leaderboard.rendering.expression_words import node_text
from scoring import pool
from scoring.eed import score_eed

PAIRS = Path(__file__).resolve().parents[3] / "../shared/oracle/eed_pairs.jsonl"


def tell(target: str, answer: str) -> list[str]:
    details = json.loads(json.dumps(score_eed(target, answer).as_json()))  # after a journey through the database
    lines = describe_edits(details["target_tree"], details["answer_tree"], details["edits"])
    assert sum(line.cost or 0.0 for line in lines) == pytest.approx(details["distance"])
    return [line.text for line in lines]


@pytest.mark.parametrize(
    ("target", "answer", "sentences"),
    [
        ("4 m g", "2 m g", ["coefficient 4 became 2"]),
        ("x^2", "x^3", ["exponent 2 became 3"]),
        (r"\sin x", r"\cos x", ["function sin became cos"]),
        ("x + 1", "x + 2", ["constant 1 became 2"]),
        ("a b", "a c", ["quantity b became c"]),
        ("x", "x + y", ["term y of x + y is not in the reference"]),
        ("2 x", "x", ["factor 2 of 2·x is missing"]),
        ("2 x y", "x y", ["coefficient 2 is missing"]),
        ("v^2", "v", ["exponent 2 of v^2 is missing"]),
        ("a b", "-a b", ["minus sign before a·b is not in the reference"]),
        ("-x", "x", ["minus sign before x is missing"]),
        ("x + 1", r"y \le x + 1", ["relation ≤ is not in the reference", "quantity y is not in the reference"]),
        ("a + b - c", "a + b + c", ["minus sign before c is missing"]),
        (r"\sqrt[3]{6}", r"\sqrt[3]{2}", ["base 6 became 2"]),
        ("a^n b c", "2 b c", ["coefficient 2 is not in the reference", "part a^n is missing"]),
        ("x", "x + y^2 z", ["operation + of x + z·y^2 is not in the reference", "part z·y^2 is not in the reference"]),
    ],
)
def test_edits_are_told_as_a_marker_would(target: str, answer: str, sentences: list[str]) -> None:
    assert sorted(tell(target, answer)) == sorted(sentences)


def test_a_node_that_changed_its_place_is_told_with_both_roles() -> None:
    (first, *_rest) = tell(r"\frac{m_1 m_2}{m_1+m_2} g", r"\frac{m_1 + m_2}{m_1 m_2} g")
    assert first == "operation × became +"
    assert "quantity m₂ became exponent −1" in _rest


def test_an_edit_that_leads_nowhere_is_told_without_its_role() -> None:
    lines = describe_edits(None, None, [{"op": "rename", "from": "number_1", "to": "number_2", "path": [9, 9]}])
    assert [(line.text, line.cost) for line in lines] == [("constant 2 became 1", None)]


@pytest.mark.skipif(not PAIRS.exists(), reason="../shared/oracle is not here")
def test_words_are_true_to_the_trees_of_real_pairs() -> None:
    """Applied to the answer's tree the edits give the reference's, and every line names what stands there."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    wrong = [row for row in rows if row["truth"] == "wrong"][::4]
    n_lines = 0
    for row in wrong:
        found = pool.get_pool().score({"scorer": "eed", "target": row["gt"], "answer": row["gen"]})
        if not found.get("edits"):
            continue
        script = read_script(found["target_tree"], found["answer_tree"], found["edits"])
        check_partners(script.partners, found)
        lines = describe_edits(found["target_tree"], found["answer_tree"], found["edits"])
        assert sum(line.cost or 0.0 for line in lines) == pytest.approx(found["distance"]), row["id"]
        renames = [edit for edit in found["edits"] if edit["op"] == "rename"]
        told = [line.text for line in lines if " became " in line.text]
        assert len(told) == len(renames)
        for edit, text in zip(renames, told, strict=True):
            old, new = text.split(" became ")
            assert old.endswith(node_text(edit["to"])) and new.endswith(node_text(edit["from"])), row["id"]
        n_lines += len(lines)
    assert n_lines > 100


def check_partners(partners: Any, found: Any) -> None:
    renamed = {tuple(edit["path"]): (edit["from"], edit["to"]) for edit in found["edits"] if edit["op"] == "rename"}
    assert partners
    for here, there in partners.items():
        labels = node_at(found["answer_tree"], here)["label"], node_at(found["target_tree"], there)["label"]  # type: ignore[index]
        assert labels == renamed.get(here, (labels[0], labels[0])), (here, there)
