"""One reply to its judgments: by rule where a rule decides, by a judge where the benchmark wants one."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from arena.benchmarks.base import Adapter, read_prompt
from arena.models import AnswerScore, Criterion, CriterionScore, Judgment, Level, Problem, Reply, ScoreError
from arena.services.panels import (
    Desk,
    Question,
    StoredReplies,
    Undecided,
    ask_panel,
    combine_votes,
    figures_for,
    gather_all,
    judge_params,
)
from arena.services.prompts import to_reference
from arena.services.samples import levels_of
from arena.services.scorers import JUDGED_POLICIES
from arena.services.store import Grade
from arena.services.texts import clean_json, clean_text
from scoring import pool
from scoring.extract import phyx_answer
from scoring.judge import Purpose, Verdict, anchor_quote, detect_injection
from scoring.reference import Criterion as CriterionText

DETAILS_SCHEMA = 1
CUT_CHARS = 200  # the rule keeps no more of a text that is no value; a judge reads all of it


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


@dataclass(slots=True)
class AnswerPart:
    """One reference answer as the rule left it. is_open: only a judge can decide it; points None: no rule can."""

    row: AnswerScore
    max_points: Decimal
    is_open: bool
    is_judged: bool = False


async def _grade_answers(desk: Desk, problem: Problem, reply: Reply) -> Grade:
    """By rule; a judge is asked only where the rule does not accept and an answer is there."""
    policy = str(desk.params.get("policy", "corrected"))
    score = await score_by_rule(desk.adapter, problem, reply, policy)
    is_judged = bool(desk.judges) and policy in JUDGED_POLICIES.get(desk.adapter.slug, ())
    parts = _read_parts(score, problem)
    if score["status"] == "error" or (score["status"] == "unscorable" and not _can_be_judged(parts, is_judged)):
        raise RuntimeError(f"{score['status']}: {score.get('explanation', '')}")
    if is_judged:
        await gather_all(
            _judge_answer(desk, problem, reply, part, position)
            for position, part in enumerate(parts)
            if part.is_open and part.row.extracted.strip()
        )
    details = {"schema": DETAILS_SCHEMA, **_details(score)}
    if desk.adapter.slug == "phyx_oe":
        details["string_match"] = await _matches_string(desk.adapter, problem, reply)
    given = score.get("answer") or ""
    return Grade(
        Judgment(
            reply=reply,
            scorer=desk.scorer,
            level=Level.ANSWER,
            status=_answer_status(score["status"], parts),
            points=_answer_points(score, parts),
            max_points=_decimal(score["max_points"]),
            answer=given,
            answer_class=hashlib.sha256(given.encode()).hexdigest()[:16] if given else "",
            explanation=score.get("explanation") or "",
            **flag_injection(desk, reply, details),
        ),
        answer_scores=[part.row for part in parts],
    )


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


def _read_parts(score: Mapping[str, Any], problem: Problem) -> list[AnswerPart]:
    parts = []
    for answer, part in zip(problem.answers.all(), score.get("parts") or [score], strict=False):
        row = AnswerScore(
            answer=answer,
            extracted=part.get("answer") or "",
            matched_by=part.get("matched_by") or "",
            points=_decimal(part["points"] or 0),
            reason=part.get("explanation") or "",
        )
        is_open = part["points"] is None or not part.get("matched_by") or "undecided" in (part.get("flags") or ())
        parts.append(AnswerPart(row, _decimal(part["max_points"]), is_open and part["max_points"] > 0))
    return parts


def _can_be_judged(parts: Sequence[AnswerPart], is_judged: bool) -> bool:
    """Whether a judge can read what no rule can: a reference in words, or one that does not parse."""
    return is_judged and any(part.is_open and part.row.extracted.strip() for part in parts)


def _answer_status(status: str, parts: Sequence[AnswerPart]) -> str:
    """What a judge accepted is scored, whatever the rule could not read; what it refused stays what it was."""
    judged = [part for part in parts if part.is_judged]
    has_points = any(part.row.points > 0 for part in judged)
    return "scored" if judged and (has_points or status == "unscorable") else status


def _answer_points(score: Mapping[str, Any], parts: Sequence[AnswerPart]) -> Decimal:
    """The rule's own sum where no judge changed a part: an EED is no sum of parts."""
    max_points = _decimal(score["max_points"])
    if any(part.is_judged for part in parts):
        return min(sum((part.row.points for part in parts), Decimal(0)), max_points)
    return min(_decimal(score["points"]), max_points)


