"""How to cite a board: dated, with the versions of data and ruler, and a link that leads back to exactly these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from leaderboard.selectors.boards import Board


@dataclass(frozen=True, slots=True)
class Citation:
    """text and bibtex are ready to copy; url: the versioned permalink."""

    text: str
    bibtex: str
    url: str
    date: str


def permalink(board: Board) -> str:
    """The board's address with revision, split, scorer and filters written out."""
    query = {"revision": board.place.revision.label, "split": board.place.split}
    if board.subset:
        query["subset"] = board.subset
    query["metric"] = board.metric
    if board.basis != "machine":
        query["basis"] = board.basis
    if board.scorer:
        query["scorer"] = str(board.scorer)
    return f"{settings.SITE_URL}{reverse('board', args=[board.place.benchmark.slug])}?{urlencode(query)}"


def cite_board(board: Board) -> Citation:
    day = (board.changed_at or datetime.now(UTC)).date()
    slug, title = board.place.benchmark.slug, board.place.benchmark.title
    url = permalink(board)
    version = f"data {board.place.revision.label}, split {board.place.split}, scorer {board.scorer or 'none'}"
    key = f"proctor-{slug}-{day:%Y%m%d}"
    bibtex = (
        f"@misc{{{key},\n  title = {{{title} board on Proctor}},\n  year = {{{day.year}}},\n"
        f"  month = {{{day.month}}},\n  note = {{State of {day.isoformat()}; {version}}},\n"
        f"  howpublished = {{\\url{{{url}}}}}\n}}"
    )
    text = f"Proctor: {title} board, state of {day.isoformat()} ({version}). {url}"
    return Citation(text, bibtex, url, day.isoformat())
