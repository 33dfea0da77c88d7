"""What is scored beside the reference: the reply, how it ended, and by which policy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.score import Score, Status


@dataclass(frozen=True, slots=True)
class Sample:
    """One reply. finish_reason: the endpoint's word (`stop`, `length`, `content_filter`), empty if unknown.

    reasoning: text of a separate reasoning field; never searched for the answer. policy: corrected, official or rule.
    trees: whether an EED outcome carries its trees and edits.
    only: index of the one answer to compare; all others are given the status timeout (scoring.bounds uses it).
    """

    reply: str
    finish_reason: str = ""
    reasoning: str = ""
    policy: str = "corrected"
    trees: bool = True
    only: int | None = None


CUT_REASONS = frozenset({"length", "max_tokens", "model_length"})
FILTER_REASONS = frozenset({"content_filter", "refusal", "safety"})
_REFUSAL = re.compile(
    r"\W*(?:I['\u2019]?m\s+(?:very\s+)?sorry|I\s+am\s+sorry|sorry|unfortunately|I\s+apologi[sz]e)?[\s,.]*(?:but\s+)?"
    r"I\s*(?:['\u2019]m|\s+am)?\s*(?:can\s?not|can['\u2019]t|unable\s+to|won['\u2019]t|will\s+not|not\s+able\s+to)\s+"
    r"(?:assist|help|comply|fulfil|continue\s+with|provide\s+(?:assistance|help))|\W*(?:抱歉|对不起)[，,\s]*我?(?:无法|不能)(?:提供|协助|帮助|回答)",
    re.IGNORECASE,
)


def missing_status(sample: Sample) -> Status:
    """Why a reply has no answer: cut by length, refused (by the model or its content filter), or just none."""
    if sample.finish_reason in FILTER_REASONS:
        return Status.REFUSED
    if sample.finish_reason in CUT_REASONS:
        return Status.CUT
    if len(sample.reply) < 2000 and _REFUSAL.match(sample.reply):
        return Status.REFUSED
    return Status.NO_ANSWER


EXPLANATIONS = {
    Status.NO_ANSWER: "the reply gives no answer",
    Status.CUT: "the reply was cut by length before it gave an answer",
    Status.REFUSED: "the reply is a refusal",
    Status.UNSCORABLE: "the problem has no reference answer to compare with",
}


def without_answer(sample: Sample, max_points: float) -> Score:
    status = missing_status(sample)
    return Score(0.0, max_points, status, flags=length_flags(sample), explanation=EXPLANATIONS[status])


def without_reference(max_points: float) -> Score:
    return Score(None, max_points, Status.UNSCORABLE, explanation=EXPLANATIONS[Status.UNSCORABLE])


def length_flags(sample: Sample) -> tuple[str, ...]:
    """A reply cut by length says so wherever its score stands, even where an answer was found."""
    return ("cut by length",) if sample.finish_reason in CUT_REASONS else ()
