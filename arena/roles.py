"""Who may review what: by group on all benchmarks, by role on one, and never a model of one's own."""

from __future__ import annotations

from enum import IntEnum

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from arena.errors import ArenaError
from arena.models import Benchmark, BenchmarkRole, Entrant, Run, User


class Rank(IntEnum):
    """What a person is on a benchmark; each may do all that the one before may."""

    NOBODY = 0
    REVIEWER = 1
    SENIOR = 2
    MAINTAINER = 3

    @property
    def word(self) -> str:
        return self.name.lower()


RANKS = {
    BenchmarkRole.Role.REVIEWER.value: Rank.REVIEWER,
    BenchmarkRole.Role.SENIOR.value: Rank.SENIOR,
    BenchmarkRole.Role.MAINTAINER.value: Rank.MAINTAINER,
}


class Forbidden(ArenaError):
    """This person may not do that; a page answers 403."""


def rank_on(user: User | object, benchmark: Benchmark | int) -> Rank:
    """The higher of the person's group and their role on this benchmark; inactive and unknown people are nobody."""
    if not getattr(user, "is_authenticated", False) or not getattr(user, "is_active", False):
        return Rank.NOBODY
    if user.is_maintainer:  # type: ignore[attr-defined]
        return Rank.MAINTAINER
    everywhere = Rank.REVIEWER if user.is_reviewer else Rank.NOBODY  # type: ignore[attr-defined]
    pk = benchmark if isinstance(benchmark, int) else benchmark.pk
    role = BenchmarkRole.objects.filter(user=user, benchmark_id=pk).values_list("role", flat=True).first()  # type: ignore[misc]
    return max(everywhere, RANKS.get(role or "", Rank.NOBODY))


def benchmarks_for(user: User | object, least: Rank = Rank.REVIEWER) -> QuerySet[Benchmark]:
    """The benchmarks on which this person is at least that."""
    if not getattr(user, "is_authenticated", False) or not getattr(user, "is_active", False):
        return Benchmark.objects.none()
    everywhere = Rank.MAINTAINER if user.is_maintainer else Rank.REVIEWER if user.is_reviewer else Rank.NOBODY  # type: ignore[attr-defined]
    if everywhere >= least:
        return Benchmark.objects.all()
    names = [name for name, rank in RANKS.items() if rank >= least]
    return Benchmark.objects.filter(roles__user=user, roles__role__in=names)  # type: ignore[misc]


def require_rank(user: User | object, benchmark: Benchmark | int, least: Rank) -> Rank:
    """The person's rank. Raises Forbidden below `least`."""
    rank = rank_on(user, benchmark)
    if rank < least:
        raise Forbidden(_("only a %(rank)s of this benchmark may do this") % {"rank": least.word})
    return rank


def is_own_model(user: User | object, entrant_id: int) -> bool:
    """Whether this person submitted the model, in any of its runs."""
    pk = getattr(user, "pk", None)
    return pk is not None and own_entrants(pk).filter(pk=entrant_id).exists()


def may_read_failures(user: User | object, run: Run) -> bool:
    """Whether this person may read why calls failed in full: such a message may name a host, a path or an address."""
    is_owner = run.owner_id is not None and run.owner_id == getattr(user, "pk", None)
    return is_owner or rank_on(user, run.revision.benchmark_id) >= Rank.MAINTAINER


def own_entrants(user_id: int) -> QuerySet[Entrant]:
    """The models this person submitted; their replies are for others to review."""
    runs = Run.objects.filter(Q(owner_id=user_id) | Q(submission__owner_id=user_id)).values("entrant_id")
    return Entrant.objects.filter(Q(owner_id=user_id) | Q(pk__in=runs))
