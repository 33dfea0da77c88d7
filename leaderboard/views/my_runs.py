"""What a person handed in: the list, the page of each, and what may be done with it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.models import Submission
from arena.services import submissions as service
from arena.services.endpoint_checks import check_before_retry
from leaderboard.forms import RetryForm
from leaderboard.selectors.run_replies import read_estimates, read_replies
from leaderboard.selectors.runs import link_board, read_run, say_published
from leaderboard.selectors.submissions import allowance_of, find_submission, list_runs, print_runs, read_submission
from leaderboard.sentences import say_sentence
from leaderboard.views.submissions import KEYS, queue

RUNS_PER_PAGE = 100


@login_required
def my_runs(request: HttpRequest) -> HttpResponse:
    """Everything this person handed in; for maintainers every run there is."""
    page = Paginator(list_runs(request.user), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "rows": print_runs(page.object_list, request.user),
        "page": page,
        "page_range": page.paginator.get_elided_page_range(page.number),
        "allowance": allowance_of(request.user),
    }
    return render(request, "leaderboard/my_runs.html", context)


def submission(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One submission, live; `?part=progress` is the part that the page polls."""
    found = find_submission(uuid, request.user, request.GET.get("share", ""))
    if request.GET.get("part") == "progress":
        page = read_run(service.run_of(found), request.user)
        return render(request, "leaderboard/_run_progress.html", {"page": page, "hides_failures": not page.may_act})
    shown = read_submission(found, request.user)
    context: dict[str, object] = {"shown": shown, "page": shown.page, "retry_form": RetryForm(label_suffix="")}
    context |= {"hides_failures": not shown.may_act, "may_skip_check": "unchecked" in request.GET}
    run = shown.page.run
    if not run.is_live:
        context["estimates"] = read_estimates(run) if shown.page.scored and not shown.page.metrics else ()
        if shown.may_act or not shown.is_private:
            context["replies"] = read_replies(run, request.GET)
    return render(request, "leaderboard/submission.html", context)


@require_POST
@login_required
@sensitive_post_parameters(*KEYS)
def act_on_submission(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Cancel, retry, publish or withdraw, for whoever may; what is refused is told on the page."""
    found = find_submission(uuid, request.user)
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise Http404
    try:
        messages.success(request, act(request, found))
    except service.NotAllowed as error:
        raise PermissionDenied from error
    except Refused as refused:
        if act is _retry:
            messages.error(request, _("Nothing was started: %(why)s") % {"why": say_sentence(refused.message)})
            return redirect(f"{reverse('submission', args=[uuid])}?unchecked=1#retry")
        messages.error(request, capfirst(say_sentence(refused.message)))
    return redirect("submission", uuid=uuid)


def _cancel(request: HttpRequest, found: Submission) -> str:
    service.cancel(found, request.user)
    return _("The run is cancelled; what is done is kept.")


def _retry(request: HttpRequest, found: Submission) -> str:
    """Ask for what is missing with the key given anew, once the endpoint answers or somebody insists."""
    credentials = RetryForm(request.POST).read_credentials()
    if request.POST["act"] != "retry-anyway" and service.may_act(request.user, found):
        check_before_retry(service.run_of(found), credentials, request.user)
    service.retry(found, credentials, request.user)
    queue(request, found)
    return _("The run goes on: what is missing is asked for.")


def _publish(request: HttpRequest, found: Submission) -> str:
    service.publish(found, request.user)
    return say_published(link_board(service.run_of(found)))


def _withdraw(request: HttpRequest, found: Submission) -> str:
    service.withdraw(found, request.user, request.POST.get("reason", ""))
    return _("The run is withdrawn; the board follows in a few seconds.")


def _void_links(request: HttpRequest, found: Submission) -> str:
    service.void_shares(found, request.user)
    return _("All links that were shared are void; the one below is new.")


_ACTS = {
    "cancel": _cancel,
    "retry": _retry,
    "retry-anyway": _retry,
    "publish": _publish,
    "withdraw": _withdraw,
    "void-links": _void_links,
}
