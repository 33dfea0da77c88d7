"""What stored replies would earn against corrected references: graded as a carried run would be, and nothing stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings

from arena.models import DatasetRevision, JudgeReply, Problem, Reply, Run, Scorer
from arena.results import LevelScore, SampleResult, assemble_results, read_levels
from arena.services.carrying import plan_carried, same_prompts
from arena.services.catalog import get_adapter
from arena.services.judging import grade_reply
from arena.services.panels import Desk, StoredReplies
from arena.services.samples import levels_of, planned_entries
from arena.services.store import Grade, Writer

AT_ONCE = 8

Levels = dict[int, dict[str, LevelScore]]  # by reply, then level


@dataclass(frozen=True, slots=True)
class Foretold:
    """One run on another revision. carried: the run as it would be, not saved. samples: all that are planned there.

    changed: keys of replies whose problem is another one there. judge_calls: verdicts that would have to be bought.
    """

    carried: Run
    samples: tuple[SampleResult, ...]
    changed: frozenset[int]
    judge_calls: int


class Notebook(Writer):
    """Takes a writer's place and keeps what is graded in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.grades: list[Grade] = []

    async def save(self, row: Any) -> Any:
        if isinstance(row, Grade):
            self.grades.append(row)
        return row

    def put(self, row: Any, done: Any = None) -> None:
        """Errors are no outcome: the sample stays unscored."""


def foretell_run(run: Run, revision: DatasetRevision) -> Foretold:
    """The run's samples on `revision`, from stored replies and judge replies, without a call and without a write."""
    carried = plan_carried(run, revision)
    scorer = carried.scorer
    assert scorer is not None
    problems = same_prompts(run, revision)
    replies = list(Reply.objects.filter(run=run, problem__in=problems, withdrawals__isnull=True).order_by("pk"))
    changed = frozenset(reply.pk for reply in replies if problems[reply.problem_id].pk != reply.problem_id)
    levels = {pk: found for pk, found in read_levels(run, scorer).items() if pk not in changed}
    graded, judge_calls = _grade(scorer, [reply for reply in replies if reply.pk not in levels], problems)
    samples = assemble_results(
        carried,
        planned_entries(carried),
        {(problems[reply.problem_id].pk, reply.repeat): reply for reply in replies},
        levels | graded,
        is_official=scorer.params.get("policy") == "official",
    )
    return Foretold(carried, tuple(samples), changed, judge_calls)


def _grade(scorer: Scorer, replies: Sequence[Reply], problems: Mapping[int, Problem]) -> tuple[Levels, int]:
    """Levels of these replies against the problems that take their problems' places, and how many verdicts miss."""
    if not replies:
        return {}, 0
    missing = 0

    def count_missing() -> None:
        nonlocal missing
        missing += 1

    notebook = Notebook()
    desk = Desk(
        adapter=get_adapter(str(scorer.params["benchmark"])),
        scorer=scorer,
        judges=list(scorer.judges.order_by("pk")),
        clients={},
        writer=notebook,
        round=1,
        code_version=settings.CODE_VERSION,
        stored=_read_stored(replies),
        on_missing=count_missing,
    )
    async_to_sync(_grade_all)(desk, replies, problems)
    found: Levels = {}
    for grade in notebook.grades:
        found.setdefault(grade.judgment.reply_id, {})[grade.judgment.level] = _to_level(grade)
    return found, missing


async def _grade_all(desk: Desk, replies: Sequence[Reply], problems: Mapping[int, Problem]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def grade(reply: Reply) -> None:
        problem = problems[reply.problem_id]
        async with gate:
            await grade_reply(desk, problem, reply, levels_of(problem))

    await asyncio.gather(*(grade(reply) for reply in replies))


def _read_stored(replies: Sequence[Reply]) -> dict[int, StoredReplies]:
    stored: dict[int, dict[tuple[int, str, str], list[JudgeReply]]] = {}
    for row in JudgeReply.objects.filter(reply__in=replies).order_by("attempt"):
        stored.setdefault(row.reply_id, {}).setdefault((row.judge_id, row.purpose, row.target), []).append(row)
    return dict(stored)


def _to_level(grade: Grade) -> LevelScore:
    judgment = grade.judgment
    match = judgment.details.get("string_match")
    return LevelScore(
        status=judgment.status,
        points=float(judgment.points),
        max_points=float(judgment.max_points),
        n_right=sum(bool(row.matched_by) for row in grade.answer_scores),
        n_answers=len(grade.answer_scores),
        answer=judgment.answer,
        answer_class=judgment.answer_class,
        string_match=None if match is None else float(match),
    )
