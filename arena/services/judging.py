"""One reply to its judgments: by rule where a rule decides, by a judge where the benchmark wants one.

A judge's words are bought once (JudgeReply) and read again by every scorer; a failure is a JudgeError, never a zero.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from django.conf import settings

from arena.benchmarks.base import Adapter, read_prompt
from arena.llm.call import CallFailed, CallParams
from arena.llm.client import ChatClient
from arena.llm.messages import request_digest
from arena.models import (
    AnswerScore,
    Criterion,
    CriterionScore,
    Judge,
    JudgeError,
    JudgeReply,
    Judgment,
    Level,
    Problem,
    Reply,
    ScoreError,
    Scorer,
)
from arena.services.prompts import to_reference
from arena.services.samples import levels_of
from arena.services.store import Grade, Writer
from scoring import pool
from scoring.errors import VerdictError
from scoring.judge import Purpose, Verdict, anchor_quote, build_message, detect_injection, parse_verdict
from scoring.reference import Criterion as CriterionText

DETAILS_SCHEMA = 1
StoredReplies = Mapping[tuple[int, str, str], Sequence[JudgeReply]]  # (judge pk, purpose, target) -> in order of attempt


class Undecided(Exception):
    """No verdict could be had for one part; the level stays unscored."""


@dataclass(slots=True)
class Desk:
    """Everything that grading one run needs. clients: one per judge; none where no call may be made (rescoring)."""

    adapter: Adapter
    scorer: Scorer
    judges: Sequence[Judge]
    clients: Mapping[int, ChatClient]
    writer: Writer
    round: int
    code_version: str
    stored: Mapping[int, StoredReplies] = field(default_factory=dict)  # by reply pk
    may_spend: Callable[[], bool] = lambda: True

    @property
    def params(self) -> Mapping[str, Any]:
        return self.scorer.params


async def grade_reply(desk: Desk, problem: Problem, reply: Reply, missing: Sequence[str]) -> None:
    """Grade the levels in `missing` and store what became final. `problem` has its references prefetched."""
    for level in levels_of(problem):
        if level not in missing:
            continue
        grade = _grade_steps if level == Level.STEP else _grade_answers
        try:
            await desk.writer.save(await grade(desk, problem, reply))
        except Undecided:
            continue
        except Exception as error:  # our own fault: shown as `error`, retried by the next round, never a zero
            await desk.writer.save(
                ScoreError(
                    reply=reply,
                    scorer=desk.scorer,
                    round=desk.round,
                    kind=type(error).__name__,
                    message=str(error)[:1000],
                    code_version=desk.code_version,
                )
            )


# --- answer level -------------------------------------------------------------------------------------------------


async def _grade_answers(desk: Desk, problem: Problem, reply: Reply) -> Grade:
    """By rule; a judge is asked only where the rule does not accept and an answer is there."""
    score = await score_by_rule(desk.adapter, problem, reply, desk.params.get("policy", "corrected"))
    if score["status"] in ("error", "unscorable"):
        raise RuntimeError(f"{score['status']}: {score.get('explanation', '')}")
    answers = list(problem.answers.all())
    parts = score.get("parts") or [score]
    rows = [
        AnswerScore(
            answer=answer,
            extracted=part.get("answer") or "",
            matched_by=part.get("matched_by") or "",
            points=_decimal(part["points"] or 0),
            reason=part.get("explanation") or "",
        )
        for answer, part in zip(answers, parts, strict=False)
    ]
    status = score["status"]
    if desk.judges and desk.adapter.judge != "none":
        changed = False
        for position, row in enumerate(rows):
            if row.points == 0 and row.extracted.strip() and answers[position].points > 0:
                changed |= await _judge_answer(desk, problem, reply, row, position)
        if changed and status == "unparseable":
            status = "scored"
    points = _decimal(score["points"]) if len(rows) != len(answers) else sum((row.points for row in rows), Decimal(0))
    if desk.adapter.slug == "phybench":
        points = _decimal(score["points"])
    max_points = _decimal(score["max_points"])
    judgment = Judgment(
        reply=reply,
        scorer=desk.scorer,
        level=Level.ANSWER,
        status=status,
        points=min(points, max_points),
        max_points=max_points,
        answer=score.get("answer") or "",
        answer_class=hashlib.sha256((score.get("answer") or "").encode()).hexdigest()[:16] if score.get("answer") else "",
        details={"schema": DETAILS_SCHEMA, **_details(score), "injection": flags_of(reply.text)},
        explanation=score.get("explanation") or "",
    )
    return Grade(judgment, answer_scores=rows)


async def score_by_rule(adapter: Adapter, problem: Problem, reply: Reply, policy: str) -> dict[str, Any]:
    """One reply through the scorer pool; the shape is that of `python -m scoring`."""
    request = {
        "scorer": adapter.scorer,
        "reference": asdict(to_reference(problem)),
        "reply": reply.text,
        "policy": policy,
        "finish_reason": reply.finish_reason,
        "reasoning": reply.reasoning,
    }
    return await asyncio.to_thread(pool.get_pool().score, request)


async def _judge_answer(desk: Desk, problem: Problem, reply: Reply, row: AnswerScore, position: int) -> bool:
    """Ask about one answer that no rule accepted; True where the judge accepts it."""
    answer = row.answer
    if desk.adapter.slug == "hipho":
        purpose, target = Purpose.ANSWER, f"a{position}"
        template = read_prompt("hipho_answer_judge.txt")
        slots = {"question": question_of(problem, desk.params), "given_answer": row.extracted, "ground_truth": answer.value}
    else:
        purpose, target = Purpose.VERDICT, ""
        template = read_prompt("phyx_oe_judge.txt")
        slots = {"reference": answer.value, "prediction": row.extracted}
    verdicts = await ask_panel(desk, reply, purpose, target, template, slots)
    share = _combine([1.0 if verdict.is_correct else 0.0 for verdict in verdicts], "majority")
    row.reason = verdicts[0].reason or row.reason
    if share < 0.5:
        return False
    row.matched_by, row.points = "judge", answer.points
    return True


# --- step level ---------------------------------------------------------------------------------------------------


async def _grade_steps(desk: Desk, problem: Problem, reply: Reply) -> Grade:
    """Points per criterion; of alternative schemes the best counts, never their sum."""
    schemes: dict[int, list[Criterion]] = {}
    for criterion in problem.criteria.all():
        schemes.setdefault(criterion.scheme, []).append(criterion)
    solution = solution_of(reply, desk.params)
    if not solution.strip():
        return _empty_steps(desk, problem, reply, schemes)
    results = await asyncio.gather(
        *(_grade_scheme(desk, problem, reply, solution, number, criteria) for number, criteria in schemes.items()),
        return_exceptions=True,
    )
    for result in results:
        if isinstance(result, BaseException):
            raise result
    scores = [row for rows in results if not isinstance(rows, BaseException) for row in rows]
    totals = {
        number: sum((row.points for row in scores if row.criterion.scheme == number), Decimal(0)) for number in schemes
    }
    best = max(totals, key=lambda number: (totals[number], -number))
    judgment = Judgment(
        reply=reply,
        scorer=desk.scorer,
        level=Level.STEP,
        status="scored",
        points=min(totals[best], problem.max_points),
        max_points=problem.max_points,
        counted_scheme=best,
        details={
            "schema": DETAILS_SCHEMA,
            "schemes": {str(number): str(total) for number, total in totals.items()},
            "injection": flags_of(reply.text),
        },
    )
    return Grade(judgment, criterion_scores=scores)


def _empty_steps(desk: Desk, problem: Problem, reply: Reply, schemes: Mapping[int, Sequence[Criterion]]) -> Grade:
    """A reply without a word earns nothing; no judge is asked."""
    status = {"length": "cut", "content_filter": "refused"}.get(reply.finish_reason, "no_answer")
    rows = [
        CriterionScore(criterion=criterion, points=Decimal(0), reason="")
        for criteria in schemes.values()
        for criterion in criteria
    ]
    judgment = Judgment(
        reply=reply,
        scorer=desk.scorer,
        level=Level.STEP,
        status=status,
        points=Decimal(0),
        max_points=problem.max_points,
        counted_scheme=min(schemes),
        details={"schema": DETAILS_SCHEMA},
        explanation="the reply is empty",
    )
    return Grade(judgment, criterion_scores=rows)


async def _grade_scheme(
    desk: Desk, problem: Problem, reply: Reply, solution: str, number: int, criteria: Sequence[Criterion]
) -> list[CriterionScore]:
    template = read_prompt("hipho_step_judge.txt")
    slots = {"question": question_of(problem, desk.params), "prediction": solution}
    texts = [CriterionText(criterion.text, float(criterion.max_points)) for criterion in criteria]
    if desk.params.get("calls") == "scheme":
        verdicts = await ask_panel(desk, reply, Purpose.SCHEME, f"s{number}", template, slots, texts, problem=problem)
        awards = [[verdict.awards[index] for verdict in verdicts] for index in range(len(criteria))]
    else:
        answers = await asyncio.gather(
            *(
                ask_panel(desk, reply, Purpose.CRITERION, criterion.target, template, slots, [text], problem=problem)
                for criterion, text in zip(criteria, texts, strict=True)
            ),
            return_exceptions=True,
        )
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        awards = [[verdict.awards[0] for verdict in answer] for answer in answers if not isinstance(answer, BaseException)]
    return [
        _criterion_score(criterion, [award.awarded for award in given], given[0].evidence, given[0].reason, reply, desk)
        for criterion, given in zip(criteria, awards, strict=True)
    ]


def _criterion_score(
    criterion: Criterion, awarded: Sequence[float], evidence: str, reason: str, reply: Reply, desk: Desk
) -> CriterionScore:
    place = anchor_quote(evidence, reply.text) if evidence.strip() else None
    start, end = place if place else (None, None)
    points = _decimal(_combine(awarded, str(desk.params.get("combine", "mean"))))
    return CriterionScore(
        criterion=criterion,
        points=min(points, criterion.max_points),
        evidence=evidence,
        evidence_start=start,
        evidence_end=end,
        reason=reason,
    )


# --- asking -------------------------------------------------------------------------------------------------------


async def ask_panel(
    desk: Desk,
    reply: Reply,
    purpose: Purpose,
    target: str,
    template: str,
    slots: Mapping[str, str],
    criteria: Sequence[CriterionText] = (),
    *,
    problem: Problem | None = None,
) -> list[Verdict]:
    """One verdict of each judge and judge repeat. Raises Undecided where one of them has none."""
    asks = [
        _ask(desk, judge, repeat, reply, purpose, target, template, slots, criteria)
        for judge in desk.judges
        for repeat in range(int(desk.params.get("judge_repeats", 1)))
    ]
    verdicts = await asyncio.gather(*asks, return_exceptions=True)
    for verdict in verdicts:
        if isinstance(verdict, BaseException):
            raise verdict
    return [verdict for verdict in verdicts if not isinstance(verdict, BaseException)]


async def _ask(
    desk: Desk,
    judge: Judge,
    repeat: int,
    reply: Reply,
    purpose: Purpose,
    target: str,
    template: str,
    slots: Mapping[str, str],
    criteria: Sequence[CriterionText],
) -> Verdict:
    fence = make_fence(reply.text, judge.digest, purpose, target, repeat)
    message = build_message(purpose, template, slots, fence=fence, criteria=criteria)
    messages = [{"role": "user", "content": message}]
    params = judge_params(judge)
    digest = request_digest(messages, params, judge.model)
    key = {
        "reply": reply,
        "judge": judge,
        "purpose": purpose.value,
        "target": target,
        "request_digest": digest,
        "repeat": repeat,
    }
    maxima = [criterion.max_points for criterion in criteria]
    candidates = [text for name, text in slots.items() if name in ("prediction", "given_answer")]
    bought = desk.stored.get(reply.pk, {}).get((judge.pk, purpose.value, target), ())
    bought = [row for row in bought if row.repeat == repeat and row.request_digest == digest]
    for row in bought:
        try:
            return parse_verdict(purpose, row.text, candidate=candidates, max_points=maxima)
        except VerdictError:
            continue
    client = desk.clients.get(judge.pk)
    if client is None or not desk.may_spend():
        raise Undecided
    attempts = int(desk.params.get("verdict_attempts", 3))
    for attempt in range(len(bought) + 1, len(bought) + attempts + 1):
        is_last = attempt == len(bought) + attempts
        try:
            completion = await client.complete(messages)
        except CallFailed as failed:
            error = failed.failure
            desk.writer.put(JudgeError(**key, attempt=attempt, round=desk.round, kind=error.kind, message=error.message, is_final=True))
            raise Undecided from failed
        desk.writer.put(
            JudgeReply(
                **key,
                attempt=attempt,
                text=clean_text(completion.text),
                prompt_tokens=completion.prompt_tokens,
                completion_tokens=completion.completion_tokens,
                latency_ms=round(completion.latency_ms),
                cost_usd=None if completion.cost_usd is None else Decimal(str(round(completion.cost_usd, 6))),
                raw=clean_json(completion.raw),
            )
        )
        try:
            return parse_verdict(purpose, completion.text, candidate=candidates, max_points=maxima)
        except VerdictError as error:
            desk.writer.put(
                JudgeError(
                    **key, attempt=attempt, round=desk.round, kind=error.kind, message=str(error)[:1000], is_final=is_last
                )
            )
    raise Undecided


def judge_params(judge: Judge) -> CallParams:
    """A judge's call parameters from its row; temperature 0 unless it says otherwise."""
    known = {name: judge.params[name] for name in ("temperature", "max_tokens", "seed", "timeout_s") if name in judge.params}
    return CallParams(
        **{"temperature": 0.0, **known},
        reasoning_effort=str(judge.params.get("reasoning_effort", "")),
        extra=dict(judge.params.get("extra", {})),
    )


