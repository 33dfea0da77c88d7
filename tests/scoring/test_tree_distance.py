"""The extended Zhang-Shasha distance: prices, subtree moves, and edits that add up to the distance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.tree_distance import Edit, Tree, find_edits, flatten, subtree_cost, tree_distance


def tree(label: str, *children: Tree) -> Tree:
    return Tree(label, children)


def distance(answer: Tree, target: Tree) -> float:
    return tree_distance(flatten(answer), flatten(target))


def subtree_at(root: Tree, path: tuple[int, ...]) -> Tree:
    for place in path:
        root = root.children[place]
    return root


def price(edit: Edit, answer: Tree, target: Tree) -> float:
    if not edit.op.endswith("_tree"):
        return 1.0
    return subtree_cost(subtree_at(answer if edit.op == "delete_tree" else target, edit.path).size)


CHAIN = tree("a", tree("b", tree("c", tree("d", tree("e", tree("f", tree("g")))))))
TREES = st.recursive(
    st.sampled_from("abc").map(Tree),
    lambda children: st.builds(
        lambda label, below: Tree(label, tuple(below)), st.sampled_from("abc"), st.lists(children, max_size=3)
    ),
    max_leaves=8,
)


def test_equal_trees_have_no_distance() -> None:
    assert distance(CHAIN, CHAIN) == 0
    assert find_edits(flatten(CHAIN), flatten(CHAIN)) == ()


def test_a_renamed_node_costs_one() -> None:
    assert distance(tree("x", tree("y")), tree("x", tree("z"))) == 1


def test_a_large_subtree_is_cheaper_than_its_nodes() -> None:
    assert [subtree_cost(size) for size in (1, 2, 5, 6, 10)] == [1.0, 2.0, 5.0, 5.6, 8.0]
    big = tree("m", *(tree(f"leaf {place}") for place in range(9)))
    assert distance(tree("r", tree("x")), tree("r", tree("x"), big)) == 8.0


def test_an_inserted_subtree_is_told_with_its_place_in_the_target() -> None:
    big = tree("m", *(tree(f"leaf {place}") for place in range(9)))
    edits = find_edits(flatten(tree("r", tree("x"))), flatten(tree("r", tree("x"), big)))
    assert edits == (Edit("insert_tree", None, "m", (1,), 8.0),)


def test_a_rename_is_told_with_its_place_in_the_answer() -> None:
    edits = find_edits(flatten(tree("r", tree("x"), tree("y"))), flatten(tree("r", tree("x"), tree("z"))))
    assert [edit.as_json() for edit in edits] == [{"op": "rename", "from": "y", "to": "z", "path": [1], "cost": 1.0}]


def test_a_child_that_moved_is_told_as_moved_and_not_as_renamed() -> None:
    edits = find_edits(flatten(tree("r", tree("x"), tree("y"))), flatten(tree("r", tree("y"), tree("z"))))
    assert {(edit.op, edit.source, edit.target) for edit in edits} == {("delete", "x", None), ("insert", None, "z")}


@pytest.mark.parametrize("children", [("number_2", "symbol_z"), ("symbol_z", "number_2")])
def test_of_two_renames_the_one_of_like_into_like_is_told(children: tuple[str, str]) -> None:
    edits = find_edits(flatten(tree("r", *map(tree, children))), flatten(tree("r", tree("number_1"))))
    told = {(edit.op, edit.source, edit.target) for edit in edits}
    assert told == {("rename", "number_2", "number_1"), ("delete", "symbol_z", None)}


@settings(max_examples=150, deadline=None)
@given(TREES, TREES)
def test_edits_add_up_to_the_distance(answer: Tree, target: Tree) -> None:
    edits = find_edits(flatten(answer), flatten(target))
    assert [edit.cost for edit in edits] == [price(edit, answer, target) for edit in edits]
    assert abs(sum(edit.cost for edit in edits) - distance(answer, target)) < 1e-9


@settings(max_examples=100, deadline=None)
@given(TREES, TREES)
def test_distance_is_zero_for_equal_trees_only(answer: Tree, target: Tree) -> None:
    assert (distance(answer, target) == 0) == (answer == target)
