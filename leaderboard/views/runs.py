from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.services.publishing import publish_run, withdraw_run
from arena.services.runs import cancel_run_for
from leaderboard.selectors.entrant_reported import list_floors, list_published
from leaderboard.selectors.entrants import read_entrant
from leaderboard.selectors.run_replies import read_replies
from leaderboard.selectors.runs import find_run, may_publish, read_run, say_published


def run(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """A run, live; `?part=progress` is the part that the page polls."""
    page = read_run(find_run(uuid, request.user), request.user)
    if request.GET.get("part") == "progress":
        return render(request, "leaderboard/_run_progress.html", {"page": page})
    return render(request, "leaderboard/run.html", {"page": page, "replies": read_replies(page.run, request.GET)})


@require_POST
@login_required
def act_on_run(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Cancel, publish or withdraw a run, for whoever may; what is refused is told on the page."""
    found = find_run(uuid, request.user)
    page = read_run(found, request.user)
    act = request.POST.get("act")
    if not page.may_act or (act == "publish" and not may_publish(found, request.user)):
        raise PermissionDenied
    try:
        if act == "cancel":
            cancel_run_for(found, request.user)
            messages.success(request, _("The run is cancelled; what is done is kept."))
        elif act == "publish":
            publish_run(found)
            messages.success(request, say_published(page.board))
        elif act == "withdraw":
            withdraw_run(found, request.POST.get("reason", ""), request.user)
            messages.success(request, _("The run is withdrawn; the board follows in a few seconds."))
    except Refused as refused:
        messages.error(request, capfirst(refused.message))
    return redirect("run", uuid=uuid)


def entrant(request: HttpRequest, slug: str) -> HttpResponse:
    """A model with all its runs."""
    page = read_entrant(slug, request.user)
    published = {"published": list_published(page.entrant), "floors": list_floors(page.entrant)}
    return render(request, "leaderboard/entrant.html", {"page": page, **published})