async def _judge_answer(desk: Desk, problem: Problem, reply: Reply, part: AnswerPart, position: int) -> None:
    """Ask about one answer that no rule decided; the part then holds what the panel gives."""
    row = part.row
    if desk.adapter.slug == "hipho":
        slots = {
            "question": question_of(problem, desk.params),
            "given_answer": row.extracted,
            "ground_truth": row.answer.value,
        }
        question = Question(Purpose.ANSWER, f"a{position}", read_prompt("hipho_answer_judge.txt"), slots)
    else:
        slots = {"reference": row.answer.value, "prediction": _whole_prediction(row.extracted, reply)}
        question = Question(Purpose.VERDICT, "", read_prompt("phyx_oe_judge.txt"), slots)
    question = replace(question, figures=await asyncio.to_thread(figures_for, problem, desk.params))
    verdicts = await ask_panel(desk, reply, question)
    share = combine_votes([float(bool(verdict.is_correct)) for verdict in verdicts], _how(desk))
    row.points = _decimal(float(part.max_points) * share)
    row.matched_by = "judge" if share > 0.5 else ""
    row.reason = clean_text(_reason(verdicts, ["right" if verdict.is_correct else "wrong" for verdict in verdicts]))
    part.is_judged = True


def _whole_prediction(extracted: str, reply: Reply) -> str:
    """PhyX's final answer in full; the rule shortens a text that is no value, the judge must not see it shortened."""
    if len(extracted) < CUT_CHARS:
        return extracted
    return phyx_answer(reply.text).answer or extracted


async def _matches_string(adapter: Adapter, problem: Problem, reply: Reply) -> bool:
    """The released string match, kept beside every PhyX judgment: the gap is what string matching hides."""
    score = await score_by_rule(adapter, problem, reply, "official-rule")
    return bool(score.get("points"))


# --- step level ---------------------------------------------------------------------------------------------------


async def _grade_steps(desk: Desk, problem: Problem, reply: Reply) -> Grade:
    """Points per criterion; of alternative schemes the best counts, never their sum."""
    schemes: dict[int, list[Criterion]] = {}
    for criterion in problem.criteria.all():
        schemes.setdefault(criterion.scheme, []).append(criterion)
    solution = solution_of(reply, desk.params)
    if not solution.strip():
        return _empty_steps(desk, problem, reply, schemes)
    slots = {"question": question_of(problem, desk.params), "prediction": solution}
    question = Question(Purpose.CRITERION, "", read_prompt("hipho_step_judge.txt"), slots)
    question = replace(question, figures=await asyncio.to_thread(figures_for, problem, desk.params))
    results = await gather_all(
        _grade_scheme(desk, reply, question, number, criteria) for number, criteria in schemes.items()
    )
    scores: list[CriterionScore] = [row for rows in results for row in rows]
    totals = {
        number: sum((row.points for row in scores if row.criterion.scheme == number), Decimal(0)) for number in schemes
    }
    best = max(totals, key=lambda number: (totals[number], -number))
    details = {"schema": DETAILS_SCHEMA, "schemes": {str(number): str(total) for number, total in totals.items()}}
    judgment = Judgment(
        reply=reply,
        scorer=desk.scorer,
        level=Level.STEP,
        status="scored",
        points=min(totals[best], problem.max_points),
        max_points=problem.max_points,
        counted_scheme=best,
        **flag_injection(desk, reply, details),
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
    desk: Desk, reply: Reply, question: Question, number: int, criteria: Sequence[Criterion]
) -> list[CriterionScore]:
    """One call a criterion, or one for the whole scheme: a parameter of the scorer."""
    texts = [CriterionText(criterion.text, float(criterion.max_points)) for criterion in criteria]
    if desk.params.get("calls") == "scheme":
        whole = replace(question, purpose=Purpose.SCHEME, target=f"s{number}", criteria=texts)
        verdicts = await ask_panel(desk, reply, whole)
        awards = [[verdict.awards[index] for verdict in verdicts] for index in range(len(criteria))]
    else:
        answers = await gather_all(
            ask_panel(desk, reply, replace(question, target=criterion.target, criteria=[text]))
            for criterion, text in zip(criteria, texts, strict=True)
        )
        awards = [[verdict.awards[0] for verdict in answer] for answer in answers]
    return [_criterion_score(desk, reply, criterion, given) for criterion, given in zip(criteria, awards, strict=True)]


