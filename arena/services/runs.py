"""A run's life: made from checked choices, advanced in slices, ended once, tried again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.benchmarks.base import Adapter
from arena.errors import Refused
from arena.llm.call import CallParams, KeyRefused, check_key
from arena.models import (
    Benchmark,
    DatasetRevision,
    Endpoint,
    Run,
    RunSlice,
    Scorer,
    Submission,
    Subset,
    User,
)
from arena.security import url_guard
from arena.services import keys, quotas
from arena.services.catalog import get_adapter
from arena.services.doubts import queue_doubts
from arena.services.entrants import get_model
from arena.services.prices import require_prices
from arena.services.prompts import prompt_digest
from arena.services.publishing import publish_automatically
from arena.services.samples import planned_entries, read_progress
from arena.services.scorers import JudgeSpec, as_coded, choose_scorer, set_current_scorer, vary_scorer
from arena.services.seats import seat_judge
from arena.signals import scores_changed

MAX_CONCURRENCY = 256
SLICE_FAILURES_MAX = 5


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Everything a person chooses for a run; empty and None mean the benchmark's default.

    param: further fields of the request body, and `timeout_s`. scorer_params: see scorers.JUDGE_DEFAULTS.
    """

    benchmark: str
    model: str
    base_url: str
    api_model: str = ""
    organisation: str = ""
    revision: str = ""
    split: str = ""
    subsets: tuple[str, ...] = ()
    limit: int | None = None
    shots: int | None = None
    repeats: int = 1
    concurrency: int = 16
    scorer: str = ""
    judge_strategy: str = "auto"
    judges: tuple[JudgeSpec, ...] = ()
    judge_base_url: str = ""
    is_official_judge: bool = False
    scorer_params: Mapping[str, Any] = field(default_factory=dict)
    temperature: float | None = 0.0
    max_tokens: int | None = None
    reasoning_effort: str = ""
    system_prompt: str = ""
    max_image_bytes: int | None = None
    param: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Credentials:
    """Keys in memory only: an inline run stores none. repr hides them."""

    api_key: str = field(default="", repr=False)
    judge_api_key: str = field(default="", repr=False)


def create_run(
    request: RunRequest, credentials: Credentials, *, owner: User | None = None, keep_keys: bool = True
) -> Run:
    """Check every choice and store the run, queued. Raises Refused naming the field.

    keep_keys: store the keys encrypted for the worker; an inline run keeps them in memory.
    """
    adapter = get_adapter(request.benchmark)
    benchmark, revision, split, subsets = choose_problems(adapter, request)
    _check_numbers(request)
    check_base_url("base-url", request.base_url)
    if request.judge_base_url:
        check_base_url("judge-base-url", request.judge_base_url)
    _check_keys(credentials)
    scorer, is_own_judge = _choose_scorer(adapter, benchmark, request)
    shots = adapter.default_shots if request.shots is None else request.shots
    params = _params(adapter, request)
    with transaction.atomic():
        if request.is_official_judge:
            set_current_scorer(benchmark, scorer)
        run = Run(
            entrant=get_model(request.model, request.organisation, owner),
            owner=owner,
            endpoint=keys.make_endpoint(
                request.base_url, request.api_model or request.model, credentials.api_key if keep_keys else "", owner
            ),
            judge_endpoint=_judge_endpoint(benchmark, request, scorer, credentials, owner, keep_keys),
            revision=revision,
            scorer=scorer,
            split=split,
            subsets=list(subsets),
            limit=request.limit,
            shots=shots,
            style="text-deredundancy" if adapter.slug.startswith("phyx") else "",
            prompt_digest=prompt_digest(adapter, shots, request.system_prompt),
            params=params,
            concurrency=request.concurrency,
            repeats=request.repeats,
            budget=dict(request.budget),
            is_own_judge=is_own_judge,
            code_version=settings.CODE_VERSION,
        )
        run.planned = len(planned_entries(run)) * run.repeats
        run.partial = run.limit is not None and _limit_cuts(run)
        if not run.planned:
            raise Refused("subset", _("no problem is left to answer"))
        _check_budget(run)
        run.save()
    return run