def make_fence(reply_text: str, judge_digest: str, purpose: str, target: str, repeat: int) -> str:
    """A delimiter that the candidate cannot guess and that is the same on every retry."""
    text_sha = hashlib.sha256(reply_text.encode("utf-8", "replace")).hexdigest()
    parts = "\0".join([text_sha, judge_digest, str(purpose), target, str(repeat)])
    key = hashlib.sha256(b"proctor.fence" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, parts.encode(), hashlib.sha256).hexdigest()[:24]


# --- small things -------------------------------------------------------------------------------------------------


def question_of(problem: Problem, params: Mapping[str, Any]) -> str:
    """What the judge reads as the problem: the record's question alone in policy `official`, else with its context."""
    if params.get("policy") == "official" or not problem.context.strip():
        return problem.statement
    return f"{problem.context}\n\n{problem.statement}"


def solution_of(reply: Reply, params: Mapping[str, Any]) -> str:
    """The text a step judge grades: the whole reply, `<think>` included; the reasoning field only where the scorer says so."""
    if params.get("solution") == "reasoning+content" and reply.reasoning:
        return f"{reply.reasoning}\n\n{reply.text}"
    return reply.text


def flags_of(text: str) -> list[str]:
    return [flag.kind for flag in detect_injection(text)]


def _details(score: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"points", "max_points", "status", "answer", "explanation", "parts", "id"}
    return {"flags": score.get("flags") or [], **{key: value for key, value in score.items() if key not in shown}}


def _combine(values: Sequence[float], how: str) -> float:
    if how == "median":
        return statistics.median(values)
    if how == "majority":
        return max(sorted(set(values)), key=list(values).count)
    return statistics.fmean(values)


def _decimal(value: float | int | str | Decimal) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.0001"))


def clean_text(text: str) -> str:
    """PostgreSQL stores no NUL and no lone surrogate; both are shown as what they are."""
    return text.replace("\0", "\u2400").encode("utf-8", "replace").decode("utf-8")


def clean_json(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value
