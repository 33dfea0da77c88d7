"""The review queue: claim, read blind, decide, settle."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.roles import Forbidden
from arena.services.adjudication import adjudicate
from arena.services.calibration import make_calibration_item
from arena.services.review_claims import claim_item, claim_next, extend_claim
from arena.services.review_desk import release_claim, save_draft, submit_review
from leaderboard.refusals import say_refused
from leaderboard.review_forms import read_decisions, read_draft, read_fields, read_filter, read_verdict
from leaderboard.selectors.review_items import ItemPage, find_item, read_item
from leaderboard.selectors.reviews import list_rows, read_queue

PER_PAGE = 50
View = Callable[..., HttpResponse]


def reviewers_only(view: View) -> View:
    """Signed in, and a reviewer of at least one benchmark; what the services forbid is a 403."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.may_review:
            raise PermissionDenied
        try:
            return view(request, *args, **kwargs)
        except Forbidden as forbidden:
            raise PermissionDenied(str(forbidden)) from forbidden

    return login_required(never_cache(guarded))


@reviewers_only
def queue(request: HttpRequest) -> HttpResponse:
    """What there is to review, and how far it has come."""
    page = read_queue(request.user, request.GET.dict())
    items = Paginator(page.items, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "leaderboard/review/queue.html",
        {
            "queue": page,
            "page": items,
            "rows": list_rows(items.object_list, request.user),
            "page_range": items.paginator.get_elided_page_range(items.number),
            "wanted": request.GET,
        },
    )


@require_POST
@reviewers_only
def claim(request: HttpRequest) -> HttpResponse:
    """The next free item of what the filters ask for; a second click finds the same one."""
    slot = claim_next(request.user, read_filter(request.POST))
    if slot is None:
        messages.info(request, _("Nothing is left for you under these filters."))
        return redirect("review")
    return redirect("review-item", slot.item.uuid)


@reviewers_only
def item(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One item: blind while it is open for this person, with everything afterwards."""
    found = find_item(uuid, request.user)
    page = read_item(found, request.user, again="again" in request.GET, ruling="ruling" in request.GET)
    return _render_item(request, page)


def _render_item(request: HttpRequest, page: ItemPage, refused: Refused | None = None) -> HttpResponse:
    context: dict[str, object] = {"page": page, "refused": refused}
    if refused is not None:
        labels = _part_labels(page)
        context |= {"part_labels": labels, "why_refused": say_refused(refused, labels)}
    return render(request, "leaderboard/review/item.html", context, status=422 if refused else 200)


def _part_labels(page: ItemPage) -> dict[str, str]:
    """Part key -> its name on the page."""
    return {
        part.key: _("%(group)s, part %(n)d") % {"group": group.label, "n": part.number}
        for group in page.groups
        for part in group.parts
    }


@require_POST
@reviewers_only
def take(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Claim this very item."""
    try:
        claim_item(request.user, find_item(uuid, request.user))
    except Refused as refused:
        messages.error(request, say_refused(refused))
    return redirect("review-item", uuid)


@reviewers_only
def submit(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Hand in. What is refused stays typed, here and as a draft; whoever comes back by address finds the item."""
    if request.method != "POST":
        return redirect("review-item", uuid)
    found = find_item(uuid, request.user)
    fields = read_fields(request.POST)
    try:
        state = submit_review(request.user, found, read_verdict(fields))
    except Refused as refused:
        save_draft(request.user, found, fields, int(timezone.now().timestamp() * 1000))
        is_again = "again" in request.POST
        return _render_item(request, read_item(found, request.user, again=is_again, typed=fields), refused)
    words = {
        "open": _("Stored. The item waits for another reviewer."),
        "disputed": _("Stored. The reviewers disagree: a senior reviewer decides."),
        "done": _("Stored. The board follows in a few seconds."),
    }
    messages.success(request, words[state])
    return redirect("review-item", uuid)


@reviewers_only
def settle(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """A senior reviewer's decision."""
    if request.method != "POST":
        return redirect("review-item", uuid)
    found = find_item(uuid, request.user)
    fields = read_fields(request.POST)
    given = read_verdict(fields)
    try:
        adjudicate(
            request.user,
            found,
            read_decisions(fields),
            error_class=given.error_class,
            wrong_step=given.wrong_step,
        )
    except Refused as refused:
        return _render_item(request, read_item(found, request.user, ruling=True, typed=fields), refused)
    messages.success(request, _("Decided. The board follows in a few seconds."))
    return redirect("review-item", uuid)


@require_POST
@reviewers_only
def skip(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Pass the item on."""
    found = find_item(uuid, request.user)
    try:
        release_claim(request.user, found, request.POST.get("skip_reason", ""))
    except Refused as refused:
        messages.error(request, say_refused(refused))
        return redirect("review-item", uuid)
    return redirect("review")


@require_POST
def draft(request: HttpRequest, uuid: UUID) -> JsonResponse:
    """Autosave and heartbeat in one, as JSON; an expired session is a 401, so that the page can say so."""
    if not request.user.is_authenticated:
        return JsonResponse({"error": "signed out"}, status=401)
    found = find_item(uuid, request.user)
    try:
        fields, revised_ms = read_draft(request)
        is_saved = save_draft(request.user, found, fields, revised_ms)
    except Refused as refused:
        return JsonResponse({"error": str(refused)}, status=422)
    until = extend_claim(request.user, found)
    return JsonResponse({"saved": is_saved, "claimed_until": until.isoformat() if until else None})


@require_POST
@reviewers_only
def calibrate(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Make a decided item a known one."""
    try:
        make_calibration_item(request.user, find_item(uuid, request.user))
    except Refused as refused:
        messages.error(request, say_refused(refused))
    else:
        messages.success(request, _("Reviewers will now be measured on this reply."))
    return redirect(reverse("review-item", args=[uuid]))