def choose_problems(adapter: Adapter, request: RunRequest) -> tuple[Benchmark, DatasetRevision, str, tuple[str, ...]]:
    """Benchmark, revision, split and subset slugs (all of the split where none is named). Raises Refused."""
    benchmark = Benchmark.objects.filter(slug=adapter.slug).first()
    if benchmark is None:
        raise Refused(
            "benchmark",
            _("%(benchmark)s is not imported yet: run import_benchmark %(benchmark)s") % {"benchmark": adapter.slug},
        )
    if request.revision:
        revision = benchmark.revisions.filter(label=request.revision).first()
        labels = ", ".join(benchmark.revisions.values_list("label", flat=True))
        if revision is None:
            raise Refused(
                "revision",
                _("%(benchmark)s has no revision %(revision)r; there are: %(labels)s")
                % {"benchmark": adapter.slug, "revision": request.revision, "labels": labels},
            )
    else:
        revision = benchmark.current_revision
        if revision is None:
            raise Refused(
                "benchmark",
                _("%(benchmark)s has no data yet: run import_benchmark %(benchmark)s") % {"benchmark": adapter.slug},
            )
    splits = list(revision.entries.order_by().values_list("split", flat=True).distinct())
    wanted = (request.split,) if request.split else (adapter.default_split, *adapter.split_fallbacks)
    split = next((name for name in wanted if name in splits), "")
    if not split or split == "validation":
        raise Refused(
            "split",
            _("revision %(revision)s has no split %(wanted)r; there are: %(known)s")
            % {"revision": revision.label, "wanted": wanted[0], "known": ", ".join(splits)},
        )
    there = list(
        Subset.objects.filter(problems__entries__revision=revision, problems__entries__split=split)
        .distinct()
        .order_by("position")
        .values_list("slug", flat=True)
    )
    if unknown := [slug for slug in request.subsets if slug not in there]:
        raise Refused(
            "subset",
            _("unknown: %(unknown)s; known: %(known)s") % {"unknown": ", ".join(unknown), "known": ", ".join(there)},
        )
    return benchmark, revision, split, tuple(slug for slug in there if not request.subsets or slug in request.subsets)


def _check_keys(credentials: Credentials) -> None:
    """Raises Refused where no request could carry a key: such a run could only fail."""
    for name, key in (("api-key", credentials.api_key), ("judge-api-key", credentials.judge_api_key)):
        try:
            check_key(key)
        except KeyRefused as error:
            raise Refused(name, str(error)) from error


def check_base_url(field_name: str, url: str) -> None:
    try:
        url_guard.check_url(url, url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST))
    except ValueError as error:
        raise Refused(field_name, str(error)) from error


def finish_if_done(run: Run, *, inline: bool = False) -> bool:
    """End the run when no sample is open any more; purge its keys; tell the boards. True when it has ended."""
    run.refresh_from_db()
    if not run.is_live:
        return True
    if read_progress(run).open:
        return False
    _end(run, Run.State.FINISHED, "", inline=inline)
    return True


def cancel_run(run: Run, reason: str = "cancelled", *, inline: bool = False) -> bool:
    """Stop a live run; what is done is kept. False where it had ended already."""
    return run.is_live and _end(run, Run.State.CANCELLED, reason, inline=inline)


def cancelled_by(user: User) -> str:
    """The stop reason of a run that this person stopped."""
    return f"cancelled by {user.get_username()}"


def cancel_run_for(run: Run, by: User) -> None:
    """A person's own wish to stop a run. Raises Refused where it had ended already."""
    if not cancel_run(run, cancelled_by(by)):
        raise Refused("", _("this run had ended already: nothing was cancelled"))


