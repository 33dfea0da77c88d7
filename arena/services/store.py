"""Writes what arrives, in batches: a hundred rows or 0.2 s after the first, whichever comes sooner.

With the time that storing takes, nothing that arrived more than 0.25 s ago is lost when the process is killed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction

from arena.models import AnswerScore, CallError, CriterionScore, JudgeError, JudgeReply, Judgment, Reply, ScoreError

log = logging.getLogger(__name__)
BATCH_ROWS = 100
BATCH_S = 0.2


@dataclass(slots=True)
class Grade:
    """A judgment with its parts; stored together or not at all."""

    judgment: Judgment
    criterion_scores: list[CriterionScore] = field(default_factory=list)
    answer_scores: list[AnswerScore] = field(default_factory=list)


Row = Reply | CallError | JudgeReply | JudgeError | ScoreError | Grade


@dataclass(slots=True)
class _Item:
    row: Row
    done: asyncio.Future[Any]
    due: float  # monotonic: when it must be on its way to the database


class Writer:
    """Collects rows from many coroutines and stores them in few transactions, on one thread.

    `save` returns once the row is safe. A reply or judgment that another worker stored first is not stored again.
    """

    def __init__(self) -> None:
        self._items: list[_Item] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Writer:
        self._task = asyncio.create_task(self._flush_forever())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._wake.set()
        if self._task:
            await self._task

    async def save(self, row: Row) -> Any:
        """Store one row; returns the stored row, which for a reply may be the one that was there before."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.put(row, done)
        return await done

    def put(self, row: Row, done: asyncio.Future[Any] | None = None) -> None:
        """Store one row soon; errors and judge replies need no waiting."""
        self._items.append(_Item(row, done or asyncio.get_running_loop().create_future(), time.monotonic() + BATCH_S))
        if len(self._items) == 1 or len(self._items) >= BATCH_ROWS:
            self._wake.set()

    async def _flush_forever(self) -> None:
        while not (self._closing and not self._items):
            if not self._items:
                await self._wake.wait()
                self._wake.clear()
            while self._items and not self._closing and len(self._items) < BATCH_ROWS:
                left = self._items[0].due - time.monotonic()
                if left <= 0:
                    break
                try:
                    await asyncio.wait_for(self._wake.wait(), left)
                except TimeoutError:
                    break
                self._wake.clear()
            await self._flush()

    async def _flush(self) -> None:
        batch, self._items = self._items, []
        if not batch:
            return
        try:
            stored = await sync_to_async(store_rows)([item.row for item in batch])
        except Exception as error:  # one bad row must not lose the others
            log.warning("a batch of %d rows failed (%s): storing one by one", len(batch), type(error).__name__)
            await self._flush_singly(batch)
            return
        for item, row in zip(batch, stored, strict=True):
            if not item.done.done():
                item.done.set_result(row)

    async def _flush_singly(self, batch: Sequence[_Item]) -> None:
        for item in batch:
            try:
                (row,) = await sync_to_async(store_rows)([item.row])
            except Exception as error:
                log.exception("a %s could not be stored", type(item.row).__name__)
                if not item.done.done():
                    item.done.set_exception(error)
                    item.done.exception()  # those that nobody awaits are logged above
            else:
                if not item.done.done():
                    item.done.set_result(row)


def store_rows(rows: Sequence[Row]) -> list[Any]:
    """Store rows of any kind in one transaction; returns what stands in the database for each, in order."""
    with transaction.atomic():
        replies = [row for row in rows if isinstance(row, Reply)]
        grades = [row for row in rows if isinstance(row, Grade)]
        stored = {id(row): found for row, found in zip(replies, _store_replies(replies), strict=True)}
        for kind in (CallError, JudgeError, ScoreError):
            kind.objects.bulk_create([row for row in rows if isinstance(row, kind)])
        JudgeReply.objects.bulk_create([row for row in rows if isinstance(row, JudgeReply)], ignore_conflicts=True)
        _store_grades(grades)
    return [stored.get(id(row), row) for row in rows]


def _store_replies(replies: Sequence[Reply]) -> list[Reply]:
    if not replies:
        return []
    found = {
        (reply.run_id, reply.problem_id, reply.repeat): reply
        for reply in Reply.objects.filter(
            run_id__in={reply.run_id for reply in replies}, problem_id__in={reply.problem_id for reply in replies}
        )
    }
    new = []
    for reply in replies:
        key = (reply.run_id, reply.problem_id, reply.repeat)
        if key not in found:
            found[key] = reply
            new.append(reply)
    Reply.objects.bulk_create(new)
    return [found[(reply.run_id, reply.problem_id, reply.repeat)] for reply in replies]


def _store_grades(grades: Sequence[Grade]) -> None:
    if not grades:
        return
    keys = set(
        Judgment.objects.filter(reply_id__in={grade.judgment.reply_id for grade in grades}).values_list(
            "reply_id", "scorer_id", "level"
        )
    )
    new = []
    for grade in grades:
        key = (grade.judgment.reply_id, grade.judgment.scorer_id, grade.judgment.level)
        if key not in keys:
            keys.add(key)
            new.append(grade)
    Judgment.objects.bulk_create([grade.judgment for grade in new])
    for grade in new:
        for part in (*grade.criterion_scores, *grade.answer_scores):
            part.judgment = grade.judgment
    CriterionScore.objects.bulk_create([part for grade in new for part in grade.criterion_scores])
    AnswerScore.objects.bulk_create([part for grade in new for part in grade.answer_scores])


__all__ = ["Grade", "Row", "Writer", "store_rows"]
