"""Judges and scorers: who measures, with what, at what price; maintainers choose which one ranks."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from arena.errors import Refused
from arena.models import AuditEvent, Benchmark, JudgeSeat, Scorer
from arena.roles import Forbidden, Rank, rank_on
from arena.services import judge_admin
from arena.services.canaries import check_leniency
from arena.services.rejudging import order_rejudging
from arena.tasks import enqueue_rejudging
from leaderboard.judge_forms import BudgetForm, JudgeForm, ScorerForm, add_refusal
from leaderboard.run_fields import read_budget
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.costs import list_judge_calls, read_run_costs
from leaderboard.selectors.judges import list_judged, read_judges
from leaderboard.selectors.replies import find_reply
from leaderboard.selectors.runs import find_run
from leaderboard.selectors.scorer_compare import compare_scorers
from leaderboard.selectors.scorers import find_scorer, read_order, read_scorer
from leaderboard.selectors.splits import read_splits


def _benchmark(slug: str) -> Benchmark:
    return get_object_or_404(Benchmark.objects.select_related("scorer"), slug=slug, is_public=True)


def _may_configure(request: HttpRequest, benchmark: Benchmark) -> bool:
    return rank_on(request.user, benchmark) >= Rank.MAINTAINER


def overview(request: HttpRequest) -> HttpResponse:
    """Every judged benchmark with the scorer that ranks."""
    return render(request, "leaderboard/judges_overview.html", {"rows": list_judged()})


def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """One benchmark's judges, their record, and for maintainers the forms."""
    return _show_judges(request, _benchmark(slug))


def _show_judges(
    request: HttpRequest, benchmark: Benchmark, judge_form: Form | None = None, scorer_form: Form | None = None
) -> HttpResponse:
    context = {
        "page": read_judges(benchmark),
        "place": find_place(benchmark.slug),
        "may_configure": _may_configure(request, benchmark),
        "judge_form": judge_form or JudgeForm(label_suffix=""),
        "scorer_form": scorer_form or ScorerForm(benchmark),
    }
    return render(request, "leaderboard/judges.html", context)


@require_POST
@login_required
@sensitive_post_parameters("api_key")
def add_judge(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a judge its endpoint."""
    benchmark, form = _benchmark(slug), JudgeForm(request.POST, label_suffix="")
    if form.is_valid():
        spec, key = form.read_spec()
        try:
            judge_admin.add_judge(benchmark, spec, key, request.user)
        except Refused as refused:
            add_refusal(form, refused.field, refused.message)
        except Forbidden as forbidden:
            raise PermissionDenied from forbidden
        else:
            messages.success(request, _("The judge is stored. Measure its leniency before it ranks."))
            return redirect("judges", slug=slug)
    return _show_judges(request, benchmark, judge_form=form)


@require_POST
@login_required
def add_scorer(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a scorer of judges; it ranks nothing yet."""
    benchmark = _benchmark(slug)
    form = ScorerForm(benchmark, request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            made = judge_admin.add_scorer(benchmark, data["rule"], [*data["judges"]], form.read_params(), request.user)
        except Refused as refused:
            add_refusal(form, refused.field, refused.message)
        except Forbidden as forbidden:
            raise PermissionDenied from forbidden
        else:
            messages.success(request, _("The scorer is stored; it ranks nothing until it is made current."))
            return redirect("scorer", digest=made.digest)
    return _show_judges(request, benchmark, scorer_form=form)


@require_POST
@login_required
def act_on_judge(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Measure a judge's leniency, or take its endpoint away."""
    benchmark = _benchmark(slug)
    seats = JudgeSeat.objects.filter(benchmark=benchmark).select_related("judge", "endpoint", "benchmark")
    seat = get_object_or_404(seats, pk=pk)
    if not _may_configure(request, benchmark):
        raise PermissionDenied
    try:
        if request.POST.get("act") == "remove":
            judge_admin.remove_judge(seat, request.user)
            messages.success(request, _("The judge's endpoint and key are gone; what it has judged stays."))
        else:
            found = check_leniency(benchmark, seat.judge)
            text = _("%(n)d of %(all)d empty solutions got points.") % {"n": found.n_lenient, "all": found.n}
            (messages.warning if found.n_lenient or found.n_failed else messages.success)(request, text)
    except Refused as refused:
        messages.error(request, capfirst(refused.message))
    return redirect("judges", slug=slug)


@require_POST
@login_required
def act_on_scorer(request: HttpRequest, digest: str) -> HttpResponse:
    """Make a scorer the one that ranks, or judge the board's replies again with it."""
    scorer = find_scorer(digest)
    benchmark = _benchmark(scorer.params.get("benchmark", ""))
    if not _may_configure(request, benchmark):
        raise PermissionDenied
    form = BudgetForm(request.POST)
    try:
        if request.POST.get("act") != "rejudge":
            judge_admin.make_current(benchmark, scorer, request.user)
            messages.success(request, _("This scorer ranks now; moving back is the same step."))
        elif form.is_valid():
            _order(request, order_rejudging(benchmark, scorer, request.user, read_budget(form.cleaned_data)))
        else:
            return _show_scorer(request, scorer, form)
    except Refused as refused:
        messages.error(request, capfirst(refused.message))
    return redirect("scorer", digest=scorer.digest)


def _order(request: HttpRequest, order: AuditEvent) -> None:
    if enqueue_rejudging(order.pk):
        n = {"n": len(order.after["runs"])}
        messages.success(request, _("%(n)d runs are judged again; only what is missing is bought.") % n)
    else:
        messages.error(request, _("The queue does not answer just now: nothing is judged. Order it again later."))


def scorer(request: HttpRequest, digest: str) -> HttpResponse:
    """One scorer in full."""
    return _show_scorer(request, find_scorer(digest), BudgetForm())


def _show_scorer(request: HttpRequest, found: Scorer, form: BudgetForm) -> HttpResponse:
    page = read_scorer(found)
    may_configure = _may_configure(request, page.benchmark)
    context = {"page": page, "may_configure": may_configure, "budget_form": form}
    if may_configure:
        context["order"] = read_order(found)
    return render(request, "leaderboard/scorer.html", context)


def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two scorers on the same replies; `b` may then be made current."""
    benchmark = _benchmark(slug)
    first, second = (find_scorer(request.GET.get(name, "")) for name in ("a", "b"))
    page = compare_scorers(benchmark, first, second)
    return render(
        request, "leaderboard/scorer_compare.html", {"page": page, "may_configure": _may_configure(request, benchmark)}
    )


def run_costs(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """What a run took, in tokens, money and time."""
    return render(request, "leaderboard/run_costs.html", {"page": read_run_costs(find_run(uuid, request.user))})


def judge_calls(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Every judge call about one reply, with its words."""
    found = find_reply(uuid, request.user)
    context = {"reply": found, "calls": list_judge_calls(found, request.user)}
    return render(request, "leaderboard/judge_calls.html", context)


def splits(request: HttpRequest, slug: str) -> HttpResponse:
    """A board cut by what its problems are like."""
    place = find_place(slug, request.GET.get("revision", ""), request.GET.get("split", ""))
    return render(request, "leaderboard/splits.html", {"page": read_splits(place, request.GET.get("by", ""))})
