"""The home page, one board with its twins, and the receipt behind a number."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import override

from leaderboard.page_addresses import looks_at
from leaderboard.rendering.chart_files import to_file
from leaderboard.selectors.board_exports import board_as_csv, board_as_json
from leaderboard.selectors.board_query import read_query
from leaderboard.selectors.charts import board_charts
from leaderboard.selectors.citations import cite_board
from leaderboard.selectors.home import read_home
from leaderboard.selectors.receipts import read_receipt
from leaderboard.selectors.settling import settle_home
from leaderboard.stored_pages import render_part, serve_file
from leaderboard.views.asked import BOARD, Asked

FRAME = "leaderboard/frame.html"


@looks_at("sort", "tag")
def home(request: HttpRequest) -> HttpResponse:
    """All boards, and all models across them."""
    return render_part(
        request,
        FRAME,
        "leaderboard/_home.html",
        lambda: {"home": read_home(request.GET.get("sort", ""), request.GET.get("tag", ""))},
        settle=lambda: settle_home(request.GET),
    )


@looks_at("tag")
def home_chart(request: HttpRequest) -> HttpResponse:
    """The home page's chart as an SVG file that needs no stylesheet."""

    def build() -> bytes:
        chart = read_home(tag=request.GET.get("tag", "")).tokens
        if chart is None:
            raise Http404
        return to_file(chart.svg).encode()

    response = serve_file(request, "image/svg+xml", build, settle=lambda: settle_home(request.GET))
    response["Content-Disposition"] = 'attachment; filename="output-tokens.svg"'
    return response


@looks_at(*BOARD, "format")
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """One board; `?format=csv` or `json` gives its twins."""
    wanted = request.GET.get("format", "")
    if wanted in ("csv", "json"):
        return board_file(request, slug, wanted)
    asked = Asked(request, slug)

    def build() -> dict[str, object]:
        shown = asked.read_board()
        return {"board": shown, "title": shown.place.title, "charts": board_charts(shown), "cite": cite_board(shown)}

    is_kept = "as_of" not in request.GET  # moments are without number
    return render_part(request, FRAME, "leaderboard/_board.html", build, settle=asked.settle, is_kept=is_kept)


@looks_at(*BOARD)
def board_file(request: HttpRequest, slug: str, suffix: str) -> HttpResponse:
    """The board's rows as CSV or JSON, with the filters and the order of the same address as a page."""
    asked = Asked(request, slug)

    def build() -> bytes:
        with override("en"):  # programs read one language
            shown = asked.read_board()
            if suffix == "json":
                return JsonResponse(board_as_json(shown), json_dumps_params={"ensure_ascii": False}).content
            return board_as_csv(shown).encode()

    kind = "application/json" if suffix == "json" else "text/csv; charset=utf-8"
    settle = asked.settle if suffix == "json" else asked.settle_file
    response = serve_file(request, kind, build, settle=settle)
    if suffix == "csv":
        response["Content-Disposition"] = f'inline; filename="{slug}.csv"'
    return response


def receipt(request: HttpRequest, slug: str, run: str, subset: str, metric: str) -> HttpResponse:
    """What one number rests on."""
    asked = Asked(request, slug)
    found = read_receipt(asked.place, asked.state, read_query(request.GET), run, subset, metric)
    return render(request, "leaderboard/receipt.html", {"receipt": found, "place": asked.place})
