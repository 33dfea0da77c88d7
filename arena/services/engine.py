"""Advances a run in slices: lease missing samples, ask, grade, store, hand back.

All state is in the database. A slice that dies leaves an expired lease behind, and the next one takes its samples up.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import socket
import time
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.benchmarks.base import Adapter
from arena.llm.call import CallFailed, CallFailure, Completion, Target
from arena.llm.client import ChatClient
from arena.llm.messages import Message, request_digest
from arena.models import CallError, JudgeReply, Judgment, Problem, Reply, Run, RunSlice, User
from arena.security import url_guard
from arena.security.encryption import EncryptionError
from arena.security.url_guard import UrlRefused
from arena.services import budgets, keys
from arena.services.billing import billed
from arena.services.catalog import get_adapter
from arena.services.judging import grade_reply
from arena.services.panels import Desk, StoredReplies, judge_params
from arena.services.prompts import messages_for
from arena.services.runs import Credentials, call_params, cancel_run, fail_run, finish_if_done, waits_for_turn
from arena.services.samples import Sample, levels_of, read_progress, with_references
from arena.services.seats import judge_targets
from arena.services.store import Writer
from arena.services.texts import clean_json, clean_text

log = logging.getLogger(__name__)
SLICE_S = 60.0
CHECK_S = 1.0
HOPELESS = frozenset(
    {
        "unauthorized",
        "forbidden",
        "not_found",
        "address_refused",
        "invalid_url",
        "connection_refused",
        "dns",
        "certificate",
    }
)
REFUSALS_MAX = 8
_TRY = ("problem_id", "repeat", "attempt")
GRADING_MAX = 1000  # replies waiting for their grade; more would only fill memory


@dataclass(slots=True)
class Work:
    """One slice at work: its lease, its samples, and whether it should stop taking new ones.

    tried: how often earlier slices of this round asked in vain.
    """

    run: Run
    adapter: Adapter
    samples: list[Sample]
    problems: dict[int, Problem]
    replies: dict[Sample, Reply]
    tried: dict[Sample, int]
    judged: set[tuple[int, str]]
    stored: dict[int, StoredReplies]
    lease: int
    deadline: float
    spent: budgets.Meter
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    stop_reason: str = ""
    failure: str = ""  # why nothing in this run can succeed
    refusals: dict[str, float] = field(default_factory=dict)  # by model and judge, while no call has succeeded

    def is_over(self) -> bool:
        """Whether nothing new may be begun: what is in flight finishes, a further try is the next slice's."""
        return self.stop.is_set() or time.monotonic() > self.deadline


def advance_run(run_id: int, *, credentials: Credentials | None = None, inline: bool = False) -> bool:
    """Work on a run for one slice (inline: until it is done). Returns whether more work is left for another slice.

    credentials: keys in memory; without them the stored ones are read. Safe to call twice, at once or again.
    """
    while True:
        run = Run.objects.select_related("revision__benchmark", "scorer", "endpoint", "judge_endpoint").get(pk=run_id)
        if not run.is_live:
            return False
        work = claim(run, inline=inline)
        if work is None:
            if finish_if_done(run, inline=inline) or not inline:
                return False
            time.sleep(0.2)  # another slice holds what is left
            continue
        try:
            async_to_sync(_work)(work, credentials)
        except (UrlRefused, EncryptionError) as error:
            work.failure = str(error)
        finally:
            RunSlice.objects.filter(pk=work.lease).delete()
        if work.failure:
            fail_run(Run.objects.get(pk=run_id), work.failure, inline=inline)
            return False
        if work.stop_reason:
            cancel_run(Run.objects.get(pk=run_id), work.stop_reason, inline=inline)
            return False
        if finish_if_done(run, inline=inline):
            return False
        if not inline:
            return True


def claim(run: Run, *, inline: bool = False) -> Work | None:
    """Lease the next open samples of a run; None where nothing is free. Two workers never hold the same sample."""
    size = 100_000 if inline else max(64, 16 * run.concurrency)
    now = timezone.now()
    with transaction.atomic():
        locked = Run.objects.select_for_update().get(pk=run.pk)
        if not locked.is_live:
            return None
        RunSlice.objects.filter(run=run, lease_until__lt=now).delete()
        if not inline and _waits_for_turn(locked):
            return None
        taken = {tuple(sample) for held in RunSlice.objects.filter(run=run) for sample in held.samples}
        free = [sample for sample in read_progress(locked).open if sample not in taken][:size]
        if locked.state == Run.State.QUEUED:
            Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, started_at=locked.started_at or now)
        if not free:
            return None
        lease = RunSlice.objects.create(
            run=run,
            samples=free,
            worker=f"{socket.gethostname()[:60]}:{os.getpid()}",
            lease_until=now + timedelta(seconds=settings.RUN_LEASE_S),
        )
    return _load(run, free, lease.pk, math.inf if inline else time.monotonic() + SLICE_S)


