"""Asking judges: one verdict of each judge and judge repeat, bought once and read again by every scorer.

A call that fails or a reply without a verdict is a JudgeError with its kind, never a zero.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from arena.benchmarks.base import Adapter, FigurePart, PromptPart, TextPart
from arena.llm.call import CallFailed, CallFailure, CallParams, Completion
from arena.llm.client import ChatClient
from arena.llm.messages import FigureData, Message, build_messages, request_digest
from arena.models import Judge, JudgeError, JudgeReply, Problem, Reply, Scorer
from arena.services.billing import billed
from arena.services.prompts import load_figures
from arena.services.store import Writer
from arena.services.texts import clean_json, clean_text
from scoring.errors import VerdictError
from scoring.judge import Purpose, Verdict, build_message, parse_verdict
from scoring.reference import Criterion as CriterionText

CANDIDATE_SLOTS = ("prediction", "given_answer")
VERDICT_ATTEMPTS = 3
StoredReplies = Mapping[tuple[int, str, str], Sequence[JudgeReply]]  # judge pk, purpose, target


class Undecided(Exception):
    """No verdict could be had for one part; the level stays unscored."""


@dataclass(slots=True)
class Desk:
    """Everything that grading one run needs. clients: by judge pk; none where no call may be made (rescoring).

    may_spend is asked before every judge call, on_spend is told of every reply and failure of a judge, on_call of every
    call's end (the failure, or None), on_missing of every verdict that is not there and that nobody may be asked for.
    """

    adapter: Adapter
    scorer: Scorer
    judges: Sequence[Judge]
    clients: Mapping[int, ChatClient]
    writer: Writer
    round: int
    code_version: str
    stored: Mapping[int, StoredReplies] = field(default_factory=dict)  # by reply pk
    may_spend: Callable[[], bool] = lambda: True
    on_spend: Callable[[JudgeReply | JudgeError], None] = lambda _: None
    on_call: Callable[[CallFailure | None], None] = lambda _: None
    on_missing: Callable[[], None] = lambda: None
    _gates: dict[int, asyncio.Semaphore] = field(default_factory=dict)

    @property
    def params(self) -> Mapping[str, Any]:
        return self.scorer.params

    def gate(self, judge: Judge, client: ChatClient) -> asyncio.Semaphore:
        """As many places as calls may be out: `may_spend` is asked inside, so that no crowd waits behind its answer."""
        return self._gates.setdefault(judge.pk, asyncio.Semaphore(client.concurrency))


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked about a reply. target: `s0c3`, `s1`, `a2` or empty; slots: as scoring.judge has them."""

    purpose: Purpose
    target: str
    template: str
    slots: Mapping[str, str]
    criteria: Sequence[CriterionText] = ()
    figures: Sequence[FigureData] = ()

    def messages(self, fence: str) -> list[Message]:
        """One user message: the official text, our instruction, then the figures where the judge sees them."""
        text = build_message(self.purpose, self.template, self.slots, fence=fence, criteria=self.criteria)
        figures: list[PromptPart] = [FigurePart(position) for position in range(len(self.figures))]
        return build_messages((TextPart(text), *figures), self.figures)

    def parse(self, text: str) -> Verdict:
        """Raises VerdictError with its kind."""
        candidates = [text for name, text in self.slots.items() if name in CANDIDATE_SLOTS]
        maxima = [criterion.max_points for criterion in self.criteria]
        return parse_verdict(self.purpose, text, candidate=candidates, max_points=maxima)


async def ask_panel(desk: Desk, reply: Reply, question: Question) -> list[Verdict]:
    """One verdict of each judge and judge repeat. Raises Undecided where one of them has none."""
    return await gather_all(
        _ask(desk, judge, repeat, reply, question)
        for judge in desk.judges
        for repeat in range(int(desk.params.get("judge_repeats", 1)))
    )


