"""Scores old replies with another scorer, beside what was there: from stored judge replies, or buying the rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from asgiref.sync import async_to_sync
from django.conf import settings

from arena.benchmarks.base import Adapter
from arena.llm.call import Target
from arena.llm.client import ChatClient
from arena.models import Judge, JudgeReply, Judgment, Problem, Reply, Run, Scorer
from arena.security import url_guard
from arena.services.budgets import Meter
from arena.services.catalog import get_adapter
from arena.services.doubts import queue_doubts
from arena.services.judging import grade_reply
from arena.services.panels import Desk, StoredReplies, judge_params
from arena.services.publishing import publish_automatically
from arena.services.samples import levels_of, with_references
from arena.services.store import Writer
from arena.signals import scores_changed

CHUNK = 200
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Rescored:
    """replies: looked at. judgments: new rows. unscored: levels still without a verdict.

    next_pk: where to go on, None when every reply was looked at. stop_reason: why it stopped early.
    """

    replies: int
    judgments: int
    unscored: int
    next_pk: int | None = None
    stop_reason: str = ""


@dataclass(frozen=True, slots=True)
class Buying:
    """How missing verdicts may be bought. targets: judge pk -> where it answers. deadline: monotonic seconds."""

    targets: Mapping[int, Target]
    meter: Meter
    concurrency: int = 16
    deadline: float = float("inf")


@dataclass(frozen=True, slots=True)
class _Batch:
    replies: list[Reply]
    problems: dict[int, Problem]
    stored: dict[int, StoredReplies]
    judged: set[tuple[int, str]]
    judges: list[Judge]
    adapter: Adapter


def rescore_run(run: Run, scorer: Scorer, *, inline: bool = False) -> Rescored:
    """Add the judgments that `scorer` gives to this run's replies, without any call. Doing it twice adds nothing."""
    return _score_again(run, scorer, None, 0, inline)


def rejudge_run(run: Run, scorer: Scorer, buying: Buying, *, after_pk: int = 0, inline: bool = False) -> Rescored:
    """The same, and what no judge has said yet is bought; old columns stay. `after_pk` goes on from `next_pk`."""
    return _score_again(run, scorer, buying, after_pk, inline)


def _score_again(run: Run, scorer: Scorer, buying: Buying | None, after_pk: int, inline: bool) -> Rescored:
    before = Judgment.objects.of_run(run, scorer).count()
    reply_ids = list(Reply.objects.filter(run=run, pk__gt=after_pk).order_by("pk").values_list("pk", flat=True))
    looked_at = unscored = 0
    for start in range(0, len(reply_ids), CHUNK):
        if buying and (time.monotonic() > buying.deadline or not buying.meter.has_left()):
            break
        chunk = reply_ids[start : start + CHUNK]
        unscored += _score_chunk(run, scorer, chunk, buying)
        looked_at += len(chunk)
    new = Judgment.objects.of_run(run, scorer).count() - before
    if new:
        publish_automatically(run)  # these may be its first scores
        queue_doubts(run)
        scores_changed.send(sender=Judgment, run_ids=[run.pk], inline=inline)
    next_pk = (reply_ids[looked_at - 1] if looked_at else after_pk) if looked_at < len(reply_ids) else None
    return Rescored(looked_at, new, unscored, next_pk, buying.meter.reason if buying else "")


def _score_chunk(run: Run, scorer: Scorer, reply_ids: list[int], buying: Buying | None) -> int:
    """How many levels of these replies stay without a judgment."""
    batch = _load(run, scorer, reply_ids)
    levels = sum(len(levels_of(batch.problems[reply.problem_id])) for reply in batch.replies)
    async_to_sync(_grade)(run, scorer, batch, buying)
    return levels - Judgment.objects.filter(reply_id__in=reply_ids, scorer=scorer).count()


def _load(run: Run, scorer: Scorer, reply_ids: list[int]) -> _Batch:
    replies = list(Reply.objects.filter(pk__in=reply_ids).order_by("pk"))
    problems = with_references(Problem.objects.filter(pk__in={reply.problem_id for reply in replies}))
    stored: dict[int, dict[tuple[int, str, str], list[JudgeReply]]] = {}
    for row in JudgeReply.objects.filter(reply_id__in=reply_ids).order_by("attempt"):
        stored.setdefault(row.reply_id, {}).setdefault((row.judge_id, row.purpose, row.target), []).append(row)
    return _Batch(
        replies=replies,
        problems={problem.pk: problem for problem in problems},
        stored=dict(stored),
        judged=set(Judgment.objects.filter(reply_id__in=reply_ids, scorer=scorer).values_list("reply_id", "level")),
        judges=list(scorer.judges.order_by("pk")),
        adapter=get_adapter(run.revision.benchmark.slug),
    )


async def _grade(run: Run, scorer: Scorer, batch: _Batch, buying: Buying | None) -> None:
    gate = asyncio.Semaphore(max(AT_ONCE, 2 * buying.concurrency if buying else 0))
    async with AsyncExitStack() as stack:
        writer = await stack.enter_async_context(Writer())
        desk = Desk(
            adapter=batch.adapter,
            scorer=scorer,
            judges=batch.judges,
            clients=await _open_clients(stack, batch.judges, buying),
            writer=writer,
            round=run.round,
            code_version=settings.CODE_VERSION,
            stored=batch.stored,
        )
        if buying:
            desk.may_spend, desk.on_spend = buying.meter.has_left, buying.meter.add_judge_call

        async def grade(reply: Reply) -> None:
            problem = batch.problems[reply.problem_id]
            missing = [level for level in levels_of(problem) if (reply.pk, level) not in batch.judged]
            async with gate:
                await grade_reply(desk, problem, reply, missing)

        await asyncio.gather(*(grade(reply) for reply in batch.replies))


async def _open_clients(stack: AsyncExitStack, judges: list[Judge], buying: Buying | None) -> dict[int, ChatClient]:
    if buying is None:
        return {}
    allowlist = url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST)
    return {
        judge.pk: await stack.enter_async_context(
            ChatClient(
                buying.targets[judge.pk], judge_params(judge), concurrency=buying.concurrency, allowlist=allowlist
            )
        )
        for judge in judges
        if judge.pk in buying.targets
    }
