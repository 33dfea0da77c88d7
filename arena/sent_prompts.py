"""What a model was sent for one problem, rebuilt from the frozen run; pictures stand as their place in the prompt."""

from __future__ import annotations

from dataclasses import dataclass

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import FigurePart
from arena.models import Problem, Run
from arena.services.prompts import build_prompt


@dataclass(frozen=True, slots=True)
class SentPart:
    """One part of a message. figure: the problem's figure (from 0) that stands here; text is empty then."""

    role: str
    text: str
    figure: int | None = None


def read_sent(run: Run, problem: Problem) -> tuple[SentPart, ...]:
    """The prompt byte for byte; empty for uploaded replies, of which nobody here knows what was asked.

    problem: with `subset`, answers, criteria and figures loaded (`services.samples.with_references`).
    """
    if run.provenance != Run.Provenance.MEASURED:
        return ()
    adapter = BENCHMARKS[run.revision.benchmark.adapter]
    prompt = build_prompt(adapter, run.revision, problem, run.shots)
    system = str(run.params.get("system_prompt") or "")
    return (
        *([SentPart("system", system)] if system else []),
        *(
            SentPart("user", "", part.position) if isinstance(part, FigurePart) else SentPart("user", part.text)
            for part in prompt
            if isinstance(part, FigurePart) or part.text
        ),
    )
