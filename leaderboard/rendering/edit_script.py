"""An edit script read against its two trees: what becomes of each node, and which nodes correspond.

Trees are the JSON of `scoring.eed`: {"label": "operator_Add", "children": [...]}; edits lead from the answer to the
reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TreeJson = Mapping[str, Any]
EditJson = Mapping[str, Any]
Path = tuple[int, ...]

MAX_DEPTH = 60
STATES = {"rename": "changed", "insert": "inserted", "delete": "deleted"}


@dataclass(frozen=True, slots=True)
class Script:
    """target, answer: the state of each node that an edit touches, by path: changed, inserted, deleted.

    partners: the reference's path of each node of the answer that remains.
    """

    target: Mapping[Path, str]
    answer: Mapping[Path, str]
    partners: Mapping[Path, Path]


def read_script(target_tree: TreeJson | None, answer_tree: TreeJson | None, edits: Sequence[EditJson]) -> Script:
    """An edit names a changed node in the answer only; its partner is found because what remains on both sides, taken
    in post-order, corresponds one to one."""
    target: dict[Path, str] = {}
    answer: dict[Path, str] = {}
    for edit in edits:
        operation, path = str(edit["op"]), path_of(edit)
        tree, states = (target_tree, target) if operation.startswith("insert") else (answer_tree, answer)
        state = STATES.get(operation.removesuffix("_tree"), "matched")
        if operation.endswith("_tree"):
            states.update(dict.fromkeys(paths_below(node_at(tree, path), path), state))
        else:
            states[path] = state
    mine = [p for p in paths_below(answer_tree, ()) if answer.get(p) != "deleted"]
    theirs = [p for p in paths_below(target_tree, ()) if target.get(p) != "inserted"]
    partners = dict(zip(mine, theirs, strict=True)) if len(mine) == len(theirs) else {}
    target.update({there: "changed" for here, there in partners.items() if answer.get(here) == "changed"})
    return Script(target, answer, partners)


def path_of(edit: EditJson) -> Path:
    return tuple(edit.get("path") or ())


def paths_below(tree: TreeJson | None, path: Path, depth: int = 0) -> Iterator[Path]:
    """Paths of a subtree's nodes in post-order, down to MAX_DEPTH."""
    if tree is None or depth > MAX_DEPTH:
        return
    for index, child in enumerate(tree.get("children", ())):
        yield from paths_below(child, (*path, index), depth + 1)
    yield path


def node_at(tree: TreeJson | None, path: Path) -> TreeJson | None:
    for step in path:
        children = tree.get("children", ()) if tree else ()
        if not 0 <= step < len(children):
            return None
        tree = children[step]
    return tree
