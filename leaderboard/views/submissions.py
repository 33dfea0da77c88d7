from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from arena.errors import ImportRefused, Refused
from arena.models import Submission
from arena.services import submissions as service
from arena.services.choices import Choices, list_choices, read_choices
from arena.services.estimates import estimate_run
from arena.tasks import try_enqueue_run
from leaderboard.forms import PredictionsForm, RetryForm, SubmitForm
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.submission_replies import read_estimates, read_replies
from leaderboard.selectors.submissions import (
    allowance_of,
    find_submission,
    list_submissions,
    read_submission,
    write_template,
)

KEYS = ("api_key", "judge_api_key")
OWN_DEFAULTS = ("split", "subsets", "shots", "max_tokens")  # a benchmark's own; the rest of what was typed stays


@login_required
@sensitive_post_parameters(*KEYS)
def submit(request: HttpRequest) -> HttpResponse:
    """Start a run of a model behind an endpoint. `?part=` is a piece of the page that scripts refresh."""
    choices, benchmarks = _choose(request)
    if choices is None:
        return render(request, "leaderboard/submit.html", {"form": None})
    if request.method == "POST" and request.POST.get("act", "submit") == "submit":
        form = SubmitForm(choices, benchmarks, request.POST)
        if form.is_valid() and (submission := _start(request, form)):
            return redirect("submission", uuid=submission.uuid)
    else:
        form = _prefill(request, choices, benchmarks)
    return render(request, _template(request), _submit_context(request, form, choices))


def _choose(request: HttpRequest) -> tuple[Choices | None, list[tuple[str, str]]]:
    """The benchmark the form is about, and all there are by their titles."""
    zh = getattr(request, "LANGUAGE_CODE", "").startswith("zh")
    benchmarks = [(slug, title_zh if zh and title_zh else title) for slug, title, title_zh in list_choices()]
    wanted = (request.POST if request.method == "POST" else request.GET).get("benchmark", "")
    known = dict(benchmarks)
    if not benchmarks:
        return None, []
    return read_choices(wanted if wanted in known else benchmarks[0][0]), benchmarks


def _prefill(request: HttpRequest, choices: Choices, benchmarks: list[tuple[str, str]]) -> SubmitForm:
    """A form with what was typed so far, not yet checked; keys never come back."""
    data = request.POST if request.method == "POST" else request.GET
    is_switch = data.get("part") == "choices" or data.get("act") == "show"
    names = [name for name in data if name not in KEYS and not (is_switch and name in OWN_DEFAULTS)]
    initial = {name: data.getlist(name) if name == "subsets" else data[name] for name in names}
    return SubmitForm(choices, benchmarks, initial={"benchmark": choices.slug, **initial})


def _template(request: HttpRequest) -> str:
    part = (request.POST if request.method == "POST" else request.GET).get("part", "")
    parts = {"choices": "_submit_choices", "estimate": "_estimate", "endpoint": "_endpoint_report"}
    return f"leaderboard/{parts.get(part, 'submit')}.html"


def _submit_context(request: HttpRequest, form: SubmitForm, choices: Choices) -> dict[str, object]:
    data = form.data if form.is_bound else (request.POST if request.method == "POST" else request.GET)
    outline = SubmitForm(choices, list(form.fields["benchmark"].choices), data)  # type: ignore[attr-defined]
    try:
        estimate = estimate_run(outline.read_outline())
    except Refused:
        estimate = None
    context = {"form": form, "sections": form.sections(), "choices": choices, "estimate": estimate}
    if request.method == "POST" and request.POST.get("act") == "check":
        context["report"] = _check(request)
    return {**context, "allowance": allowance_of(request.user)}


def _check(request: HttpRequest) -> object:
    """What the endpoint answers to one tiny call; a refusal reads like a failed check."""
    data = request.POST
    if not data.get("base_url", "").strip():
        return {"ok": False, "message": _("Type the endpoint URL first.")}
    try:
        return service.check_endpoint(
            request.user,
            data["base_url"].strip(),
            data.get("api_model", "") or data.get("model", ""),
            data.get("api_key", "").strip(),
        )
    except Refused as refused:
        return {"ok": False, "message": refused.message}


