"""Money and time: what a run and each of its calls took, as far as prices are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import F, IntegerField, Value
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from arena.costs import IS_BILLED, MAYBE_BILLED, PriceList, read_prices
from arena.models import CallError, JudgeError, JudgeReply, Reply, Run, User
from arena.roles import may_read_failures
from leaderboard.selectors.kinds import say_kind
from leaderboard.sentences import say_sentence


@dataclass(frozen=True, slots=True)
class CostRow:
    """Who was called, how often, and what it took. usd None: a price is missing."""

    who: str
    what: str
    n_calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: Decimal | None
    latency_p50_ms: int | None
    latency_p95_ms: int | None

    @property
    def usd_text(self) -> str:
        return print_usd(self.usd)


@dataclass(frozen=True, slots=True)
class RunCosts:
    """A run's bill. usd: of what is priced; n_unpriced calls are not in it, nor n_maybe_billed failed ones of which
    nobody knows. budget: label and value of each limit.
    """

    run: Run
    rows: tuple[CostRow, ...]
    tokens: int
    usd: Decimal
    n_unpriced: int
    n_maybe_billed: int
    per_reply: str
    budget: tuple[tuple[str, str], ...]
    failures: tuple[tuple[str, int], ...]

    @property
    def usd_text(self) -> str:
        return print_usd(self.usd)


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """One call of a judge about one reply. kind: of the failure, empty where a verdict was read."""

    judge: str
    judge_digest: str
    purpose: str
    target: str
    repeat: int
    attempt: int
    text: str
    tokens: str
    usd: str
    latency_ms: int | None
    kind: str
    at: datetime


def print_usd(usd: Decimal | None) -> str:
    """US dollars with as many places as they need; a dash where nobody knows."""
    if usd is None:
        return "–"
    places = 2 if usd >= 1 or not usd else 4 if usd >= Decimal("0.01") else 6
    return f"${number_format(round(usd, places), places)}"


def read_run_costs(run: Run) -> RunCosts:
    """Everything that was bought for a run, model first, then each judge by purpose."""
    prices = read_prices()
    model = run.endpoint.api_model if run.endpoint else ""
    groups = _group_calls(run, model or run.entrant.name)
    failed = (CallError.objects.filter(run=run), JudgeError.objects.filter(reply__run=run))
    bills = [(_bill(who, what, calls, prices), calls) for (who, what), calls in groups.items()]
    usd = sum((price_calls(row.who, calls, prices)[0] for row, calls in bills), Decimal(0))
    n_unpriced = sum(price_calls(row.who, calls, prices)[1] for row, calls in bills)
    n_replies = bills[0][0].n_calls
    kinds: dict[str, int] = {}
    for kind in JudgeError.objects.filter(reply__run=run).values_list("kind", flat=True):
        kinds[kind] = kinds.get(kind, 0) + 1
    return RunCosts(
        run=run,
        rows=tuple(row for row, _calls in bills),
        tokens=sum(row.prompt_tokens + row.completion_tokens for row, _calls in bills),
        usd=usd,
        n_unpriced=n_unpriced,
        n_maybe_billed=sum(rows.filter(MAYBE_BILLED).count() for rows in failed),
        per_reply=print_usd(usd / n_replies) if n_replies and not n_unpriced else "–",
        budget=_budget(run),
        failures=tuple((say_kind(kind), n) for kind, n in sorted(kinds.items(), key=lambda pair: -pair[1])),
    )


def _group_calls(run: Run, name: str) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    """Who was called for what -> (at, tokens in, tokens out, stated US dollars, ms) of each call; replies first.

    Calls that gave no reply are there where the endpoint says what it billed all the same.
    """
    fields = ("created_at", "prompt_tokens", "completion_tokens", "cost_usd")
    groups: dict[tuple[str, str], list[tuple[Any, ...]]] = {
        (name, _("replies")): list(Reply.objects.filter(run=run).values_list(*fields, "latency_ms"))
    }
    if failed := [(*bill, None) for bill in CallError.objects.filter(IS_BILLED, run=run).values_list(*fields)]:
        groups[name, _("calls without a reply")] = failed
    judges = (
        JudgeReply.objects.filter(reply__run=run).annotate(ms=F("latency_ms")),
        JudgeError.objects.filter(IS_BILLED, reply__run=run).annotate(ms=Value(None, IntegerField())),
    )
    for rows in judges:
        told = rows.order_by("judge", "purpose").values_list("judge__model", "purpose", *fields, "ms")
        for judge, purpose, *call in told:
            groups.setdefault((judge, purpose_label(purpose)), []).append(tuple(call))
    return groups


def cost_of_reply(reply: Reply, run: Run) -> Decimal | None:
    """As the endpoint states it, else from tokens and the price of that day; None where nobody knows."""
    model = run.endpoint.api_model if run.endpoint else ""
    day = reply.created_at.date()
    return read_prices([model]).cost(model, day, reply.prompt_tokens, reply.completion_tokens, reply.cost_usd)


def price_calls(model: str, calls: Iterable[Sequence[Any]], prices: PriceList) -> tuple[Decimal, int]:
    """US dollars of the calls that can be priced, and how many cannot."""
    usd, unpriced = Decimal(0), 0
    for at, prompt, completion, stated, _latency in calls:
        cost = prices.cost(model, at.date(), prompt, completion, stated)
        usd += cost or 0
        unpriced += cost is None
    return usd, unpriced


def _bill(who: str, what: str, calls: Sequence[Sequence[Any]], prices: PriceList) -> CostRow:
    usd, unpriced = price_calls(who, calls, prices)
    latencies = sorted(call[4] for call in calls if call[4] is not None)
    return CostRow(
        who=who,
        what=what,
        n_calls=len(calls),
        prompt_tokens=sum(call[1] or 0 for call in calls),
        completion_tokens=sum(call[2] or 0 for call in calls),
        usd=None if unpriced else usd,
        latency_p50_ms=quantile(latencies, 0.5),
        latency_p95_ms=quantile(latencies, 0.95),
    )


def quantile(ordered: Sequence[int], share: float) -> int | None:
    """Nearest rank."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def _budget(run: Run) -> tuple[tuple[str, str], ...]:
    labels = {"tokens": _("tokens"), "usd": _("US dollars")}
    return tuple((labels[name], f"{value:,}") for name, value in run.budget.items() if name in labels and value)


