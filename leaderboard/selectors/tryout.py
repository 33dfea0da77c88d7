"""The try-it page: what the rule found in a pasted reply, ready to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.answer_places import find_answer_places
from arena.models import Problem, RevisionProblem
from leaderboard.rendering.markdown import render_text
from leaderboard.rendering.quotes import QuoteSpan
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.eed_views import EedView, view_eed
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.kinds import say_flag
from leaderboard.selectors.problem_parts import LONGEST_QUOTE, formula_source, outcome_of, print_marks, problem_url
from leaderboard.selectors.problems import Statement, has_hidden_answers, read_statement
from leaderboard.sentences import say_sentence

SHOWN = 20_000  # characters of the pasted reply that are rendered back


@dataclass(frozen=True, slots=True)
class TryPart:
    """One reference answer against what was found for it; href: its place in the text."""

    number: int
    found: SafeString
    href: str
    outcome: str
    points: str
    reason: str


@dataclass(frozen=True, slots=True)
class TryResult:
    """The verdict by rule. is_failure: no points could be given, and no zero is meant."""

    outcome: str
    points: str
    max_points: str
    explanation: str
    flags: tuple[str, ...]
    parts: tuple[TryPart, ...]
    eed: EedView | None
    text: SafeString


@dataclass(frozen=True, slots=True)
class TryPage:
    """The problem with a box to paste into. is_open: it can be tried."""

    place: Place
    entry: RevisionProblem
    statement: Statement
    problem_url: str
    is_open: bool
    is_hidden: bool
    note: str


def read_try_page(place: Place, entry: RevisionProblem) -> TryPage:
    problem = entry.problem
    is_hidden = has_hidden_answers(problem)
    answers = list(problem.answers.all())
    note = ""
    if place.benchmark.adapter in ("hipho", "phyx_oe"):
        note = _("By rule alone: a judge may accept an answer that no rule recognises, and it grades the steps.")
    return TryPage(
        place=place,
        entry=entry,
        statement=read_statement(place, problem),
        problem_url=problem_url(place, entry.external_id),
        is_open=not is_hidden and bool(answers) and all(answer.value.strip() for answer in answers),
        is_hidden=is_hidden,
        note=note,
    )


def view_score(response: Mapping[str, Any], problem: Problem, adapter: str, text: str) -> TryResult:
    """A scorer's response (the shape of `python -m scoring`) beside the words it rests on."""
    places = find_answer_places(adapter, problem, text)
    spans = [
        QuoteSpan(place[0], place[1], f"found-{number}", style="answer-found")
        for number, place in enumerate(places, start=1)
        if place is not None and place[1] <= SHOWN
    ]
    html = render_text(text[:SHOWN], quotes=spans, open_think=adapter == "hipho")
    points, maximum = response.get("points"), float(response.get("max_points") or 0)
    answers = list(problem.answers.all())
    reference = answers[0].value if len(answers) == 1 else ""
    return TryResult(
        outcome=outcome_of(str(response["status"]), points, maximum),
        points=print_marks(points, maximum),
        max_points=print_points(maximum),
        explanation=say_sentence(str(response.get("explanation") or "")),
        flags=tuple(say_flag(str(flag)) for flag in response.get("flags") or ()),
        parts=_parts(response.get("parts") or (), html),
        eed=view_eed(
            response,
            reference=_set_formula(reference, is_expression=True),
            answer=_set_formula(str(response.get("answer") or ""), is_expression=True),
            points=points,
            explanation=str(response.get("explanation") or ""),
        ),
        text=html,
    )


def _set_formula(text: str, *, is_expression: bool = False) -> SafeString:
    """Rendered past the cache, which keeps what it is given: of a pasted reply nothing is stored."""
    return render_text(formula_source(text, is_expression=is_expression)) if text.strip() else SafeString("")


def _parts(parts: Sequence[Mapping[str, Any]], html: str) -> tuple[TryPart, ...]:
    return tuple(
        TryPart(
            number=number,
            found=_set_formula(str(part.get("answer") or "")[:LONGEST_QUOTE]),
            href=f"#found-{number}" if f'id="found-{number}"' in html else "",
            outcome=outcome_of(str(part["status"]), part["points"], float(part["max_points"])),
            points=f"{print_marks(part['points'], float(part['max_points']))} / {print_points(part['max_points'])}",
            reason=say_sentence(str(part.get("explanation") or "")),
        )
        for number, part in enumerate(parts, start=1)
    )
