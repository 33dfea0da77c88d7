"""One reply: the words, the points, and the evidence each point rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import (
    Level,
    Problem,
    Reply,
    RevisionProblem,
    Run,
    Scorer,
    User,
)
from arena.problem_results import RunSample, read_problem_results
from arena.results import MACHINE, SampleResult
from arena.roles import may_read_failures
from arena.sent_prompts import SentPart, read_sent
from leaderboard.rendering.figures import FigureView
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.kinds import say_flag
from leaderboard.selectors.problem_parts import figure_views, outcome_of, print_marks, problem_url
from leaderboard.selectors.problem_results import read_samples
from leaderboard.selectors.problems import Statement, has_hidden_answers, read_statement
from leaderboard.selectors.reply_neighbours import Stepper, step_attempts, step_models, step_problems
from leaderboard.selectors.reply_records import (
    Event,
    Fact,
    read_facts,
    read_failures,
    read_history,
    read_queue_note,
)
from leaderboard.selectors.reply_texts import PROMPT, REPLY, VIEWS, TextView, view_reasoning, view_reply
from leaderboard.selectors.rubrics import Rubric, read_rubric
from leaderboard.sentences import join_words


@dataclass(frozen=True, slots=True)
class SentView:
    """One part of the prompt: its text, or the figure that stands there. role: of the message it begins, else ""."""

    role: str
    text: str
    figure: FigureView | None


@dataclass(frozen=True, slots=True)
class ReplyPage:
    """Everything on a reply page. machine_points: where people changed them; queue_note: why it waits for people."""

    place: Place
    run: Run
    reply: Reply
    entry: RevisionProblem
    view: str
    views: tuple[tuple[str, str, str], ...]
    problem_url: str
    problem: Statement
    text: TextView
    reasoning: TextView | None
    sent: tuple[SentView, ...]
    verdict: str
    outcome: str
    points: str
    machine_points: str
    max_points: str
    rubric: Rubric
    criterion_url: str
    flags: tuple[str, ...]
    queue_note: str
    problems: Stepper
    models: Stepper
    attempts: Stepper
    facts: tuple[Fact, ...]
    history: tuple[Event, ...]
    failures: tuple[str, ...]


def find_reply(uuid: object, user: User | object) -> Reply:
    """The reply, where this visitor may open its run. Raises Http404."""
    reply = (
        Reply.objects.filter(uuid=uuid)
        .select_related(
            "run__entrant",
            "run__scorer",
            "run__owner",
            "run__revision__benchmark__scorer",
            "problem__subset__benchmark",
        )
        .prefetch_related("problem__answers", "problem__criteria", "problem__figures__image")
        .first()
    )
    if reply is None or not Run.objects.visible_to(user).filter(pk=reply.run_id).exists():
        raise Http404
    if reply.withdrawals.exists() and not getattr(user, "is_maintainer", False):
        raise Http404
    return reply


def read_reply(reply: Reply, viewer: User | object, *, view: str = REPLY, part: int = 1, thought: int = 1) -> ReplyPage:
    """view: reply, raw or prompt. part, thought: of a text too long for one page, from 1. Raises Http404."""
    if view not in VIEWS:
        raise Http404
    run, problem = reply.run, reply.problem
    place = Place(run.revision.benchmark, run.revision, run.split, (run.split,))
    entry = _entry(reply)
    samples = read_samples(place, entry, run)
    here = next((s for s in samples if s.uuid == reply.uuid), None) or _alone(entry, reply)
    scorer, result = here.scorer, here.result
    is_hidden = has_hidden_answers(problem)
    rubric = read_rubric(reply.pk, scorer.pk, result.counted_level, is_hidden=is_hidden)
    text, rubric = view_reply(reply, problem, place.benchmark.adapter, rubric, view=view, part=part)
    machine = _machine_points(entry, run, scorer, result)
    return ReplyPage(
        place=place,
        run=run,
        reply=reply,
        entry=entry,
        view=view,
        views=_views(reply, run),
        problem_url=problem_url(place, entry.external_id),
        problem=read_statement(place, problem),
        text=text,
        reasoning=view_reasoning(reply.reasoning, thought),
        sent=_sent(place, run, problem),
        verdict=_verdict(result),
        outcome=outcome_of(result.status, result.points, result.max_points),
        points=print_marks(result.points, result.max_points),
        machine_points=machine,
        max_points=print_points(result.max_points),
        rubric=rubric,
        criterion_url=_criterion_url(place, entry, is_hidden),
        flags=_flags(reply, rubric),
        queue_note=read_queue_note(reply, scorer),
        problems=step_problems(entry, reply),
        models=step_models(samples, reply),
        attempts=step_attempts(samples, reply),
        facts=read_facts(reply, run, scorer),
        history=read_history(reply, is_hidden=is_hidden),
        # A judge's words may tell a withheld reference, and a failed call's may name a host.
        failures=read_failures(reply, scorer, has_words=not is_hidden and may_read_failures(viewer, run)),
    )


def _flags(reply: Reply, rubric: Rubric) -> tuple[str, ...]:
    """What the scorer noted; that the reply was cut is told even before anything has scored it."""
    cut = [say_flag("cut by length")] if reply.finish_reason == "length" else []
    return tuple(dict.fromkeys((*rubric.flags, *cut)))


def _entry(reply: Reply) -> RevisionProblem:
    """The problem's place in the run's revision. Both splits of PhyX may hold it; the run's own comes first."""
    entries = RevisionProblem.objects.filter(revision=reply.run.revision, problem=reply.problem)
    entry = entries.filter(split=reply.run.split).first() or entries.first()
    if entry is None:
        raise Http404
    entry.problem = reply.problem
    return entry