def purpose_label(purpose: str) -> str:
    labels = {
        "criterion": _("criteria, one by one"),
        "scheme": _("whole schemes"),
        "answer": _("final answers"),
        "verdict": _("verdicts"),
        "process": _("process judge"),
        "error_class": _("error class"),
        "winner": _("battles"),
    }
    return labels.get(purpose, purpose)


PROXY_PAGE = "http_error"  # an error page in place of a verdict
# Failures of what a judge said; all other kinds are of the call itself.
VERDICT_KINDS = frozenset(
    {"prose", "truncated", "quoted", "missing_key", "duplicate_key", "bad_type", "not_a_number", "out_of_range"}
    | {"missing_index", "unknown_index", "duplicate_index", PROXY_PAGE}
)


def list_judge_calls(reply: Reply, viewer: User | object) -> tuple[JudgeCall, ...]:
    """Every judge call about a reply in order, with its words, cost and time; failures beside them.

    A judge's words may tell a withheld reference: there they are left out. What a failed call says may name a host:
    that is for maintainers and the run's owner.
    """
    prices = read_prices()
    is_hidden = reply.problem.answers.filter(is_hidden=True).exists()
    has_words = not is_hidden and may_read_failures(viewer, reply.run)
    errors = list(JudgeError.objects.filter(reply=reply).select_related("judge").order_by("pk"))
    unread = {_key(error): error.kind for error in errors if error.kind in VERDICT_KINDS}
    calls = [
        _call(error, text=say_sentence(error.message) if has_words else "", kind=error.kind)
        for error in errors
        if error.kind not in VERDICT_KINDS
    ]
    for row in JudgeReply.objects.filter(reply=reply).select_related("judge").order_by("pk"):
        cost = prices.cost(
            row.judge.model, row.created_at.date(), row.prompt_tokens, row.completion_tokens, row.cost_usd
        )
        tokens = "–" if row.prompt_tokens is None else f"{row.prompt_tokens + (row.completion_tokens or 0):,}"
        kind = unread.get(_key(row), "")
        text = "" if is_hidden or (kind == PROXY_PAGE and not has_words) else row.text
        calls.append(_call(row, text, kind, tokens, print_usd(cost), row.latency_ms))
    return tuple(sorted(calls, key=lambda call: (call.purpose, call.target, call.repeat, call.attempt, call.at)))


def _key(row: JudgeReply | JudgeError) -> tuple[object, ...]:
    return row.judge_id, row.purpose, row.target, row.repeat, row.attempt


def _call(
    row: JudgeReply | JudgeError,
    text: str,
    kind: str,
    tokens: str = "–",
    usd: str = "–",
    latency_ms: int | None = None,
) -> JudgeCall:
    return JudgeCall(
        judge=row.judge.model,
        judge_digest=row.judge.digest,
        purpose=purpose_label(row.purpose),
        target=row.target,
        repeat=row.repeat,
        attempt=row.attempt,
        text=text,
        tokens=tokens,
        usd=usd,
        latency_ms=latency_ms,
        kind=say_kind(kind),
        at=row.created_at,
    )
