"""A board that an address asks for, looked up at the first need: for a stored page that is never."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest

from arena.models import DatasetRevision
from leaderboard.models import BoardState
from leaderboard.selectors.board_query import BOARD_PARAMETERS, read_query
from leaderboard.selectors.boards import Board, find_board, read_board
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.settling import Settled, settle_board

PLACE = ("revision", "split")
BOARD = (*PLACE, *BOARD_PARAMETERS)


@dataclass
class Asked:
    """Raises Http404 at the first look where there is no such board."""

    request: HttpRequest
    slug: str

    @cached_property
    def found(self) -> tuple[Place, BoardState, tuple[DatasetRevision, ...]]:
        given = self.request.GET
        return find_board(self.slug, given.get("revision", ""), given.get("split", ""))

    @property
    def place(self) -> Place:
        return self.found[0]

    @property
    def state(self) -> BoardState:
        return self.found[1]

    def settle(self) -> Settled:
        return settle_board(self.place, self.state, self.request.GET)

    def settle_file(self) -> Settled:
        """The same for an answer that has no place to say what was left out."""
        return self.settle() | {"ignored": ""}

    def read_board(self) -> Board:
        place, state, revisions = self.found
        return read_board(place, state, read_query(self.request.GET), revisions)
