"""The comparison of two expressions as a page shows it: both trees, what changed in words, and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from leaderboard.rendering.edit_words import describe_edits
from leaderboard.rendering.eed_tree import draw_trees
from leaderboard.rendering.expression_words import set_indices
from leaderboard.selectors.formats import print_points
from leaderboard.sentences import say_sentence

MOST_EDITS = 60  # listed in words; the trees show all


@dataclass(frozen=True, slots=True)
class EditView:
    """One change in words, and its price; empty where it was stored without."""

    text: SafeString
    price: str


@dataclass(frozen=True, slots=True)
class EedView:
    """Expression Edit Distance, ready to print. trees are empty where the expressions are equivalent or unread.

    n_more: changes beyond those listed. is_same_value: the distance lies in the statement around equal expressions.
    why: the scorer's own reason, where there are no trees to show it.
    """

    reference: SafeString
    answer: SafeString
    reference_tree: SafeString
    answer_tree: SafeString
    edits: tuple[EditView, ...]
    n_more: int
    is_same_value: bool
    is_equivalent: bool
    size: str
    distance: str
    relative: str
    score: str
    why: str


def view_eed(
    details: Mapping[str, Any], *, reference: SafeString, answer: SafeString, points: object, explanation: str
) -> EedView | None:
    """The view of a judgment's details, or of a scorer's response; None where no distance was measured.

    Never call it where the reference is withheld: its tree tells it.
    """
    found = details.get("details") or details
    if "distance" not in found or "equivalent" not in found:
        return None
    script = (found.get("target_tree"), found.get("answer_tree"), found.get("edits") or ())
    has_no_trees = found["equivalent"] or found["distance"] is None
    trees, lines = draw_trees(*script), describe_edits(*script)
    return EedView(
        reference=reference,
        answer=answer,
        reference_tree=trees.target,
        answer_tree=trees.answer,
        edits=tuple(EditView(set_indices(line.text), _number(line.cost, "")) for line in lines[:MOST_EDITS]),
        n_more=max(0, len(lines) - MOST_EDITS),
        is_same_value=not lines and bool(found.get("distance")) and found.get("target_tree") is not None,
        is_equivalent=bool(found["equivalent"]),
        size=_number(found.get("size")),
        distance=_number(found.get("distance")),
        relative=_number(found.get("relative_distance")),
        score=_number(points),
        why=say_sentence(explanation.removeprefix("equivalent: ")) if has_no_trees else "",
    )


def _number(value: Any, missing: str = "–") -> str:
    return missing if value is None else print_points(round(float(value), 3))
