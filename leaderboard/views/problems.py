from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.models import Image
from arena.security.addresses import read_address
from arena.services.errata import report_erratum
from arena.services.tryout import TooMany, score_pasted
from leaderboard.refusals import say_refused
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.problems import find_entry, problem_url, read_problem
from leaderboard.selectors.tryout import read_try_page, view_score


def problem(request: HttpRequest, slug: str, external_id: str) -> HttpResponse:
    """One problem with what every model got; `?criterion=` lists every model's points and quote for one criterion."""
    place = find_place(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    page = read_problem(place, external_id, request.GET.get("criterion", ""))
    return render(request, "leaderboard/problem.html", {"page": page})


@require_POST
@login_required
def report(request: HttpRequest, slug: str, external_id: str) -> HttpResponse:
    """A reader says that the reference is wrong; a maintainer decides (`/review/errata/`)."""
    place = find_place(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    entry = find_entry(place, external_id)
    try:
        report_erratum(request.user, entry.problem, request.POST.get("claim", ""))
    except Refused as refused:
        messages.error(request, say_refused(refused))
    else:
        messages.success(request, _("Thank you: a maintainer will decide whether the reference is wrong."))
    return redirect(problem_url(place, entry.external_id) + "#errata")


@never_cache
def try_it(request: HttpRequest, slug: str, external_id: str) -> HttpResponse:
    """Score a pasted reply by rule, at once; nothing is stored."""
    place = find_place(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    page = read_try_page(place, find_entry(place, external_id))
    text, status = request.POST.get("reply", "").replace("\r\n", "\n"), 200
    context: dict[str, object] = {"page": page, "text": text}
    if request.method == "POST":
        problem = page.entry.problem
        try:
            response = score_pasted(problem, text, address=read_address(request.META))
            context["result"] = view_score(response, problem, place.benchmark.adapter, text)
        except TooMany as refused:
            context["error"], status = str(refused), 429
        except Refused as refused:
            context["error"], status = refused.message, 400
    return render(request, "leaderboard/try.html", context, status=status)


def figure(request: HttpRequest, slug: str, sha256: str) -> FileResponse:
    """A figure's bytes, immutable; refused where the benchmark's licence does not let us show them."""
    image = get_object_or_404(Image.objects.shown_on(slug), sha256=sha256)
    try:
        file = (settings.MEDIA_ROOT / image.path).open("rb")
    except OSError:
        raise Http404 from None
    response = FileResponse(file, content_type=image.mime)
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
