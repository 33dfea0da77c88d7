"""Expression trees in words: what a node is called, how a part reads, what each edit did.

Trees are the JSON of `scoring.eed`: {"label": "operator_Add", "children": [...]}. Edits lead from the answer to the
reference; the words tell it the other way round, as a marker would: "coefficient 4 became 2".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

TreeJson = Mapping[str, Any]
EditJson = Mapping[str, Any]
Path = tuple[int, ...]

OPERATORS = {"Add": "+", "Mul": "×", "Pow": "^"}
LONGEST = 60
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK = dict(zip(_GREEK_NAMES.split(), _GREEK_LETTERS, strict=True))
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
GREEK |= {"varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "varrho": "ϱ", "hbar": "ℏ", "ell": "ℓ"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
CONSTANTS = {"pi": "π", "E": "e", "oo": "∞", "-oo": "−∞"}


def node_text(label: str) -> str:
    """What stands in a node: `symbol_theta_0` is θ₀, `operator_Mul` ×, `number_-1/2` −1/2."""
    kind, _underscore, name = label.partition("_")
    if kind == "operator":
        return OPERATORS.get(name, name)
    if kind == "number":
        return CONSTANTS.get(name, name.replace("-", "−", 1))
    return _symbol_text(name) if kind == "symbol" else name or label


def _symbol_text(name: str) -> str:
    head, _underscore, index = name.replace("\\", "").replace("{", "").replace("}", "").partition("_")
    head, index = GREEK.get(head, head), GREEK.get(index, index)
    if not index:
        return head
    return head + index.translate(SUBSCRIPTS) if index.isdigit() else f"{head}_{index}"


def part_text(tree: TreeJson) -> str:
    """A subtree as a line of mathematics, cut where it is long."""
    text = _infix(tree, 0, 0)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _infix(tree: TreeJson, outer: int, depth: int) -> str:
    """outer: 0 anything, 1 inside a product, 2 inside a power: decides about brackets."""
    label, children = str(tree["label"]), tree.get("children", ())
    if depth > 12:
        return "…"
    name = label.partition("_")[2]
    if not children:
        text = node_text(label)
        return f"({text})" if outer == 2 and ("/" in text or text.startswith("−")) else text
    if name == "Add":
        text = " + ".join(_infix(child, 0, depth + 1) for child in children).replace("+ −", "− ")
        return f"({text})" if outer else text
    if name == "Mul":
        factors = [_infix(child, 1, depth + 1) for child in children]
        text = "·".join(factors[1:] if factors[0] == "−1" and len(factors) > 1 else factors)
        text = "−" + text if factors[0] == "−1" and len(factors) > 1 else text
        return f"({text})" if outer == 2 else text
    if name == "Pow" and len(children) == 2:
        return f"{_infix(children[0], 2, depth + 1)}^{_infix(children[1], 2, depth + 1)}"
    return f"{node_text(label)}({', '.join(_infix(child, 0, depth + 1) for child in children)})"


def describe_edits(target_tree: TreeJson | None, answer_tree: TreeJson | None, edits: Sequence[EditJson]) -> list[str]:
    """One sentence an edit. An edit whose path does not lead to a node is told without its role."""
    return [_describe(edit, target_tree, answer_tree) for edit in edits]


def _describe(edit: EditJson, target_tree: TreeJson | None, answer_tree: TreeJson | None) -> str:
    path: Path = tuple(edit.get("path") or ())
    operation = str(edit["op"])
    tree = target_tree if operation.startswith("insert") else answer_tree
    reference, answer = edit.get("to"), edit.get("from")
    if operation == "rename" and reference and answer:
        values = {"what": role(tree, path, str(answer)), "old": node_text(reference), "new": node_text(answer)}
        return _("%(what)s %(old)s became %(new)s") % values
    label = str(reference if operation.startswith("insert") else answer)
    if operation.endswith("_tree"):
        node = node_at(tree, path)
        what = _("part %(part)s") % {"part": part_text(node) if node else node_text(label)}
    else:
        what = f"{role(tree, path, label)} {node_text(label)}"
    if operation.startswith("insert"):
        return _("%(what)s is missing") % {"what": what}
    return _("%(what)s is not in the reference") % {"what": what}


def role(tree: TreeJson | None, path: Path, label: str) -> str:
    """What a node is to its parent: coefficient, exponent, constant, function, operation, quantity."""
    kind = label.partition("_")[0]
    parent = node_at(tree, path[:-1]) if path else None
    parent_name = str(parent["label"]).partition("_")[2] if parent else ""
    if parent_name == "Pow" and path[-1] == 1:
        return _("exponent")
    if kind == "number":
        return _("coefficient") if parent_name == "Mul" else _("constant")
    return {"function": _("function"), "operator": _("operation")}.get(kind, _("quantity"))


def node_at(tree: TreeJson | None, path: Path) -> TreeJson | None:
    for step in path:
        children = tree.get("children", ()) if tree else ()
        if not 0 <= step < len(children):
            return None
        tree = children[step]
    return tree
