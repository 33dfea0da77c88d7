"""PhyX asked openly: by value, unit and tolerance (ours), or by the released string match (arXiv:2505.15929)."""

from __future__ import annotations

from scoring.answer_level import compare_part, sum_parts
from scoring.extract import find_boxes, phyx_answer
from scoring.reference import Reference
from scoring.sample import Sample, length_flags, missing_status, without_answer, without_reference
from scoring.score import Part, Score, Status

LONGEST_VALUE = 5_000  # characters; a longer text is no value, and no rule finds one in it


def score_open(reference: Reference, sample: Sample) -> Score:
    """1 point. Policies `official` and `rule` match strings as released; `corrected` compares values."""
    if not reference.answers or not reference.answers[0].value.strip():
        return without_reference(reference.max_points)
    part = _match_value(reference, sample) if sample.policy == "corrected" else _match_string(reference, sample)
    if part is None:
        return without_answer(sample, reference.max_points)
    return sum_parts([part], reference.max_points, length_flags(sample), missing_status(sample))


def _match_value(reference: Reference, sample: Sample) -> Part | None:
    text = phyx_answer(sample.reply).answer
    if text is None or not text.strip():
        return None
    answer, full = reference.answers[0], reference.max_points
    if len(text) > LONGEST_VALUE:
        reason = "a long text without a box or a final answer line"
        return Part(0.0, full, Status.UNPARSEABLE, text[:200], answer.value, "", ("undecided",), reason)
    return compare_part(answer, full, text, ())


def _match_string(reference: Reference, sample: Sample) -> Part | None:
    """The trimmed reference stands in the answer, case apart; so `15` matches 5: kept for comparison only.

    The released extraction takes the first box and reads \\pi as 3.14.
    """
    boxes = find_boxes(sample.reply)
    text = boxes[0].content.replace("\\pi", "3.14") if boxes else phyx_answer(sample.reply).answer
    if text is None or not text.strip():
        return None
    target, full = reference.answers[0].value, reference.max_points
    is_right = target.strip().lower() in text.lower()
    points, matched_by = (full, "rule") if is_right else (0.0, "")
    reason = "the reference stands in the answer" if is_right else "the reference does not stand in the answer"
    return Part(points, full, Status.SCORED, text[:LONGEST_VALUE], target, matched_by, ("string match",), reason)