def _waits_for_turn(run: Run) -> bool:
    """The owner's row is locked, so that two workers do not both take a run of theirs."""
    if run.owner_id is not None:
        User.objects.select_for_update().get(pk=run.owner_id)
    return waits_for_turn(run)


def _load(run: Run, samples: list[Sample], lease: int, deadline: float) -> Work:
    """Everything the slice reads, in a fixed number of queries."""
    ids = {problem for problem, _ in samples}
    problems: dict[int, Problem] = {}
    replies: dict[Sample, Reply] = {}
    tried: dict[Sample, int] = {}
    wanted = set(samples)
    for chunk in _chunks(sorted(ids), 500):
        problems.update({p.pk: p for p in with_references(Problem.objects.filter(pk__in=chunk))})
        found = Reply.objects.filter(run=run, problem_id__in=chunk)
        replies.update({(r.problem_id, r.repeat): r for r in found if (r.problem_id, r.repeat) in wanted})
        errors = CallError.objects.filter(run=run, round=run.round, problem_id__in=chunk).order_by("attempt")
        tried.update({(problem, n): attempt for problem, n, attempt in errors.values_list(*_TRY)})
    reply_ids = [reply.pk for reply in replies.values()]
    judged: set[tuple[int, str]] = set()
    stored: dict[int, dict[tuple[int, str, str], list[JudgeReply]]] = {}
    for chunk in _chunks(reply_ids, 500):
        judged |= set(Judgment.objects.filter(reply_id__in=chunk, scorer=run.scorer).values_list("reply_id", "level"))
        for row in JudgeReply.objects.filter(reply_id__in=chunk).order_by("attempt"):
            stored.setdefault(row.reply_id, {}).setdefault((row.judge_id, row.purpose, row.target), []).append(row)
    return Work(
        run=run,
        adapter=get_adapter(run.revision.benchmark.slug),
        samples=samples,
        problems=problems,
        replies=replies,
        tried=tried,
        judged=judged,
        stored=dict(stored),
        lease=lease,
        deadline=deadline,
        spent=budgets.Meter.of_run(run),
    )


async def _work(work: Work, credentials: Credentials | None) -> None:
    run = work.run
    credentials = credentials or await sync_to_async(_stored_credentials)(run)
    allowlist = url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST)
    judges = await sync_to_async(lambda: list(run.scorer.judges.order_by("pk")))()
    params = call_params(run.params)
    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(Writer())
        client = None
        if run.endpoint is not None:
            target = Target(run.endpoint.base_url, run.endpoint.api_model, credentials.api_key)
            client = await stack.enter_async_context(
                ChatClient(target, params, concurrency=run.concurrency, allowlist=allowlist)
            )
        clients = {}
        targets = await sync_to_async(judge_targets)(run, judges, credentials)
        if homeless := [judge.model for judge in judges if judge.pk not in targets]:
            work.failure = f"no endpoint is known for the judge {', '.join(homeless)}"  # its samples would stay open
            return
        for judge in judges:
            if judge.pk in targets:
                client_params = judge_params(judge, params.timeout_s)
                clients[judge.pk] = await stack.enter_async_context(
                    ChatClient(targets[judge.pk], client_params, concurrency=run.concurrency, allowlist=allowlist)
                )
        desk = Desk(
            adapter=work.adapter,
            scorer=run.scorer,
            judges=judges,
            clients=clients,
            writer=writer,
            round=run.round,
            code_version=settings.CODE_VERSION,
            stored=work.stored,
        )
        await _run_samples(work, client, desk)


async def _run_samples(work: Work, client: ChatClient | None, desk: Desk) -> None:
    """`concurrency` coroutines ask in official order; storing and grading go on beside them, so that no call waits."""
    left = iter(work.samples)
    spent = work.spent
    desk.may_spend = lambda: not work.stop.is_set() and spent.has_left()
    desk.on_spend = spent.add_judge_call
    desk.on_call = lambda failure: _count_refusal(work, "judge", failure)
    grading: set[asyncio.Task[None]] = set()

    async def take() -> None:
        for sample in left:
            if work.is_over():
                return
            while len(grading) >= GRADING_MAX:
                await asyncio.wait(grading, return_when=asyncio.FIRST_COMPLETED)
            reply = work.replies.get(sample)
            if reply is None:
                if client is None or not spent.has_left():
                    continue
                reply = await _ask_model(work, sample, client, desk.writer)
                if reply is None:
                    continue
                spent.add_call(reply)
            task = asyncio.create_task(_keep_and_grade(work, sample, reply, desk))
            grading.add(task)
            task.add_done_callback(grading.discard)

    workers = [asyncio.create_task(take()) for _ in range(min(work.run.concurrency, len(work.samples)))]
    guard = asyncio.create_task(_watch(work, [*workers], grading, client, spent))
    try:
        await asyncio.gather(*workers)
        while grading:
            await asyncio.gather(*grading)
        if not spent.has_left():
            work.stop_reason = spent.reason
    except asyncio.CancelledError:
        if not work.stop.is_set():
            raise
    finally:
        guard.cancel()