def _criterion_score(desk: Desk, reply: Reply, criterion: Criterion, given: Sequence[Any]) -> CriterionScore:
    """The panel's points, with the quote of the judge that stands nearest to them."""
    points = combine_votes([award.awarded for award in given], _how(desk))
    nearest = min(given, key=lambda award: (abs(award.awarded - points), not award.evidence.strip()))
    place = anchor_quote(nearest.evidence, reply.text) if nearest.evidence.strip() else None
    start, end = place if place else (None, None)
    return CriterionScore(
        criterion=criterion,
        points=min(_decimal(points), criterion.max_points),
        evidence=clean_text(nearest.evidence),
        evidence_start=start,
        evidence_end=end,
        reason=clean_text(_reason([nearest] if len(given) == 1 else given, [f"{award.awarded:g}" for award in given])),
    )


# --- small things -------------------------------------------------------------------------------------------------


def question_of(problem: Problem, params: Mapping[str, Any]) -> str:
    """What the judge reads as the problem: the record's question alone in policy `official`, else with its context."""
    if params.get("policy") == "official" or not problem.context.strip():
        return problem.statement
    return f"{problem.context}\n\n{problem.statement}"


def solution_of(reply: Reply, params: Mapping[str, Any]) -> str:
    """What a step judge grades: the whole reply, `<think>` included; the reasoning field where the scorer says so."""
    if params.get("solution") == "reasoning+content" and reply.reasoning:
        return f"{reply.reasoning}\n\n{reply.text}"
    return reply.text


def flag_injection(desk: Desk, reply: Reply, details: Mapping[str, Any]) -> dict[str, Any]:
    """The judgment's `injection` column and its details: attempts to instruct the grader in what is judged."""
    kinds = [flag.kind for flag in detect_injection(solution_of(reply, desk.params))]
    return {"injection": ", ".join(kinds)[:200], "details": {**details, "injection": kinds}}


def _how(desk: Desk) -> str:
    return str(desk.params.get("combine", "mean"))


def _reason(verdicts: Sequence[Verdict | Any], votes: Sequence[str]) -> str:
    """One judge's sentence, or every vote with its sentence."""
    if len(votes) == 1:
        return str(verdicts[0].reason)
    return "\n".join(f"{vote}: {verdict.reason}" for vote, verdict in zip(votes, verdicts, strict=True))


def _details(score: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"points", "max_points", "status", "answer", "explanation", "parts", "id"}
    return {"flags": score.get("flags") or [], **{key: value for key, value in score.items() if key not in shown}}


def _decimal(value: float | int | str | Decimal) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.0001"))


__all__ = [
    "Desk",
    "StoredReplies",
    "Undecided",
    "clean_json",
    "clean_text",
    "grade_reply",
    "judge_params",
    "score_by_rule",
]
