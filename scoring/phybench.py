"""PHYBench: the last complete box by Expression Edit Distance, 0 to 100 (arXiv:2504.16074)."""

from __future__ import annotations

from scoring.eed import EedResult, score_eed
from scoring.extract import answer_boxes
from scoring.reference import Reference
from scoring.sample import Sample, length_flags, missing_status, without_answer, without_reference
from scoring.score import Part, Score, Status


def score_expression(reference: Reference, sample: Sample) -> Score:
    """EED points of the last complete box. A withheld reference is unscorable, whatever the reply says."""
    full = reference.max_points
    if not reference.answers or not reference.answers[0].value.strip():
        return without_reference(full)
    boxes = [box.content for box in answer_boxes(sample.reply) if box.content]
    if not boxes:
        return without_answer(sample, full)
    target = reference.answers[0].value
    policy = "official" if sample.policy == "official" else "corrected"
    return _as_score(score_eed(target, boxes[-1], policy=policy, trees=sample.trees), target, boxes[-1], sample, full)


def _as_score(found: EedResult, target: str, answer: str, sample: Sample, full: float) -> Score:
    status = missing_status(sample) if found.status is Status.NO_ANSWER else found.status
    matched_by = "rule" if found.equivalent else ""
    flags = (*found.flags, *length_flags(sample))
    part = Part(found.points, full, status, answer, target, matched_by, found.flags, found.explanation)
    details = found.as_json(sample.trees)
    for name in ("points", "status", "flags", "explanation"):
        del details[name]
    return Score(found.points, full, status, answer, matched_by, flags, found.explanation, (part,), details)
