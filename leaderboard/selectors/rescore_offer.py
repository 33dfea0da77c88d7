"""After references were corrected: whose stored replies that concerns, and who would move on the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from django.db.models import Count, Max

from arena.models import DatasetRevision, Judgment, Problem, Reply, RevisionProblem, Run, Subset
from arena.results import SampleResult
from leaderboard.board_entries import newest_runs
from leaderboard.forecasts import forecast_board
from leaderboard.models import Standing
from leaderboard.page_store import store
from leaderboard.scores import metrics_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_metric, print_points

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

    Until the run is carried over, what comes after is foretold; it is empty where only a judge can say. judge_calls:
    verdicts that would have to be bought. carried_url: empty until then.
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
    movers = [
        _mover(
            one,
            foretold.get(one.run.pk),
            now.get(one.run.pk),
            now.get(one.carried.pk) if one.carried else rows.get(one.run.pk),
            changed,
            metric,
        )
        for one in concerned
    ]
    return tuple(sorted(movers, key=lambda mover: (not mover.moves, mover.name.casefold())))


def _mover(
    one: _Concerned,
    foretold: Foretold | None,
    old: Standing | None,
    new: Standing | None,
    changed: Mapping[int, int],
    metric: str,
) -> Mover:
    earned = _earned(one.run, changed.keys())
    then = _earned(one.carried, changed.values()) if one.carried else _earned_then(foretold)
    whole = print_points(_whole(one, changed))
    places = [str(row.rank) if row and row.rank else "–" for row in (old, new)]
    values = [_print_value(row, metric) for row in (old, new)]
    return Mover(
        name=one.run.entrant.name,
        slug=one.run.entrant.slug,
        run_url=f"/runs/{one.run.uuid}/",
        n_replies=one.n_replies,
        before=f"{print_points(earned)} / {whole}",
        after="–" if then is None else f"{print_points(then)} / {whole}",
        value_before=values[0],
        value_after=values[1],
        rank_before=places[0],
        rank_after=places[1],
        judge_calls=foretold.judge_calls if foretold else 0,
        carried_url=f"/runs/{one.carried.uuid}/" if one.carried else "",
        moves=(then is not None and abs(then - earned) > 1e-9) or (new is not None and places[0] != places[1]),
    )


def _print_value(row: Standing | None, metric: str) -> str:
    """The value, or while a judge has not spoken the span in which it will lie."""
    if row is None or (row.value is None and row.bound_low is None):
        return "–"
    if row.n_unscored and row.bound_low is not None and row.bound_high is not None:
        return f"{print_metric(metric, row.bound_low, with_unit=False)}–{print_metric(metric, row.bound_high)}"
    return print_metric(metric, row.value)


def _earned(run: Run, problem_ids: Sequence[int] | Mapping[int, int]) -> float:
    """Points of the run's own scorer on these problems; of two levels the better one counts."""
    rows = Judgment.objects.of_run(run, run.scorer).filter(reply__problem__in=list(problem_ids))
    best = rows.order_by().values("reply").annotate(best=Max("points")).values_list("best", flat=True)
    return float(sum(best))


def _earned_then(foretold: Foretold | None) -> float | None:
    """Points on changed problems; None while one of them waits for a judge."""
    if foretold is None:
        return None
    points = [sample.points for sample in foretold.samples if sample.reply_id in foretold.changed]
    return None if None in points else float(sum(p for p in points if p is not None))


def _whole(one: _Concerned, changed: Mapping[int, int]) -> float:
    """Attainable points of the replies to changed problems."""
    replies = Reply.objects.filter(run=one.run, problem__in=list(changed), withdrawals__isnull=True)
    maxima = dict(Problem.objects.filter(pk__in=list(changed)).values_list("pk", "max_points"))
    return float(sum(maxima[pk] for pk in replies.values_list("problem_id", flat=True)))


def _headlines(runs: Sequence[Run], split: str, metric: str) -> dict[int, Standing]:
    """Run -> its number over everything on the board of this split, under the scorer that counts there."""
    rows = Standing.objects.filter(run__in=runs, split=split, metric=metric, basis=Standing.Basis.MACHINE)
    found = rows.filter(subset__slug=Subset.OVERALL)
    return {row.run_id: row for row in found if row.details.get("is_ruling", True)}
