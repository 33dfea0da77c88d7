"""The review queue as a reviewer sees it, and how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import (
    Answer,
    AuditEvent,
    Benchmark,
    BenchmarkRole,
    Erratum,
    Judge,
    Policy,
    ReviewItem,
    ReviewReason,
    ReviewSlot,
    Scorer,
    Subset,
    User,
)
from arena.roles import Rank, benchmarks_for, own_entrants
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.problem_parts import render, withheld
from leaderboard.statistics.corrected import MIN_REVIEWS_PER_JUDGE


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a filter."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One item in the list. reasons: labels only; their details could tell what the machine gave."""

    uuid: str
    url: str
    benchmark: str
    problem: str
    subset: str
    reasons: tuple[str, ...]
    submitted: int
    needed: int
    held: int
    state: str
    state_label: str
    is_mine: bool


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """Items of one benchmark under one judge. target: random reviews from which a corrected mean is given."""

    benchmark: str
    judge: str
    total: int
    open: int
    disputed: int
    done: int
    random_done: int
    random_total: int
    target: int


@dataclass(frozen=True, slots=True)
class QueuePage:
    """The page /review/ but for its list of items. claim_url: the reviewer's open item, if any."""

    items: QuerySet[ReviewItem]
    benchmarks: tuple[Choice, ...]
    policies: tuple[Choice, ...]
    subsets: tuple[Choice, ...]
    judges: tuple[Choice, ...]
    states: tuple[Choice, ...]
    progress: tuple[ProgressRow, ...]
    claim_url: str
    n_mine: int
    is_senior: bool
    is_maintainer: bool


def read_queue(user: User, wanted: dict[str, str]) -> QueuePage:
    """wanted: benchmark, policy, subset, judge, state as the address gives them; unknown values find nothing."""
    allowed = benchmarks_for(user)
    state = wanted.get("state") or ReviewItem.State.OPEN.value
    items = ReviewItem.objects.filter(is_calibration=False, reply__run__revision__benchmark__in=allowed)
    everything = items
    if state != "all":
        items = items.filter(state=state)
    if slug := wanted.get("benchmark"):
        items = items.filter(reply__run__revision__benchmark__slug=slug)
    if policy := wanted.get("policy"):
        items = items.filter(Exists(ReviewReason.objects.filter(item=OuterRef("pk"), policy=policy)))
    if subset := wanted.get("subset"):
        items = items.filter(reply__problem__subset__slug=subset)
    if judge := wanted.get("judge"):
        items = items.filter(scorer__in=Scorer.objects.filter(judges__model=judge))
    items = items.filter(reply__withdrawals__isnull=True).exclude(reply__run__entrant__in=own_entrants(user.pk))
    mine = ReviewSlot.objects.filter(reviewer=user, submitted_at=None, claimed_until__gt=timezone.now())
    held = mine.select_related("item").first()
    judges = Judge.objects.filter(scorers__review_items__isnull=False).values_list("model", flat=True).distinct()
    subsets = Subset.objects.filter(benchmark__slug=slug).exclude(slug="overall") if slug else Subset.objects.none()
    return QueuePage(
        items=items.order_by("-priority", "pk"),
        benchmarks=_choices(((b.slug, localised(b, "title")) for b in allowed), slug),
        policies=_choices(((p.value, str(p.label)) for p in Policy if p != Policy.CALIBRATION), policy),
        subsets=_choices(((s.slug, say_subset(s)) for s in subsets), subset),
        judges=_choices(((model, model) for model in judges), judge),
        states=_choices(((s.value, str(s.label)) for s in ReviewItem.State), state),
        progress=tuple(_progress(everything)),
        claim_url=reverse("review-item", args=[held.item.uuid]) if held else "",
        n_mine=ReviewSlot.objects.filter(reviewer=user, submitted_at__isnull=False).count(),
        is_senior=benchmarks_for(user, Rank.SENIOR).exists(),
        is_maintainer=benchmarks_for(user, Rank.MAINTAINER).exists(),
    )


def _choices(pairs: object, chosen: str | None) -> tuple[Choice, ...]:
    return tuple(Choice(value, label, value == chosen) for value, label in pairs)  # type: ignore[attr-defined]


def list_rows(items: Sequence[ReviewItem] | QuerySet[ReviewItem], user: User) -> list[QueueRow]:
    """The items of one page of the list, in a fixed number of queries."""
    ids = [item.pk for item in items]
    found = (
        ReviewItem.objects.filter(pk__in=ids)
        .select_related("reply__problem__subset", "reply__run__revision__benchmark")
        .prefetch_related("reasons", "slots")
        .order_by("-priority", "pk")
    )
    return [_row(item, user) for item in found]


