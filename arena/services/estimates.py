"""What a run would cost, before it is started: from prompt lengths, figure sizes, and what such replies were like."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from django.db.models import Avg, Count
from django.utils import timezone

from arena.costs import read_prices
from arena.models import Benchmark, Criterion, Reply, Run, Scorer
from arena.services import choices
from arena.services.catalog import get_adapter
from arena.services.runs import RunRequest
from arena.services.scorers import JUDGE_DEFAULTS, judge_texts

KNOWN_FROM = 20  # replies from which their mean length says more than max_tokens
JUDGE_OUTPUT_TOKENS = 300  # a thought and one JSON object


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would send and buy. Tokens are estimates; prompt_tokens include figures.

    output_tokens: by the mean of earlier replies to the benchmark (is_measured), else calls x max_tokens at most.
    judge_calls, judge_tokens: at most, if every answer must be asked. usd: None where a price is missing (unpriced).
    """

    problems: int
    calls: int
    figures: int
    prompt_tokens: int
    output_tokens: int
    output_tokens_max: int
    is_measured: bool
    judge_calls: int
    judge_tokens: int
    usd: Decimal | None
    unpriced: tuple[str, ...] = ()
    figure_bytes: int = 0
    figure_tokens: int = 0

    @property
    def usd_text(self) -> str:
        """Rounded up to cents: an estimate claims no more."""
        return "" if self.usd is None else f"{self.usd.quantize(Decimal('0.01'), ROUND_UP):f}"


def estimate_run(request: RunRequest) -> Estimate:
    """Raises Refused for a choice that cannot be made."""
    sizes = choices.estimate_run(request)
    benchmark = Benchmark.objects.select_related("scorer").get(slug=request.benchmark)
    mean_output = _mean_output(benchmark)
    max_tokens = request.max_tokens or get_adapter(request.benchmark).max_tokens
    output = min(mean_output or max_tokens, max_tokens)
    judges, params = _judges(benchmark, request)
    panel = len(judges) * int(params["judge_repeats"])
    judge_calls = sizes.judge_calls_max * panel if judges else 0
    if judges and params["calls"] == "scheme":
        judge_calls = round(judge_calls * _share_of_scheme_calls(benchmark))
    # Every judge call reads its template, the question and the reply.
    prompt = sizes.input_tokens // max(1, sizes.calls)
    seen = sum(map(choices.estimate_tokens, judge_texts(request.benchmark))) // 2 + prompt + output if judges else 0
    usd, unpriced = _price(request, sizes, output, judges, judge_calls, seen)
    return Estimate(
        problems=sizes.problems,
        calls=sizes.calls,
        figures=sizes.figures,
        prompt_tokens=sizes.input_tokens,
        output_tokens=output * sizes.calls,
        output_tokens_max=sizes.output_tokens_max,
        is_measured=mean_output is not None,
        judge_calls=judge_calls,
        judge_tokens=judge_calls * (seen + JUDGE_OUTPUT_TOKENS),
        usd=usd,
        unpriced=unpriced,
        figure_bytes=sizes.figure_bytes,
        figure_tokens=sizes.figure_tokens,
    )


def _mean_output(benchmark: Benchmark) -> int | None:
    """Mean output tokens of the replies to this benchmark so far."""
    runs = Run.objects.filter(revision__benchmark=benchmark)
    found = Reply.objects.filter(run__in=runs, completion_tokens__isnull=False).aggregate(
        n=Count("pk"), mean=Avg("completion_tokens")
    )
    return round(found["mean"]) if found["n"] >= KNOWN_FROM else None


def _judges(benchmark: Benchmark, request: RunRequest) -> tuple[list[str], dict[str, object]]:
    """The judges' models and the scorer's parameters: the run's own judge, else the official one."""
    params = {**JUDGE_DEFAULTS, **request.scorer_params}
    if get_adapter(request.benchmark).judge == "none" or request.judge_strategy == "rule":
        return [], params
    if request.judges:
        return [spec.model for spec in request.judges], params
    scorer: Scorer | None = benchmark.scorer
    if scorer is None:
        return [], params
    kept = {key: value for key, value in scorer.params.items() if key in JUDGE_DEFAULTS}
    return [judge.model for judge in scorer.judges.all()], {**JUDGE_DEFAULTS, **kept, **request.scorer_params}


def _share_of_scheme_calls(benchmark: Benchmark) -> float:
    """Schemes per criterion."""
    criteria = Criterion.objects.filter(problem__subset__benchmark=benchmark)
    n = criteria.count()
    return criteria.values("problem", "scheme").distinct().count() / n if n else 1.0


def _price(
    request: RunRequest, sizes: choices.Estimate, output: int, judges: list[str], judge_calls: int, seen: int
) -> tuple[Decimal | None, tuple[str, ...]]:
    """US dollars of model and judges together, and the models whose price is missing."""
    prices, today = read_prices(), timezone.now().date()
    model = request.api_model or request.model
    usd: Decimal | None = prices.cost(model, today, sizes.input_tokens, output * sizes.calls)
    unpriced = [model] if usd is None else []
    for judge in judges:
        calls = judge_calls // len(judges)
        cost = prices.cost(judge, today, calls * seen, calls * JUDGE_OUTPUT_TOKENS)
        if cost is None:
            unpriced.append(judge)
        usd = None if usd is None or cost is None else usd + cost
    return usd, tuple(dict.fromkeys(unpriced))