async def _keep_and_grade(work: Work, sample: Sample, reply: Reply, desk: Desk) -> None:
    """Store a new reply and grade what is missing; what is already there is not bought again."""
    if reply.pk is None:
        reply = await desk.writer.save(reply)
    problem = work.problems[sample[0]]
    missing = [level for level in levels_of(problem) if (reply.pk, level) not in work.judged]
    await grade_reply(desk, problem, reply, missing)


async def _ask_model(work: Work, sample: Sample, client: ChatClient, writer: Writer) -> Reply | None:
    run, (problem_id, repeat) = work.run, sample
    problem = work.problems[problem_id]
    messages = await sync_to_async(_messages)(work, problem)

    def note(failure: CallFailure) -> None:
        row = CallError(
            run=run,
            problem=problem,
            repeat=repeat,
            round=run.round,
            attempt=failure.attempt,
            kind=failure.kind,
            message=clean_text(failure.message)[:2000],
            is_final=failure.is_final,
            **billed(failure),
        )
        writer.put(row)
        work.spent.add_call(row)

    try:
        completion = await client.complete(
            messages, on_failure=note, tried=work.tried.get(sample, 0), may_retry=lambda: not work.is_over()
        )
    except CallFailed as failed:
        if failed.failure.is_final:
            _count_refusal(work, "model", failed.failure)
        return None
    _count_refusal(work, "model", None)
    digest = request_digest(messages, call_params(run.params), client.target.model)
    return _reply_row(run, problem, repeat, digest, completion)


def _count_refusal(work: Work, who: str, failure: CallFailure | None) -> None:
    """Stop early where no call can succeed: a wrong key should not be tried on three thousand problems."""
    if failure is None:
        work.refusals[who] = -math.inf  # one success: the endpoint and key are right
    elif failure.kind in HOPELESS:
        work.refusals[who] = work.refusals.get(who, 0) + 1
        has_worked_before = work.stored if who == "judge" else work.replies
        if work.refusals[who] >= REFUSALS_MAX and not has_worked_before:
            work.failure = f"the judge: {failure.message}" if who == "judge" else failure.message
            work.stop.set()


def _messages(work: Work, problem: Problem) -> list[Message]:
    params = work.run.params
    return messages_for(
        work.adapter,
        work.run.revision,
        problem,
        shots=work.run.shots,
        system_prompt=params.get("system_prompt") or "",
        max_image_bytes=params.get("max_image_bytes"),
    )


def _reply_row(run: Run, problem: Problem, repeat: int, digest: str, completion: Completion) -> Reply:
    return Reply(
        uuid=uuid.uuid4(),
        run=run,
        problem=problem,
        repeat=repeat,
        request_digest=digest,
        text=clean_text(completion.text),
        reasoning=clean_text(completion.reasoning),
        finish_reason=completion.finish_reason[:40],
        reasoning_tokens=completion.reasoning_tokens,
        latency_ms=round(completion.latency_ms),
        **billed(completion),
        tries=completion.tries,
        raw=clean_json(completion.raw),
    )


async def _watch(
    work: Work,
    workers: Sequence[asyncio.Task[None]],
    grading: set[asyncio.Task[None]],
    client: ChatClient | None,
    spent: budgets.Meter,
) -> None:
    """The slice's heartbeat: keeps the lease, notices cancellation, a lost lease and a spent budget."""
    while True:
        await asyncio.sleep(CHECK_S)
        reason = await sync_to_async(_beat)(work, client)
        await sync_to_async(spent.refresh)()
        if not spent.has_left():
            work.stop_reason = spent.reason
            work.stop.set()  # what is in flight finishes
        if reason:
            work.stop.set()
            for task in (*workers, *grading):
                task.cancel()
            return


def _beat(work: Work, client: ChatClient | None) -> str:
    """Extend the lease; a reason where this slice must stop at once."""
    now = timezone.now()
    held = RunSlice.objects.filter(pk=work.lease).update(lease_until=now + timedelta(seconds=settings.RUN_LEASE_S))
    until = client.limited_until if client else None
    if until != work.run.limited_until:
        Run.objects.filter(pk=work.run.pk).update(limited_until=until)
        work.run.limited_until = until
    if not held:
        return "the lease was lost"
    if not Run.objects.filter(pk=work.run.pk, state__in=Run.LIVE_STATES).exists():
        return "the run was stopped"
    return ""


def _stored_credentials(run: Run) -> Credentials:
    return Credentials(keys.key_of(run.endpoint), keys.key_of(run.judge_endpoint))


def _chunks(items: Sequence[int], size: int) -> list[Sequence[int]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