def _row(item: ReviewItem, user: User) -> QueueRow:
    now = timezone.now()
    slots = list(item.slots.all())
    return QueueRow(
        uuid=str(item.uuid),
        url=reverse("review-item", args=[item.uuid]),
        benchmark=localised(item.reply.run.revision.benchmark, "title"),
        problem=item.reply.problem.external_id,
        subset=say_subset(item.reply.problem.subset),
        reasons=tuple(reason.get_policy_display() for reason in item.reasons.all()),
        submitted=sum(slot.submitted_at is not None for slot in slots),
        needed=item.needed,
        held=sum(
            slot.submitted_at is None and slot.claimed_until is not None and slot.claimed_until > now for slot in slots
        ),
        state=item.state,
        state_label=item.get_state_display(),
        is_mine=any(slot.reviewer_id == user.pk and slot.submitted_at for slot in slots),
    )


def _progress(items: QuerySet[ReviewItem]) -> list[ProgressRow]:
    is_random = Q(inclusion_probability__isnull=False)
    counts = (
        items.order_by()
        .values("reply__run__revision__benchmark", "scorer")
        .annotate(
            total=Count("pk"),
            open=Count("pk", filter=Q(state="open")),
            disputed=Count("pk", filter=Q(state="disputed")),
            done=Count("pk", filter=Q(state="done")),
            random_total=Count("pk", filter=is_random),
            random_done=Count("pk", filter=is_random & Q(state="done")),
        )
    )
    rows: dict[tuple[str, str], ProgressRow] = {}
    titles = {b.pk: localised(b, "title") for b in Benchmark.objects.all()}
    names = judge_names([count["scorer"] for count in counts])
    for count in counts:
        benchmark, judge = titles[count.pop("reply__run__revision__benchmark")], names[count.pop("scorer")]
        row = rows.get((benchmark, judge))
        fresh = ProgressRow(benchmark, judge, target=MIN_REVIEWS_PER_JUDGE, **count)
        rows[benchmark, judge] = fresh if row is None else _add(row, fresh)
    return [rows[key] for key in sorted(rows)]


def _add(a: ProgressRow, b: ProgressRow) -> ProgressRow:
    names = ("total", "open", "disputed", "done", "random_done", "random_total")
    return replace(a, **{name: getattr(a, name) + getattr(b, name) for name in names})


def judge_names(scorer_ids: Sequence[int]) -> dict[int, str]:
    """Scorer -> the models that judge, or the rule's name where none does."""
    scorers = Scorer.objects.filter(pk__in=scorer_ids).prefetch_related("judges")
    return {
        scorer.pk: ", ".join(sorted(judge.model for judge in scorer.judges.all()))
        or _("rule: %(name)s") % {"name": scorer.name}
        for scorer in scorers
    }


@dataclass(frozen=True, slots=True)
class ErratumRow:
    """One claim that a reference is wrong."""

    uuid: str
    benchmark: str
    problem: str
    problem_url: str
    claim: SafeString
    reporter: str
    date: datetime
    state: str
    state_label: str
    resolution: SafeString
    may_decide: bool


def list_errata(user: User | object) -> list[ErratumRow]:
    """All claims, open ones first. The reporter's name is for maintainers; words about a withheld reference, which may
    tell it, are for those who review it."""
    own = set(benchmarks_for(user, Rank.MAINTAINER).values_list("pk", flat=True))
    reviewed = set(benchmarks_for(user).values_list("pk", flat=True))
    hidden = set(Answer.objects.filter(is_hidden=True, problem__errata__isnull=False).values_list("problem", flat=True))
    errata = Erratum.objects.filter(problem__subset__benchmark__is_public=True).select_related(
        "problem__subset__benchmark", "reporter"
    )
    rows = []
    for erratum in sorted(errata, key=lambda e: (e.state != "open", -e.created_at.timestamp())):
        benchmark = erratum.problem.subset.benchmark
        may_decide = benchmark.pk in own
        is_told = benchmark.pk in reviewed or erratum.problem_id not in hidden
        rows.append(
            ErratumRow(
                uuid=str(erratum.uuid),
                benchmark=localised(benchmark, "title"),
                problem=erratum.problem.external_id,
                problem_url=_problem_address(benchmark.slug, erratum.problem.external_id),
                claim=render(erratum.claim) if is_told else withheld(),
                reporter=erratum.reporter.username if may_decide and erratum.reporter else "",
                date=erratum.created_at,
                state=erratum.state,
                state_label=erratum.get_state_display(),
                resolution=render(erratum.resolution) if is_told or not erratum.resolution else withheld(),
                may_decide=may_decide,
            )
        )
    return rows


def _problem_address(slug: str, external_id: str) -> str:
    path = reverse("problem", args=[slug, "X"]).removesuffix("X/")
    return f"{path}{quote(external_id, safe='')}/"


def list_events(user: User) -> QuerySet[AuditEvent]:
    """The audit log of the benchmarks this person maintains, newest first; all of it for maintainers of all."""
    events = AuditEvent.objects.select_related("actor", "benchmark").order_by("-pk")
    if user.is_maintainer:
        return events
    return events.filter(benchmark__in=benchmarks_for(user, Rank.MAINTAINER))


def list_roles(user: User) -> QuerySet[BenchmarkRole]:
    """Roles on the benchmarks this person maintains."""
    return (
        BenchmarkRole.objects.filter(benchmark__in=benchmarks_for(user, Rank.MAINTAINER))
        .select_related("benchmark", "user")
        .order_by("benchmark__position", "user__username")
    )
