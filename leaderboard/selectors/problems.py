"""A benchmark's problems, and one problem as the examinee saw it, with what every model got."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Criterion, Erratum, Policy, Problem, ReviewReason, RevisionProblem
from leaderboard.rendering.figures import FigureView, figures_not_placed
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.problem_parts import (
    TEXTBOX_LANGUAGES,
    figure_views,
    language_of,
    name_scheme,
    outcome_of,
    problem_url,
    render,
    render_formula_text,
    withheld,
)
from leaderboard.selectors.problem_results import (
    CriterionPage,
    ProblemResults,
    find_criterion,
    read_criterion,
    read_results_of_problem,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One option; text is empty where the statement holds the options' texts itself."""

    label: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class PartView:
    """One reference answer, or one line of a marking scheme with where to read how all models did on it."""

    number: int
    text: SafeString
    points: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class SchemeView:
    """A marking scheme. letter: as replies name it; empty where it is the only one."""

    letter: str
    rows: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class RevisionLink:
    """The problem in one revision. is_same: word for word what this page shows."""

    label: str
    url: str
    date: datetime
    is_here: bool
    is_same: bool


@dataclass(frozen=True, slots=True)
class ErratumView:
    """A claim that the reference is wrong, what became of it and what it moved."""

    claim: SafeString
    state: str
    state_label: str
    resolution: SafeString
    date: datetime
    effect: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What the examinee saw. figures: those that no text places; choices without a single text are left out."""

    language: str
    information: SafeString
    context: SafeString
    statement: SafeString
    choices: tuple[Choice, ...]
    figures: tuple[FigureView, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """The reference behind the fold: empty in every part where the answers are hidden."""

    answers: tuple[PartView, ...] = ()
    schemes: tuple[SchemeView, ...] = ()
    solution: SafeString = SafeString("")

    def __bool__(self) -> bool:
        return bool(self.answers or self.schemes or self.solution)


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """Everything on a problem page. solution is empty where answers are hidden or there are none."""

    place: Place
    entry: RevisionProblem
    problem: Problem
    statement: Statement
    solution: Solution
    is_hidden: bool
    points: str
    previous: str
    next: str
    results: ProblemResults
    criterion: CriterionPage | None
    revisions: tuple[RevisionLink, ...]
    errata: tuple[ErratumView, ...]
    url: str
    try_url: str
    report_url: str


def find_entry(place: Place, external_id: str) -> RevisionProblem:
    """The problem of this id in the revision, ready to prompt and score; the place's split first. Raises Http404."""
    entries = (
        RevisionProblem.objects.filter(revision=place.revision, external_id=external_id)
        .select_related("problem__subset__benchmark")
        .prefetch_related("problem__answers", "problem__criteria", "problem__figures__image")
    )
    found = entries.filter(split=place.split).first() or entries.exclude(split="validation").first()
    if found is None:
        raise Http404
    return found


def read_problem(place: Place, external_id: str, criterion: str = "") -> ProblemPage:
    """criterion: which one to list every model's points of. Raises Http404 for what is not there or withheld."""
    entry = find_entry(place, external_id)
    problem = entry.problem
    is_hidden = has_hidden_answers(problem)
    previous, following = _neighbours(place, entry)
    return ProblemPage(
        place=place,
        entry=entry,
        problem=problem,
        statement=read_statement(place, problem),
        solution=Solution() if is_hidden else _solution(place, entry),
        is_hidden=is_hidden,
        points=print_points(problem.max_points),
        previous=previous,
        next=following,
        results=read_results_of_problem(place, entry),
        criterion=_criterion(place, entry, criterion, is_hidden),
        revisions=_revisions(place, entry),
        errata=_errata(problem, is_hidden),
        url=problem_url(place, entry.external_id),
        report_url=problem_url(place, entry.external_id, "report/"),
        try_url=problem_url(place, entry.external_id, "try/") if _is_open(problem) and not is_hidden else "",
    )


def has_hidden_answers(problem: Problem) -> bool:
    """Whether any reference is withheld: then nothing of the reference is shown, nor what would tell it."""
    return any(answer.is_hidden for answer in problem.answers.all())


def _is_open(problem: Problem) -> bool:
    return any(answer.value.strip() for answer in problem.answers.all())


def read_statement(place: Place, problem: Problem) -> Statement:
    figures = figure_views(place, problem) if problem.figures.all() else []
    texts = [problem.context, problem.statement]
    has_choices = any(text.strip() for _label, text in problem.choices)
    return Statement(
        language=language_of(problem),
        information=render(_shown_information(problem.information)),
        context=render(problem.context, figures),
        statement=render(problem.statement, figures),
        choices=tuple(Choice(label, render(text)) for label, text in problem.choices) if has_choices else (),
        figures=tuple(figures_not_placed(texts, figures)),
    )


