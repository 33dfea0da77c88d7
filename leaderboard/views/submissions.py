from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from arena.errors import ImportRefused, Refused
from arena.models import Submission
from arena.services import submissions as service
from arena.services.choices import Choices, list_choices, read_choices
from arena.services.endpoint_checks import check_before_start, check_endpoint
from arena.services.estimates import estimate_run
from arena.tasks import try_enqueue_run
from leaderboard.forms import PredictionsForm, SubmitForm
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.submissions import allowance_of, write_template

STARTS = ("submit", "start-anyway")
KEYS = ("api_key", "judge_api_key")
OWN_DEFAULTS = ("split", "subsets", "shots", "max_tokens")  # a benchmark's own; the rest of what was typed stays


@login_required
@sensitive_post_parameters(*KEYS)
def submit(request: HttpRequest) -> HttpResponse:
    """Start a run of a model behind an endpoint. `?part=` is a piece of the page that scripts refresh."""
    choices, benchmarks = _choose(request)
    if choices is None:
        return render(request, "leaderboard/submit.html", {"form": None})
    if request.method == "POST" and request.POST.get("act", "submit") in STARTS:
        form = SubmitForm(choices, benchmarks, request.POST, keys_given=_keys_given(request))
        if form.is_valid() and (submission := _start(request, form)):
            return redirect("submission", uuid=submission.uuid)
        form.mark_emptied_keys()
    else:
        form = _prefill(request, choices, benchmarks)
    return render(request, _template(request), _submit_context(request, form, choices))


def _keys_given(request: HttpRequest) -> tuple[str, ...]:
    """Where a key was typed, in this form or in the one before it; never the key itself."""
    before = request.POST.get("keys_given", "").split()
    return tuple(name for name in KEYS if request.POST.get(name, "").strip() or name in before)


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
    return SubmitForm(
        choices, benchmarks, initial={"benchmark": choices.slug, **initial}, keys_given=_keys_given(request)
    )


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
        return check_endpoint(
            request.user,
            data["base_url"].strip(),
            data.get("api_model", "") or data.get("model", ""),
            data.get("api_key", "").strip(),
        )
    except Refused as refused:
        return {"ok": False, "message": capfirst(refused.message)}


def _start(request: HttpRequest, form: SubmitForm) -> Submission | None:
    """The new submission; None with the reason in the form. An endpoint that does not answer needs an "anyway"."""
    asked = form.read_request()
    try:
        if request.POST.get("act") != "start-anyway":
            check_before_start(*asked, request.user)
    except Refused as refused:
        form.add_refusal(refused)
        form.may_skip_check = True
        return None
    try:
        submission = service.submit(*asked, request.user)
    except Refused as refused:
        form.add_refusal(refused)
        return None
    queue(request, submission)
    return submission


def queue(request: HttpRequest, submission: Submission) -> None:
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
    if request.method == "POST" and request.POST.get("act", "submit") == "submit":
        form = PredictionsForm(choices, benchmarks, request.POST, request.FILES)
        if form.is_valid() and (submission := _upload(request, form)):
            return redirect("submission", uuid=submission.uuid)
    else:
        form = PredictionsForm(choices, benchmarks, initial={**_typed(request), "benchmark": choices.slug})
    chosen = {name: form[name].value() for name in ("split", "subset") if name in form.fields and form[name].value()}
    context = {"form": form, "choices": choices, "template_query": urlencode(chosen)}
    parts = {"choices": "_file_choices", "template": "_file_template"}
    template = parts.get(request.GET.get("part", ""), "submit_file")
    return render(request, f"leaderboard/{template}.html", {**context, "allowance": allowance_of(request.user)})


def _typed(request: HttpRequest) -> dict[str, str]:
    """What was typed so far, without the choices of a benchmark that is not chosen any more."""
    data = request.POST if request.method == "POST" else request.GET
    is_switch = data.get("part") == "choices" or data.get("act") == "show"
    return {name: data[name] for name in data if not (is_switch and name in ("split", "subset"))}


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
    queue(request, submission)
    return submission


def template_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A predictions file with every id and empty replies."""
    place = find_place(slug, "", request.GET.get("split", ""))

    lines = write_template(place.revision, place.split, request.GET.get("subset", ""))
    response = StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{place.split}.jsonl"'
    return response
