"""One scorer in full: the ruler that a number was measured with, down to the hash of its prompts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from arena.models import Benchmark, Judge, Judgment, Run, Scorer
from arena.services.rejudging import find_order
from arena.services.scorers import name_judge_texts
from leaderboard.models import Standing
from leaderboard.scores import metrics_of
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.costs import print_usd
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.judges import JudgeRow, PanelAgreement, ScorerRow, judge_row, read_agreement, scorer_row
from leaderboard.selectors.kinds import say_parameters

MIN_PREFIX = 8


@dataclass(frozen=True, slots=True)
class RunUnder:
    """A run's headline number under this scorer."""

    model: str
    url: str
    value: str
    rank: str
    n_judgments: int


@dataclass(frozen=True, slots=True)
class PromptText:
    """One text that the judges are sent, as it stands in the judge's identity."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class OrderView:
    """An order to judge again, ready to print. budget: empty without one; usd: empty where no price is known."""

    at: datetime
    by: str
    n_runs: int
    budget: str
    tokens: int
    usd: str
    is_spent: bool


@dataclass(frozen=True, slots=True)
class ScorerPage:
    scorer: Scorer
    benchmark: Benchmark
    title: str
    row: ScorerRow
    params: tuple[tuple[str, str], ...]
    judges: tuple[JudgeRow, ...]
    prompt_sha256: tuple[str, ...]
    prompts: tuple[PromptText, ...]
    metric: str
    runs: tuple[RunUnder, ...]
    others: tuple[ScorerRow, ...]
    agreement: PanelAgreement | None
    statuses: tuple[tuple[str, int], ...]


def find_scorer(digest: str) -> Scorer:
    """By its digest, or the first 8 or more characters of it. Raises Http404."""
    if len(digest) < MIN_PREFIX:
        raise Http404
    found = list(Scorer.objects.filter(digest__startswith=digest.lower())[:2])
    if len(found) != 1:
        raise Http404
    return found[0]


def read_scorer(scorer: Scorer) -> ScorerPage:
    benchmark = Benchmark.objects.select_related("scorer").filter(slug=scorer.params.get("benchmark", "")).first()
    if benchmark is None or not benchmark.is_public:
        raise Http404
    judges: list[Judge] = list(scorer.judges.order_by("pk"))
    seats = dict(benchmark.judge_seats.values_list("judge_id", "pk"))
    metric = metrics_of(benchmark.slug)[0]
    others = Scorer.objects.filter(params__benchmark=benchmark.slug).exclude(pk=scorer.pk).prefetch_related("judges")
    statuses: dict[str, int] = {}
    for status in Judgment.objects.filter(scorer=scorer).values_list("status", flat=True):
        statuses[status] = statuses.get(status, 0) + 1
    return ScorerPage(
        scorer=scorer,
        benchmark=benchmark,
        title=localised(benchmark, "title"),
        row=scorer_row(scorer, benchmark),
        params=tuple(say_parameters({key: value for key, value in scorer.params.items() if key != "benchmark"})),
        judges=tuple(judge_row(judge, benchmark, seats.get(judge.pk)) for judge in judges),
        prompt_sha256=tuple(dict.fromkeys(judge.prompt_sha256 for judge in judges)),
        prompts=tuple(PromptText(*named) for named in name_judge_texts(benchmark.slug)) if judges else (),
        metric=metric_label(metric),
        runs=_runs(scorer, metric),
        others=tuple(scorer_row(other, benchmark) for other in others),
        agreement=read_agreement(benchmark, judges),
        statuses=tuple(sorted(statuses.items(), key=lambda pair: -pair[1])),
    )


def read_order(scorer: Scorer) -> OrderView | None:
    """For maintainers: the last order to judge the board's replies with this scorer."""
    order = find_order(scorer)
    if order is None:
        return None
    limits = {"tokens": _("%(n)s tokens"), "usd": _("%(n)s US dollars")}
    budget = [limits[name] % {"n": number_format(value)} for name, value in order.budget.items()]
    return OrderView(
        at=order.at,
        by=order.by,
        n_runs=order.n_runs,
        budget=", ".join(budget),
        tokens=order.spent.tokens,
        usd=print_usd(order.spent.usd) if order.spent.usd else "",
        is_spent=order.is_spent,
    )


def _runs(scorer: Scorer, metric: str) -> tuple[RunUnder, ...]:
    """The published runs on the boards under this scorer, best first."""
    rows = Standing.objects.filter(
        scorer=scorer, metric=metric, subset__slug="overall", basis="machine", revision__is_current=True
    ).select_related("run__entrant")
    rows = sorted(rows, key=lambda row: (row.value is None, -(row.value or 0.0)))
    return tuple(
        RunUnder(
            model=row.run.entrant.name,
            url=reverse("run", args=[row.run.uuid]),
            value=print_metric(metric, row.value),
            rank=str(row.rank or "–"),
            n_judgments=row.n_scored,
        )
        for row in rows
        if isinstance(row.run, Run)
    )
