"""After references were corrected: whose stored replies that concerns, and who would move on the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol
from urllib.parse import quote

import numpy as np
from django.db.models import Count

from arena.models import DatasetRevision, Problem, Reply, RevisionProblem, Run, Subset
from arena.results import SampleResult
from leaderboard.board_entries import newest_runs, read_entries
from leaderboard.forecasts import forecast_board
from leaderboard.models import Standing
from leaderboard.page_store import store
from leaderboard.scores import metrics_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_metric, print_points
from leaderboard.vectors import Vectors, to_vectors

MOST = 200
MOST_FORETOLD = 2000  # replies graded for one page; beyond them numbers show once runs are carried
SAMPLE_BYTES = 400


class Foretold(Protocol):
    """What `arena.services.foretelling` says of one run; the view hands it in."""

    @property
    def carried(self) -> Run: ...
    @property
    def samples(self) -> Sequence[SampleResult]: ...
    @property
    def changed(self) -> frozenset[int]: ...
    @property
    def judge_calls(self) -> int: ...


Foretell = Callable[[Run, DatasetRevision], Foretold]


@dataclass(frozen=True, slots=True)
class Mover:
    """A model with replies to changed problems. Points are those on them; value and rank are the board's headline.

    Until the run is carried over, what comes after is foretold. judge_calls: verdicts on changed problems that have to
    be bought; until they are, points and value are spans. carried_url: empty until the run is carried.
    """

    name: str
    slug: str
    run_url: str
    n_replies: int
    before: str
    after: str
    value_before: str
    value_after: str
    rank_before: str
    rank_after: str
    judge_calls: int
    carried_url: str
    moves: bool


@dataclass(frozen=True, slots=True)
class RescoreOffer:
    """After a new revision: which problems changed, and which runs on the older one they concern."""

    older: str
    newer: str
    n_changed: int
    n_new: int
    n_gone: int
    problems: tuple[tuple[str, str], ...]
    movers: tuple[Mover, ...]
    command: str
    is_open: bool
    is_foretold: bool
    judge_calls: int


@dataclass(frozen=True, slots=True)
class _Concerned:
    """A run on the older data with replies to problems that changed, and the run that carries it, if any."""

    run: Run
    n_replies: int
    carried: Run | None


@dataclass(frozen=True, slots=True)
class _Earned:
    """Points on changed problems, from all that is unscored as nothing to all of it in full."""

    low: float
    high: float
    whole: float
    n_unscored: int

    def __str__(self) -> str:
        span = (
            print_points(self.low) if self.low == self.high else f"{print_points(self.low)}–{print_points(self.high)}"
        )
        return f"{span} / {print_points(self.whole)}"


def offer_rescore(place: Place, foretell: Foretell) -> RescoreOffer | None:
    """What the newest revision changed against the one before it, and who moves by that."""
    revision = place.revision
    older = None if revision.is_sample else revision.older
    if older is None:
        return None
    before, after = _entries(older, place.split), _entries(revision, place.split)
    changed = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    if not changed:
        return None
    concerned = _find_concerned(place, older, [before[name] for name in changed])
    foretold = _foretell(place, concerned, foretell)
    movers = _movers(place, concerned, foretold, {before[name]: after[name] for name in changed})
    base = f"/b/{place.benchmark.slug}/problems/"
    return RescoreOffer(
        older=older.label,
        newer=revision.label,
        n_changed=len(changed),
        n_new=len(after.keys() - before.keys()),
        n_gone=len(before.keys() - after.keys()),
        problems=tuple((name, f"{base}{quote(name, safe='')}/{place.query}") for name in changed[:MOST]),
        movers=movers,
        command=f"python manage.py rescore {place.benchmark.slug} --to-revision {revision.label}",
        is_open=any(not mover.carried_url for mover in movers),
        is_foretold=all(one.run.pk in foretold for one in concerned if one.carried is None),
        judge_calls=sum(mover.judge_calls for mover in movers),
    )


def _entries(revision: DatasetRevision, split: str) -> dict[str, int]:
    entries = RevisionProblem.objects.filter(revision=revision, split=split)
    return dict(entries.values_list("external_id", "problem_id"))


def _find_concerned(place: Place, older: DatasetRevision, changed: Sequence[int]) -> list[_Concerned]:
    """Runs that stand on the older revision's board with replies to problems that changed."""
    counts = dict(
        Reply.objects.filter(run__revision=older, problem__in=changed, withdrawals__isnull=True)
        .order_by()
        .values_list("run")
        .annotate(n=Count("pk"))
    )
    standing = [run for run in newest_runs(older, place.split) if run.pk in counts]
    carried = Run.objects.on_board().filter(carried_from__in=counts, revision=place.revision).select_related("scorer")
    by_origin = {run.carried_from_id: run for run in carried}
    return [_Concerned(run, counts[run.pk], by_origin.get(run.pk)) for run in standing]


