"""Edits in words, as a marker would tell them: "coefficient 4 became 2". Each with its share of the distance.

Edits lead from the answer to the reference; the words tell it the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.rendering.edit_script import EditJson, Path, TreeJson, node_at, path_of, read_script
from leaderboard.rendering.expression_words import node_text, part_text

MINUS = "number_-1"
NO_RELATION = "function_statement"  # a bare expression beside an equation or inequality


@dataclass(frozen=True, slots=True)
class EditLine:
    """One change. cost: its share of the distance; None where it was stored without."""

    text: str
    cost: float | None = None


def describe_edits(
    target_tree: TreeJson | None, answer_tree: TreeJson | None, edits: Sequence[EditJson]
) -> tuple[EditLine, ...]:
    """One line an edit; a factor, term, exponent or minus sign takes its operation along, as one does in speaking.

    A path that leads to no node is told without its role.
    """
    partners = read_script(target_tree, answer_tree, edits).partners
    singles = {(str(edit["op"]), path_of(edit)): edit for edit in edits}
    return tuple(_lines(target_tree, answer_tree, singles, partners))


def _lines(
    target_tree: TreeJson | None,
    answer_tree: TreeJson | None,
    edits: Mapping[tuple[str, Path], EditJson],
    partners: Mapping[Path, Path],
) -> Iterator[EditLine]:
    told: set[tuple[str, Path]] = set()
    for (operation, path), edit in edits.items():
        if (operation, path) in told:
            continue
        if operation == "rename":
            yield EditLine(_describe_rename(edit, target_tree, answer_tree, partners), _cost(edit))
            continue
        tree = target_tree if operation.startswith("insert") else answer_tree
        place = _operand(node_at(tree, path), [(operation, (*path, n)) in edits for n in (0, 1)])
        if place is None:
            yield EditLine(_tell(operation, _subject(edit, tree, path)), _cost(edit))
        else:
            key = (operation, (*path, place))
            told.add(key)
            yield EditLine(_tell(operation, _operand_text(node_at(tree, path) or {}, place)), _cost(edit, edits[key]))


def _operand(node: TreeJson | None, is_edited: Sequence[bool]) -> int | None:
    """Which of an operation's two children came or went with it, where just one did and it is a leaf."""
    children = node.get("children", ()) if node else ()
    if node is None or len(children) != 2 or sum(is_edited) != 1 or not str(node["label"]).startswith("operator"):
        return None
    place = int(is_edited[1])
    is_base = node["label"] == "operator_Pow" and place == 0
    return None if children[place].get("children") or is_base else place


def _operand_text(node: TreeJson, place: int) -> str:
    if place == 0 and _is_minus(node):
        return _minus(node)
    values = {"operand": node_text(str(node["children"][place]["label"])), "part": part_text(node)}
    if node["label"] == "operator_Pow":
        return _("exponent %(operand)s of %(part)s") % values
    if node["label"] == "operator_Add":
        return _("term %(operand)s of %(part)s") % values
    return _("factor %(operand)s of %(part)s") % values


def _cost(*edits: EditJson) -> float | None:
    costs = [edit.get("cost") for edit in edits]
    return None if None in costs else sum(float(cost) for cost in costs if cost is not None)


def _describe_rename(
    edit: EditJson, target_tree: TreeJson | None, answer_tree: TreeJson | None, partners: Mapping[Path, Path]
) -> str:
    """Of both nodes the place in their own tree counts: a quantity may have become an exponent."""
    path = path_of(edit)
    old, new = str(edit.get("to")), str(edit.get("from"))
    if NO_RELATION in (old, new):
        relation = _("relation %(sign)s") % {"sign": node_text(new if old == NO_RELATION else old)}
        return _tell("delete" if old == NO_RELATION else "insert", relation)
    there = partners.get(path)
    if there is None:  # the trees are not there, or too deep to follow
        old_role, new_role = role(None, (), old), role(None, (), new)
    else:
        old_role, new_role = role(target_tree, there, old), role(answer_tree, path, new)
    values = {"what": old_role, "old": node_text(old), "new": node_text(new), "new_what": new_role}
    if old_role == new_role:
        return _("%(what)s %(old)s became %(new)s") % values
    return _("%(what)s %(old)s became %(new_what)s %(new)s") % values


def _tell(operation: str, what: str) -> str:
    if operation.startswith("insert"):
        return _("%(what)s is missing") % {"what": what}
    return _("%(what)s is not in the reference") % {"what": what}


def _subject(edit: EditJson, tree: TreeJson | None, path: Path) -> str:
    operation = str(edit["op"])
    label = str(edit.get("to") if operation.startswith("insert") else edit.get("from"))
    node = node_at(tree, path)
    if operation.endswith("_tree"):
        return _("part %(part)s") % {"part": part_text(node) if node else node_text(label)}
    product = node_at(tree, path[:-1]) if label == MINUS and path[-1:] == (0,) else None
    if product is not None and _is_minus(product):
        return _minus(product)
    if label.startswith("operator") and node is not None:
        values = {"sign": node_text(label), "part": part_text(node)}
        return _("operation %(sign)s of %(part)s") % values
    return f"{role(tree, path, label)} {node_text(label)}"


def _is_minus(node: TreeJson) -> bool:
    """Whether a product begins with the factor -1, which is how a minus sign stands in a tree."""
    children = node.get("children", ())
    return node["label"] == "operator_Mul" and len(children) > 1 and children[0]["label"] == MINUS


def _minus(product: TreeJson) -> str:
    factors = product["children"][1:]
    rest = factors[0] if len(factors) == 1 else {"label": product["label"], "children": factors}
    return _("minus sign before %(part)s") % {"part": part_text(rest)}


def role(tree: TreeJson | None, path: Path, label: str) -> str:
    """What a node is to its parent: coefficient, exponent, base, constant, function, relation, operation, quantity."""
    kind, _underscore, name = label.partition("_")
    parent = node_at(tree, path[:-1]) if path else None
    parent_name = str(parent["label"]).partition("_")[2] if parent else ""
    if parent_name == "Pow" and path[-1] == 1:
        return _("exponent")
    if kind == "number":
        return {"Mul": _("coefficient"), "Pow": _("base")}.get(parent_name, _("constant"))
    if kind == "function" and name.startswith("statement"):
        return _("relation")
    return {"function": _("function"), "operator": _("operation")}.get(kind, _("quantity"))