def _solution(place: Place, entry: RevisionProblem) -> Solution:
    problem = entry.problem
    figures = figure_views(place, problem) if problem.figures.all() else []
    answers = [
        PartView(number, render_formula_text(f"{answer.value} {answer.unit}".strip()), print_points(answer.points))
        for number, answer in enumerate(problem.answers.all(), start=1)
        if answer.value.strip()
    ]
    return Solution(tuple(answers), _schemes(place, entry), render(problem.solution, figures))


def _schemes(place: Place, entry: RevisionProblem) -> tuple[SchemeView, ...]:
    address = problem_url(place, entry.external_id)
    groups: dict[int, list[PartView]] = {}
    for total, criterion in enumerate(_criteria(entry.problem), start=1):
        group = groups.setdefault(criterion.scheme, [])
        url = f"{address}{'&' if '?' in address else '?'}criterion={total}#criterion"
        group.append(PartView(len(group) + 1, render(criterion.text), print_points(criterion.max_points), url))
    return tuple(SchemeView(name_scheme(n, len(groups)), tuple(group)) for n, group in groups.items())


def _criteria(problem: Problem) -> list[Criterion]:
    return sorted(problem.criteria.all(), key=lambda criterion: (criterion.scheme, criterion.position))


def _criterion(place: Place, entry: RevisionProblem, name: str, is_hidden: bool) -> CriterionPage | None:
    if not name:
        return None
    found = None if is_hidden else find_criterion(_criteria(entry.problem), name)
    if found is None:
        raise Http404
    return read_criterion(place, entry, found)


def _neighbours(place: Place, entry: RevisionProblem) -> tuple[str, str]:
    entries = RevisionProblem.objects.filter(revision=place.revision, split=entry.split)
    before = entries.filter(position__lt=entry.position).order_by("-position").values_list("external_id", flat=True)
    after = entries.filter(position__gt=entry.position).order_by("position").values_list("external_id", flat=True)
    previous, following = before.first(), after.first()
    return (
        problem_url(place, previous) if previous is not None else "",
        problem_url(place, following) if following is not None else "",
    )


def _revisions(place: Place, entry: RevisionProblem) -> tuple[RevisionLink, ...]:
    """Every revision that holds this id, newest first."""
    rows = (
        RevisionProblem.objects.filter(revision__benchmark=place.benchmark, external_id=entry.external_id)
        .select_related("revision")
        .order_by("-revision__created_at")
    )
    links: dict[int, RevisionLink] = {}
    for row in rows:
        there = Place(place.benchmark, row.revision, row.split, (row.split,))
        is_same = row.problem_id == entry.problem_id
        url = problem_url(there, row.external_id)
        is_here = row.revision_id == place.revision.pk
        links.setdefault(
            row.revision_id, RevisionLink(row.revision.label, url, row.revision.created_at, is_here, is_same)
        )
    return tuple(links.values())


def _errata(problem: Problem, is_hidden: bool) -> tuple[ErratumView, ...]:
    rows = list(Erratum.objects.filter(problem=problem).order_by("-created_at", "-pk"))
    n_queued = _count_queued(problem) if any(row.state == Erratum.State.ACCEPTED for row in rows) else 0
    return tuple(_erratum(row, n_queued, is_hidden) for row in rows)


def _erratum(row: Erratum, n_queued: int, is_hidden: bool) -> ErratumView:
    """is_hidden: reviewers, who see the reference, may have written of it."""
    effects = {
        Erratum.State.OPEN: _("No number has changed; a maintainer will decide."),
        Erratum.State.REJECTED: _("No number has changed."),
        Erratum.State.ACCEPTED: ngettext(
            "%(n)d reply is looked at again by people; the next revision of the data corrects the reference.",
            "%(n)d replies are looked at again by people; the next revision of the data corrects the reference.",
            n_queued,
        )
        % {"n": n_queued},
    }
    state = Erratum.State(row.state)
    claim, resolution = (withheld() if is_hidden and words else render(words) for words in (row.claim, row.resolution))
    return ErratumView(claim, row.state, str(state.label), resolution, row.created_at, effects[state])


def _count_queued(problem: Problem) -> int:
    reasons = ReviewReason.objects.filter(
        item__reply__problem=problem, policy=Policy.OVERTURNED, detail__startswith="erratum:"
    )
    return reasons.values("item_id").distinct().count()


def _shown_information(information: str) -> str:
    """HiPhO sends a literal `None.` where an exam has no constants sheet; pages hide it."""
    return "" if information.strip().rstrip(".").lower() == "none" else information


__all__ = [
    "TEXTBOX_LANGUAGES",
    "ProblemPage",
    "find_entry",
    "figure_views",
    "outcome_of",
    "problem_url",
    "read_problem",
    "read_statement",
]
