"""Draw the two expression trees of an EED comparison: what matched, changed, is missing, is too much.

A tree too wide for its column lies on its side: the root on the left, a line for each leaf.

Classes: `tree` (with `tree-wide` where even so it needs more room than a column), `edge`, `node matched|changed|
inserted|deleted`. A missing node is drawn in the reference's tree (`inserted`), a superfluous one in the answer's
(`deleted`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from leaderboard.rendering.edit_script import MAX_DEPTH, EditJson, Path, TreeJson, paths_below, read_script
from leaderboard.rendering.expression_words import node_text, part_text, split_index
from leaderboard.rendering.svg import Drawing

MAX_NODES = 400
LEVEL, RADIUS, GAP = 46, 15, 10
COLUMN = 440  # a wider drawing scrolls rather than shrinks; on a telephone letters of this one still have 11 px


@dataclass(frozen=True, slots=True)
class TreePair:
    """Both trees as SVG; a tree too large to draw gives a sentence instead."""

    target: SafeString
    answer: SafeString


@dataclass(slots=True)
class _Placed:
    """A node of the drawing: path in its tree, text, state, place."""

    path: Path
    label: str
    children: list[_Placed] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def text(self) -> str:
        text = node_text(self.label)
        return text if len(text) <= 12 else text[:11] + "…"

    @property
    def half_width(self) -> float:
        body, index = split_index(self.text)
        return max(RADIUS, 4.2 * len(body) + 3.2 * len(index) + 6)


def draw_trees(target_tree: TreeJson | None, answer_tree: TreeJson | None, edits: Sequence[EditJson]) -> TreePair:
    """The pair for the JSON of `scoring.eed` (details of a judgment). A missing tree gives an empty drawing."""
    script = read_script(target_tree, answer_tree, edits)
    return TreePair(
        _draw(target_tree, script.target, _("Reference")),
        _draw(answer_tree, script.answer, _("Answer")),
    )


def _draw(tree: TreeJson | None, states: Mapping[Path, str], name: str) -> SafeString:
    if tree is None:
        return mark_safe("")
    if sum(1 for _path in paths_below(tree, ())) > MAX_NODES or _depth(tree) > MAX_DEPTH:
        return mark_safe(f'<p class="muted">{_("This expression is too large to draw.")}</p>')
    root = _place(tree, (), 0)
    width = _spread(root)
    is_upright = width <= COLUMN
    if not is_upright:
        width = _lay_down(root)
    drawing = Drawing(width, _lowest(root) + RADIUS + 6)
    _draw_edges(drawing, root, is_upright)
    _draw_nodes(drawing, root, states)
    return drawing.to_svg(f"{name}: {part_text(tree)}", "tree tree-wide" if width > COLUMN else "tree")


def _depth(tree: TreeJson, depth: int = 1) -> int:
    if depth > MAX_DEPTH:
        return depth
    return max((_depth(child, depth + 1) for child in tree.get("children", ())), default=depth)


def _place(tree: TreeJson, path: Path, depth: int) -> _Placed:
    children = [_place(child, (*path, i), depth + 1) for i, child in enumerate(tree.get("children", ()))]
    return _Placed(path, str(tree["label"]), children, y=RADIUS + 4 + LEVEL * depth)


def _spread(root: _Placed) -> float:
    """Give each leaf its own column and set each parent over the middle of its children; returns the width."""
    right: dict[float, float] = {}  # per level: where its last node ends

    def visit(node: _Placed) -> None:
        for child in node.children:
            visit(child)
        wish = (node.children[0].x + node.children[-1].x) / 2 if node.children else 0.0
        node.x = max(wish, right.get(node.y, 0.0) + GAP + node.half_width)
        if node.children and node.x > wish:
            _shift(node, node.x - wish, right)
        right[node.y] = node.x + node.half_width

    visit(root)
    return max(right.values()) + GAP


def _shift(node: _Placed, distance: float, right: dict[float, float]) -> None:
    for child in node.children:
        child.x += distance
        right[child.y] = max(right.get(child.y, 0.0), child.x + child.half_width)
        _shift(child, distance, right)


def _lay_down(root: _Placed) -> float:
    """Give each leaf its own line, each parent the middle of its children, each level its column; returns the width."""
    rows = count()
    half_widths: list[float] = []  # the widest of each level

    def visit(node: _Placed, level: int) -> None:
        half_widths.extend([0.0] * (level + 1 - len(half_widths)))
        half_widths[level] = max(half_widths[level], node.half_width)
        for child in node.children:
            visit(child, level + 1)
        if node.children:
            node.y = (node.children[0].y + node.children[-1].y) / 2
        else:
            node.y = RADIUS + 4 + (2 * RADIUS + 4) * next(rows)

    def put(node: _Placed, level: int) -> None:
        node.x = GAP / 2 + sum(2 * half + 2 * GAP for half in half_widths[:level]) + half_widths[level]
        for child in node.children:
            put(child, level + 1)

    visit(root, 0)
    put(root, 0)
    return sum(2 * half + 2 * GAP for half in half_widths) - GAP


def _lowest(node: _Placed) -> float:
    return max((_lowest(child) for child in node.children), default=node.y)


def _draw_edges(drawing: Drawing, node: _Placed, is_upright: bool) -> None:
    for child in node.children:
        if is_upright:
            drawing.line(node.x, node.y + RADIUS - 3, child.x, child.y - RADIUS + 3, "edge")
        else:
            drawing.line(node.x + node.half_width, node.y, child.x - child.half_width, child.y, "edge")
        _draw_edges(drawing, child, is_upright)


def _draw_nodes(drawing: Drawing, node: _Placed, states: Mapping[Path, str]) -> None:
    state = states.get(node.path) or "matched"
    words = {"changed": _("changed"), "inserted": _("missing in the answer"), "deleted": _("not in the reference")}
    drawing.group(f"node {state}", f"{node_text(node.label)}: {words[state]}" if state in words else "")
    if node.half_width > RADIUS:
        drawing.pill(node.x, node.y, node.half_width, RADIUS)
    else:
        drawing.circle(node.x, node.y, RADIUS)
    drawing.symbol(node.x, node.y + 5, *split_index(node.text))
    drawing.end()
    for child in node.children:
        _draw_nodes(drawing, child, states)
