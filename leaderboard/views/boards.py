"""The home page, one board with its twins, and the receipt behind a number."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from leaderboard.selectors.board_exports import board_as_csv, board_as_json
from leaderboard.selectors.board_query import read_query
from leaderboard.selectors.boards import Board, find_board, read_board
from leaderboard.selectors.charts import board_charts
from leaderboard.selectors.citations import cite_board
from leaderboard.selectors.home import read_home
from leaderboard.selectors.receipts import read_receipt
from leaderboard.stored_pages import keep_page, render_part

FRAME = "leaderboard/frame.html"


def home(request: HttpRequest) -> HttpResponse:
    """All boards, and all models across them."""
    return render_part(
        request,
        FRAME,
        "leaderboard/_home.html",
        lambda: {"home": read_home(request.GET.get("sort", ""), request.GET.get("tag", ""))},
    )


def _read(request: HttpRequest, slug: str) -> Board:
    place, state, revisions = find_board(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    return read_board(place, state, read_query(request.GET), revisions)


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """One board; `?format=csv` or `json` gives its twins."""
    wanted = request.GET.get("format", "")
    if wanted in ("csv", "json"):
        return board_file(request, slug, wanted)

    def build() -> dict[str, Any]:
        shown = _read(request, slug)
        return {"board": shown, "title": shown.place.title, "charts": board_charts(shown), "cite": cite_board(shown)}

    return render_part(request, FRAME, "leaderboard/_board.html", build)


def board_file(request: HttpRequest, slug: str, suffix: str) -> HttpResponse:
    """The board's rows as CSV or JSON, with the filters and the order of the same address as a page."""
    shown = _read(request, slug)
    if suffix == "json":
        response: HttpResponse = JsonResponse(board_as_json(shown), json_dumps_params={"ensure_ascii": False})
    else:
        response = HttpResponse(board_as_csv(shown), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'inline; filename="{slug}.csv"'
    return keep_page(response)


def receipt(request: HttpRequest, slug: str, run: str, subset: str, metric: str) -> HttpResponse:
    """What one number rests on."""
    place, _state, _revisions = find_board(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    found = read_receipt(place, run, subset, metric, request.GET.get("basis", "machine"))
    return render(request, "leaderboard/receipt.html", {"receipt": found, "place": place})
