"""What maintainers do around the queue: fill it, decide errata, give roles, read the log. And a reader's report."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.models import Benchmark, BenchmarkRole, Erratum, Policy, User
from arena.roles import Forbidden, Rank, benchmarks_for
from arena.services.errata import decide_erratum
from arena.services.review_policies import FINDERS, build_queue
from arena.services.reviews import report_reply
from arena.services.roles import grant_role
from leaderboard.refusals import say_refused
from leaderboard.review_forms import read_queue_request
from leaderboard.selectors.queue_filling import list_older_labels, say_queued
from leaderboard.selectors.replies import find_reply
from leaderboard.selectors.reviews import list_errata, list_events, list_roles
from leaderboard.selectors.tier_edges import runs_at_tier_edges

PER_PAGE = 100


def _require_maintainer(user: User | object) -> None:
    if not benchmarks_for(user, Rank.MAINTAINER).exists() and not getattr(user, "is_maintainer", False):
        raise PermissionDenied


@login_required
@never_cache
def build(request: HttpRequest) -> HttpResponse:
    """Fill the queue by a policy."""
    _require_maintainer(request.user)
    context: dict[str, object] = {
        "benchmarks": benchmarks_for(request.user, Rank.MAINTAINER),
        "policies": [(p.value, p.label) for p in Policy if p in FINDERS],
        "revisions": list_older_labels(),
        "typed": request.POST or {"needed": "2", "percent": "10", "threshold": "0", "seed": "0", "limit": "200"},
    }
    if request.method != "POST":
        return render(request, "leaderboard/review/build.html", context)
    try:
        wanted = read_queue_request(request.POST, runs_at_tier_edges(request.POST.get("benchmark", "")))
        queued = build_queue(wanted, request.user)
    except Forbidden as forbidden:
        raise PermissionDenied(str(forbidden)) from forbidden
    except Refused as refused:
        return render(
            request, "leaderboard/review/build.html", {**context, "refused": say_refused(refused)}, status=422
        )
    (messages.success if queued.new or queued.joined else messages.warning)(request, say_queued(wanted, queued))
    return redirect("review")


def errata(request: HttpRequest) -> HttpResponse:
    """What was said to be wrong with the references, and what became of it."""
    return render(request, "leaderboard/review/errata.html", {"errata": list_errata(request.user)})


@require_POST
@login_required
def settle_erratum(request: HttpRequest, uuid: UUID) -> HttpResponse:
    erratum = get_object_or_404(Erratum.objects.select_related("problem__subset"), uuid=uuid)
    try:
        n = decide_erratum(request.user, erratum, request.POST.get("state", ""), request.POST.get("resolution", ""))
    except Forbidden as forbidden:
        raise PermissionDenied(str(forbidden)) from forbidden
    except Refused as refused:
        messages.error(request, say_refused(refused))
    else:
        messages.success(request, _("Decided; %(n)d replies are in the queue.") % {"n": n})
    return redirect("review-errata")


@login_required
@never_cache
def roles(request: HttpRequest) -> HttpResponse:
    """Who reviews which benchmark."""
    _require_maintainer(request.user)
    if request.method == "POST":
        benchmark = get_object_or_404(Benchmark, slug=request.POST.get("benchmark", ""))
        try:
            grant_role(request.user, benchmark, request.POST.get("username", ""), request.POST.get("role", ""))
        except Forbidden as forbidden:
            raise PermissionDenied(str(forbidden)) from forbidden
        except Refused as refused:
            messages.error(request, say_refused(refused))
        return redirect("review-roles")
    context = {
        "roles": list_roles(request.user),
        "benchmarks": benchmarks_for(request.user, Rank.MAINTAINER),
        "choices": BenchmarkRole.Role.choices,
    }
    return render(request, "leaderboard/review/roles.html", context)


@login_required
@never_cache
def log(request: HttpRequest) -> HttpResponse:
    """The audit log."""
    _require_maintainer(request.user)
    page = Paginator(list_events(request.user), PER_PAGE).get_page(request.GET.get("page"))
    numbers = page.paginator.get_elided_page_range(page.number)
    return render(request, "leaderboard/review/log.html", {"page": page, "page_range": numbers})


@login_required
@never_cache
def report(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """A reader says that a reply is marked wrongly."""
    reply = find_reply(uuid, request.user)
    judgment = reply.judgments.filter(scorer=reply.run.scorer).order_by("pk").first()
    if request.method == "POST" and judgment is not None:
        try:
            report_reply(request.user, judgment, request.POST.get("text", ""))
        except Refused as refused:
            messages.error(request, say_refused(refused))
        else:
            messages.success(request, _("Thank you: people will look at this reply."))
            return redirect("reply", uuid)
    return render(request, "leaderboard/review/report.html", {"reply": reply, "may_report": judgment is not None})
