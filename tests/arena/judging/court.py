"""A loopback server that plays model and judges at once, and what stories about judging need."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from arena.models import Run
from arena.services.engine import advance_run
from arena.services.runs import Credentials, RunRequest, create_run
from arena.services.scorers import JudgeSpec
from tests.fake_llm import Answer, FakeLLM, FakeRequest, say

REPLY = "By Newton's second law $F = ma$, so \\boxed{no such value}"
MAXIMUM = re.compile(r'"awarded" is a number from 0 to (\d+(?:\.\d+)?)')
LISTED = re.compile(r"^Criterion (\d+) \(max ([\d.]+)\)", re.M)
Rule = Callable[[str, str], float]  # model and prompt -> share of the points


def play(share: Rule | float = 1.0, reply: str = REPLY) -> Callable[[FakeRequest], Answer]:
    """A script: judges (models called `judge...`) award this share of each maximum, others say `reply`."""
    rule = share if callable(share) else lambda model, prompt: share

    def answer(request: FakeRequest) -> Answer:
        model, prompt = request.json["model"], request.prompt
        if not model.startswith("judge"):
            return say(reply)
        return say(json.dumps(verdict(prompt, rule(model, prompt))))

    return answer


def verdict(prompt: str, share: float) -> dict[str, Any]:
    """The JSON object that the prompt asks for."""
    quote = {"evidence": "Newton's second law", "reason": "it is there"}
    if listed := LISTED.findall(prompt):
        return {"criteria": [{"index": int(i), "awarded": round(float(m) * share, 6), **quote} for i, m in listed]}
    if one := MAXIMUM.search(prompt):
        return {"awarded": round(float(one[1]) * share, 6), **quote}
    if '"error_class"' in prompt:
        return {"error_class": "symbolic", "evidence": "$F = ma$", "reason": "a sign"}
    if '"overall_score"' in prompt:
        keys = ("answer_accuracy_score", "physical_reasoning_score", "math_derivation_score", "completeness_score")
        return {**dict.fromkeys(keys, 40), "overall_score": 40, "commentary": "another route"}
    return {"correct": share > 0.5, "verdict": share > 0.5, "reason": "compared"}


def start_run(server: FakeLLM, benchmark: str = "hipho", judges: tuple[str, ...] = ("judge",), **choices: Any) -> Run:
    request = RunRequest(
        benchmark=benchmark,
        model="Candidate",
        base_url=server.base_url,
        judges=tuple(JudgeSpec(name, server.base_url) for name in judges),
        judge_base_url=server.base_url if judges else "",
        **choices,
    )
    return create_run(request, Credentials(), keep_keys=False)


def finish_run(run: Run) -> Run:
    advance_run(run.pk, credentials=Credentials(), inline=True)
    run.refresh_from_db()
    return run


def judged_run(server: FakeLLM, benchmark: str = "hipho", judges: tuple[str, ...] = ("judge",), **choices: Any) -> Run:
    """A finished run through the real engine."""
    return finish_run(start_run(server, benchmark, judges, **choices))


def calls_of(server: FakeLLM, name: str = "judge") -> int:
    return sum(request.json["model"].startswith(name) for request in server.requests)
