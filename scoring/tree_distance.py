"""Extended Zhang-Shasha distance between ordered trees: single edits and moves of whole subtrees.

Costs as in PHYBench (arXiv:2504.16074): insert, delete and rename cost 1; a subtree of s nodes costs 1 for s = 1,
else min(s, 0.6 (s - 5) + 5). The transformation goes from the answer to the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tree:
    """label: kind and text, e.g. operator_Add, symbol_x, number_1/2, function_sin."""

    label: str
    children: tuple[Tree, ...] = ()

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)

    def as_json(self) -> dict[str, Any]:
        return {"label": self.label, "children": [child.as_json() for child in self.children]}


@dataclass(frozen=True, slots=True)
class Edit:
    """op: rename, insert, delete, insert_tree or delete_tree.

    source, target: label before and after, None where there is none (for trees: the label of the root).
    path: child numbers from the root, in the answer's tree for rename and delete, in the target's tree for insert.
    cost: its share of the distance.
    """

    op: str
    source: str | None
    target: str | None
    path: tuple[int, ...]
    cost: float = 1.0

    def as_json(self) -> dict[str, Any]:
        return {"op": self.op, "from": self.source, "to": self.target, "path": list(self.path), "cost": self.cost}


@dataclass(frozen=True, slots=True)
class FlatTree:
    """A tree in post-order, nodes numbered from 1 (index 0 is unused): label, left-most leaf, path, key roots."""

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]
    key_roots: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.labels) - 1


def flatten(tree: Tree) -> FlatTree:
    labels, leftmost = [""], [0]
    paths: list[tuple[int, ...]] = [()]

    def visit(node: Tree, path: tuple[int, ...]) -> int:
        first = 0
        for place, child in enumerate(node.children):
            leaf = visit(child, (*path, place))
            first = first or leaf
        labels.append(node.label)
        leftmost.append(first or len(labels) - 1)
        paths.append(path)
        return leftmost[-1]

    visit(tree, ())
    highest = {leaf: place for place, leaf in enumerate(leftmost) if place}
    return FlatTree(tuple(labels), tuple(leftmost), tuple(paths), tuple(sorted(highest.values())))


def subtree_cost(size: int) -> float:
    """Price of inserting or deleting a whole subtree."""
    return 1.0 if size == 1 else min(float(size), 0.6 * (size - 5) + 5)


Table = list[list[float]]
# Price of a rename within a kind (number, symbol, operator, function) and across two. The second pair decides between
# lists of edits of one price, as prices are 0.2 apart: few renames, and those of like into like.
RENAME = (1.0, 1.0)
LEAST_RENAMES = (1.0 + 1e-6, 1.0 + 2e-6)


def tree_distance(answer: FlatTree, target: FlatTree) -> float:
    return subtree_distances(answer, target)[answer.size][target.size]


def subtree_distances(answer: FlatTree, target: FlatTree, rename: tuple[float, float] = RENAME) -> Table:
    """Distance of every subtree of the answer (row) to every subtree of the target (column), by post-order number."""
    table: Table = [[0.0] * (target.size + 1) for _ in range(answer.size + 1)]
    drops = [subtree_cost(place - leaf + 1) if place else 0.0 for place, leaf in enumerate(answer.leftmost)]
    gains = [subtree_cost(place - leaf + 1) if place else 0.0 for place, leaf in enumerate(target.leftmost)]
    for x in answer.key_roots:
        for y in target.key_roots:
            _fill(answer, target, x, y, table, drops, gains, rename)
    return table


def _fill(
    answer: FlatTree,
    target: FlatTree,
    x: int,
    y: int,
    table: Table,
    drops: Sequence[float],
    gains: Sequence[float],
    rename: tuple[float, float],
) -> Table:
    """Forest distances of the trees rooted at x and y; row and column k stand for the first k nodes of each."""
    left_x, left_y = answer.leftmost[x], target.leftmost[y]
    shift_x, shift_y = left_x - 1, left_y - 1
    rows, columns = x - shift_x + 1, y - shift_y + 1
    forest: Table = [[0.0] * columns for _ in range(rows)]
    first = forest[0]
    before_columns = [target.leftmost[shift_y + j] - left_y if j else 0 for j in range(columns)]
    for j in range(1, columns):
        first[j] = first[before_columns[j]] + gains[shift_y + j]
    for i in range(1, rows):
        node = shift_x + i
        before = answer.leftmost[node] - left_x
        is_tree_x = before == 0
        drop, label, distances = drops[node], answer.labels[node], table[node]
        row, above, far = forest[i], forest[i - 1], forest[before]
        row[0] = far[0] + drop
        for j in range(1, columns):
            other = shift_y + j
            back = before_columns[j]
            best = min(above[j] + 1, row[j - 1] + 1, far[j] + drop, row[back] + gains[other])
            if is_tree_x and back == 0:
                last = above[j - 1]
                if label != target.labels[other]:
                    last += _rename_price(label, target.labels[other], rename)
                row[j] = distances[other] = last if last < best else best
            else:
                last = far[back] + distances[other]
                row[j] = last if last < best else best
    return forest


def _rename_price(label: str, other: str, rename: tuple[float, float]) -> float:
    """Labels begin with their kind, and no two kinds with one letter."""
    if label == other:
        return 0.0
    return rename[0] if label[:1] == other[:1] else rename[1]


def find_edits(answer: FlatTree, target: FlatTree) -> tuple[Edit, ...]:
    """A cheapest list of edits, in the order of the answer's nodes; where prices tie, one with the fewest renames.

    So a term that only moved is told as removed and put back, not as renamed into its neighbour.
    """
    table = subtree_distances(answer, target, LEAST_RENAMES)
    drops = [subtree_cost(place - leaf + 1) if place else 0.0 for place, leaf in enumerate(answer.leftmost)]
    gains = [subtree_cost(place - leaf + 1) if place else 0.0 for place, leaf in enumerate(target.leftmost)]
    edits: list[Edit] = []
    pending = [(answer.size, target.size)]
    while pending:
        x, y = pending.pop()
        forest = _fill(answer, target, x, y, table, drops, gains, LEAST_RENAMES)
        pending.extend(_walk_back(answer, target, x, y, forest, table, (drops, gains), edits))
    return tuple(sorted(edits, key=lambda edit: (edit.path, edit.op)))


def _walk_back(
    answer: FlatTree,
    target: FlatTree,
    x: int,
    y: int,
    forest: Table,
    table: Table,
    prices: tuple[Sequence[float], Sequence[float]],
    edits: list[Edit],
) -> list[tuple[int, int]]:
    """Follow one cheapest way from the full forests to nothing; returns pairs of subtrees still to be compared."""
    drops, gains = prices
    left_x, left_y = answer.leftmost[x], target.leftmost[y]
    i, j = x - left_x + 1, y - left_y + 1
    pairs: list[tuple[int, int]] = []
    while i or j:
        node, other = left_x - 1 + i, left_y - 1 + j
        before = answer.leftmost[node] - left_x if i else 0
        back = target.leftmost[other] - left_y if j else 0
        value = forest[i][j]
        if i and j and before == 0 and back == 0:
            cost = _rename_price(answer.labels[node], target.labels[other], LEAST_RENAMES)
            if _same(value, forest[i - 1][j - 1] + cost):
                if cost:
                    edits.append(Edit("rename", answer.labels[node], target.labels[other], answer.paths[node]))
                i, j = i - 1, j - 1
                continue
        elif i and j and _same(value, forest[before][back] + table[node][other]):
            pairs.append((node, other))
            i, j = before, back
            continue
        if i and _same(value, forest[before][j] + drops[node]):  # a part is told as one, not node by node
            edits.append(_tree_edit("delete", answer, node, i - before))
            i = before
        elif j and _same(value, forest[i][back] + gains[other]):
            edits.append(_tree_edit("insert", target, other, j - back))
            j = back
        elif i and _same(value, forest[i - 1][j] + 1):
            edits.append(Edit("delete", answer.labels[node], None, answer.paths[node]))
            i -= 1
        else:
            edits.append(Edit("insert", None, target.labels[other], target.paths[other]))
            j -= 1
    return pairs


def _tree_edit(op: str, tree: FlatTree, node: int, size: int) -> Edit:
    name = op if size == 1 else f"{op}_tree"
    label = tree.labels[node]
    source, new = (label, None) if op == "delete" else (None, label)
    return Edit(name, source, new, tree.paths[node], subtree_cost(size))


def _same(one: float, other: float) -> bool:
    return abs(one - other) < 1e-9
