"""How to cite a board: dated, with the versions of data and ruler, and a link that leads back to exactly these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from leaderboard.selectors.bibtex import make_entry
from leaderboard.selectors.board_query import print_moment
from leaderboard.selectors.board_rows import DIGEST_DIGITS
from leaderboard.selectors.boards import Board


@dataclass(frozen=True, slots=True)
class Citation:
    """text and bibtex are ready to copy; url: the versioned permalink."""

    text: str
    bibtex: str
    url: str
    date: str


def permalink(board: Board) -> str:
    """The board's address with revision, split, scorer and moment written out: it shows these numbers for ever."""
    query = {"revision": board.place.revision.label, "split": board.place.split}
    if board.subset:
        query["subset"] = board.subset
    query["metric"] = board.metric
    query |= board.query.of_numbers
    if board.scorer:
        query["scorer"] = board.scorer.digest[:DIGEST_DIGITS]
    if board.changed_at:
        query["as_of"] = print_moment(board.changed_at)
    return f"{settings.SITE_URL}{reverse('board', args=[board.place.benchmark.slug])}?{urlencode(query)}"


def cite_board(board: Board) -> Citation:
    day = (board.changed_at or datetime.now(UTC)).date()
    slug, title = board.place.benchmark.slug, board.place.benchmark.title
    url = permalink(board)
    version = f"data {board.place.revision.label}, split {board.place.split}, scorer {board.scorer or 'none'}"
    fields = {
        "title": f"{title} board on Proctor",
        "year": str(day.year),
        "month": str(day.month),
        "note": f"State of {day.isoformat()}; {version}",
    }
    bibtex = make_entry(f"proctor-{slug}-{day:%Y%m%d}", fields, url=url)
    text = f"Proctor: {title} board, state of {day.isoformat()} ({version}). {url}"
    return Citation(text, bibtex, url, day.isoformat())
