"""A benchmark's problems, and one problem as the examinee saw it, with what every model got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.core.cache import cache
from django.http import Http404
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import Answer, Criterion, Figure, Problem, Reply, RevisionProblem, Run
from arena.results import EFFECTIVE, SampleResult, read_results
from leaderboard.rendering.figures import FigureView, figures_not_placed
from leaderboard.rendering.markdown import render_cached
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points
from leaderboard.board_entries import newest_runs

TEXTBOX_LANGUAGES = {"zh": "zh-Hans"}


def problem_url(place: Place, external_id: str) -> str:
    """Official ids may hold `=`, `&`, `+` and more: quoted, never cut."""
    path = reverse("problem", args=[place.benchmark.slug, "X"]).removesuffix("X/")
    return f"{path}{quote(external_id, safe='')}/{place.query}"


@dataclass(frozen=True, slots=True)
class ProblemLink:
    """A problem in a list."""

    external_id: str
    url: str
    subset: str
    field: str
    modality: str
    points: str
    excerpt: str
    language: str


def list_problems(place: Place, *, subset: str = "", query: str = "") -> Sequence[RevisionProblem]:
    """The problems of one split in official order, for paging; `subset` and a word in id or statement narrow it."""
    entries = (
        RevisionProblem.objects.filter(revision=place.revision, split=place.split)
        .select_related("problem__subset")
        .order_by("position")
    )
    if subset:
        entries = entries.filter(problem__subset__slug=subset)
    if query:
        entries = entries.filter(external_id__icontains=query) | entries.filter(problem__statement__icontains=query)
    return entries


def link_problem(place: Place, entry: RevisionProblem) -> ProblemLink:
    problem = entry.problem
    return ProblemLink(
        external_id=entry.external_id,
        url=problem_url(place, entry.external_id),
        subset=problem.subset.title,
        field=problem.field,
        modality=problem.modality,
        points=print_points(problem.max_points),
        excerpt=" ".join(problem.statement.split())[:160],
        language=TEXTBOX_LANGUAGES.get(problem.language, problem.language),
    )


@dataclass(frozen=True, slots=True)
class CriterionView:
    """One line of a marking scheme, or one reference answer, as shown behind the fold."""

    number: int
    text: SafeString
    points: str


@dataclass(frozen=True, slots=True)
class ReplyDot:
    """What one model got on this problem, one repeat."""

    entrant: str
    entrant_slug: str
    repeat: int
    url: str
    outcome: str
    points: str
    share: float | None


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """Everything on a problem page. solution and reference are absent where answers are hidden."""

    place: Place
    entry: RevisionProblem
    problem: Problem
    language: str
    information: SafeString
    context: SafeString
    statement: SafeString
    choices: tuple[tuple[str, SafeString], ...]
    figures: tuple[FigureView, ...]
    answers: tuple[CriterionView, ...]
    schemes: tuple[tuple[CriterionView, ...], ...]
    solution: SafeString
    has_hidden_answers: bool
    points: str
    previous: str
    next: str
    dots: tuple[ReplyDot, ...]
    solved: str


def find_entry(place: Place, external_id: str) -> RevisionProblem:
    """The problem of this id in the revision; the place's split first. Raises Http404."""
    entries = RevisionProblem.objects.filter(revision=place.revision, external_id=external_id).select_related(
        "problem__subset"
    )
    found = entries.filter(split=place.split).first() or entries.exclude(split="validation").first()
    if found is None:
        raise Http404
    return found


