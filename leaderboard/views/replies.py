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
from arena.models import AnswerScore, CriterionScore, ReviewItem, Run
from arena.review_states import find_item
from arena.roles import Rank, is_own_model, rank_on
from arena.services.reviews import review_part
from leaderboard.refusals import say_refused
from leaderboard.selectors.opinions import read_opinions
from leaderboard.selectors.replies import find_reply, read_reply


def reply(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One reply with its evidence. `?view=` reply, raw or prompt; `?part=`, `?thought=` of texts too long."""
    found = find_reply(uuid, request.user)
    view, part, thought = request.GET.get("view", "reply"), _number(request, "part"), _number(request, "thought")
    page = read_reply(found, request.user, view=view, part=part, thought=thought)
    context = {"page": page, "may_review": _may_review(request, found.run), "opinions": read_opinions(found)}
    return render(request, "leaderboard/reply.html", context)


def _number(request: HttpRequest, name: str) -> int:
    """A number from 1; what is none counts as the first."""
    text = request.GET.get(name, "1")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def _may_review(request: HttpRequest, run: Run) -> bool:
    is_reviewer = rank_on(request.user, run.revision.benchmark_id) >= Rank.REVIEWER
    return is_reviewer and not is_own_model(request.user, run.entrant_id)


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
    found = find_reply(part.judgment.reply.uuid, request.user)
    if rank_on(request.user, found.run.revision.benchmark_id) < Rank.REVIEWER:
        raise PermissionDenied
    try:
        review_part(request.user, part, request.POST.get("points", ""), request.POST.get("reason", ""))
    except Refused as refused:
        messages.error(request, say_refused(refused))
    else:
        messages.success(request, _told(part))
    return redirect(reverse("reply", args=[found.uuid]) + "#rubric")


def _told(part: CriterionScore | AnswerScore) -> str:
    """What becomes of the override: in the queue a blind decision goes before it."""
    item = find_item(part.judgment)
    if item is None or (item.state == ReviewItem.State.DONE and item.needed == 1):
        return _("The review is stored; the board follows in a few seconds.")
    return _(
        "The review is stored in the history. This reply is in the review queue: what its reviewers decide counts."
    )
