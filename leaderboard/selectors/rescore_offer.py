"""After references were corrected: whose stored replies that concerns, what they earn now and would earn then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.db.models import Max

from arena.models import DatasetRevision, Judgment, Problem, Reply, RevisionProblem, Run, Subset
from arena.services.carrying import points_after, revision_before, same_prompts
from leaderboard.models import Standing
from leaderboard.scores import metrics_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_metric, print_points

MOST = 200
MOST_FORETOLD = 400  # replies scored for one page; beyond them the new points show once runs are carried


@dataclass(frozen=True, slots=True)
class Mover:
    """A model with replies to changed problems. Points are those on them; value and rank are the board's headline.

    after: by rule, foretold until the run is carried; a dash where only a judge can say. carried_url: empty until then.
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


def offer_rescore(place: Place) -> RescoreOffer | None:
    """What the newest revision changed against the one before it, and whose replies that concerns."""
    revision = place.revision
    older = None if revision.is_sample else revision_before(revision)
    if older is None:
        return None
    before, after = _entries(older, place.split), _entries(revision, place.split)
    changed = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    if not changed:
        return None
    movers = _movers(place, older, {before[name]: after[name] for name in changed})
    base = f"/b/{place.benchmark.slug}/problems/"
    return RescoreOffer(
        older=older.label,
        newer=revision.label,
        n_changed=len(changed),
        n_new=len(after.keys() - before.keys()),
        n_gone=len(before.keys() - after.keys()),
        problems=tuple((name, f"{base}{quote(name, safe='')}/") for name in changed[:MOST]),
        movers=movers,
        command=f"python manage.py rescore {place.benchmark.slug} --to-revision {revision.label}",
        is_open=any(not mover.carried_url for mover in movers),
    )


def _entries(revision: DatasetRevision, split: str) -> dict[str, int]:
    entries = RevisionProblem.objects.filter(revision=revision, split=split)
    return dict(entries.values_list("external_id", "problem_id"))


def _movers(place: Place, older: DatasetRevision, changed: Mapping[int, int]) -> tuple[Mover, ...]:
    """Published runs on the older revision with replies to problems that changed; changed: old key -> new key."""
    runs = Run.objects.on_board().filter(revision=older, split=place.split, state=Run.State.FINISHED)
    found = []
    left = MOST_FORETOLD
    for run in runs.select_related("entrant", "scorer", "revision__benchmark"):
        replies = list(Reply.objects.filter(run=run, problem__in=changed, withdrawals__isnull=True))
        if replies:
            left -= len(replies)
            found.append(_mover(place, run, replies, changed, may_foretell=left >= 0))
    return tuple(sorted(found, key=lambda mover: (not mover.moves, mover.name.casefold())))


def _mover(
    place: Place, run: Run, replies: Sequence[Reply], changed: Mapping[int, int], *, may_foretell: bool
) -> Mover:
    carried = Run.objects.on_board().filter(carried_from=run, revision=place.revision).select_related("scorer").first()
    earned = _earned(run, [reply.problem_id for reply in replies])
    then: float | None = None
    if carried is not None:
        then = _earned(carried, list(changed.values()))
    elif may_foretell and not run.scorer.judges.exists():
        problems = same_prompts(run, place.revision)
        policy = str(run.scorer.params.get("policy", "corrected"))
        then = sum(points_after(replies, problems, policy).values())
    metric = metrics_of(place.benchmark.slug)[0]
    old, new = _headline(run, metric), _headline(carried, metric)
    whole = print_points(_whole(replies))
    return Mover(
        name=run.entrant.name,
        slug=run.entrant.slug,
        run_url=f"/runs/{run.uuid}/",
        n_replies=len(replies),
        before=f"{print_points(earned)} / {whole}",
        after="–" if then is None else f"{print_points(then)} / {whole}",
        value_before=print_metric(metric, old.value if old else None),
        value_after=print_metric(metric, new.value if new else None),
        rank_before=str(old.rank) if old and old.rank else "–",
        rank_after=str(new.rank) if new and new.rank else "–",
        carried_url=f"/runs/{carried.uuid}/" if carried else "",
        moves=then is not None and abs(then - earned) > 1e-9,
    )


def _earned(run: Run, problem_ids: Sequence[int]) -> float:
    """Points of the run's own scorer on these problems; of two levels the better one counts."""
    rows = Judgment.objects.filter(reply__run=run, reply__problem__in=problem_ids, scorer=run.scorer)
    best = rows.order_by().values("reply").annotate(best=Max("points")).values_list("best", flat=True)
    return float(sum(best))


def _whole(replies: Sequence[Reply]) -> float:
    maxima = dict(Problem.objects.filter(pk__in={r.problem_id for r in replies}).values_list("pk", "max_points"))
    return float(sum(maxima[reply.problem_id] for reply in replies))


def _headline(run: Run | None, metric: str) -> Standing | None:
    """The run's number on its own board, under the scorer that counts there."""
    rows = Standing.objects.filter(run=run, subset__slug=Subset.OVERALL, metric=metric, basis="machine")
    return next((row for row in rows if row.details.get("is_ruling", True)), None) if run else None
