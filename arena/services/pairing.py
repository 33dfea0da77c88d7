"""Which battle comes next: new models first, then pairs whose order is least certain; problems and sides balanced.

Everything random comes from a generator whose seed is kept with the battle.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.core.cache import cache
from django.db.models import Count, Exists, OuterRef

from arena.models import PEOPLE, Battle, BattleServing, Entrant, Problem, Reply, Run, Vote
from arena.services.leaks import Leaks, check_reply

NEW_BELOW = 30  # votes; until then a model goes first (it is "preliminary" on the ratings page)
_TRIED_PAIRS, _TRIED_PROBLEMS = 60, 40
_COUNTS_S = 10
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)

Pair = tuple[int, int]  # entrants, lower primary key first


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader wants to judge; empty is everything."""

    benchmark: str = ""
    field: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Two replies chosen to fight, `a` of the entrant with the lower primary key."""

    reply_a: Reply
    reply_b: Reply
    problem: Problem
    run: Run
    leaks_a: Leaks
    leaks_b: Leaks

    @property
    def pairing(self) -> str:
        return pairing_of(self.reply_a.run.entrant_id, self.reply_b.run.entrant_id, self.problem.pk)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """People's votes so far. n: battles of each pair; votes, points: of each entrant, a tie being half a point."""

    n: Mapping[Pair, int]
    votes: Mapping[int, int]
    points: Mapping[int, float]


def pairing_of(entrant_a: int, entrant_b: int, problem: int) -> str:
    return f"{min(entrant_a, entrant_b)}-{max(entrant_a, entrant_b)}-{problem}"


def candidate_runs(filters: Filters, without_owner: int | None = None) -> list[Run]:
    """The newest published run of each model on each current, public data set; nobody judges their own models."""
    runs = (
        Run.objects.on_board()
        .filter(
            state=Run.State.FINISHED,
            revision__is_current=True,
            revision__benchmark__is_public=True,
            entrant__kind=Entrant.Kind.MODEL,
        )
        .exclude(split="validation")
        .select_related("entrant", "endpoint", "revision__benchmark")
        .order_by("finished_at", "pk")
    )
    if filters.benchmark:
        runs = runs.filter(revision__benchmark__slug=filters.benchmark)
    newest = {(run.revision_id, run.split, run.entrant_id): run for run in runs}
    return [run for run in newest.values() if without_owner is None or not _owns(run, without_owner)]


def _owns(run: Run, user_id: int) -> bool:
    return user_id in (run.owner_id, run.entrant.owner_id)


def find_match(
    filters: Filters, rng: random.Random, *, taken: frozenset[str], without_owner: int | None = None, origin: str
) -> Match | None:
    """A battle that this voter has not had (`taken`: their pairings); None where there is none left."""
    runs = candidate_runs(filters, without_owner)
    places: dict[Pair, list[tuple[Run, Run]]] = {}
    for one, two in combinations(sorted(runs, key=lambda run: run.entrant_id), 2):
        if (one.revision_id, one.split) == (two.revision_id, two.split) and one.entrant_id != two.entrant_id:
            places.setdefault((one.entrant_id, two.entrant_id), []).append((one, two))
    for pair in order_pairs(sorted(places), count_votes(), rng)[:_TRIED_PAIRS]:
        rng.shuffle(places[pair])
        for one, two in places[pair]:
            if match := _match_runs(one, two, filters, rng, taken, origin):
                return match
    return None


def order_pairs(pairs: Sequence[Pair], counts: PairCounts, rng: random.Random) -> list[Pair]:
    """Pairs with a new model first, the one with the fewest votes before all; within both a weighted draw."""

    def key(pair: Pair) -> tuple[bool, float]:
        fewest = min(counts.votes.get(entrant, 0) for entrant in pair)
        weight = uncertainty(pair, counts) * (NEW_BELOW / (1 + fewest) if fewest < NEW_BELOW else 1.0)
        # Efraimidis and Spirakis 2006: sorting by log(u) / weight draws without replacement by weight.
        return fewest >= NEW_BELOW, -math.log(1 - rng.random()) / weight

    return sorted(pairs, key=key)


def uncertainty(pair: Pair, counts: PairCounts) -> float:
    """How open the order of two models is: the chance that it is the other way, over the root of their battles."""
    (low_a, se_a), (low_b, se_b) = (_strength(entrant, counts) for entrant in pair)
    z = abs(low_a - low_b) / math.hypot(se_a, se_b)
    return (0.02 + math.erfc(z / math.sqrt(2))) / math.sqrt(1 + counts.n.get(pair, 0))


