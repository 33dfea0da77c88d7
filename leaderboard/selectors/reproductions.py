"""The same model as reported elsewhere and as measured here: difference with interval, and the settings that differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.models import ReportedResult, Subset
from leaderboard.models import Standing
from leaderboard.selectors.board_rows import Source
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.formats import metric_label, print_metric, print_signed
from leaderboard.selectors.reported_rows import list_settings
from leaderboard.sentences import say_sentence


@dataclass(frozen=True, slots=True)
class Reproduction:
    """One metric of one model in one column, reported and measured. includes_zero None: no interval to say it by."""

    name: str
    slug: str
    column: str
    metric: str
    reported: str
    measured: str
    interval: str
    difference: str
    difference_interval: str
    includes_zero: bool | None
    differs: tuple[str, ...]
    sources: tuple[Source, ...]
    receipt: str


def read_reproductions(place: Place) -> tuple[Reproduction, ...]:
    """Every number that both exist of, the newest reading of each source; nothing on the sample set."""
    if place.revision.is_sample:
        return ()
    standings = Standing.objects.filter(revision=place.revision, split=place.split, basis="machine").select_related(
        "run__entrant", "entrant", "subset", "scorer"
    )
    measured: dict[tuple[int, str, str], list[Standing]] = {}
    for row in standings:
        if row.details.get("is_ruling", True) and row.value is not None and not row.run.partial:
            measured.setdefault((row.entrant_id, row.subset.slug, row.metric), []).append(row)
    reported = (
        ReportedResult.objects.filter(
            benchmark=place.benchmark, split=place.split, superseded_by__isnull=True,
            entrant__in={key[0] for key in measured},
        )
        .select_related("entrant")
        .order_by("entrant__name", "subset", "metric", "date", "pk")
    )  # fmt: skip
    judges = {judge.model for judge in place.benchmark.scorer.judges.all()} if place.benchmark.scorer else set()
    found = []
    for number in reported:
        for row in measured.get((number.entrant_id, number.subset, number.metric), ()):
            found.append(_compare(place, number, row, judges))
    return _join_sources(found)


def _join_sources(rows: Iterable[Reproduction]) -> tuple[Reproduction, ...]:
    """Sources that say the same under the same settings share a line."""
    found: dict[Reproduction, tuple[Source, ...]] = {}
    for row in rows:
        same = replace(row, sources=())
        found[same] = found.get(same, ()) + row.sources
    return tuple(replace(row, sources=sources) for row, sources in found.items())


def _compare(place: Place, number: ReportedResult, row: Standing, judges: set[str]) -> Reproduction:
    """The published number has no error of its own, so the interval is that of the measured one."""
    assert row.value is not None
    gap = row.value - number.value
    has_interval = row.low is not None and row.high is not None
    ends = (row.low - number.value, row.high - number.value) if has_interval else None  # type: ignore[operator]
    return Reproduction(
        name=number.entrant.name,
        slug=number.entrant.slug,
        column="" if number.subset == Subset.OVERALL else say_subset(row.subset),
        metric=metric_label(number.metric),
        reported=print_metric(number.metric, number.value),
        measured=print_metric(number.metric, row.value),
        interval=f"{print_metric(number.metric, row.low)} – {print_metric(number.metric, row.high)}"
        if has_interval
        else "",
        difference=print_signed(number.metric, gap),
        difference_interval=f"{print_signed(number.metric, ends[0])} … {print_signed(number.metric, ends[1])}"
        if ends
        else "",
        includes_zero=None if ends is None else ends[0] <= 0 <= ends[1],
        differs=tuple(settings_that_differ(number, row, judges)),
        sources=(Source(number.source, number.source_url, number.date),),
        receipt=f"/b/{place.benchmark.slug}/receipt/{str(row.run.uuid)[:8]}/{row.subset.slug}/{row.metric}/",
    )


def settings_that_differ(number: ReportedResult, row: Standing, judges: set[str]) -> list[str]:
    """What was set otherwise there than here, in words; what the source does not tell is said too."""
    run, found = row.run, []
    if number.repeats is not None and number.repeats != run.repeats:
        found.append(_("repeats %(there)s, here %(here)s") % {"there": number.repeats, "here": run.repeats})
    here = run.params.get("temperature")
    if number.temperature is not None and here is not None and float(here) != number.temperature:
        found.append(
            _("temperature %(there)s, here %(here)s") % {"there": f"{number.temperature:g}", "here": f"{here:g}"}
        )
    if number.judge and number.judge not in judges:
        found.append(
            _("judge %(there)s, here %(here)s") % {"there": number.judge, "here": ", ".join(sorted(judges)) or "–"}
        )
    if number.style and number.style not in ("text-deredundancy", run.style):
        found.append(_("input style %(there)s") % {"there": number.style})
    if not list_settings(number):
        found.append(_("the source states no settings"))
    elif number.setting:
        found.append(say_sentence(number.setting))
    return found
