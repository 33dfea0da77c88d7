"""HiPhO's answer level by rule: each reference answer against the box that stands in its place.

Policy `official` gives each answer an equal share (evalscope); ours gives it its own points. An answer without a
reference text is left to the step level. What no rule accepts (`matched_by` empty, status scored) may go to a judge.
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.extract import final_answers
from scoring.points import add_points
from scoring.reference import Answer, Reference
from scoring.sample import (
    EXPLANATIONS,
    Sample,
    length_flags,
    missing_status,
    without_answer,
    without_reference,
)
from scoring.score import Part, Score, Status
from scoring.values import compare_value

NOT_CHOSEN = "not compared in this pass"
REFERENCE_UNREADABLE = "reference unparseable"  # a flag of scoring.values


def score_answers(reference: Reference, sample: Sample) -> Score:
    """Points of the right answers; `parts` has one entry for each reference answer, in the record's order."""
    answers = reference.answers
    if not any(has_reference(answer) for answer in answers):
        return without_reference(reference.max_points)
    shares = answer_shares(reference, sample.policy)
    found = final_answers(sample.reply, len(answers))
    flags = (*found.flags, *length_flags(sample), *reasoning_flags(sample))
    labels = tuple(option.label for option in reference.options)
    parts = tuple(
        Part(0.0, share, Status.TIMEOUT, text or "", answer.value, explanation=NOT_CHOSEN)
        if sample.only not in (None, index)
        else score_part(answer, share, text, sample, labels)
        for index, (answer, share, text) in enumerate(zip(answers, shares, found.answers))
    )
    return sum_parts(parts, reference.max_points, flags, missing_status(sample))


def has_reference(answer: Answer) -> bool:
    """Six HiPhO records have an empty answer: only their marking scheme can grade them."""
    return bool(answer.value.strip())


def answer_shares(reference: Reference, policy: str) -> tuple[float, ...]:
    """The most points of each answer."""
    if policy == "official":
        return (reference.max_points / len(reference.answers),) * len(reference.answers)
    return tuple(answer.points for answer in reference.answers)


def reasoning_flags(sample: Sample) -> tuple[str, ...]:
    """HiPhO asks for the derivation inside `<think>`; a server may have moved it to a field of its own."""
    moved = bool(sample.reasoning.strip()) and "<think>" not in sample.reply
    return ("derivation in reasoning field",) if moved else ()


def score_part(answer: Answer, max_points: float, text: str | None, sample: Sample, labels: Sequence[str]) -> Part:
    if not has_reference(answer):
        return Part(None, max_points, Status.UNSCORABLE, text or "", explanation=EXPLANATIONS[Status.UNSCORABLE])
    if text is None or not text.strip():
        status = missing_status(sample)
        return Part(0.0, max_points, status, target=answer.value, explanation=EXPLANATIONS[status])
    return compare_part(answer, max_points, text, labels if answer.kind == "choice" else ())


def compare_part(answer: Answer, max_points: float, text: str, labels: Sequence[str]) -> Part:
    """One reference answer against one text. What only a judge can decide carries the flag `undecided`."""
    found = compare_value(
        answer.value, text, kind=answer.kind, unit=answer.unit, labels=labels, tolerance=answer.tolerance
    )
    flags = (*found.flags, "undecided") if found.equal is None else found.flags
    if REFERENCE_UNREADABLE in flags:
        return Part(None, max_points, Status.UNSCORABLE, text, answer.value, "", flags, found.reason)
    points, status = (max_points, Status.SCORED) if found.is_right else (0.0, found.status)
    return Part(points, max_points, status, text, answer.value, "rule" if found.is_right else "", flags, found.reason)


def sum_parts(parts: Sequence[Part], max_points: float, flags: Sequence[str], missing: Status) -> Score:
    """The level of a reply from its parts; unscorable while a part that has points cannot be decided."""
    text = "; ".join(part.answer for part in parts if part.answer)
    status = _overall_status(parts, missing)
    matched_by = "rule" if any(part.matched_by for part in parts) else ""
    points = (
        None if status is Status.UNSCORABLE else min(max_points, round(add_points(p.points or 0.0 for p in parts), 9))
    )
    n_right = sum(bool(part.matched_by) for part in parts)
    explanation = parts[0].explanation if len(parts) == 1 else f"{n_right} of {len(parts)} answers are right"
    all_flags = tuple(dict.fromkeys((*flags, *(flag for part in parts for flag in part.flags))))
    return Score(points, max_points, status, text, matched_by, all_flags, explanation, tuple(parts))


def _overall_status(parts: Sequence[Part], missing: Status) -> Status:
    found = {part.status for part in parts if part.max_points or part.status is not Status.UNSCORABLE}
    for status in (Status.UNSCORABLE, Status.SCORED, Status.TIMEOUT, Status.UNPARSEABLE):
        if status in found:
            return status
    return missing


def score_value(answer: Answer, text: str, labels: Sequence[str] = ()) -> Score:
    """One value against one reference, for the scorer `value`: 1 point."""
    if not has_reference(answer):
        return without_reference(answer.points)
    if not text.strip():
        return without_answer(Sample(text), answer.points)
    part = compare_part(answer, answer.points, text, labels)
    return sum_parts([part], answer.points, (), Status.NO_ANSWER)