def _strength(entrant: int, counts: PairCounts) -> tuple[float, float]:
    """Log odds of winning and their standard error, with one win and one loss added."""
    n = counts.votes.get(entrant, 0)
    rate = (counts.points.get(entrant, 0.0) + 1) / (n + 2)
    return math.log(rate / (1 - rate)), 1 / math.sqrt((n + 2) * rate * (1 - rate))


def count_votes() -> PairCounts:
    """Counted anew every ten seconds: the draw does not need the last vote."""
    found = cache.get("arena:pair-counts")
    if found is None:
        rows = (
            Vote.objects.filter(pool__in=PEOPLE)
            .values_list("battle__entrant_a", "battle__entrant_b", "outcome")
            .annotate(n=Count("pk"))
            .order_by()
        )
        found = list(rows)
        cache.set("arena:pair-counts", found, _COUNTS_S)
    return _sum_counts(found)


def _sum_counts(rows: Sequence[tuple[int, int, str, int]]) -> PairCounts:
    n: dict[Pair, int] = {}
    votes: dict[int, int] = {}
    points: dict[int, float] = {}
    for a, b, outcome, count in rows:
        n[(a, b)] = n.get((a, b), 0) + count
        share = {"a": 1.0, "b": 0.0}.get(outcome, 0.5)
        for entrant, won in ((a, share), (b, 1 - share)):
            votes[entrant] = votes.get(entrant, 0) + count
            points[entrant] = points.get(entrant, 0.0) + won * count
    return PairCounts(n, votes, points)


def _match_runs(
    one: Run, two: Run, filters: Filters, rng: random.Random, taken: frozenset[str], origin: str
) -> Match | None:
    for problem_id in _problems_in_turn(one, two, filters, rng, taken, origin):
        first, second = _draw_reply(one, problem_id, rng), _draw_reply(two, problem_id, rng)
        if first is None or second is None or is_same_text(first.text, second.text):
            continue
        problem = Problem.objects.select_related("subset").get(pk=problem_id)
        leaks_a, leaks_b = check_reply(first, problem), check_reply(second, problem)
        if leaks_a.is_left_out or leaks_b.is_left_out or is_same_text(leaks_a.text, leaks_b.text):
            continue
        return Match(first, second, problem, one, leaks_a, leaks_b)
    return None


def _problems_in_turn(
    one: Run, two: Run, filters: Filters, rng: random.Random, taken: frozenset[str], origin: str
) -> Iterator[int]:
    """Problems that both answered, those with the fewest battles first, equals in random order."""
    shared = _answered_unlike(one, two, filters)
    free = [pk for pk in shared if pairing_of(one.entrant_id, two.entrant_id, pk) not in taken]
    fought = dict(
        Battle.objects.filter(origin=origin, benchmark=one.revision.benchmark_id)
        .values_list("problem")
        .annotate(n=Count("pk"))
        .order_by()
    )
    rng.shuffle(free)
    yield from sorted(free, key=lambda pk: fought.get(pk, 0))[:_TRIED_PROBLEMS]


def _answered_unlike(one: Run, two: Run, filters: Filters) -> list[int]:
    """Problems that both answered, with at least one pair of replies that differ; in short answers many do not."""
    other = Reply.objects.filter(run=two, problem=OuterRef("problem"), withdrawals__isnull=True)
    replies = Reply.objects.filter(Exists(other.exclude(text=OuterRef("text"))), run=one, withdrawals__isnull=True)
    if filters.field:
        replies = replies.filter(problem__field__iexact=filters.field)
    if filters.language:
        replies = replies.filter(problem__language=filters.language)
    return sorted(set(replies.values_list("problem_id", flat=True)))


def _draw_reply(run: Run, problem_id: int, rng: random.Random) -> Reply | None:
    replies = list(Reply.objects.filter(run=run, problem_id=problem_id, withdrawals__isnull=True).order_by("repeat"))
    if not replies:
        return None
    reply = rng.choice(replies)
    reply.run = run
    return reply


def is_same_text(one: str, two: str) -> bool:
    """Equal but for white space: there would be nothing to judge."""
    return one.split() == two.split()


def choose_side(entrant_a: int, entrant_b: int, rng: random.Random) -> bool:
    """Whether b stands left: the side that each of the two has had less often against the other."""
    pair = BattleServing.objects.filter(battle__entrant_a=entrant_a, battle__entrant_b=entrant_b)
    swapped = pair.filter(swapped=True).count()
    straight = pair.count() - swapped
    return rng.random() < 0.5 if swapped == straight else swapped < straight


def measure_style(text: str) -> list[int]:
    """[characters, formulas, list items] of a reply: what style control holds equal."""
    return [len(text), len(_FORMULA.findall(text)), len(_LIST_ITEM.findall(text))]
