"""Expression trees drawn and told."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from leaderboard.rendering.edit_script import read_script
from leaderboard.rendering.eed_tree import draw_trees
from leaderboard.rendering.expression_words import node_text, part_text
from scoring.eed import score_eed


def pair(target: str, answer: str) -> dict:
    """What a judgment's details hold, after a journey through JSON."""
    return json.loads(json.dumps(score_eed(target, answer).as_json()))


def tree(label: str, *children: dict) -> dict:
    return {"label": label, "children": list(children)}


def test_a_changed_node_is_marked_in_both_trees() -> None:
    details = pair("4 m g", "2 m g")
    drawn = draw_trees(details["target_tree"], details["answer_tree"], details["edits"])
    assert 'class="node changed"' in drawn.target and 'class="node changed"' in drawn.answer


def test_states_of_both_trees_follow_the_edits() -> None:
    target = tree("operator_Mul", tree("number_4"), tree("symbol_x"))
    answer = tree("operator_Mul", tree("number_2"), tree("symbol_x"), tree("symbol_y"))
    edits = [
        {"op": "rename", "from": "number_2", "to": "number_4", "path": [0]},
        {"op": "delete", "from": "symbol_y", "to": None, "path": [2]},
    ]
    script = read_script(target, answer, edits)
    assert (script.target, script.answer) == ({(0,): "changed"}, {(0,): "changed", (2,): "deleted"})
    assert script.partners == {(0,): (0,), (1,): (1,), (): ()}


def test_a_moved_subtree_is_marked_whole() -> None:
    target = tree("operator_Add", tree("symbol_x"), tree("function_sin", tree("symbol_t")))
    answer = tree("symbol_x")
    edits = [{"op": "insert_tree", "from": None, "to": "function_sin", "path": [1]}]
    assert read_script(target, answer, edits).target == {(1,): "inserted", (1, 0): "inserted"}


def test_drawing_is_well_formed_and_every_node_is_there() -> None:
    details = pair(r"\frac{a_0}{\sqrt{1 - v^2/c^2}} + b", r"a_0 \sqrt{1 + v^2/c^2}")
    drawn = draw_trees(details["target_tree"], details["answer_tree"], details["edits"])
    root = ElementTree.fromstring(drawn.target)
    assert root.attrib["role"] == "img"
    assert len(root.findall(".//text")) == details["size"]


def test_nodes_do_not_cover_each_other() -> None:
    wide = tree(
        "operator_Add", *[tree("operator_Mul", tree(f"symbol_quantity_{n}"), tree("symbol_y")) for n in range(6)]
    )
    root = ElementTree.fromstring(draw_trees(wide, None, []).target)
    assert root.attrib["class"] == "tree tree-wide"
    by_level: dict[str, list[tuple[float, float]]] = {}
    for shape in (*root.iter("rect"), *root.iter("circle")):
        a = shape.attrib
        left = float(a["x"]) if "x" in a else float(a["cx"]) - float(a["r"])
        right = left + (float(a["width"]) if "width" in a else 2 * float(a["r"]))
        level = str(float(a["y"]) + float(a["height"]) / 2 if "y" in a else float(a["cy"]))
        by_level.setdefault(level, []).append((left, right))
    for boxes in by_level.values():
        boxes.sort()
        assert all(a[1] <= b[0] for a, b in zip(boxes, boxes[1:]))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("symbol_theta_0", "θ₀"),
        ("number_-1/2", "−1/2"),
        ("operator_Mul", "×"),
        ("function_sin", "sin"),
        ("number_pi", "π"),
        ("symbol_dot vec x_1", "x⃗̇₁"),
        ("symbol_d varphi", "dφ"),
        ("symbol_partial f", "∂f"),
        ("symbol_phi", "ϕ"),
        ("function_log", "ln"),
        ("function_statement<=", "≤"),
    ],
)
def test_names_of_nodes(label: str, text: str) -> None:
    assert node_text(label) == text


def test_a_part_reads_as_mathematics() -> None:
    base = tree("operator_Add", tree("symbol_x"), tree("number_1"))
    assert part_text(tree("operator_Pow", base, tree("number_2"))) == "(x + 1)^2"


def test_huge_and_deep_trees_give_a_sentence_instead() -> None:
    deep = tree("symbol_x")
    for _ in range(500):
        deep = tree("function_sin", deep)
    wide = tree("operator_Add", *[tree("symbol_x")] * 1000)
    for huge in (deep, wide):
        assert "too large" in draw_trees(huge, huge, []).target


def test_missing_trees_do_no_harm() -> None:
    drawn = draw_trees(None, None, [{"op": "rename", "from": "number_1", "to": "number_2", "path": [9, 9]}])
    assert drawn.target == "" and drawn.answer == ""
