"""One reply: the words, the points, and the evidence each point rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.core.cache import cache
from django.http import Http404
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import (
    AnswerScore,
    CriterionScore,
    JudgeError,
    Judgment,
    Level,
    Reply,
    Review,
    RevisionProblem,
    Run,
    User,
)
from arena.results import EFFECTIVE, MACHINE, SampleResult, read_results
from leaderboard.rendering.figures import FigureView
from leaderboard.rendering.markdown import render_cached
from leaderboard.rendering.quotes import QuoteSpan
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.problems import TEXTBOX_LANGUAGES, figure_views, outcome_of, problem_url


@dataclass(frozen=True, slots=True)
class ReviewNote:
    """A person's decision on one part."""

    reviewer: str
    decision: str
    points: str
    reason: str
    date: datetime


@dataclass(frozen=True, slots=True)
class PartRow:
    """One criterion or reference answer: maximum, awarded by the machine, counted after review, evidence, reason."""

    key: str
    number: int
    text: SafeString
    maximum: str
    awarded: str
    counted: str
    is_changed: bool
    notches: tuple[bool, ...]
    outcome: str
    evidence: str
    has_place: bool
    matched_by: str
    reason: SafeString
    notes: tuple[ReviewNote, ...]
    form_action: str
    step: str


@dataclass(frozen=True, slots=True)
class PartGroup:
    """A marking scheme, or the reference answers, with a total that adds up visibly."""

    label: str
    level: str
    is_counted: bool
    rows: tuple[PartRow, ...]
    sum_text: str
    total: str
    maximum: str


@dataclass(frozen=True, slots=True)
class Step:
    """A link to another reply: of another attempt or model."""

    label: str
    url: str
    outcome: str = ""
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class ReplyPage:
    """Everything on a reply page."""

    place: Place
    run: Run
    reply: Reply
    entry: RevisionProblem
    language: str
    problem_url: str
    context: SafeString
    statement: SafeString
    figures: tuple[FigureView, ...]
    text: SafeString
    reasoning: SafeString
    verdict: str
    outcome: str
    points: str
    machine_points: str
    max_points: str
    counted_level: str
    groups: tuple[PartGroup, ...]
    flags: tuple[str, ...]
    attempts: tuple[Step, ...]
    others: tuple[Step, ...]
    history: tuple[tuple[datetime, str], ...]
    failures: tuple[str, ...]


def find_reply(uuid: object, user: User | object) -> Reply:
    """The reply, where this visitor may open its run. Raises Http404."""
    reply = (
        Reply.objects.filter(uuid=uuid)
        .select_related("run__entrant", "run__scorer", "run__owner", "run__revision__benchmark__scorer", "problem__subset")
        .first()
    )
    if reply is None or not Run.objects.visible_to(user).filter(pk=reply.run_id).exists():
        raise Http404
    if reply.withdrawals.exists() and not getattr(user, "is_maintainer", False):
        raise Http404
    return reply


def read_reply(reply: Reply) -> ReplyPage:
    run, problem = reply.run, reply.problem
    place = Place(run.revision.benchmark, run.revision, run.split, (run.split,))
    entry = RevisionProblem.objects.filter(revision=run.revision, problem=problem, split=run.split).get()
    machine = _result_of(run, entry, reply, MACHINE)
    effective = _result_of(run, entry, reply, EFFECTIVE)
    figures = figure_views(place, problem)
    shown = [figure for figure in figures if figure.url]
    groups = _groups(reply, run, effective)
    spans = [span for group in groups if group.level == Level.STEP for span in _spans(reply, group)]
    is_solution = place.benchmark.slug == "hipho"
    return ReplyPage(
        place=place,
        run=run,
        reply=reply,
        entry=entry,
        language=TEXTBOX_LANGUAGES.get(problem.language, problem.language),
        problem_url=problem_url(place, entry.external_id),
        context=render_cached(problem.context, cache, figures=shown) if problem.context.strip() else SafeString(""),
        statement=render_cached(problem.statement, cache, figures=shown),
        figures=tuple(figures),
        text=render_cached(reply.text, cache, open_think=is_solution, quotes=spans),
        reasoning=render_cached(reply.reasoning, cache) if reply.reasoning.strip() else SafeString(""),
        verdict=_verdict(effective),
        outcome=outcome_of(effective.status, effective.points, effective.max_points),
        points=print_points(effective.points),
        machine_points=print_points(machine.points) if machine.points != effective.points else "",
        max_points=print_points(effective.max_points),
        counted_level=effective.counted_level,
        groups=groups,
        flags=_flags(reply, run),
        attempts=_attempts(run, entry, reply),
        others=_others(reply, place),
        history=_history(reply),
        failures=tuple(f"{e.kind}: {e.message}" for e in JudgeError.objects.filter(reply=reply).order_by("pk")[:20]),
    )