def read_problem(place: Place, external_id: str) -> ProblemPage:
    entry = find_entry(place, external_id)
    problem = entry.problem
    figures = figure_views(place, problem)
    texts = [problem.context, problem.statement]
    answers = list(Answer.objects.filter(problem=problem))
    is_hidden = any(answer.is_hidden for answer in answers)
    shown = [answer for answer in answers if not answer.is_hidden]
    dots = read_dots(place, entry)
    shares = [dot.share for dot in dots if dot.share is not None]
    order = list(
        RevisionProblem.objects.filter(revision=place.revision, split=entry.split)
        .order_by("position")
        .values_list("external_id", flat=True)
    )
    at = order.index(entry.external_id)
    return ProblemPage(
        place=place,
        entry=entry,
        problem=problem,
        language=TEXTBOX_LANGUAGES.get(problem.language, problem.language),
        information=_render(_shown_information(problem.information)),
        context=_render(problem.context, figures),
        statement=_render(problem.statement, figures),
        choices=tuple((label, _render(text)) for label, text in problem.choices),
        figures=tuple(figures_not_placed(texts, figures)),
        answers=tuple(
            CriterionView(number, _render(_answer_text(answer)), print_points(answer.points))
            for number, answer in enumerate(shown, start=1)
        ),
        schemes=() if is_hidden else _schemes(problem),
        solution=SafeString("") if is_hidden else _render(problem.solution, figures),
        has_hidden_answers=is_hidden or not (shown or problem.criteria.exists()),
        points=print_points(problem.max_points),
        previous=problem_url(place, order[at - 1]) if at else "",
        next=problem_url(place, order[at + 1]) if at + 1 < len(order) else "",
        dots=dots,
        solved=f"{100 * sum(shares) / len(shares):.0f}{chr(8239)}%" if shares else "–",
    )


def figure_views(place: Place, problem: Problem) -> list[FigureView]:
    """The problem's figures; without a url where the benchmark's licence does not let us show them."""
    rows = Figure.objects.filter(problem=problem).select_related("image").order_by("position")
    is_public = place.benchmark.figures_public
    return [
        FigureView(
            url=reverse("figure", args=[place.benchmark.slug, figure.image.sha256]) if is_public else "",
            width=figure.image.width,
            height=figure.image.height,
            alt=figure.alt or _("Figure %(n)d of problem %(id)s") % {"n": number, "id": problem.external_id},
            caption=_("Figure %(n)d") % {"n": number} if len(rows) > 1 else "",
        )
        for number, figure in enumerate(rows, start=1)
    ]


def read_dots(place: Place, entry: RevisionProblem) -> tuple[ReplyDot, ...]:
    """One dot a reply of every run on the board, best first."""
    dots = []
    for run in newest_runs(place.revision, place.split):
        for result in read_results(run, entries=[entry], basis=EFFECTIVE):
            if result.reply_id is not None:
                dots.append(_dot(run, result))
    return tuple(sorted(dots, key=lambda dot: (-(dot.share if dot.share is not None else -1), dot.entrant, dot.repeat)))


def _dot(run: Run, result: SampleResult) -> ReplyDot:
    uuid = Reply.objects.values_list("uuid", flat=True).get(pk=result.reply_id)
    return ReplyDot(
        entrant=run.entrant.name,
        entrant_slug=run.entrant.slug,
        repeat=result.repeat + 1,
        url=reverse("reply", args=[uuid]),
        outcome=outcome_of(result.status, result.points, result.max_points),
        points=f"{print_points(result.points)} / {print_points(result.max_points)}",
        share=None if result.points is None or not result.max_points else result.points / result.max_points,
    )


def outcome_of(status: str, points: float | None, max_points: float) -> str:
    """The word of the outcome: `scored` is told apart into right, partial and wrong."""
    if status != "scored" or points is None:
        return "unscored" if status in ("open", "") else status
    if points >= max_points - 1e-9:
        return "right"
    return "partial" if points > 0 else "wrong"


def _schemes(problem: Problem) -> tuple[tuple[CriterionView, ...], ...]:
    groups: dict[int, list[Criterion]] = {}
    for criterion in problem.criteria.all():
        groups.setdefault(criterion.scheme, []).append(criterion)
    return tuple(
        tuple(CriterionView(n, _render(c.text), print_points(c.max_points)) for n, c in enumerate(group, start=1))
        for group in groups.values()
    )


def _answer_text(answer: Answer) -> str:
    return f"{answer.value} {answer.unit}".strip()


def _shown_information(information: str) -> str:
    """HiPhO sends a literal `None.` where an exam has no constants sheet; pages hide it."""
    return "" if information.strip().rstrip(".").lower() == "none" else information


def _render(text: str, figures: Sequence[FigureView] = ()) -> SafeString:
    return render_cached(text, cache, figures=[f for f in figures if f.url]) if text.strip() else SafeString("")


