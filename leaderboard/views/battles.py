from __future__ import annotations

from functools import partial
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from arena.errors import Refused
from arena.models import Benchmark
from arena.security.addresses import read_address
from arena.services import battles
from arena.services.pairing import Filters
from arena.services.voters import TooMany, Voter, identify, new_cookie
from leaderboard.rating_updates import judge as judge_task
from leaderboard.refusals import say_refused
from leaderboard.selectors.arena import read_battle, read_filters
from leaderboard.selectors.arena_ratings import read_ratings
from leaderboard.selectors.arena_voters import read_voters, votes_of_voter

JUDGED_BATTLES = 40
COOKIE, SALT, YEAR_S = "arena_voter", "arena.voter", 365 * 86400


@never_cache
@require_GET
def arena(request: HttpRequest) -> HttpResponse:
    """One blind battle; `?after=<uuid>` is the one to come, which the page fetches ahead."""
    cookie = _read_cookie(request) or new_cookie()
    voter = identify(request.user, cookie, read_address(request.META))
    filters = _read_filters(request)
    bar = read_filters(filters.benchmark, filters.field, filters.language)
    try:
        serving = battles.serve_battle(voter, filters, after=_read_uuid(request.GET.get("after", "")))
    except TooMany as refused:
        return _too_many(request, refused)
    page = _page(voter, serving.battle.uuid, bar.query) if serving else None
    response = render(request, "leaderboard/arena.html", {"page": page, "bar": bar})
    response.set_signed_cookie(
        COOKIE, cookie, SALT, max_age=YEAR_S, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
    return response


@never_cache
@require_GET
def battle(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """A battle with its names, for who has voted on it; others are sent to what they are to judge."""
    voter = _voter(request)
    try:
        vote = battles.find_vote(battles.find_serving(voter, uuid))
    except Refused:
        raise Http404 from None
    if vote is None:
        return redirect(_arena_url(request))
    filters = _read_filters(request)
    bar = read_filters(filters.benchmark, filters.field, filters.language)
    return render(request, "leaderboard/arena.html", {"page": _page(voter, uuid, bar.query), "bar": bar})


@never_cache
@require_POST
def vote(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Take one vote and show the names; a second one shows the first one's result."""
    voter = _voter(request)
    try:
        if request.POST.get("choice") == "skip":
            battles.skip_battle(voter, uuid)
            return HttpResponseRedirect(_arena_url(request))
        battles.cast_vote(voter, uuid, request.POST.get("choice", ""))
    except TooMany as refused:
        return _too_many(request, refused)
    except Refused as refused:
        return render(request, "leaderboard/arena_refused.html", {"reason": say_refused(refused)}, status=403)
    return HttpResponseRedirect(reverse("arena-battle", args=[uuid]) + _query(request))


@never_cache
@require_POST
def answer(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Note that the reference was opened, then show it with the battle."""
    try:
        battles.open_answer(_voter(request), uuid)
    except Refused:
        raise Http404 from None
    return HttpResponseRedirect(_arena_url(request) + "#reference")


@require_GET
def ratings(request: HttpRequest) -> HttpResponse:
    """The rating tables."""
    return render(request, "leaderboard/arena_ratings.html", {"page": read_ratings(request.GET)})


@never_cache
@login_required
@require_GET
def voters(request: HttpRequest) -> HttpResponse:
    """Anomaly scores, the quarantine and all exclusions, for maintainers."""
    _check_maintainer(request)
    return render(request, "leaderboard/arena_voters.html", {"page": read_voters(request.GET.get("pool", ""))})


@login_required
@require_POST
def exclude(request: HttpRequest) -> HttpResponse:
    """Take a voter's votes out of the ratings, or back in, with a reason."""
    _check_maintainer(request)
    act = battles.restore_votes if request.POST.get("act") == "restore" else battles.exclude_votes
    try:
        n = act(votes_of_voter(request.POST.get("voter", "")), request.POST.get("reason", ""), request.user)  # type: ignore[arg-type]
    except Refused as refused:
        messages.error(request, say_refused(refused))
    else:
        messages.success(request, _("%(n)d votes changed; the ratings follow.") % {"n": n})
    return redirect("arena-voters")


@login_required
@require_POST
def judge(request: HttpRequest) -> HttpResponse:
    """Queue a round of judged battles on every benchmark that has a judge."""
    _check_maintainer(request)
    ids = Benchmark.objects.filter(is_public=True, judge_endpoint__isnull=False).values_list("pk", flat=True)
    for pk in ids:
        transaction.on_commit(partial(judge_task.delay, pk, JUDGED_BATTLES))
    messages.success(request, _("Queued on %(n)d benchmarks; the judges' table follows.") % {"n": len(ids)})
    return redirect("arena-voters")


def _page(voter: Voter, uuid: UUID, query: str):  # type: ignore[no-untyped-def]
    serving = battles.find_serving(voter, uuid)
    return read_battle(serving, battles.shown_texts(serving.battle), query, battles.find_vote(serving))


def _voter(request: HttpRequest) -> Voter:
    return identify(request.user, _read_cookie(request), read_address(request.META))


def _read_cookie(request: HttpRequest) -> str:
    return request.get_signed_cookie(COOKIE, default="", salt=SALT) or ""


def _read_filters(request: HttpRequest) -> Filters:
    return Filters(*(request.GET.get(name, "") for name in ("benchmark", "field", "language")))


def _read_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _query(request: HttpRequest) -> str:
    """The filters, carried on through forms."""
    query = request.POST.get("query", "") or request.GET.urlencode()
    return f"?{query}" if query and len(query) < 500 and "\n" not in query else ""


def _arena_url(request: HttpRequest) -> str:
    return reverse("arena") + _query(request)


def _too_many(request: HttpRequest, refused: TooMany) -> HttpResponse:
    response = render(request, "leaderboard/arena_refused.html", {"reason": say_refused(refused)}, status=429)
    response["Retry-After"] = str(max(1, round(refused.retry_after_s)))
    return response


def _check_maintainer(request: HttpRequest) -> None:
    if not getattr(request.user, "is_maintainer", False):
        raise PermissionDenied
