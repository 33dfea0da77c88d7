"""The outcome of one EED comparison, as data that a page can draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scoring.score import Status
from scoring.tree_distance import Edit, Tree


@dataclass(frozen=True, slots=True)
class EedResult:
    """Outcome of one comparison; field names as in the JSON of `python -m scoring`.

    points: 0 to 100, None where the target cannot be scored. distance, size, relative_distance: None where no tree
    was compared (size counts the nodes of the target's tree).
    """

    points: float | None
    status: Status
    equivalent: bool
    distance: float | None = None
    size: int | None = None
    relative_distance: float | None = None
    edits: tuple[Edit, ...] = ()
    target_tree: Tree | None = None
    answer_tree: Tree | None = None
    flags: tuple[str, ...] = ()
    explanation: str = ""

    def as_json(self, trees: bool = True) -> dict[str, Any]:
        """JSON object of CONTRACT.md; `trees=False` leaves edits and trees out."""
        result: dict[str, Any] = {
            "points": self.points,
            "status": str(self.status),
            "equivalent": self.equivalent,
            "distance": self.distance,
            "size": self.size,
            "relative_distance": self.relative_distance,
        }
        if trees:
            result["edits"] = [edit.as_json() for edit in self.edits]
            result["target_tree"] = self.target_tree.as_json() if self.target_tree else None
            result["answer_tree"] = self.answer_tree.as_json() if self.answer_tree else None
        return {**result, "flags": list(self.flags), "explanation": self.explanation}


def describe_distance(distance: float, size: int) -> str:
    """The measured distance in words, for an explanation."""
    return f"edit distance {distance:g}, {size} {'node' if size == 1 else 'nodes'} in the reference"
