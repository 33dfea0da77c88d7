"""What a stored page follows of its address: every value that it does not offer is dropped, as the page would do.

Each function takes the parameters given and returns those of meaning, at the cost of a query or two: strangers who
invent values come to pages that are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from arena.models import Benchmark, DatasetRevision, Entrant, Subset
from leaderboard.board_entries import newest_runs
from leaderboard.models import BoardState, Standing
from leaderboard.scores import metrics_of
from leaderboard.selectors.board_columns import PLAIN_SORTS, STYLES
from leaderboard.selectors.board_query import MAY_BE_IGNORED, BoardQuery, read_query
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.compare import MOST_MODELS
from leaderboard.selectors.grid import ORDERS
from leaderboard.selectors.run_rows import find_scorer

Given = Mapping[str, str]
Settled = dict[str, str | list[str]]
FIRST_DAY = date(2000, 1, 1)  # no benchmark, model or run is older


def settle_home(given: Given) -> Settled:
    known = Benchmark.objects.filter(is_public=True).values_list("slug", "tags")
    columns = {"model", *(slug for slug, _tags in known)}
    tags = {tag for _slug, names in known for tag in names}
    return {"sort": _sort(given, columns), "tag": _one_of(given, "tag", tags)}


def settle_place(given: Given) -> Settled:
    """Revision and split; a view that does not find them answers 404."""
    return {name: given.get(name, "") for name in ("revision", "split")}


def settle_board(place: Place, state: BoardState, given: Given) -> Settled:
    asked = settle_query(place, state, read_query(given))
    wanted = {**asdict(asked), "basis": "" if asked.basis == Standing.Basis.MACHINE else asked.basis}
    wanted["org"] = wanted.pop("organisation")
    wanted["ignored"] = ",".join(_without_meaning(given, wanted))
    if asked.moment and state.changed_at and asked.moment >= state.changed_at:
        wanted["as_of"] = ""  # nothing has changed since
    return settle_place(given) | {"format": _one_of(given, "format", ("csv", "json"))} | wanted


def settle_query(place: Place, state: BoardState, query: BoardQuery) -> BoardQuery:
    """The query without values that stand on no row and in no column of this board."""
    facts, metrics = state.facts, metrics_of(place.benchmark.slug)
    columns = {column["slug"] for column in facts.get("columns", ())}
    sorts = {*PLAIN_SORTS, *metrics, *columns, *(f"{metric}:{style}" for metric in metrics for style in STYLES)}
    return replace(
        query,
        subset=query.subset if query.subset in columns - {Subset.OVERALL} else "",
        metric=query.metric if query.metric in metrics else "",
        sort=_sort({"sort": query.sort}, sorts),
        modality=query.modality if query.modality in facts.get("modalities", ()) else "",
        language=query.language if query.language in facts.get("languages", ()) else "",
        field=query.field if query.field in facts.get("fields", ()) else "",
        since=settle_day(query.since),
        organisation=query.organisation if _is_organisation(query.organisation) else "",
        scorer=query.scorer if query.scorer and find_scorer(place, query.scorer) else "",
    )


def _without_meaning(given: Given, wanted: Mapping[str, Any]) -> list[str]:
    """Parameters that were given and mean nothing here, in order; the page says so."""
    other_names = {"org": "organisation", "since": "date"}
    defaults = {"basis": Standing.Basis.MACHINE, "subset": Subset.OVERALL}
    said = {name: given.get(name) or given.get(other_names.get(name, ""), "") for name in MAY_BE_IGNORED}
    told = read_query(given).ignored
    return [
        name
        for name, value in said.items()
        if name in told or (value and not wanted[name] and value != defaults.get(name))
    ]


def settle_day(day: str) -> str:
    """An ISO date; one before the first day or after tomorrow means as much as these."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return ""
    return min(max(found, FIRST_DAY), datetime.now(UTC).date() + timedelta(days=1)).isoformat()


def settle_changes(given: Given) -> Settled:
    return settle_place(given) | {"since": settle_day(given.get("since", ""))}


def settle_medals(given: Given) -> Settled:
    slugs = Entrant.objects.filter(slug=given.get("model", "")).values_list("slug", flat=True)
    return settle_place(given) | {"model": "".join(slugs)}


def settle_grid(state: BoardState, given: Given) -> Settled:
    subsets = [column["slug"] for column in state.facts.get("columns", ()) if column["slug"] != Subset.OVERALL]
    page = given.get("page", "")
    last = state.facts.get("n_problems", 0)
    return settle_place(given) | {
        "subset": _one_of(given, "subset", subsets),
        "order": _one_of(given, "order", ORDERS),
        "page": page if page.isascii() and page.isdecimal() and len(page) < 7 and 1 < int(page) <= last else "",
        "q": given.get("q", "").strip(),
    }


def settle_comparison(place: Place, wanted: Iterable[str], given: Given) -> Settled:
    """Models by the short name of a run or their slug, each once, in order."""
    known: set[str] = set()
    for run in newest_runs(place.revision, place.split):
        known |= {run.entrant.slug, str(run.uuid)[:8]}
    names = [name if name in known else name[:8] for name in wanted]
    chosen = list(dict.fromkeys(name for name in names if name in known))[:MOST_MODELS]
    return settle_place(given) | {
        **dict(zip("abcdef", chosen)),
        "metric": _one_of(given, "metric", metrics_of(place.benchmark.slug)),
        "problem": given.get("problem", "") if chosen and _has(place.revision, given.get("problem", "")) else "",
    }


def _sort(given: Given, columns: Iterable[str]) -> str:
    sort = given.get("sort", "")
    return sort if sort.removeprefix("-") in columns else ""


def _one_of(given: Given, name: str, known: Iterable[str]) -> str:
    return given.get(name, "") if given.get(name) in known else ""


def _is_organisation(name: str) -> bool:
    return bool(name) and Entrant.objects.filter(organisation=name).exists()


def _has(revision: DatasetRevision, external_id: str) -> bool:
    return bool(external_id) and revision.entries.filter(external_id=external_id).exists()


__all__ = [
    "Settled",
    "settle_board",
    "settle_changes",
    "settle_comparison",
    "settle_day",
    "settle_grid",
    "settle_home",
    "settle_medals",
    "settle_place",
    "settle_query",
]
