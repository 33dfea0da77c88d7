"""Opinions that rank nothing: PHYBench's process judge (four sub-scores), and a judge that suggests the error class.

Both read stored replies of finished runs; what they say is bought once as JudgeReply and read where it is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db.models import F, QuerySet

from arena.benchmarks.base import read_prompt
from arena.errors import Refused
from arena.llm.call import Target
from arena.llm.client import ChatClient
from arena.models import Judge, JudgeReply, Judgment, Problem, Reply, Run, Scorer
from arena.security import url_guard
from arena.services.budgets import Meter
from arena.services.catalog import get_adapter
from arena.services.panels import Desk, Question, Undecided, ask_panel, judge_params
from arena.services.samples import with_references
from arena.services.scorers import JudgeSpec, get_judge
from arena.services.store import Writer
from scoring.judge import OWN_TEMPLATES, Purpose

PURPOSES = (Purpose.PROCESS, Purpose.ERROR_CLASS)


@dataclass(frozen=True, slots=True)
class Asked:
    """replies: asked about. verdicts: there now. skipped: without a public solution, or not wrong."""

    replies: int
    verdicts: int
    skipped: int
    stop_reason: str = ""


def judge_opinions(run: Run, purpose: Purpose, spec: JudgeSpec, target: Target, meter: Meter | None = None) -> Asked:
    """Ask about every reply of a run that such a judge can read; what is there already is not bought again.

    Raises Refused for a purpose or benchmark that has none.
    """
    if purpose not in PURPOSES:
        raise Refused("purpose", f"must be one of {', '.join(PURPOSES)}")
    if purpose is Purpose.PROCESS and run.revision.benchmark.slug != "phybench":
        raise Refused("benchmark", "the process judge is PHYBench's: it needs reference solutions")
    judge = get_judge(spec, purpose.value)
    replies = list(_wrong_replies(run) if purpose is Purpose.ERROR_CLASS else run.replies.all())
    problems = {
        problem.pk: problem
        for problem in with_references(Problem.objects.filter(pk__in={reply.problem_id for reply in replies}))
    }
    asked = [
        (reply, question)
        for reply in replies
        if (question := opinion_question(purpose, problems[reply.problem_id], reply))
    ]
    meter = meter or Meter({})
    async_to_sync(_ask_all)(run, judge, target, asked, meter)
    there = JudgeReply.objects.filter(reply__run=run, judge=judge, purpose=purpose.value).values("reply").distinct()
    return Asked(len(asked), there.count(), run.replies.count() - len(asked), meter.reason)


def opinion_question(purpose: Purpose, problem: Problem, reply: Reply) -> Question | None:
    """What is asked; None where a part is missing. A hidden answer is given to no judge of this kind."""
    if not reply.text.strip():
        return None
    answers = [answer.value for answer in problem.answers.all() if not answer.is_hidden and answer.value.strip()]
    slots = {
        "problem": "\n\n".join(filter(None, [problem.context, problem.statement])),
        "reference_solution": problem.solution.strip(),
        "reference_answer": "\n".join(answers),
        "prediction": reply.text,
    }
    if purpose is Purpose.PROCESS:
        if not slots["reference_solution"] or not slots["reference_answer"]:
            return None
        return Question(purpose, "", read_prompt("phybench_process_judge.txt"), slots)
    return Question(purpose, "", OWN_TEMPLATES[purpose], {name: text for name, text in slots.items() if text})


def _wrong_replies(run: Run) -> QuerySet[Reply]:
    """Replies that earned less than all points on some level."""
    wrong = Judgment.objects.of_run(run, run.scorer).filter(points__lt=F("max_points"))
    return run.replies.filter(pk__in=wrong.values("reply_id"))


async def _ask_all(
    run: Run, judge: Judge, target: Target, asked: Sequence[tuple[Reply, Question]], meter: Meter
) -> None:
    stored = await sync_to_async(_stored)(judge, [reply.pk for reply, _ in asked])
    allowlist = url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            ChatClient(target, judge_params(judge), concurrency=run.concurrency, allowlist=allowlist)
        )
        desk = Desk(
            adapter=await sync_to_async(lambda: get_adapter(run.revision.benchmark.slug))(),
            scorer=Scorer(name="opinion", params={}),
            judges=[judge],
            clients={judge.pk: client},
            writer=await stack.enter_async_context(Writer()),
            round=run.round,
            code_version=settings.CODE_VERSION,
            stored=stored,
            may_spend=meter.has_left,
            on_spend=meter.add_judge_call,
        )
        await asyncio.gather(*(_ask(desk, reply, question) for reply, question in asked))


async def _ask(desk: Desk, reply: Reply, question: Question) -> None:
    try:
        await ask_panel(desk, reply, question)
    except Undecided:
        return  # stored as a judge failure


def _stored(judge: Judge, reply_ids: Sequence[int]) -> Mapping[int, Mapping[tuple[int, str, str], list[JudgeReply]]]:
    found: dict[int, dict[tuple[int, str, str], list[JudgeReply]]] = {}
    for start in range(0, len(reply_ids), 500):
        rows = JudgeReply.objects.filter(judge=judge, reply_id__in=reply_ids[start : start + 500])
        for row in rows.order_by("attempt"):
            found.setdefault(row.reply_id, {}).setdefault((row.judge_id, row.purpose, row.target), []).append(row)
    return found