def fail_run(run: Run, reason: str, *, inline: bool = False) -> None:
    if run.is_live:
        _end(run, Run.State.FAILED, reason, inline=inline)


def _end(run: Run, state: str, reason: str, *, inline: bool) -> bool:
    """False where somebody else ended the run first."""
    ended = Run.objects.filter(pk=run.pk, state__in=Run.LIVE_STATES).update(
        state=state, stop_reason=reason[:300], finished_at=timezone.now(), limited_until=None
    )
    if not ended:
        return False
    Submission.objects.filter(runs=run).update(state=state)
    keys.purge_run_keys(run)
    quotas.settle_run(run)
    run.refresh_from_db()
    publish_automatically(run)
    queue_doubts(run)
    scores_changed.send(sender=Run, run_ids=[run.pk], inline=inline)
    return True


def reopen_run(run: Run, credentials: Credentials | None = None, *, keep_keys: bool = True) -> Run:
    """Start the next round: samples that failed are tried again, whatever was done is kept."""
    if run.provenance != Run.Provenance.MEASURED:
        raise Refused("run", _("an uploaded run has no endpoint to ask again"))
    _check_keys(credentials or Credentials())
    with transaction.atomic():
        Run.objects.filter(pk=run.pk).update(
            round=run.round + (not run.is_live),
            state=Run.State.QUEUED if not run.is_live else run.state,
            stop_reason="",
            finished_at=None,
        )
        Submission.objects.filter(runs=run).update(state=Submission.State.ACCEPTED)
        run.refresh_from_db()
        if credentials and keep_keys:
            keys.store_run_keys(run, credentials.api_key, credentials.judge_api_key)
    return run


def count_slice_failure(run_id: int) -> bool:
    """Note that a slice of the run broke off by our own fault; False once the run has been failed for it."""
    key = f"run-broken:{run_id}"
    cache.add(key, 0, 3600)
    if cache.incr(key) < SLICE_FAILURES_MAX:
        return True
    fail_run(Run.objects.get(pk=run_id), "the engine failed on this run several times; see the log")
    return False


def waits_for_turn(run: Run) -> bool:
    """Whether another run of the same person is at work: they take turns, so that dead endpoints of one person do not
    hold every worker. Maintainers' runs and those of nobody do not wait."""
    if run.owner is None or run.owner.is_maintainer:
        return False
    return RunSlice.objects.filter(run__owner=run.owner, lease_until__gte=timezone.now()).exclude(run=run).exists()


def next_in_turn(run_id: int) -> list[int]:
    """The same person's other live runs, in the order they came, once none of them is at work."""
    owner = Run.objects.values_list("owner", flat=True).get(pk=run_id)
    if owner is None or RunSlice.objects.filter(run__owner=owner, lease_until__gte=timezone.now()).exists():
        return []
    others = Run.objects.live().filter(owner=owner).exclude(pk=run_id)
    return list(others.order_by("pk").values_list("pk", flat=True))


def lost_runs() -> list[int]:
    """Frees expired leases and returns the live runs that nobody works on."""
    now = timezone.now()
    RunSlice.objects.filter(lease_until__lt=now).delete()
    return list(
        Run.objects.filter(state__in=Run.LIVE_STATES)
        .exclude(slices__lease_until__gte=now)
        .filter(created_at__lt=now - timedelta(seconds=2))
        .values_list("pk", flat=True)
    )


