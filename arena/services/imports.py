"""Brings replies made elsewhere: a predictions file, checked whole before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.benchmarks.base import Adapter
from arena.errors import ImportRefused, Refused
from arena.models import Benchmark, Reply, Run, Scorer, User
from arena.services.catalog import get_adapter
from arena.services.engine import advance_run
from arena.services.entrants import get_model
from arena.services.packed_files import unpack
from arena.services.prediction_files import Prediction, read_predictions
from arena.services.prompts import prompt_digest
from arena.services.runs import Credentials, RunRequest, choose_problems
from arena.services.samples import planned_entries
from arena.services.scorers import choose_scorer

MAX_REPEATS = 64  # of an upload by a person, as of a run: one line may not plan a thousand sittings


def import_predictions(
    data: bytes,
    file_name: str,
    *,
    benchmark: str,
    model: str,
    revision: str = "",
    split: str = "",
    subset: str = "",
    organisation: str = "",
    owner: User | None = None,
    inline: bool = True,
) -> Run:
    """Store a predictions file as one uploaded run and score it. Raises ImportRefused with every bad line, Refused.

    inline: score it before returning; otherwise the run is left to the workers.
    """
    request = RunRequest(
        benchmark=benchmark,
        model=model,
        base_url="",
        revision=revision,
        split=split,
        subsets=(subset,) if subset else (),
    )
    run = _plan_run(request, owner)
    entries = planned_entries(run)
    predictions = read_predictions(unpack(data, file_name), entries, subset, benchmark=benchmark, model=model)
    if owner is not None and not any(prediction.text.strip() or prediction.reasoning for prediction in predictions):
        raise ImportRefused([_("reply: every one is empty; this looks like the template before it was filled in")])
    run.repeats = 1 + max(prediction.repeat for prediction in predictions)
    if owner is not None and run.repeats > MAX_REPEATS:
        fault = _("repeat: at most %(n)d (each repeat plans every problem once more)") % {"n": MAX_REPEATS - 1}
        raise ImportRefused([fault])
    run.planned = len(entries) * run.repeats
    run.partial = len({prediction.entry.problem_id for prediction in predictions}) < len(entries)
    with transaction.atomic():
        run.entrant = get_model(model, organisation, owner)
        run.save()
        _store_replies(run, predictions)
    if inline:
        advance_run(run.pk, credentials=Credentials(), inline=True)
        run.refresh_from_db()
    return run


def _plan_run(request: RunRequest, owner: User | None) -> Run:
    """The run that the file will be: not yet stored, and of no model before its file is read."""
    adapter = get_adapter(request.benchmark)
    benchmark, revision, split, subsets = choose_problems(adapter, request)
    return Run(
        owner=owner,
        revision=revision,
        scorer=_scorer_for_upload(adapter, benchmark),
        split=split,
        subsets=list(subsets),
        prompt_digest=prompt_digest(adapter, 0),
        provenance=Run.Provenance.UPLOADED,
        code_version=settings.CODE_VERSION,
        judge_endpoint=benchmark.judge_endpoint,
        started_at=timezone.now(),
    )


def _scorer_for_upload(adapter: Adapter, benchmark: Benchmark) -> Scorer:
    """The one that ranks where it needs no judge or has one that answers; else by rule."""
    if benchmark.scorer is not None and (benchmark.judge_endpoint is not None or not benchmark.scorer.judges.exists()):
        return benchmark.scorer
    if adapter.judge == "required":
        message = _("%(benchmark)s needs an official judge before replies can be scored")
        raise Refused("benchmark", message % {"benchmark": adapter.slug})
    return choose_scorer(adapter, strategy="rule")


def _store_replies(run: Run, predictions: Sequence[Prediction]) -> None:
    rows = [
        Reply(
            run=run,
            problem_id=prediction.entry.problem_id,
            repeat=prediction.repeat,
            text=prediction.text,
            reasoning=prediction.reasoning,
            finish_reason=prediction.finish_reason,
            prompt_tokens=prediction.prompt_tokens,
            completion_tokens=prediction.completion_tokens,
        )
        for prediction in predictions
    ]
    Reply.objects.bulk_create(rows, batch_size=500)