def _result_of(run: Run, entry: RevisionProblem, reply: Reply, basis: str) -> SampleResult:
    return next(r for r in read_results(run, entries=[entry], basis=basis) if r.repeat == reply.repeat)


def _verdict(result: SampleResult) -> str:
    """Points of both levels in words, and which one counts."""
    names = {Level.STEP.value: _("step-level"), Level.ANSWER.value: _("answer-level")}
    levels = result.levels or {}
    parts = [
        f"{names[level]} {print_points(score.points)}" + (f" ({_('counted')})" if level == result.counted_level else "")
        for level, score in sorted(levels.items(), reverse=True)
        if len(levels) > 1
    ]
    if result.points is None:
        parts.append(
            _("unscored: between %(low)s and %(high)s")
            % {"low": print_points(result.low), "high": print_points(result.high)}
        )
    return ", ".join(parts)


def _groups(reply: Reply, run: Run, result: SampleResult) -> tuple[PartGroup, ...]:
    judgments = list(
        Judgment.objects.filter(reply=reply, scorer=run.scorer).prefetch_related(
            "criterion_scores__criterion", "criterion_scores__reviews__reviewer",
            "answer_scores__answer", "answer_scores__reviews__reviewer",
        )
    )  # fmt: skip
    groups: list[PartGroup] = []
    for judgment in sorted(judgments, key=lambda j: j.level, reverse=True):
        is_level = judgment.level == result.counted_level
        if judgment.level == Level.STEP:
            groups += _scheme_groups(judgment, is_level)
        else:
            groups.append(_answer_group(judgment, is_level))
    return tuple(groups)


def _scheme_groups(judgment: Judgment, is_level: bool) -> list[PartGroup]:
    schemes: dict[int, list[CriterionScore]] = {}
    for score in sorted(judgment.criterion_scores.all(), key=lambda s: (s.criterion.scheme, s.criterion.position)):
        schemes.setdefault(score.criterion.scheme, []).append(score)
    totals = {number: sum((_counted(s) for s in scores), Decimal(0)) for number, scores in schemes.items()}
    best = max(totals, key=lambda n: (totals[n], -n)) if totals else 0
    groups = []
    for number, scores in schemes.items():
        rows = tuple(_criterion_row(score, n) for n, score in enumerate(scores, start=1))
        letter = chr(ord("A") + number)
        label = _("Marking scheme %(letter)s") % {"letter": letter} if len(schemes) > 1 else _("Marking scheme")
        groups.append(_group(label, Level.STEP, is_level and number == best, rows, totals[number], judgment))
    return groups


def _answer_group(judgment: Judgment, is_level: bool) -> PartGroup:
    scores = sorted(judgment.answer_scores.all(), key=lambda s: s.answer.position)
    rows = tuple(_answer_row(score, n, judgment) for n, score in enumerate(scores, start=1))
    total = sum((_counted(score) for score in scores), Decimal(0)) if scores else judgment.points
    return _group(_("Final answers"), Level.ANSWER, is_level, rows, total, judgment)


def _group(
    label: str, level: str, is_counted: bool, rows: Sequence[PartRow], total: Decimal, judgment: Judgment
) -> PartGroup:
    return PartGroup(
        label=label,
        level=str(level),
        is_counted=is_counted,
        rows=tuple(rows),
        sum_text=" + ".join(row.counted for row in rows) if len(rows) > 1 else "",
        total=print_points(total),
        maximum=print_points(judgment.max_points),
    )


def _counted(score: CriterionScore | AnswerScore) -> Decimal:
    newest = max(score.reviews.all(), key=lambda r: (r.created_at, r.pk), default=None)
    return newest.points if newest else score.points


def _criterion_row(score: CriterionScore, number: int) -> PartRow:
    criterion = score.criterion
    return _part_row(
        f"c{criterion.scheme}-{criterion.position}",
        number,
        render_cached(criterion.text, cache),
        score,
        criterion.max_points,
        evidence=score.evidence,
        has_place=score.evidence_start is not None,
        action=reverse("review-criterion", args=[score.pk]),
    )


def _answer_row(score: AnswerScore, number: int, judgment: Judgment) -> PartRow:
    answer = score.answer
    text = _("hidden reference answer") if answer.is_hidden else f"{answer.value} {answer.unit}".strip()
    return _part_row(
        f"a{answer.position}",
        number,
        render_cached(text, cache),
        score,
        max(answer.points, judgment.max_points if judgment.answer_scores.count() == 1 else answer.points),
        evidence=score.extracted,
        has_place=True,
        matched_by=score.matched_by,
        action=reverse("review-answer", args=[score.pk]),
    )