def _choose_scorer(adapter: Adapter, benchmark: Benchmark, request: RunRequest) -> tuple[Scorer, bool]:
    """The run's scorer, and whether its judge is the submitter's own. Without an own judge the official one grades."""
    official = as_coded(adapter, benchmark.scorer) if benchmark.scorer else None
    may_use_official = adapter.judge != "none" and not request.judges and request.judge_strategy != "rule"
    if may_use_official and official is not None and official.judges.exists():
        if benchmark.judge_endpoint is not None:
            if not request.scorer and not request.scorer_params:
                return official, False
            return vary_scorer(adapter, official, request.scorer, request.scorer_params), False
        if adapter.judge == "required":
            raise Refused(
                "judge-model",
                _("the official judge of %(benchmark)s has no endpoint: name one with --judge-model")
                % {"benchmark": adapter.slug},
            )
    scorer = choose_scorer(
        adapter,
        name=request.scorer,
        strategy=request.judge_strategy,
        judges=request.judges,
        params=request.scorer_params,
    )
    return scorer, bool(request.judges) and not request.is_official_judge


def _judge_endpoint(
    benchmark: Benchmark,
    request: RunRequest,
    scorer: Scorer,
    credentials: Credentials,
    owner: User | None,
    keep_keys: bool,
) -> Endpoint | None:
    if not request.judges:
        return benchmark.judge_endpoint
    url = request.judge_base_url or request.base_url
    key = credentials.judge_api_key if keep_keys else ""
    endpoint = keys.make_endpoint(url, request.judges[0].model, key, owner)
    if request.is_official_judge and (keep_keys or not credentials.judge_api_key):
        for judge in scorer.judges.all():
            seat_judge(benchmark, judge, endpoint, owner)
        benchmark.judge_endpoint = endpoint
        benchmark.save(update_fields=["judge_endpoint"])
    return endpoint


def _check_budget(run: Run) -> None:
    """A budget in currency needs the price of everything that may be asked. Raises Refused."""
    if run.budget.get("usd"):
        judges = [judge.model for judge in run.scorer.judges.all()]
        require_prices([run.endpoint.api_model if run.endpoint else "", *judges], timezone.now().date())


def _check_numbers(request: RunRequest) -> None:
    bounds: Sequence[tuple[str, float | None, float, float]] = (
        ("limit", request.limit, 1, 1_000_000),
        ("shots", request.shots, 0, 100),
        ("repeats", request.repeats, 1, 64),
        ("concurrency", request.concurrency, 1, MAX_CONCURRENCY),
        ("temperature", request.temperature, 0, 2),
        ("max-tokens", request.max_tokens, 1, 1_000_000),
        ("max-image-bytes", request.max_image_bytes, 1000, 64 * 2**20),
    )
    for name, value, low, high in bounds:
        if value is not None and not low <= value <= high:
            raise Refused(
                name, _("%(value)s is not between %(low)s and %(high)s") % {"value": value, "low": low, "high": high}
            )


def _params(adapter: Adapter, request: RunRequest) -> dict[str, Any]:
    """The frozen parameters; also checks that a call can be made from them."""
    param = dict(request.param)
    timeout_s = param.pop("timeout_s", 600.0)
    seed = param.pop("seed", None)
    frozen = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens or adapter.max_tokens,
        "reasoning_effort": request.reasoning_effort,
        "seed": seed,
        "timeout_s": timeout_s,
        "system_prompt": request.system_prompt,
        "max_image_bytes": request.max_image_bytes,
        "extra": param,
    }
    try:
        call_params(frozen)
    except (ValueError, TypeError) as error:
        raise Refused("param", str(error)) from error
    return frozen


def call_params(params: Mapping[str, Any]) -> CallParams:
    return CallParams(
        temperature=params.get("temperature"),
        max_tokens=params.get("max_tokens"),
        reasoning_effort=params.get("reasoning_effort") or "",
        seed=params.get("seed"),
        timeout_s=float(params.get("timeout_s") or 600),
        extra=params.get("extra") or {},
    )


def _limit_cuts(run: Run) -> bool:
    """Whether the limit left anything out; a limit above every subset's size changes nothing."""
    whole = Run(revision=run.revision, split=run.split, subsets=run.subsets, limit=None)
    return len(planned_entries(whole)) * run.repeats > run.planned
