"""Carries a run to another revision of its data: the same replies against corrected references, and no call at all.

A reply goes along where the model would be sent the very same prompt. Judge replies go along with it; they are found
again by the digest of what the judge was asked, so only those that the correction does not touch still speak.
People's reviews stay with the run they were made on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from arena.benchmarks.base import Adapter
from arena.errors import Refused
from arena.models import DatasetRevision, JudgeReply, Problem, Reply, Run
from arena.services.catalog import get_adapter
from arena.services.prompts import build_prompt
from arena.services.rescoring import Rescored, rescore_run
from arena.services.samples import entries_of, planned_entries, with_references
from arena.services.scorers import find_scorer_for_rescoring
from arena.signals import scores_changed

CHUNK = 200
FROZEN = (
    "entrant", "owner", "endpoint", "judge_endpoint", "split", "subsets", "limit", "shots", "partial", "style",
    "prompt_digest", "params", "concurrency", "repeats", "provenance", "is_own_judge", "started_at", "finished_at",
)  # fmt: skip
NOT_COPIED = frozenset({"id", "uuid", "created_at"})


def carry_over(run: Run, revision: DatasetRevision, *, inline: bool = False) -> tuple[Run, Rescored]:
    """A published run's stored replies as a run on `revision`, scored there; carrying it again adds nothing.

    Times stay those of the replies, so that a run really made on `revision` stands before a carried one.
    Raises Refused where the run may not be carried or none of its problems is there.
    """
    _check(run, revision)
    problems = same_prompts(run, revision)
    if not problems:
        raise Refused("to-revision", f"no problem of run {run.uuid} stands unchanged to the model in {revision.label}")
    carried = Run.objects.filter(carried_from=run, revision=revision).first()
    if carried is None:
        with transaction.atomic():
            carried = plan_carried(run, revision)
            carried.save()
            _copy_replies(run, carried, problems)
    done = rescore_run(carried, carried.scorer, inline=inline)
    scores_changed.send(sender=Run, run_ids=[carried.pk], inline=inline)
    return carried, done


def _check(run: Run, revision: DatasetRevision) -> None:
    if revision.benchmark_id != run.revision.benchmark_id:
        raise Refused("to-revision", f"{revision.label} is no revision of this run's benchmark")
    if revision.pk == run.revision_id:
        raise Refused("to-revision", f"run {run.uuid} was made on {revision.label}")
    if run.published_at is None or run.withdrawals.exists() or run.state != Run.State.FINISHED:
        raise Refused("run", f"run {run.uuid} is not finished and published")


def same_prompts(run: Run, revision: DatasetRevision) -> dict[int, Problem]:
    """Old problem's key -> the problem of the same id in `revision`, where the model is sent the very same."""
    adapter = get_adapter(revision.benchmark.slug)
    there = {entry.external_id: entry.problem_id for entry in entries_of(revision, run.split)}
    pairs = {entry.problem_id: there[entry.external_id] for entry in planned_entries(run) if entry.external_id in there}
    rows = with_references(Problem.objects.filter(pk__in={*pairs, *pairs.values()})).in_bulk()
    return {
        old: rows[new]
        for old, new in pairs.items()
        if (old == new and not run.shots)
        or _sent(adapter, run.revision, rows[old], run.shots) == _sent(adapter, revision, rows[new], run.shots)
    }


def _sent(adapter: Adapter, revision: DatasetRevision, problem: Problem, shots: int) -> tuple[Any, ...]:
    figures = [figure.image_id for figure in problem.figures.all()]
    return build_prompt(adapter, revision, problem, shots), figures


def plan_carried(run: Run, revision: DatasetRevision) -> Run:
    """The run as it will be on `revision`, not saved."""
    adapter = get_adapter(revision.benchmark.slug)
    carried = Run(
        **{name: getattr(run, name) for name in FROZEN},
        revision=revision,
        scorer=find_scorer_for_rescoring(adapter, run, ""),
        carried_from=run,
        state=Run.State.FINISHED,
        code_version=settings.CODE_VERSION,
    )
    carried.planned = len(planned_entries(carried)) * carried.repeats
    return carried


def _copy_replies(run: Run, carried: Run, problems: Mapping[int, Problem]) -> None:
    replies = Reply.objects.filter(run=run, problem__in=problems, withdrawals__isnull=True).order_by("pk")
    for chunk in _chunks(list(replies.values_list("pk", flat=True))):
        old = list(Reply.objects.filter(pk__in=chunk))
        new = {row.pk: Reply(**_fields(row) | {"run": carried, "problem": problems[row.problem_id]}) for row in old}
        Reply.objects.bulk_create(new.values())
        bought = JudgeReply.objects.filter(reply__in=chunk).order_by("pk")
        JudgeReply.objects.bulk_create([JudgeReply(**_fields(row) | {"reply": new[row.reply_id]}) for row in bought])


def _fields(row: Reply | JudgeReply) -> dict[str, Any]:
    """A row's own values, without keys that the copy gets anew; relations by their object's key."""
    fields = [field for field in row._meta.concrete_fields if field.name not in NOT_COPIED]
    return {
        field.attname: getattr(row, field.attname) for field in fields if field.name not in ("run", "problem", "reply")
    }


def _chunks(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), CHUNK):
        yield keys[start : start + CHUNK]