def _foretell(place: Place, concerned: Sequence[_Concerned], foretell: Foretell) -> dict[int, Foretold]:
    """Run -> what is foretold of it; nothing of runs that are carried, and none where there is too much to grade."""
    waiting = [one for one in concerned if one.carried is None]
    if not waiting or sum(one.n_replies for one in waiting) > MOST_FORETOLD:
        return {}
    key = ("foretold", place.revision.pk, place.split)
    make = lambda: {one.run.pk: foretell(one.run, place.revision) for one in waiting}  # noqa: E731
    return store.remember(key, make, lambda found: SAMPLE_BYTES * sum(len(one.samples) for one in found.values()))


def _movers(
    place: Place,
    concerned: Sequence[_Concerned],
    foretold: Mapping[int, Foretold],
    changed: Mapping[int, int],
) -> tuple[Mover, ...]:
    """changed: old problem's key -> new one's."""
    metric = metrics_of(place.benchmark.slug)[0]
    newcomers = [(one.carried, one.samples) for one in foretold.values()]
    rows = forecast_board(place.revision, place.split, newcomers) if newcomers else {}
    runs = [one.run for one in concerned] + [one.carried for one in concerned if one.carried]
    now = _headlines(runs, place.split, metric)
    samples = _read_samples(place, concerned)
    maxima = dict(Problem.objects.filter(pk__in=[*changed, *changed.values()]).values_list("pk", "max_points"))
    movers = []
    for one in concerned:
        told = foretold.get(one.run.pk)
        then = samples.get(one.carried.pk) if one.carried else to_vectors(told.samples) if told else None
        movers.append(
            _mover(
                one,
                (_earned(samples.get(one.run.pk), changed.keys(), maxima), _earned(then, changed.values(), maxima)),
                (now.get(one.run.pk), now.get(one.carried.pk) if one.carried else rows.get(one.run.pk)),
                told.judge_calls if told else None,
                metric,
            )
        )
    return tuple(sorted(movers, key=lambda mover: (not mover.moves, mover.name.casefold())))


def _read_samples(place: Place, concerned: Sequence[_Concerned]) -> dict[int, Vectors]:
    """Run -> its samples under the scorer that counts, of the runs on the older data and of those that carry them."""
    boards = {place.revision} if any(one.carried for one in concerned) else set()
    boards |= {one.run.revision for one in concerned}
    return {entry.run.pk: entry.machine for board in boards for entry in read_entries(board, place.split)}


def _mover(
    one: _Concerned,
    points: tuple[_Earned | None, _Earned | None],
    rows: tuple[Standing | None, Standing | None],
    judge_calls: int | None,
    metric: str,
) -> Mover:
    """points, rows: before and after. judge_calls: as foretold, None of a run that is carried."""
    places = [str(row.rank) if row and row.rank else "–" for row in rows]
    before, after = points
    waiting = after.n_unscored if after else 0
    return Mover(
        name=one.run.entrant.name,
        slug=one.run.entrant.slug,
        run_url=f"/runs/{one.run.uuid}/",
        n_replies=one.n_replies,
        before=str(before or "–"),
        after=str(after or "–"),
        value_before=_print_value(rows[0], metric),
        value_after=_print_value(rows[1], metric),
        rank_before=places[0],
        rank_after=places[1],
        judge_calls=waiting if judge_calls is None else judge_calls,
        carried_url=f"/runs/{one.carried.uuid}/" if one.carried else "",
        moves=(after is not None and after != before) or (rows[1] is not None and places[0] != places[1]),
    )


def _print_value(row: Standing | None, metric: str) -> str:
    """The value, or while a judge has not spoken the span in which it will lie."""
    if row is None or (row.value is None and row.bound_low is None):
        return "–"
    if row.n_unscored and row.bound_low is not None and row.bound_high is not None:
        return f"{print_metric(metric, row.bound_low, with_unit=False)}–{print_metric(metric, row.bound_high)}"
    return print_metric(metric, row.value)


def _earned(samples: Vectors | None, problem_ids: Iterable[int], maxima: Mapping[int, Decimal]) -> _Earned | None:
    """Points of the replies to these problems."""
    if samples is None:
        return None
    rows = np.flatnonzero(np.isin(samples.problem_ids, list(problem_ids)))
    has_reply = samples.reply_ids[rows] > 0
    attainable = np.array([float(maxima[pk]) for pk in samples.problem_ids[rows].tolist()])
    unscored = has_reply & np.isnan(samples.points[rows])
    return _Earned(
        low=round(float(samples.low[rows][has_reply].sum()), 6),
        high=round(float(samples.high[rows][has_reply].sum()), 6),
        whole=float((has_reply * attainable[:, None]).sum()),
        n_unscored=int(unscored.sum()),
    )


def _headlines(runs: Sequence[Run], split: str, metric: str) -> dict[int, Standing]:
    """Run -> its number over everything on the board of this split, under the scorer that counts there."""
    rows = Standing.objects.filter(run__in=runs, split=split, metric=metric, basis=Standing.Basis.MACHINE)
    found = rows.filter(subset__slug=Subset.OVERALL)
    return {row.run_id: row for row in found if row.details.get("is_ruling", True)}
