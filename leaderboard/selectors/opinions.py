"""Opinions of judges beside the points: PHYBench's process judge, and a suggested class of the first error."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import Reply
from arena.opinions import read_opinion
from leaderboard.selectors.problem_parts import render, render_quote
from leaderboard.selectors.problems import has_hidden_answers
from scoring.evidence import anchor_quote
from scoring.judge import Purpose

SUB_SCORES = ("answer_accuracy_score", "physical_reasoning_score", "math_derivation_score", "completeness_score")


@dataclass(frozen=True, slots=True)
class ProcessOpinion:
    """Four sub-scores of 0-100 with their weights, and the overall score by the official formula."""

    judge: str
    scores: tuple[tuple[str, str, str], ...]  # label, weight, score
    overall: str
    commentary: SafeString


@dataclass(frozen=True, slots=True)
class ErrorOpinion:
    """The class a judge suggests, with the first wrong step it quotes; a person confirms or changes it.

    has_place: the quote stands in the reply.
    """

    judge: str
    error_class: str
    label: str
    step: SafeString
    has_place: bool
    reason: SafeString


@dataclass(frozen=True, slots=True)
class Opinions:
    process: ProcessOpinion | None
    error: ErrorOpinion | None

    def __bool__(self) -> bool:
        return self.process is not None or self.error is not None


def read_opinions(reply: Reply) -> Opinions:
    """Of a reply whose reference is withheld none is told: a judge may have written of the published solution."""
    if has_hidden_answers(reply.problem):
        return Opinions(None, None)
    return Opinions(_process(reply), suggest_error(reply))


def _process(reply: Reply) -> ProcessOpinion | None:
    found = read_opinion(reply, Purpose.PROCESS)
    if found is None:
        return None
    judge, verdict = found
    labels = (_("answer"), _("physics"), _("mathematics"), _("completeness"))
    weights = ("50 %", "25 %", "15 %", "10 %")
    scores = (f"{verdict.subscores[name]:g}" for name in SUB_SCORES)
    return ProcessOpinion(
        judge.model,
        tuple(zip(labels, weights, scores, strict=True)),
        f"{verdict.subscores['overall_score']:g}",
        render(verdict.reason),
    )


def suggest_error(reply: Reply) -> ErrorOpinion | None:
    """What a judge holds to be the class of the first error, for reviewers to confirm."""
    found = read_opinion(reply, Purpose.ERROR_CLASS)
    if found is None:
        return None
    judge, verdict = found
    labels = {
        "perception": _("physical perception"),
        "semantic": _("robust reasoning, semantic"),
        "symbolic": _("robust reasoning, symbolic"),
        "none": _("no wrong step"),
    }
    return ErrorOpinion(
        judge=judge.model,
        error_class=verdict.error_class,
        label=labels[verdict.error_class],
        step=render_quote(verdict.evidence) if verdict.evidence.strip() else SafeString(""),
        has_place=anchor_quote(verdict.evidence, reply.text) is not None,
        reason=render(verdict.reason),
    )
