"""The judges of a benchmark: who they are, how they behave, how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.costs import read_prices
from arena.models import Benchmark, CanaryReply, Judge, JudgeError, JudgeReply, JudgeSeat, Judgment, Reply, Scorer
from arena.opinions import Leniency, measure_leniency
from arena.verdicts import read_awards
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.costs import price_calls, print_usd, quantile
from leaderboard.selectors.formats import print_metric
from leaderboard.selectors.kinds import say_parameters
from leaderboard.sentences import join_words, say_sentence
from leaderboard.statistics.intervals import Interval
from leaderboard.statistics.reliability import Level, flip_rate, krippendorff_alpha, largest_disagreements

WORST = 20
JUDGED = ("hipho", "phyx_oe")


@dataclass(frozen=True, slots=True)
class ScorerRow:
    """A scorer with its judges, ready to print."""

    digest: str
    short: str
    name: str
    judges: str
    params: str
    is_current: bool
    n_runs: int
    n_judgments: int


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge's record on this benchmark. leniency: share of the points it gave for nothing."""

    pk: int
    seat_pk: int | None
    model: str
    short: str
    params: str
    host: str
    n_calls: int
    tokens: int
    usd: str
    latency_p50_ms: int | None
    failure_share: str
    failures: tuple[tuple[str, int], ...]
    leniency: str
    leniency_note: str
    is_lenient: bool
    checked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One part of one reply on which judges or repeats differ most."""

    reply_url: str
    problem: str
    model: str
    target: str
    votes: str


@dataclass(frozen=True, slots=True)
class PanelAgreement:
    """How far several judges or repeats agree on the same parts."""

    n_raters: int
    n_items: int
    alpha: str
    alpha_interval: str
    flips: str
    flips_interval: str
    worst: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class JudgesPage:
    benchmark: Benchmark
    title: str
    current: ScorerRow | None
    scorers: tuple[ScorerRow, ...]
    judges: tuple[JudgeRow, ...]
    agreement: PanelAgreement | None


def list_judged() -> list[tuple[str, str, ScorerRow | None]]:
    """Slug, title and current scorer of each benchmark that judges grade."""
    rows = Benchmark.objects.filter(slug__in=JUDGED, is_public=True).select_related("scorer")
    return [(row.slug, localised(row, "title"), scorer_row(row.scorer, row) if row.scorer else None) for row in rows]


def read_judges(benchmark: Benchmark) -> JudgesPage:
    scorers = Scorer.objects.filter(params__benchmark=benchmark.slug).prefetch_related("judges").order_by("pk")
    rows = [scorer_row(scorer, benchmark) for scorer in scorers]
    seats = {seat.judge_id: seat.pk for seat in JudgeSeat.objects.filter(benchmark=benchmark)}
    judges = Judge.objects.filter(pk__in={*seats, *scorers.values_list("judges", flat=True)} - {None}).order_by("pk")
    return JudgesPage(
        benchmark=benchmark,
        title=localised(benchmark, "title"),
        current=next((row for row in rows if row.is_current), None),
        scorers=tuple(rows),
        judges=tuple(judge_row(judge, benchmark, seats.get(judge.pk)) for judge in judges),
        agreement=read_agreement(benchmark, list(judges)),
    )


def scorer_row(scorer: Scorer, benchmark: Benchmark) -> ScorerRow:
    found = Judgment.objects.filter(scorer=scorer).aggregate(n=Count("pk"), runs=Count("reply__run", distinct=True))
    return ScorerRow(
        digest=scorer.digest,
        short=scorer.digest[:12],
        name=str(scorer),
        judges=", ".join(judge.model for judge in scorer.judges.all()),
        params=print_params(scorer.params),
        is_current=benchmark.scorer_id == scorer.pk,
        n_runs=found["runs"],
        n_judgments=found["n"],
    )


def print_params(params: dict[str, object]) -> str:
    shown = {key: value for key, value in params.items() if key != "benchmark"}
    return " · ".join(f"{name} {value}" for name, value in say_parameters(shown))


def judge_row(judge: Judge, benchmark: Benchmark, seat_pk: int | None) -> JudgeRow:
    replies = JudgeReply.objects.filter(judge=judge, reply__problem__subset__benchmark=benchmark)
    calls = list(replies.values_list("created_at", "prompt_tokens", "completion_tokens", "cost_usd", "latency_ms"))
    errors = JudgeError.objects.filter(judge=judge, reply__problem__subset__benchmark=benchmark)
    kinds = errors.order_by().values_list("kind").annotate(n=Count("pk")).order_by("-n")
    usd, unpriced = price_calls(judge.model, calls, read_prices([judge.model]))
    found, checked_at = read_leniency(judge, benchmark)
    n_failed = errors.filter(is_final=True).count()
    return JudgeRow(
        pk=judge.pk,
        seat_pk=seat_pk,
        model=judge.model,
        short=judge.digest[:12],
        params=print_params({"temperature": 0, **judge.params}),
        host=judge.endpoint_host,
        n_calls=len(calls),
        tokens=sum((prompt or 0) + (given or 0) for _at, prompt, given, _usd, _ms in calls),
        usd=print_usd(None if unpriced else usd),
        latency_p50_ms=quantile(sorted(ms for *_rest, ms in calls if ms is not None), 0.5),
        failure_share=print_metric("accuracy", n_failed / (len(calls) + n_failed) if calls or n_failed else None),
        failures=tuple(kinds),
        leniency=print_metric("accuracy", found.share) if found else "–",
        leniency_note=_leniency_note(found),
        is_lenient=bool(found and found.share),
        checked_at=checked_at,
    )


def read_leniency(judge: Judge, benchmark: Benchmark) -> tuple[Leniency | None, datetime | None]:
    """The newest check of a judge with a solution that is none."""
    rows = CanaryReply.objects.filter(judge=judge, benchmark=benchmark)
    newest = rows.order_by("-created_at", "-pk").first()
    if newest is None:
        return None, None
    return measure_leniency(list(rows.filter(check_id=newest.check_id))), newest.created_at


def _leniency_note(found: Leniency | None) -> str:
    if found is None:
        return _("not measured")
    text = _("%(n)d of %(all)d above 0") % {"n": found.n_lenient, "all": found.n}
    return join_words((text, found.n_failed and _("%(n)d without a verdict") % {"n": found.n_failed}))


# --- agreement ------------------------------------------------------------------------------------------------------


def read_agreement(benchmark: Benchmark, judges: Sequence[Judge]) -> PanelAgreement | None:
    """Between these judges and their repeats, on the current revision; None where no part was judged twice."""
    revision = benchmark.current_revision
    if revision is None or not judges:
        return None
    newest = JudgeReply.objects.filter(judge__in=judges).aggregate(pk=Max("pk"))["pk"]
    key = f"panel:{benchmark.pk}:{revision.pk}:{newest}:{'-'.join(str(judge.pk) for judge in judges)}"
    found = cache.get(key)
    if found is None:
        judgments = Judgment.objects.filter(
            reply__run__revision=revision, reply__run__published_at__isnull=False, reply__run__withdrawals__isnull=True
        )
        found = (_measure({judge.pk: judge.model for judge in judges}, judgments),)
        cache.set(key, found, 24 * 3600)
    return found[0]


def _measure(judges: dict[int, str], judgments: object) -> PanelAgreement | None:
    votes: dict[tuple[int, str], dict[tuple[int, int], float]] = {}
    for award in read_awards(judgments):  # type: ignore[arg-type]
        if award.judge_id in judges:
            votes.setdefault((award.reply_id, award.target), {})[award.judge_id, award.repeat] = award.share
    items = [item for item, given in votes.items() if len(given) > 1]
    if not items:
        return None
    raters = sorted({rater for item in items for rater in votes[item]})
    ratings = np.full((len(raters), len(items)), np.nan)
    for column, item in enumerate(items):
        for rater, share in votes[item].items():
            ratings[raters.index(rater), column] = share
    replies = Reply.objects.select_related("run__entrant", "problem").in_bulk({reply for reply, _target in items})
    clusters = [replies[reply].problem_id for reply, _target in items]
    alpha, flips = krippendorff_alpha(ratings, Level.ORDINAL, clusters), flip_rate(ratings, clusters)
    return PanelAgreement(
        n_raters=len(raters),
        n_items=len(items),
        alpha=print_metric("f1_score", alpha.value),
        alpha_interval=_print_interval("f1_score", alpha),
        flips=print_metric("accuracy", flips.value),
        flips_interval=_print_interval("accuracy", flips),
        worst=tuple(
            _disagreement(replies[items[at][0]], items[at][1], votes[items[at]], judges)
            for at in largest_disagreements(ratings, WORST)
        ),
    )


def _disagreement(
    reply: Reply, target: str, votes: dict[tuple[int, int], float], judges: dict[int, str]
) -> Disagreement:
    several = len({repeat for _judge, repeat in votes}) > 1
    texts = [
        f"{judges[judge]}{f' ({repeat + 1})' if several else ''} {Decimal(str(round(100 * share, 1))):g} %"
        for (judge, repeat), share in sorted(votes.items())
    ]
    return Disagreement(
        reply_url=reverse("reply", args=[reply.uuid]),
        problem=reply.problem.external_id,
        model=reply.run.entrant.name,
        target=target or _("verdict"),
        votes=", ".join(texts),
    )


def _print_interval(metric: str, interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return say_sentence(interval.note)
    return f"{print_metric(metric, interval.low)}–{print_metric(metric, interval.high)}"
