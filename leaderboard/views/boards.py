from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.selectors.boards import list_boards, read_board
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.reported import read_baselines, read_reported


def home(request: HttpRequest) -> HttpResponse:
    """All boards."""
    return render(request, "leaderboard/home.html", {"cards": list_boards()})


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """One board."""
    query = request.GET
    place = find_place(slug, query.get("revision", ""), query.get("split", ""))
    shown = read_board(
        place,
        subset=query.get("subset", ""),
        metric=query.get("metric", ""),
        basis=query.get("basis", "machine"),
        sort=query.get("sort", ""),
    )
    column = (place.split, shown.subset or "overall", shown.metric)
    reported = read_reported(place.benchmark, *column, revision=place.revision)
    floors = read_baselines(place.revision, *column)
    return render(request, "leaderboard/board.html", {"board": shown, "reported": reported, "floors": floors})