def _part_row(
    key: str,
    number: int,
    text: SafeString,
    score: CriterionScore | AnswerScore,
    maximum: Decimal,
    *,
    evidence: str,
    has_place: bool,
    action: str,
    matched_by: str = "",
) -> PartRow:
    counted = _counted(score)
    tenths = int(maximum * 10)
    n_notches = tenths if 0 < tenths <= 20 else 10
    full = round(float(counted / maximum) * n_notches) if maximum else 0
    return PartRow(
        key=key,
        number=number,
        text=text,
        maximum=print_points(maximum),
        awarded=print_points(score.points),
        counted=print_points(counted),
        is_changed=counted != score.points,
        notches=tuple(i < full for i in range(n_notches)),
        outcome=outcome_of("scored", float(counted), float(maximum)),
        evidence=evidence,
        has_place=has_place,
        matched_by=matched_by,
        reason=render_cached(score.reason, cache) if score.reason.strip() else SafeString(""),
        notes=tuple(_note(review) for review in sorted(score.reviews.all(), key=lambda r: (r.created_at, r.pk))),
        form_action=action,
        step=print_points(Decimal("0.1") if maximum <= 5 else Decimal("0.5")),
    )


def _note(review: Review) -> ReviewNote:
    word = _("upheld") if review.decision == Review.Decision.UPHOLD else _("override")
    return ReviewNote(review.reviewer.username, word, print_points(review.points), review.reason, review.created_at)


def _spans(reply: Reply, group: PartGroup) -> list[QuoteSpan]:
    """Where the counted scheme's quotes stand in the reply."""
    if not group.is_counted:
        return []
    scores = CriterionScore.objects.filter(
        judgment__reply=reply, judgment__scorer=reply.run.scorer, evidence_start__isnull=False
    ).select_related("criterion")
    rows = {row.key: row for row in group.rows}
    spans = []
    for score in scores:
        key = f"c{score.criterion.scheme}-{score.criterion.position}"
        row = rows.get(key)
        if row and score.evidence_start is not None and score.evidence_end is not None:
            spans.append(
                QuoteSpan(
                    score.evidence_start, score.evidence_end, f"q-{key}", str(row.number), f"#r-{key}", outcome=row.outcome
                )
            )
    return spans


def _flags(reply: Reply, run: Run) -> tuple[str, ...]:
    found: list[str] = []
    for details in Judgment.objects.filter(reply=reply, scorer=run.scorer).values_list("details", flat=True):
        found += [str(flag) for flag in details.get("flags") or []]
        found += [_("may instruct the grader: %(kind)s") % {"kind": kind} for kind in details.get("injection") or []]
    if reply.finish_reason == "length":
        found.append(_("cut by length"))
    return tuple(dict.fromkeys(found))


def _attempts(run: Run, entry: RevisionProblem, here: Reply) -> tuple[Step, ...]:
    if run.repeats == 1:
        return ()
    uuids = dict(Reply.objects.filter(run=run, problem=here.problem).values_list("repeat", "uuid"))
    results = {r.repeat: r for r in read_results(run, entries=[entry], basis=EFFECTIVE)}
    return tuple(
        Step(
            _("attempt %(n)d") % {"n": repeat + 1},
            reverse("reply", args=[uuid]),
            outcome_of(results[repeat].status, results[repeat].points, results[repeat].max_points),
            repeat == here.repeat,
        )
        for repeat, uuid in sorted(uuids.items())
    )


def _others(reply: Reply, place: Place) -> tuple[Step, ...]:
    """Other models on the same problem, by name: first attempts of the runs on the board."""
    runs = Run.objects.on_board().filter(revision=place.revision, split=place.split)
    rows = (
        Reply.objects.filter(problem=reply.problem, repeat=0, run__in=runs)
        .select_related("run__entrant")
        .order_by("run__entrant__name", "-run__finished_at")
    )
    steps: dict[str, Step] = {}
    for row in rows:
        name = row.run.entrant.name
        steps.setdefault(name, Step(name, reverse("reply", args=[row.uuid]), is_here=row.run_id == reply.run_id))
    return tuple(steps.values())


def _history(reply: Reply) -> tuple[tuple[datetime, str], ...]:
    """Judgments and reviews in time order."""
    events: list[tuple[datetime, str]] = []
    for judgment in Judgment.objects.filter(reply=reply).select_related("scorer"):
        level = _("step-level") if judgment.level == Level.STEP else _("answer-level")
        points = f"{print_points(judgment.points)} / {print_points(judgment.max_points)}"
        events.append((judgment.created_at, f"{judgment.scorer}: {level} {points}"))
    for review in Review.objects.filter(judgment__reply=reply).select_related("reviewer"):
        note = _note(review)
        events.append((review.created_at, f"{note.reviewer}: {note.decision} {note.points} ({note.reason})"))
    return tuple(sorted(events, key=lambda event: event[0]))


