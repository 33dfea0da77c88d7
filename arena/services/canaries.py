"""How lenient a judge is: what it gives for a solution that is none, where only 0 is right."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from decimal import Decimal

from asgiref.sync import async_to_sync
from django.conf import settings
from django.utils.translation import gettext as _

from arena.benchmarks.base import read_prompt
from arena.errors import Refused
from arena.llm.call import CallFailed, Target
from arena.llm.client import ChatClient
from arena.llm.messages import request_digest
from arena.models import Benchmark, CanaryReply, Judge, Problem
from arena.opinions import Leniency, measure_leniency
from arena.security import url_guard
from arena.services import keys
from arena.services.billing import billed
from arena.services.judging import question_of
from arena.services.panels import Question, judge_params, make_fence
from arena.services.samples import with_references
from arena.services.seats import seats_of
from arena.services.texts import clean_text
from scoring.errors import VerdictError
from scoring.judge import CANARY_CRITERION, CANARY_SOLUTION, Purpose

PROBLEMS = 10
ATTEMPTS = 3
AT_ONCE = 8


def check_leniency(
    benchmark: Benchmark, judge: Judge, *, target: Target | None = None, problems: int = PROBLEMS
) -> Leniency:
    """Ask a judge about `problems` problems of the current revision and store what it says. Raises Refused."""
    seat = seats_of(benchmark, [judge]).get(judge.pk)
    if target is None and seat is None:
        raise Refused(
            "judge", _("%(judge)s has no endpoint on %(benchmark)s") % {"judge": judge, "benchmark": benchmark.slug}
        )
    target = target or Target(seat.base_url, judge.model, keys.key_of(seat))  # type: ignore[union-attr]
    questions = [(problem, canary_question(benchmark.slug, problem)) for problem in _choose(benchmark, problems)]
    if not questions:
        raise Refused(
            "benchmark", _("%(benchmark)s has no problem that a judge grades") % {"benchmark": benchmark.slug}
        )
    rows = async_to_sync(_ask_all)(benchmark, judge, target, questions)
    CanaryReply.objects.bulk_create(rows)
    return measure_leniency(rows)


def canary_question(slug: str, problem: Problem) -> Question:
    """The canary in the official prompt: a criterion nothing can meet, or an answer that is none."""
    if slug == "hipho":
        slots = {"question": question_of(problem, {}), "prediction": CANARY_SOLUTION}
        template = read_prompt("hipho_step_judge.txt")
        return Question(Purpose.CRITERION, "canary", template, slots, [CANARY_CRITERION])
    answer = problem.answers.all()[0].value
    slots = {"reference": answer, "prediction": CANARY_SOLUTION}
    return Question(Purpose.VERDICT, "canary", read_prompt("phyx_oe_judge.txt"), slots)


def _choose(benchmark: Benchmark, n: int) -> list[Problem]:
    """The first judged problem of each of n clusters, in official order."""
    revision = benchmark.current_revision
    rows = with_references(Problem.objects.filter(entries__revision=revision).order_by("entries__position"))
    chosen: dict[str, Problem] = {}
    for problem in rows[: 50 * n]:
        if benchmark.slug == "hipho" and not problem.criteria.all():
            continue
        chosen.setdefault(problem.cluster or str(problem.pk), problem)
    return list(chosen.values())[:n]


async def _ask_all(
    benchmark: Benchmark, judge: Judge, target: Target, questions: Sequence[tuple[Problem, Question]]
) -> list[CanaryReply]:
    check_id = uuid.uuid4()
    allowlist = url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST)
    async with ChatClient(target, judge_params(judge, 60), concurrency=AT_ONCE, tries=3, allowlist=allowlist) as client:
        return await asyncio.gather(
            *(_ask(client, benchmark, judge, check_id, problem, question) for problem, question in questions)
        )


async def _ask(
    client: ChatClient, benchmark: Benchmark, judge: Judge, check_id: uuid.UUID, problem: Problem, question: Question
) -> CanaryReply:
    """One canary; a reply without a verdict is asked for anew, a failed call is a row with its kind."""
    messages = question.messages(make_fence(CANARY_SOLUTION, judge.digest, question.purpose, str(problem.pk), 0))
    maximum = question.criteria[0].max_points if question.criteria else 1.0
    row = CanaryReply(
        check_id=check_id,
        benchmark=benchmark,
        judge=judge,
        problem=problem,
        purpose=question.purpose.value,
        request_digest=request_digest(messages, judge_params(judge), judge.model),
        max_points=Decimal(str(maximum)),
    )
    for _attempt in range(ATTEMPTS):
        try:
            completion = await client.complete(messages)
        except CallFailed as failed:
            row.kind, row.text = failed.failure.kind[:40], failed.failure.message
            return row
        row.text = clean_text(completion.text)
        row.latency_ms = round(completion.latency_ms)
        for column, value in billed(completion).items():
            setattr(row, column, value)
        try:
            verdict = question.parse(completion.text)
        except VerdictError as error:
            row.kind = error.kind[:40]
            continue
        row.kind = ""
        awarded = verdict.awards[0].awarded if verdict.awards else float(bool(verdict.is_correct))
        row.awarded = Decimal(str(awarded)).quantize(Decimal("0.0001"))
        return row
    return row
