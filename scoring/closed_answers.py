"""Benchmarks whose answer is one of a few words: PhyX multiple choice, ARC-Challenge-Indic, CoinFlip. Linear time."""

from __future__ import annotations

from scoring.choice import extract_choice
from scoring.extract import Found
from scoring.reference import Reference
from scoring.sample import Sample, length_flags, without_answer, without_reference
from scoring.score import Part, Score, Status
from scoring.yes_no import extract_yes_no


def score_choice(reference: Reference, sample: Sample) -> Score:
    """1 point for the label of the right option. All policies agree (docs/scoring-rules.md)."""
    if not reference.answers:
        return without_reference(reference.max_points)
    return _score_label(reference, sample, extract_choice(sample.reply, reference.options))


def score_yes_no(reference: Reference, sample: Sample) -> Score:
    """1 point for the right word, YES or NO."""
    if not reference.answers:
        return without_reference(reference.max_points)
    return _score_label(reference, sample, extract_yes_no(sample.reply))


def _score_label(reference: Reference, sample: Sample, found: Found) -> Score:
    full, target = reference.max_points, reference.answers[0].value
    if found.answer is None:
        return without_answer(sample, full)
    is_right = found.answer == target
    points, matched_by = (full, "rule") if is_right else (0.0, "")
    explanation = f"{found.answer} is the right answer" if is_right else f"{found.answer} is not {target}"
    part = Part(points, full, Status.SCORED, found.answer, target, matched_by, (), explanation)
    return Score(points, full, Status.SCORED, found.answer, matched_by, length_flags(sample), explanation, (part,))
