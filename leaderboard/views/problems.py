from __future__ import annotations

from django.conf import settings
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from arena.models import Image, Subset
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.problems import link_problem, list_problems, read_problem

PER_PAGE = 50


def problems(request: HttpRequest, slug: str) -> HttpResponse:
    """The problems of a benchmark."""
    place = find_place(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    entries = list_problems(place, subset=request.GET.get("subset", ""), query=request.GET.get("q", "").strip())
    page = Paginator(entries, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "leaderboard/problems.html",
        {
            "place": place,
            "page": page,
            "page_range": page.paginator.get_elided_page_range(page.number),
            "links": [link_problem(place, entry) for entry in page],
            "subsets": place.benchmark.subsets.exclude(slug=Subset.OVERALL),
        },
    )


def problem(request: HttpRequest, slug: str, external_id: str) -> HttpResponse:
    """One problem with what every model got."""
    place = find_place(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    return render(request, "leaderboard/problem.html", {"page": read_problem(place, external_id)})


def figure(request: HttpRequest, slug: str, sha256: str) -> FileResponse:
    """A figure's bytes, immutable; refused where the benchmark's licence does not let us show them."""
    image = get_object_or_404(
        Image.objects.filter(
            figures__problem__subset__benchmark__slug=slug,
            figures__problem__subset__benchmark__is_public=True,
            figures__problem__subset__benchmark__figures_public=True,
        ).distinct(),
        sha256=sha256,
    )
    try:
        file = (settings.MEDIA_ROOT / image.path).open("rb")
    except OSError:
        raise Http404 from None
    response = FileResponse(file, content_type=image.mime)
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