async def gather_all(calls: Any) -> list[Any]:
    """The results in order, once all have ended: what the others buy is kept although one has failed."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


async def _ask(desk: Desk, judge: Judge, repeat: int, reply: Reply, question: Question) -> Verdict:
    """The stored verdict, else a bought one; a bad reply is asked for anew, up to the scorer's limit."""
    fence = make_fence(reply.text, judge.digest, question.purpose, question.target, repeat)
    messages = question.messages(fence)
    key = {
        "reply": reply,
        "judge": judge,
        "purpose": question.purpose.value,
        "target": question.target,
        "request_digest": request_digest(messages, judge_params(judge), judge.model),
        "repeat": repeat,
    }
    bought = desk.stored.get(reply.pk, {}).get((judge.pk, question.purpose.value, question.target), ())
    bought = [row for row in bought if row.repeat == repeat and row.request_digest == key["request_digest"]]
    for row in bought:
        try:
            return question.parse(row.text)
        except VerdictError:
            continue
    client = desk.clients.get(judge.pk)
    if client is None:
        desk.on_missing()
        raise Undecided
    last = len(bought) + int(desk.params.get("verdict_attempts", VERDICT_ATTEMPTS))
    for attempt in range(len(bought) + 1, last + 1):
        completion = await _call(desk, judge, client, messages, key, attempt)
        try:
            return question.parse(completion.text)
        except VerdictError as error:
            _note(desk, key, attempt, error.kind, str(error), is_final=attempt == last)
    raise Undecided


async def _call(
    desk: Desk, judge: Judge, client: ChatClient, messages: Sequence[Message], key: Mapping[str, Any], attempt: int
) -> Completion:
    """One paid call, stored whatever it says. Raises Undecided where it fails for good or nothing may be spent."""

    def note(failure: CallFailure) -> None:
        row = _note(desk, key, attempt, failure.kind, failure.message, is_final=failure.is_final, **billed(failure))
        desk.on_spend(row)

    async with desk.gate(judge, client):
        if not desk.may_spend():
            raise Undecided
        try:
            completion = await client.complete(messages, on_failure=note)
        except CallFailed as failed:
            desk.on_call(failed.failure)
            raise Undecided from failed
        row = JudgeReply(
            **key,
            attempt=attempt,
            text=clean_text(completion.text),
            latency_ms=round(completion.latency_ms),
            **billed(completion),
            raw=clean_json(completion.raw),
        )
        desk.on_call(None)
        desk.on_spend(row)
        desk.writer.put(row)
    return completion


def _note(
    desk: Desk, key: Mapping[str, Any], attempt: int, kind: str, message: str, *, is_final: bool, **bill: Any
) -> JudgeError:
    row = JudgeError(
        **key,
        attempt=attempt,
        round=desk.round,
        kind=kind[:40],
        message=clean_text(message)[:1000],
        is_final=is_final,
        **bill,
    )
    desk.writer.put(row)
    return row


def figures_for(problem: Problem, params: Mapping[str, Any]) -> Sequence[FigureData]:
    """The problem's figures where the scorer shows them to its judge. Reads files; figures are prefetched."""
    return load_figures(problem, None) if params.get("figures") else ()


def judge_params(judge: Judge, timeout_s: float = 600.0) -> CallParams:
    """A judge's call parameters from its row; temperature 0 unless it says otherwise. timeout_s: where it says none."""
    known = {name: judge.params[name] for name in ("temperature", "max_tokens", "seed") if name in judge.params}
    return CallParams(
        **{"temperature": 0.0, **known},
        timeout_s=float(judge.params.get("timeout_s", timeout_s)),
        reasoning_effort=str(judge.params.get("reasoning_effort", "")),
        extra=dict(judge.params.get("extra", {})),
    )


def make_fence(reply_text: str, judge_digest: str, purpose: str, target: str, repeat: int) -> str:
    """A delimiter that the candidate cannot guess and that is the same on every retry."""
    text_sha = hashlib.sha256(reply_text.encode("utf-8", "replace")).hexdigest()
    parts = "\0".join([text_sha, judge_digest, str(purpose), target, str(repeat)])
    key = hashlib.sha256(b"proctor.fence" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, parts.encode(), hashlib.sha256).hexdigest()[:24]


def combine_votes(values: Sequence[float], how: str) -> float:
    """Several judges' or repeats' numbers as one: mean, median or majority (of equally frequent ones the lowest)."""
    if how == "median":
        return statistics.median(values)
    if how == "majority":
        return max(sorted(set(values)), key=list(values).count)
    return statistics.fmean(values)