def _alone(entry: RevisionProblem, reply: Reply) -> RunSample:
    """A withdrawn reply, which no reading of results includes: shown to maintainers without a result."""
    blank = SampleResult(entry.problem_id, entry.external_id, "", "", reply.repeat, float(entry.problem.max_points))
    return RunSample(reply.run, reply.run.scorer, blank, reply.uuid)


def _machine_points(entry: RevisionProblem, run: Run, scorer: Scorer, result: SampleResult) -> str:
    """What the machine gave, where people changed it."""
    if not any(level.is_reviewed for level in (result.levels or {}).values()):
        return ""
    samples = read_problem_results(entry, [run], {run.pk: scorer}, basis=MACHINE)
    machine = next(s.result for s in samples if s.result.repeat == result.repeat)
    return print_marks(machine.points, machine.max_points) if machine.points != result.points else ""


def _views(reply: Reply, run: Run) -> tuple[tuple[str, str, str], ...]:
    """(view, label, address) of the tabs."""
    address = reverse("reply", args=[reply.uuid])
    tabs = [(REPLY, _("Reply"), address), ("raw", _("Raw"), f"{address}?view=raw")]
    if run.provenance == Run.Provenance.MEASURED:
        tabs.append((PROMPT, _("Prompt as sent"), f"{address}?view=prompt"))
    return tuple(tabs)


def _sent(place: Place, run: Run, problem: Problem) -> tuple[SentView, ...]:
    parts = read_sent(run, problem)
    figures = figure_views(place, problem) if any(part.figure is not None for part in parts) else []
    views: list[SentView] = []
    role = ""
    for part in parts:
        views.append(SentView(part.role if part.role != role else "", part.text, _figure_at(figures, part)))
        role = part.role
    return tuple(views)


def _figure_at(figures: Sequence[FigureView], part: SentPart) -> FigureView | None:
    return figures[part.figure] if part.figure is not None and part.figure < len(figures) else None


def _verdict(result: SampleResult) -> str:
    """Points of both levels in words, and which one counts."""
    names = {Level.STEP.value: _("step-level"), Level.ANSWER.value: _("answer-level")}
    levels = result.levels or {}
    parts = [
        f"{names[level]} {print_marks(score.points, score.max_points)}"
        + (f" {_('counted')}" if level == result.counted_level else "")
        for level, score in sorted(levels.items(), key=lambda pair: pair[0] != result.counted_level)
        if len(levels) > 1
    ]
    if result.points is None:
        bounds = {"low": print_points(result.low), "high": print_points(result.high)}
        parts.append(_("unscored: between %(low)s and %(high)s") % bounds)
    return join_words(parts)


def _criterion_url(place: Place, entry: RevisionProblem, is_hidden: bool) -> str:
    """What `s0c1#criterion` is put behind to list every model's points of a criterion."""
    address = problem_url(place, entry.external_id)
    return "" if is_hidden else f"{address}{'&' if '?' in address else '?'}criterion="