def _start(request: HttpRequest, form: SubmitForm) -> Submission | None:
    try:
        submission = service.submit(*form.read_request(), request.user)
    except Refused as refused:
        form.add_refusal(refused)
        return None
    _queue(request, submission)
    return submission


def _queue(request: HttpRequest, submission: Submission) -> None:
    if not try_enqueue_run(service.run_of(submission).pk):
        messages.warning(
            request, _("The queue does not answer just now. The run is stored and starts when it is back.")
        )


@login_required
def submit_file(request: HttpRequest) -> HttpResponse:
    """Score replies made elsewhere."""
    choices, benchmarks = _choose(request)
    if choices is None:
        return render(request, "leaderboard/submit.html", {"form": None})
    context: dict[str, object] = {"choices": choices, "allowance": allowance_of(request.user)}
    if request.method == "POST" and request.POST.get("act", "submit") == "submit":
        form = PredictionsForm(choices, benchmarks, request.POST, request.FILES)
        if form.is_valid() and (submission := _upload(request, form)):
            return redirect("submission", uuid=submission.uuid)
    else:
        typed = request.POST if request.method == "POST" else request.GET
        form = PredictionsForm(choices, benchmarks, initial={**typed.dict(), "benchmark": choices.slug})
    return render(request, "leaderboard/submit_file.html", {"form": form, **context})


def _upload(request: HttpRequest, form: PredictionsForm) -> Submission | None:
    data, file = form.cleaned_data, form.cleaned_data["file"]
    names = {name: data.get(name) or "" for name in ("benchmark", "model", "organisation", "split", "subset")}
    try:
        submission = service.submit_predictions(file.read(), file.name, request.user, **names)
    except ImportRefused as refused:
        for fault in refused.faults[:50]:
            form.add_error("file", fault)
        return None
    except Refused as refused:
        form.add_refusal(refused)
        return None
    _queue(request, submission)
    return submission


def template_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A predictions file with every id and empty replies."""
    place = find_place(slug, "", request.GET.get("split", ""))

    lines = write_template(place.revision, place.split, request.GET.get("subset", ""))
    response = StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{place.split}.jsonl"'
    return response


@login_required
def my_runs(request: HttpRequest) -> HttpResponse:
    """Everything this person handed in; for maintainers everybody's."""
    context = {"rows": list_submissions(request.user), "allowance": allowance_of(request.user)}
    return render(request, "leaderboard/my_runs.html", context)


def submission(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """One submission, live."""
    found = find_submission(uuid, request.user, request.GET.get("share", ""))
    shown = read_submission(found, request.user)
    context: dict[str, object] = {"shown": shown, "page": shown.page, "retry_form": RetryForm(label_suffix="")}
    run = shown.page.run
    if not run.is_live:
        context["estimates"] = () if shown.page.metrics else read_estimates(run)
        if shown.may_act or not shown.is_private:
            context["replies"] = read_replies(run, request.GET.get("page", ""))
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
        messages.error(request, refused.message)
    return redirect("submission", uuid=uuid)


def _cancel(request: HttpRequest, found: Submission) -> str:
    service.cancel(found, request.user)
    return _("The run is cancelled; what is done is kept.")


def _retry(request: HttpRequest, found: Submission) -> str:
    service.retry(found, RetryForm(request.POST).read_credentials(), request.user)
    _queue(request, found)
    return _("The failed samples are tried again.")


def _publish(request: HttpRequest, found: Submission) -> str:
    service.publish(found, request.user)
    return _("The run is published; the board follows in a few seconds.")


def _withdraw(request: HttpRequest, found: Submission) -> str:
    service.withdraw(found, request.user, request.POST.get("reason", ""))
    return _("The run is withdrawn; the board follows in a few seconds.")


def _void_links(request: HttpRequest, found: Submission) -> str:
    service.void_shares(found, request.user)
    return _("All links that were shared are void; the one below is new.")


_ACTS = {"cancel": _cancel, "retry": _retry, "publish": _publish, "withdraw": _withdraw, "void-links": _void_links}
