from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.models import AnswerScore, CriterionScore
from arena.services.reviews import review_part
from leaderboard.selectors.replies import find_reply, read_reply


def reply(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One reply with its evidence."""
    page = read_reply(find_reply(uuid, request.user))
    return render(request, "leaderboard/reply.html", {"page": page, "may_review": _may_review(request)})


def _may_review(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_reviewer", False))


@require_POST
@login_required
def review_criterion(request: HttpRequest, pk: int) -> HttpResponse:
    return _review(request, get_object_or_404(CriterionScore.objects.select_related("judgment__reply__run"), pk=pk))


@require_POST
@login_required
def review_answer(request: HttpRequest, pk: int) -> HttpResponse:
    return _review(request, get_object_or_404(AnswerScore.objects.select_related("judgment__reply__run"), pk=pk))


def _review(request: HttpRequest, part: CriterionScore | AnswerScore) -> HttpResponse:
    """Store one override and go back to the reply; what is wrong is told there."""
    if not _may_review(request):
        raise PermissionDenied
    found = find_reply(part.judgment.reply.uuid, request.user)
    try:
        review_part(request.user, part, request.POST.get("points", ""), request.POST.get("reason", ""))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("The review is stored; the board follows in a few seconds."))
    return redirect(reverse("reply", args=[found.uuid]) + "#rubric")
