"""Where in a reply the answer was found that the rule scored: read again by the same rules that score."""

from __future__ import annotations

from arena.benchmarks import BENCHMARKS
from arena.models import Problem
from scoring.choice import extract_choice
from scoring.errors import ScoringError
from scoring.extract import Span, answer_boxes, final_answers, phyx_answer
from scoring.reference import Option
from scoring.yes_no import extract_yes_no

LONGEST = 400  # characters: a longer "answer" is the whole reply, which needs no mark


def find_answer_places(adapter: str, problem: Problem, reply: str) -> tuple[Span | None, ...]:
    """Offsets in `reply`, one entry for each reference answer (at least one); None where nothing was found.

    Linear in the reply. problem: with its answers loaded.
    """
    try:
        spans = _find(BENCHMARKS[adapter].scorer, problem, reply)
    except ScoringError:
        return (None,)
    return tuple(span if span and 0 < span[1] - span[0] <= LONGEST else None for span in spans) or (None,)


def _find(scorer: str, problem: Problem, reply: str) -> tuple[Span | None, ...]:
    if scorer == "hipho":
        return final_answers(reply, len(problem.answers.all())).spans
    if scorer == "phybench":
        boxes = [box for box in answer_boxes(reply) if box.content]
        return ((boxes[-1].start, boxes[-1].end),) if boxes else ()
    if scorer == "phyx_oe":
        return (phyx_answer(reply).span,)
    if scorer == "coin_flip":
        return (extract_yes_no(reply).span,)
    return (extract_choice(reply, [Option(label, text) for label, text in problem.choices]).span,)
