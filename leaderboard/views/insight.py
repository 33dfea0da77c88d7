"""Pages that take a board apart: card, charts, comparison, grid, medals, reproductions, changes, methods."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.services.foretelling import foretell_run
from leaderboard.page_addresses import looks_at
from leaderboard.page_store import store
from leaderboard.rendering.chart_files import to_file
from leaderboard.selectors.board_query import BoardQuery
from leaderboard.selectors.boards import read_board
from leaderboard.selectors.cards import read_card
from leaderboard.selectors.changes import read_changes
from leaderboard.selectors.charts import all_charts
from leaderboard.selectors.compare import read_comparison
from leaderboard.selectors.extras import read_extras
from leaderboard.selectors.grid import draw_picture, find_reply, order_problems, read_grid, read_outcomes, reply_at
from leaderboard.selectors.medals import read_medals
from leaderboard.selectors.reproductions import read_reproductions
from leaderboard.selectors.settling import (
    settle_changes,
    settle_comparison,
    settle_grid,
    settle_medals,
)
from leaderboard.stored_pages import render_part, serve_file
from leaderboard.views.asked import BOARD, PLACE, Asked
from leaderboard.worked import work_examples

FRAME = "leaderboard/frame.html"
Context = dict[str, object]


@looks_at(*PLACE)
def about(request: HttpRequest, slug: str) -> HttpResponse:
    """The benchmark card."""
    asked = Asked(request, slug)

    def build() -> Context:
        place, facts = asked.place, asked.state.facts
        return {"card": read_card(place, facts), "place": place, "title": place.page_title(_("About")), "facts": facts}

    return render_part(request, FRAME, "leaderboard/_about.html", build)


@looks_at(*BOARD)
def charts(request: HttpRequest, slug: str) -> HttpResponse:
    """All charts of a board, and the tables that belong to one benchmark alone."""
    asked = Asked(request, slug)

    def build() -> Context:
        board = asked.read_board()
        shown = {"board": board, "place": asked.place, "charts": all_charts(board), "extras": read_extras(board)}
        return shown | {"title": asked.place.page_title(_("Charts"))}

    return render_part(request, FRAME, "leaderboard/_charts.html", build, settle=asked.settle)


@looks_at(*BOARD)
def chart_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One chart as an SVG file that needs no stylesheet."""
    asked = Asked(request, slug)

    def draw_all() -> dict[str, bytes]:
        return {chart.name: to_file(chart.svg).encode() for chart in all_charts(asked.read_board())}

    def build() -> bytes:
        key = ("chart files", slug, request.META["QUERY_STRING"], get_language())
        files = store.remember(key, draw_all, lambda files: sum(map(len, files.values())))
        if name not in files:
            raise Http404
        return files[name]

    response = serve_file(request, "image/svg+xml", build, settle=asked.settle_file)
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.svg"'
    return response


@looks_at(*PLACE, *"abcdef", "metric", "problem", many=("m",))
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two or more models on the problems they share."""
    asked = Asked(request, slug)

    def wanted() -> list[str]:
        return [*(request.GET.get(key, "") for key in "abcdef"), *request.GET.getlist("m")]

    def build() -> Context:
        metric, problem = request.GET.get("metric", ""), request.GET.get("problem", "")
        found = read_comparison(asked.place, asked.state.facts, wanted(), metric=metric, problem=problem)
        return {"comparison": found, "place": asked.place, "title": asked.place.page_title(_("Compare models"))}

    settle = lambda: settle_comparison(asked.place, wanted(), request.GET)  # noqa: E731
    return render_part(request, FRAME, "leaderboard/_compare.html", build, settle=settle)


@looks_at(*PLACE, "subset", "order", "page", "q")
def grid(request: HttpRequest, slug: str) -> HttpResponse:
    """Problems by models."""
    asked = Asked(request, slug)

    def build() -> Context:
        subset, words, order, page = (request.GET.get(name, "") for name in ("subset", "q", "order", "page"))
        found = read_grid(asked.place, subset=subset, query=words, order=order, page=page)
        return {"grid": found, "place": asked.place, "title": asked.place.page_title(_("Problems"))}

    settle = lambda: settle_grid(asked.state, request.GET)  # noqa: E731
    is_kept = "q" not in request.GET  # words are without number
    return render_part(request, FRAME, "leaderboard/_grid.html", build, settle=settle, is_kept=is_kept)


@looks_at(*PLACE, "subset", "order")
def grid_picture(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole grid as a picture."""
    asked = Asked(request, slug)

    def build() -> bytes:
        outcomes = read_outcomes(asked.place)
        order, subset = request.GET.get("order", "hard"), request.GET.get("subset", "")
        return draw_picture(outcomes, order_problems(outcomes, order=order, subset=subset))

    return serve_file(request, "image/png", build, settle=lambda: settle_grid(asked.state, request.GET))


