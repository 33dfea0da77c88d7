"""Pages that take a board apart: card, charts, comparison, grid, medals, reproductions, changes, methods."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from leaderboard.rendering.chart_files import to_file
from leaderboard.selectors.board_query import BoardQuery, read_query
from leaderboard.selectors.boards import find_board, read_board
from leaderboard.selectors.cards import read_card
from leaderboard.selectors.changes import read_changes
from leaderboard.selectors.charts import all_charts
from leaderboard.selectors.compare import read_comparison
from leaderboard.selectors.extras import read_extras
from leaderboard.selectors.grid import draw_picture, find_reply, order_problems, read_grid, read_outcomes, reply_at
from leaderboard.selectors.medals import read_medals
from leaderboard.selectors.methodology import read_examples
from leaderboard.selectors.reproductions import read_reproductions
from leaderboard.stored_pages import keep_page, render_part

FRAME = "leaderboard/frame.html"


def _place(request: HttpRequest, slug: str) -> Any:
    return find_board(slug, request.GET.get("revision", ""), request.GET.get("split", ""))


def about(request: HttpRequest, slug: str) -> HttpResponse:
    """The benchmark card."""

    def build() -> dict[str, Any]:
        place, state, _revisions = _place(request, slug)
        card = read_card(place, state.facts)
        return {"card": card, "place": place, "title": f"{place.title}: about", "facts": state.facts}

    return render_part(request, FRAME, "leaderboard/_about.html", build)


def charts(request: HttpRequest, slug: str) -> HttpResponse:
    """All charts of a board, and the tables that belong to one benchmark alone."""

    def build() -> dict[str, Any]:
        place, state, revisions = _place(request, slug)
        board = read_board(place, state, read_query(request.GET), revisions)
        extras = read_extras(place, state.facts)
        return {"board": board, "place": place, "charts": all_charts(board), "extras": extras, "title": place.title}

    return render_part(request, FRAME, "leaderboard/_charts.html", build)


def chart_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One chart as an SVG file that needs no stylesheet."""
    place, state, revisions = _place(request, slug)
    board = read_board(place, state, read_query(request.GET), revisions)
    found = next((chart for chart in all_charts(board) if chart.name == name), None)
    if found is None:
        raise Http404
    response = HttpResponse(to_file(found.svg), content_type="image/svg+xml")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.svg"'
    return response


def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two or more models on the problems they share."""

    def build() -> dict[str, Any]:
        place, _state, _revisions = _place(request, slug)
        wanted = [*(request.GET.get(key, "") for key in "abcdef"), *request.GET.getlist("m")]
        found = read_comparison(
            place, wanted, metric=request.GET.get("metric", ""), problem=request.GET.get("problem", "")
        )
        return {"comparison": found, "place": place, "title": f"{place.title}: compare"}

    return render_part(request, FRAME, "leaderboard/_compare.html", build)


def grid(request: HttpRequest, slug: str) -> HttpResponse:
    """Problems by models."""

    def build() -> dict[str, Any]:
        place, _state, _revisions = _place(request, slug)
        query = request.GET
        found = read_grid(
            place,
            subset=query.get("subset", ""),
            query=query.get("q", "").strip(),
            order=query.get("order", ""),
            page=query.get("page", ""),
        )
        return {"grid": found, "place": place, "title": f"{place.title}: problems"}

    return render_part(request, FRAME, "leaderboard/_grid.html", build)


def grid_picture(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole grid as a picture."""
    place, _state, _revisions = _place(request, slug)
    outcomes = read_outcomes(place)
    rows = order_problems(outcomes, order=request.GET.get("order", "hard"), subset=request.GET.get("subset", ""))
    return keep_page(HttpResponse(draw_picture(outcomes, rows), content_type="image/png"))


def grid_point(request: HttpRequest, slug: str) -> HttpResponse:
    """Where a click on the picture leads: the browser sends `?x,y`."""
    place, _state, _revisions = _place(request, slug)
    x, comma, y = request.META.get("QUERY_STRING", "").rpartition("?")[2].rpartition("&")[2].partition(",")
    if not comma or not (x.isdecimal() and y.isdecimal()) or len(x + y) > 12:
        raise Http404
    # The browser hangs `?x,y` behind whatever query there is.
    order, subset = (request.GET.get(key, "").partition("?")[0] for key in ("order", "subset"))
    return HttpResponseRedirect(reply_at(place, int(x), int(y), order=order or "hard", subset=subset))


def grid_reply(request: HttpRequest, slug: str, run: str, external_id: str) -> HttpResponse:
    """A cell of the grid leads to that model's reply."""
    place, _state, _revisions = _place(request, slug)
    return HttpResponseRedirect(find_reply(place, run, external_id))


def medals(request: HttpRequest, slug: str) -> HttpResponse:
    """The medal table, exams and modalities of HiPhO."""

    def build() -> dict[str, Any]:
        place, state, revisions = _place(request, slug)
        board = read_board(place, state, BoardQuery(metric="exam_score"), revisions)
        if not board.is_exam_board:
            raise Http404
        found = read_medals(board, request.GET.get("model", ""))
        return {"medals": found, "place": place, "title": f"{place.title}: medals"}

    return render_part(request, FRAME, "leaderboard/_medals.html", build)


def reproductions(request: HttpRequest, slug: str) -> HttpResponse:
    """Models both reported and measured."""

    def build() -> dict[str, Any]:
        place, _state, _revisions = _place(request, slug)
        rows = read_reproductions(place)
        return {"rows": rows, "place": place, "title": f"{place.title}: reproductions", "has_medals": slug == "hipho"}

    return render_part(request, FRAME, "leaderboard/_reproductions.html", build)


def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """The changelog of a board, since a date where one is given."""

    def build() -> dict[str, Any]:
        place, _state, _revisions = _place(request, slug)
        found = read_changes(place, request.GET.get("since", ""))
        return {"changes": found, "place": place, "title": f"{place.title}: changes"}

    return render_part(request, FRAME, "leaderboard/_changes.html", build)


def methodology(request: HttpRequest) -> HttpResponse:
    """How every number is made."""
    return render_part(
        request,
        FRAME,
        "leaderboard/_methodology.html",
        lambda: {"examples": read_examples(), "title": "Methodology"},
    )
