"""What changed on a board: read from the records of truth, so that it needs no log of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from urllib.parse import quote

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import (
    AuditEvent,
    DatasetRevision,
    Judgment,
    ReportedResult,
    Review,
    Run,
    Scorer,
    Withdrawal,
)
from leaderboard.models import Standing
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.moves import Moves, read_moves
from leaderboard.selectors.rescore_offer import Foretell, RescoreOffer, offer_rescore
from leaderboard.selectors.standing_words import mark_in_words
from leaderboard.sentences import say_sentence

MOST = 200


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the changelog. kind: revision, run, withdrawal, scorer, review or reported."""

    at: datetime
    kind: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    place: Place
    since: str
    entries: tuple[Change, ...]
    n_left_out: int
    stale: tuple[str, ...]
    rescore_command: str
    offer: RescoreOffer | None
    moves: Moves


def read_changes(place: Place, foretell: Foretell, since: str = "") -> Changes:
    """foretell: says what a run would earn on other data; see `offer_rescore`."""
    start = _parse(since)
    found = sorted(_collect(place, start), key=lambda change: change.at, reverse=True)
    stale = (
        Standing.objects.filter(revision=place.revision, split=place.split, run__is_own_judge=False)
        .exclude(scorer=place.benchmark.scorer_id)
        .exclude(details__is_ruling=False)
        .order_by("entrant__name")
        .values_list("entrant__name", flat=True)
        .distinct()
    )
    scorer = place.benchmark.scorer
    return Changes(
        place=place,
        since=start.date().isoformat() if start else "",
        entries=tuple(found[:MOST]),
        n_left_out=max(0, len(found) - MOST),
        stale=tuple(stale),
        rescore_command=f"python manage.py rescore {place.benchmark.slug}"
        + (f" --scorer {scorer.name}@{scorer.version}" if scorer else ""),
        offer=offer_rescore(place, foretell),
        moves=read_moves(place, start),
    )


def _parse(since: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(since), datetime.min.time(), UTC)
    except ValueError:
        return None


def _after(at: datetime | None, start: datetime | None) -> bool:
    return at is not None and (start is None or at >= start)


def _collect(place: Place, start: datetime | None) -> Iterable[Change]:
    yield from _revisions(place, start)
    runs = list(
        Run.objects.filter(revision=place.revision, split=place.split, published_at__isnull=False)
        .select_related("entrant", "scorer", "carried_from__revision")
        .order_by("published_at")
    )
    for run in runs:
        if _after(run.published_at, start):
            text = _("%(model)s: new run, %(n)d samples, %(mark)s") % {
                "model": run.entrant.name,
                "n": run.planned,
                "mark": mark_in_words(run.provenance),
            }
            if run.carried_from:
                text = _("%(model)s: replies given on data %(label)s, scored again") % {
                    "model": run.entrant.name,
                    "label": run.carried_from.revision.label,
                }
            yield Change(run.published_at, "run", text, f"/runs/{run.uuid}/")  # type: ignore[arg-type]
    yield from _withdrawals(place, start)
    yield from _rescorings(runs, start)
    yield from _scorers(place, start)
    yield from _reviews(place, start)
    yield from _reported(place, start)


def _revisions(place: Place, start: datetime | None) -> Iterable[Change]:
    for revision in DatasetRevision.objects.filter(benchmark=place.benchmark).order_by("created_at"):
        if _after(revision.created_at, start):
            text = _("Data %(label)s imported (%(sha)s)") % {"label": revision.label, "sha": revision.sha256[:8]}
            yield Change(
                revision.created_at, "revision", text, f"/b/{place.benchmark.slug}/?revision={quote(revision.label)}"
            )


def _withdrawals(place: Place, start: datetime | None) -> Iterable[Change]:
    rows = Withdrawal.objects.filter(run__revision=place.revision) | Withdrawal.objects.filter(
        reply__run__revision=place.revision
    )
    for row in rows.select_related("run__entrant", "reply__run__entrant"):
        if _after(row.created_at, start):
            name = row.run.entrant.name if row.run else row.reply.run.entrant.name  # type: ignore[union-attr]
            what = _("run withdrawn") if row.run else _("reply withdrawn")
            text = _("%(model)s: %(what)s: %(reason)s") % {"model": name, "what": what, "reason": row.reason}
            yield Change(row.created_at, "withdrawal", text)


def _rescorings(runs: Sequence[Run], start: datetime | None) -> Iterable[Change]:
    """A scorer's first judgment of a run that another scorer had judged first."""
    own = {run.pk: run for run in runs}
    rows = (
        Judgment.objects.filter(reply__run__in=own)
        .exclude(scorer__in={run.scorer_id for run in runs})
        .values("reply__run", "scorer__name", "scorer__version")
        .annotate(at=Min("created_at"), n=Count("pk"))
    )
    for row in rows:
        if _after(row["at"], start):
            text = _("%(model)s: %(n)d judgments by %(scorer)s") % {
                "model": own[row["reply__run"]].entrant.name,
                "n": row["n"],
                "scorer": f"{row['scorer__name']} {row['scorer__version']}",
            }
            yield Change(row["at"], "scorer", text, f"/runs/{own[row['reply__run']].uuid}/")


def _scorers(place: Place, start: datetime | None) -> Iterable[Change]:
    """Which scorer's numbers ranked from when on."""
    events = AuditEvent.objects.filter(benchmark=place.benchmark, act="current-scorer").order_by("created_at")
    digests = [(event.created_at, str(event.after.get("scorer", ""))) for event in events]
    names = {scorer.digest: str(scorer) for scorer in Scorer.objects.filter(digest__in=[d for _at, d in digests])}
    for at, digest in digests:
        if digest in names and _after(at, start):
            text = _("%(scorer)s ranks from now on") % {"scorer": names[digest]}
            yield Change(at, "scorer", text, reverse("scorer", args=[digest]))


def _reviews(place: Place, start: datetime | None) -> Iterable[Change]:
    """One line a model and day: how many parts people decided, and how many they changed."""
    rows = Review.objects.filter(
        judgment__reply__run__revision=place.revision, judgment__reply__run__split=place.split
    ).exclude(item__is_calibration=True)
    days: dict[tuple[str, date], list[datetime]] = {}
    changed: Counter[tuple[str, date]] = Counter()
    for name, at, decision in rows.values_list("judgment__reply__run__entrant__name", "created_at", "decision"):
        if _after(at, start):
            days.setdefault((name, at.date()), []).append(at)
            changed[name, at.date()] += decision == Review.Decision.OVERRIDE
    for (name, day), times in days.items():
        text = ngettext("%(n)d part reviewed", "%(n)d parts reviewed", len(times)) % {"n": len(times)}
        said = {"model": name, "parts": text, "n": changed[name, day]}
        yield Change(max(times), "review", _("%(model)s: %(parts)s, %(n)d changed") % said)


def _reported(place: Place, start: datetime | None) -> Iterable[Change]:
    rows = (
        ReportedResult.objects.filter(benchmark=place.benchmark, split=place.split)
        .values("source", "date")
        .annotate(at=Min("created_at"), n=Count("pk"))
    )
    for row in rows:
        if _after(row["at"], start):
            said = {**row, "source": say_sentence(row["source"])}
            text = ngettext(
                "%(n)d published number from %(source)s (%(date)s)",
                "%(n)d published numbers from %(source)s (%(date)s)",
                row["n"],
            )
            text %= said
            yield Change(row["at"], "reported", text)