def grid_point(request: HttpRequest, slug: str) -> HttpResponse:
    """Where a click on the picture leads: the browser hangs `?x,y` behind whatever query there is."""
    query, _mark, point = request.META.get("QUERY_STRING", "").rpartition("?")
    x, comma, y = point.partition(",")
    if not comma or not (x.isdecimal() and y.isdecimal()) or len(x + y) > 12:
        raise Http404
    request.GET = QueryDict(query)  # type: ignore[assignment]
    asked = Asked(request, slug)
    settled = settle_grid(asked.state, request.GET)
    order, subset = settled["order"] or "hard", settled["subset"]
    return HttpResponseRedirect(reply_at(asked.place, int(x), int(y), order=str(order), subset=str(subset)))


def grid_reply(request: HttpRequest, slug: str, run: str, external_id: str) -> HttpResponse:
    """A cell of the grid leads to that model's reply."""
    place = Asked(request, slug).place
    return HttpResponseRedirect(find_reply(place, run, external_id))


@looks_at(*PLACE, "model")
def medals(request: HttpRequest, slug: str) -> HttpResponse:
    """The medal table, exams and modalities of HiPhO."""
    asked = Asked(request, slug)

    def build() -> Context:
        place, state, revisions = asked.found
        board = read_board(place, state, BoardQuery(metric="exam_score"), revisions)
        if not board.is_exam_board:
            raise Http404
        found = read_medals(board, request.GET.get("model", ""))
        return {"medals": found, "place": place, "title": place.page_title(_("Exams and medals"))}

    settle = lambda: settle_medals(request.GET)  # noqa: E731
    return render_part(request, FRAME, "leaderboard/_medals.html", build, settle=settle)


@looks_at(*PLACE)
def reproductions(request: HttpRequest, slug: str) -> HttpResponse:
    """Models both reported and measured."""
    asked = Asked(request, slug)

    def build() -> Context:
        place, rows = asked.place, read_reproductions(asked.place)
        return {"rows": rows, "place": place, "title": place.page_title(_("Reproductions"))}

    return render_part(request, FRAME, "leaderboard/_reproductions.html", build)


@looks_at(*PLACE, "since")
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """The changelog of a board, since a date where one is given."""
    asked = Asked(request, slug)

    def build() -> Context:
        found = read_changes(asked.place, foretell_run, request.GET.get("since", ""))
        return {"changes": found, "place": asked.place, "title": asked.place.page_title(_("What changed"))}

    settle = lambda: settle_changes(request.GET)  # noqa: E731
    return render_part(request, FRAME, "leaderboard/_changes.html", build, settle=settle)


@looks_at()
def methodology(request: HttpRequest) -> HttpResponse:
    """How every number is made."""
    build = lambda: {"examples": work_examples(), "title": _("Methodology")}  # noqa: E731
    return render_part(request, FRAME, "leaderboard/_methodology.html", build)
