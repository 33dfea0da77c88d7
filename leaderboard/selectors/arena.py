"""A battle as it is shown: blind before the vote, with names after it. What is hidden is not in the page at all."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.cache import cache
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import Answer, Battle, BattleServing, Benchmark, Problem, Reply, RevisionProblem, Vote
from leaderboard.rendering.figures import FigureView, figures_not_placed
from leaderboard.rendering.markdown import render_cached
from leaderboard.selectors.catalog import Place, localised
from leaderboard.selectors.fields import list_fields, say_field
from leaderboard.selectors.language_names import NATIVE
from leaderboard.selectors.problems import TEXTBOX_LANGUAGES, figure_views


@dataclass(frozen=True, slots=True)
class Option:
    """One entry of a filter."""

    value: str
    label: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class FilterBar:
    """The selects above a battle, and the query that keeps them."""

    benchmarks: tuple[Option, ...]
    fields: tuple[Option, ...]
    languages: tuple[Option, ...]
    query: str


@dataclass(frozen=True, slots=True)
class Side:
    """One reply. letter: A stands left. The names, and the link that would tell them, are empty before the vote."""

    letter: str
    text: SafeString
    name: str = ""
    organisation: str = ""
    url: str = ""
    reply_url: str = ""
    is_winner: bool = False


@dataclass(frozen=True, slots=True)
class BattlePage:
    """Everything of one battle. reference: None until it was opened. verdict: this voter's own, once given."""

    uuid: str
    benchmark: str
    field: str
    language: str
    lang: str
    information: SafeString
    context: SafeString
    statement: SafeString
    choices: tuple[tuple[str, SafeString], ...]
    figures: tuple[FigureView, ...]
    has_reference: bool
    reference: tuple[SafeString, ...] | None
    sides: tuple[Side, Side]
    n_masked: int
    verdict: str
    next_url: str


def read_battle(serving: BattleServing, texts: tuple[str, str], query: str, vote: Vote | None = None) -> BattlePage:
    """A battle for its voter. texts: both replies with names masked, a first; vote: opens the names."""
    battle = serving.battle
    problem = Problem.objects.select_related("subset").get(pk=battle.problem_id)
    place = _place_of(battle)
    figures = figure_views(place, problem)
    shown = [figure for figure in figures if figure.url]
    is_open = vote is not None or serving.answer_opened_at is not None
    answers = [answer for answer in Answer.objects.filter(problem=problem) if not answer.is_hidden]
    is_hidden = Answer.objects.filter(problem=problem, is_hidden=True).exists()
    has_reference = not is_hidden and bool(answers or problem.solution.strip())
    sides = _sides(serving, texts, vote, is_solution=place.benchmark.adapter == "hipho")
    return BattlePage(
        uuid=str(battle.uuid),
        benchmark=localised(place.benchmark, "title"),
        field=say_field(battle.field),
        language=NATIVE.get(battle.language, battle.language),
        lang=TEXTBOX_LANGUAGES.get(battle.language, battle.language),
        information=_render(problem.information if problem.information.strip().rstrip(".").lower() != "none" else ""),
        context=_render(problem.context, shown),
        statement=_render(problem.statement, shown),
        choices=tuple((label, _render(text)) for label, text in problem.choices),
        figures=tuple(figures_not_placed([problem.context, problem.statement], figures)),
        has_reference=has_reference,
        reference=_reference(answers, problem, shown) if has_reference and is_open else None,
        sides=sides[::-1] if serving.swapped else sides,
        n_masked=battle.leaks_a + battle.leaks_b,
        verdict=_verdict(vote) if vote else "",
        next_url=reverse("arena") + (f"?{query}" if query else ""),
    )


def _place_of(battle: Battle) -> Place:
    run = Reply.objects.select_related("run__revision__benchmark").get(pk=battle.reply_a_id).run
    return Place(run.revision.benchmark, run.revision, run.split, (run.split,))


def _sides(
    serving: BattleServing, texts: tuple[str, str], vote: Vote | None, *, is_solution: bool
) -> tuple[Side, Side]:
    """The battle's a and b, each with the letter of the side it stands on."""
    battle = serving.battle
    blind = [
        Side(letter, render_cached(text, cache, open_think=is_solution) if text.strip() else SafeString(""))
        for letter, text in zip("BA" if serving.swapped else "AB", texts, strict=True)
    ]
    if vote is None:
        return blind[0], blind[1]
    named = [
        Side(
            side.letter,
            side.text,
            name=entrant.name,
            organisation=entrant.organisation,
            url=reverse("entrant", args=[entrant.slug]),
            reply_url=reverse("reply", args=[reply.uuid]) if reply else "",
            is_winner=vote.outcome == key,
        )
        for side, entrant, reply, key in zip(
            blind, (battle.entrant_a, battle.entrant_b), (battle.reply_a, battle.reply_b), "ab", strict=True
        )
    ]
    return named[0], named[1]


def _verdict(vote: Vote) -> str:
    left, right = ("b", "a") if vote.swapped else ("a", "b")
    return {
        left: _("You found A better."),
        right: _("You found B better."),
        "tie": _("You found both equally good."),
        "both_bad": _("You found both bad."),
    }[vote.outcome]


def _reference(answers: list[Answer], problem: Problem, figures: list[FigureView]) -> tuple[SafeString, ...]:
    texts = [f"{answer.value} {answer.unit}".strip() for answer in answers]
    return tuple(_render(text, figures) for text in [*texts, problem.solution] if text.strip())


def _render(text: str, figures: list[FigureView] | None = None) -> SafeString:
    return render_cached(text, cache, figures=figures or []) if text.strip() else SafeString("")


def read_filters(benchmark: str, field: str, language: str) -> FilterBar:
    """What there is to choose from: public benchmarks and the fields and languages of their current problems."""
    problems = RevisionProblem.objects.filter(revision__is_current=True, revision__benchmark__is_public=True).order_by()
    here = problems.filter(revision__benchmark__slug=benchmark) if benchmark else problems
    benchmarks = [(row.slug, localised(row, "title")) for row in Benchmark.objects.filter(is_public=True)]
    languages = sorted(_distinct(here, "problem__language"))
    chosen = {"benchmark": benchmark, "field": field, "language": language}
    return FilterBar(
        benchmarks=_options(benchmarks, benchmark),
        fields=_options([(name, say_field(name)) for name in list_fields(_distinct(here, "problem__field"))], field),
        languages=_options([(code, NATIVE.get(code, code)) for code in languages], language),
        query=urlencode({name: value for name, value in chosen.items() if value}),
    )


def _distinct(rows: QuerySet[RevisionProblem], name: str) -> list[str]:
    return [value for value in rows.values_list(name, flat=True).distinct() if value]


def _options(rows: list[tuple[str, str]], chosen: str) -> tuple[Option, ...]:
    return tuple(Option(value, label, value == chosen) for value, label in rows)
