"""Which votes the ratings page is about: its address, its filters, and how many there are under each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import Benchmark
from leaderboard.ballots import POOLS, SCORES_POOL, Scope, votes_of
from leaderboard.selectors.arena import Option
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.fields import list_fields, say_field
from leaderboard.selectors.language_names import NATIVE


@dataclass(frozen=True, slots=True)
class Counted:
    """A count with the link that narrows the page to it."""

    label: str
    n: int
    url: str


def pool_label(pool: str) -> str:
    return {
        "people": _("people, all pools"),
        "reviewer": _("reviewers"),
        "signed-in": _("signed in"),
        "anonymous": _("anonymous"),
        "judge": _("LLM judges"),
        SCORES_POOL: _("from scores"),
        "imported-people": _("imported: people"),
        "imported-judge": _("imported: judges"),
    }.get(pool, pool)


def read_scope(query: Mapping[str, str]) -> Scope:
    """The scope of an address; an imported pool shows one collection at a time."""
    asked = {name: query.get(name, "") for name in ("benchmark", "field", "language", "source")}
    pool = query.get("pool", "")
    scope = Scope(pool=pool if pool in POOLS else "people", **asked)
    if scope.pool.startswith("imported") and not scope.source:
        first = votes_of(scope).order_by("-pk").values_list("battle__source", flat=True).first()
        return Scope(scope.pool, scope.benchmark, scope.field, scope.language, first or "")
    return scope


def list_filters(scope: Scope) -> dict[str, tuple[Option, ...]]:
    """The choices of each of the page's filters, the chosen one marked."""
    votes = votes_of(Scope("people" if scope.pool == SCORES_POOL else scope.pool)).order_by()
    benchmarks = Benchmark.objects.filter(is_public=True)

    def distinct(name: str) -> list[str]:
        return sorted(value for value in votes.values_list(name, flat=True).distinct() if value)

    return {
        "pools": tuple(Option(name, pool_label(name), name == scope.pool) for name in POOLS),
        "benchmarks": tuple(Option(b.slug, localised(b, "title"), b.slug == scope.benchmark) for b in benchmarks),
        "fields": tuple(Option(v, say_field(v), v == scope.field) for v in list_fields(distinct("battle__field"))),
        "languages": tuple(Option(v, NATIVE.get(v, v), v == scope.language) for v in distinct("battle__language")),
        "sources": tuple(Option(v, v, v == scope.source) for v in distinct("battle__source")),
    }


def count_votes(scope: Scope) -> tuple[tuple[str, tuple[Counted, ...]], ...]:
    """Votes by pool, and within this pool by benchmark, field and language."""
    pools = []
    for name in POOLS:
        if name not in ("people", SCORES_POOL) and (n := votes_of(Scope(name)).count()):
            pools.append(Counted(pool_label(name), n, _address(pool=name)))
    if scope.pool == SCORES_POOL:
        return ((_("Votes by pool"), tuple(pools)),)
    titles = {b.slug: localised(b, "title") for b in Benchmark.objects.all()}
    groups = [(_("Votes by pool"), tuple(pools))]
    for title, key, path, say in (
        (_("by benchmark"), "benchmark", "battle__benchmark__slug", titles.__getitem__),
        (_("by field"), "field", "battle__field", say_field),
        (_("by language"), "language", "battle__language", lambda code: NATIVE.get(code, code)),
    ):
        counted = _count_by(path, scope.pool).items()
        groups.append(
            (title, tuple(Counted(say(value), n, _address(pool=scope.pool, **{key: value})) for value, n in counted))
        )
    return tuple(group for group in groups if group[1])


def _count_by(path: str, pool: str) -> dict[str, int]:
    """Votes by what their battles say of this, the most first; what differs in case alone counts together."""
    rows = votes_of(Scope(pool)).order_by(path).values_list(path).annotate(n=Count("pk"))
    found: dict[str, tuple[str, int]] = {}
    for value, n in rows:
        if value:
            name, before = found.get(value.casefold(), (value, 0))
            found[value.casefold()] = name, before + n
    return dict(sorted(found.values(), key=lambda pair: -pair[1]))


def _address(**narrowed: str) -> str:
    return f"{reverse('arena-ratings')}?{urlencode(narrowed)}"
