"""Expression trees drawn and told."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from leaderboard.rendering.edit_script import read_script
from leaderboard.rendering.eed_tree import draw_trees
from leaderboard.rendering.expression_words import node_text, part_text, set_indices
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


def read_boxes(svg: str) -> list[tuple[float, float, float, float]]:
    """left, top, right, bottom of every node."""
    boxes = []
    root = ElementTree.fromstring(svg)
    for shape in (*root.iter("rect"), *root.iter("circle")):
        a = {name: float(value) for name, value in shape.attrib.items() if name != "class"}
        if "r" in a:
            boxes.append((a["cx"] - a["r"], a["cy"] - a["r"], a["cx"] + a["r"], a["cy"] + a["r"]))
        else:
            boxes.append((a["x"], a["y"], a["x"] + a["width"], a["y"] + a["height"]))
    return boxes


@pytest.mark.parametrize("terms", [2, 6, 40])
def test_nodes_do_not_cover_each_other(terms: int) -> None:
    products = [tree("operator_Mul", tree(f"symbol_quantity_{n}"), tree("symbol_y")) for n in range(terms)]
    svg = draw_trees(tree("operator_Add", *products), None, []).target
    boxes = read_boxes(svg)
    width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split()[2:])
    assert all(left >= 0 and top >= 0 and right <= width and bottom <= height for left, top, right, bottom in boxes)
    for n, one in enumerate(boxes):
        for other in boxes[n + 1 :]:
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_a_wide_tree_lies_on_its_side_and_fits_a_telephone() -> None:
    products = [tree("operator_Mul", tree(f"symbol_a_{n}"), tree("symbol_y")) for n in range(40)]
    root = ElementTree.fromstring(draw_trees(tree("operator_Add", *products), None, []).target)
    assert root.attrib["class"] == "tree" and float(root.attrib["width"]) < 360


def test_an_index_stands_low_in_a_node_and_in_words() -> None:
    assert '>m<tspan class="index" dy="4">e</tspan><' in draw_trees(tree("symbol_m_e"), None, []).target
    words = "minus sign before m_e·c^2 and k_+·x^(−1/2) <b>"
    assert set_indices(words) == (
        "minus sign before m<sub>e</sub>·c<sup>2</sup> and k<sub>+</sub>·x<sup>−1/2</sup> &lt;b&gt;"
    )


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
