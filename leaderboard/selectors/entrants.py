"""A model's page: where it stands, and every run of it with what became of it, the older ones too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Entrant, Run, Subset
from leaderboard.board_entries import find_successors
from leaderboard.models import Standing
from leaderboard.past_boards import measure_run
from leaderboard.scores import metrics_of
from leaderboard.selectors.board_rows import DIGEST_DIGITS
from leaderboard.selectors.catalog import Place, list_splits
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.standing_words import mark_in_words, reason_in_words
from leaderboard.sentences import join_words

MOST_RUNS = 100


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run. number: its headline over everything, as its own board shows or showed it.

    fate: why it stands on the board, stands there without a rank, or stands there no more; newer: the run that took
    its place.
    """

    name: str
    url: str
    board: str
    board_url: str
    revision: str
    split: str
    at: datetime
    is_published: bool
    state: str
    settings: str
    scorer: str
    scorer_url: str
    metric: str
    value: str
    interval: str
    receipt: str
    fate: str
    newer: str
    newer_url: str
    newer_at: datetime | None
    stands: bool


@dataclass(frozen=True, slots=True)
class EntrantPage:
    entrant: Entrant
    about: str
    released: date | None
    standing: tuple[RunLine, ...]
    older: tuple[RunLine, ...]
    n_left_out: int


def read_entrant(slug: str, user: object) -> EntrantPage:
    """Runs that this visitor may see, the newest first. Raises Http404 where there is nothing to see."""
    entrant = Entrant.objects.filter(slug=slug).first()
    if entrant is None:
        raise Http404
    visible = Run.objects.visible_to(user).filter(entrant=entrant)
    runs = list(
        visible.select_related("entrant", "revision__benchmark__scorer", "scorer", "owner", "endpoint", "carried_from")
        .prefetch_related("withdrawals")
        .order_by("-created_at")[: MOST_RUNS + 1]
    )
    if not runs and not _is_known(entrant, user):
        raise Http404  # only private runs: that the model exists is their owner's business
    lines = list(_read_lines(runs[:MOST_RUNS]))
    return EntrantPage(
        entrant=entrant,
        about=join_words((entrant.organisation, _say_weights(entrant))),
        released=entrant.release_date,
        standing=tuple(line for line in lines if line.stands),
        older=tuple(line for line in lines if not line.stands),
        n_left_out=max(0, visible.count() - MOST_RUNS),
    )


def _say_weights(entrant: Entrant) -> str:
    if entrant.open_weights is None:
        return ""
    return _("open weights") if entrant.open_weights else _("closed")


def _is_known(entrant: Entrant, user: object) -> bool:
    is_own = entrant.owner_id is not None and entrant.owner_id == getattr(user, "pk", 0)
    is_shown = entrant.reported.exists() or entrant.baseline_scores.exists()
    return is_own or is_shown or bool(getattr(user, "is_maintainer", False))


def _read_lines(runs: Sequence[Run]) -> Iterable[RunLine]:
    standings = _headlines(runs)
    successors = find_successors(run for run in runs if _is_on_board(run))
    for run in runs:
        row = standings.get(run.pk)
        newer = successors.get(run.pk)
        if row is None and _is_on_board(run):
            row = next((row for row in measure_run(run) if _is_headline(row)), None)
        yield _make_line(run, row, newer, is_on_board=run.pk in standings)


def _is_on_board(run: Run) -> bool:
    is_public = run.published_at is not None and not run.withdrawals.all()
    return is_public and run.state == Run.State.FINISHED


def _headlines(runs: Sequence[Run]) -> Mapping[int, Standing]:
    """Run -> its headline number on its own board, under the scorer that counts there."""
    rows = Standing.objects.filter(run__in=runs, subset__slug=Subset.OVERALL, basis=Standing.Basis.MACHINE)
    return {
        row.run_id: row
        for row in rows.select_related("run", "benchmark", "subset", "scorer")
        if row.split == row.run.split and row.details.get("is_ruling", True) and _is_headline(row)
    }


def _is_headline(row: Standing) -> bool:
    is_machine = row.basis == Standing.Basis.MACHINE
    return row.subset.slug == Subset.OVERALL and is_machine and row.metric == metrics_of(row.benchmark.slug)[0]


def _make_line(run: Run, row: Standing | None, newer: Run | None, *, is_on_board: bool) -> RunLine:
    revision, scorer = run.revision, row.scorer if row else run.scorer
    place = Place(revision.benchmark, revision, run.split, list_splits(revision))
    return RunLine(
        name=_short(run),
        url=reverse("run", args=[run.uuid]),
        board=place.title,
        board_url=reverse("board", args=[revision.benchmark.slug]) + place.query,
        revision=revision.label,
        split=run.split,
        at=run.published_at or run.created_at,
        is_published=run.published_at is not None,
        state=run.state,
        settings=_describe_settings(run),
        scorer=str(scorer) if scorer else "",
        scorer_url=reverse("scorer", args=[scorer.digest]) if scorer else "",
        metric=metric_label(row.metric) if row else "",
        value=print_metric(row.metric, row.value) if row else "–",
        interval=_print_interval(row) if row else "",
        receipt=place.receipt_url(run, row.metric, scorer=row.scorer.digest[:DIGEST_DIGITS]) if row else "",
        fate=_describe_fate(run, row, newer),
        newer=_short(newer) if newer else "",
        newer_url=reverse("run", args=[newer.uuid]) if newer else "",
        newer_at=newer.published_at if newer else None,
        stands=is_on_board and revision.is_current,
    )


def _short(run: Run) -> str:
    return str(run.uuid)[:8]


def _print_interval(row: Standing) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"{print_metric(row.metric, row.low, with_unit=False)} – {print_metric(row.metric, row.high)}"


def _describe_settings(run: Run) -> str:
    """What tells runs of one model apart."""
    parts = [
        ngettext("%(n)d shot", "%(n)d shots", run.shots) % {"n": run.shots} if run.shots else "",
        ngettext("%(n)d repeat", "%(n)d repeats", run.repeats) % {"n": run.repeats} if run.repeats > 1 else "",
        _("prompt %(digest)s") % {"digest": run.prompt_digest[:8]} if run.prompt_digest else "",
        mark_in_words(run.provenance),
    ]
    return join_words(parts)


def _describe_fate(run: Run, row: Standing | None, newer: Run | None) -> str:
    """Why a run stands where it stands; a run that is still going on has no fate yet."""
    if run.withdrawals.all():
        return _("withdrawn: %(reason)s") % {"reason": run.withdrawals.all()[0].reason}
    if run.published_at is None:
        return _("not published")
    if newer is not None:
        return _("superseded: a newer run under the same settings took its place")
    if not run.revision.is_current:
        return _("stands on older data")
    if row is None or row.rank is None:
        return _("not ranked: %(reason)s") % {"reason": reason_in_words(row.unranked_reason if row else "undefined")}
    if row.rank_low == row.rank_high:
        return _("rank %(rank)d") % {"rank": row.rank}
    return _("rank %(rank)d (%(low)d–%(high)d)") % {"rank": row.rank, "low": row.rank_low, "high": row.rank_high}
