"""The receipt of one number: what it is, how sure, what it was measured on and with, and how to repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from arena.models import Run, Subset
from leaderboard.models import BoardState, Standing
from leaderboard.past_boards import measure_run, read_past_board
from leaderboard.selectors.bibtex import make_entry
from leaderboard.selectors.board_filters import measure_slice, name_slice
from leaderboard.selectors.board_query import BoardQuery, print_moment
from leaderboard.selectors.board_rows import DIGEST_DIGITS, names_scorer, to_cell
from leaderboard.selectors.catalog import Place, localised
from leaderboard.selectors.fields import say_subset
from leaderboard.selectors.formats import metric_label, print_metric, print_share
from leaderboard.selectors.kinds import say_parameters
from leaderboard.selectors.repeat_command import repeat_command
from leaderboard.selectors.run_rows import find_scorer
from leaderboard.selectors.standing_words import basis_in_words, interval_in_words, mark_in_words, reason_in_words
from leaderboard.sentences import join_words, say_sentence


@dataclass(frozen=True, slots=True)
class Receipt:
    """All that `_receipt.html` prints, and what its page adds."""

    value: str
    label: str
    entrant: str
    low: str | None
    high: str | None
    interval_kind: str
    n: str
    scored: int
    planned: int
    part: str
    benchmark: str
    revision: str
    split: str
    shots: int
    prompt: str
    scorer: str
    scorer_url: str
    judge: str
    reviewed: str
    provenance: str
    date: str
    command: str
    text: str
    latex: str
    bibtex: str
    url: str
    place: str
    bounds: str
    run_url: str
    replies_url: str
    parameters: tuple[tuple[str, str], ...]


def read_receipt(place: Place, state: BoardState, query: BoardQuery, run: str, subset: str, metric: str) -> Receipt:
    """run: the first eight digits of its uuid. Raises Http404 where the number does not stand on this board."""
    if len(run) < 8 or not all(c in "0123456789abcdef-" for c in run):
        raise Http404
    rows = [
        row
        for row in _read_rows(place, state, query, run)
        if str(row.run.uuid).startswith(run) and row.subset.slug == subset
        if row.metric == metric and row.basis == query.basis
    ]
    row = min(rows, key=lambda row: (row.split != place.split, not _is_asked_for(row, query)), default=None)
    if row is None:
        raise Http404
    if query.has_slice:
        row = _slice(place, state, query, row)
    return _make(place, row, query, _print_state(state, query))


def _read_rows(place: Place, state: BoardState, query: BoardQuery, run: str) -> Sequence[Standing]:
    """Rows of this run: of the board as it is or was at the moment asked for, or of the run alone that left it."""
    if query.moment and not (state.changed_at and query.moment >= state.changed_at):
        scorer = find_scorer(place, query.scorer) if query.scorer else place.benchmark.scorer
        return read_past_board(place.revision, place.split, query.moment, scorer).rows
    found = Standing.objects.filter(benchmark=place.benchmark, run__uuid__startswith=run).select_related(
        "run__entrant", "run__endpoint", "entrant", "scorer", "subset", "revision__benchmark"
    )
    if rows := list(found):  # of older data too: its rows stand stale on the board of now
        return rows
    runs = Run.objects.on_board().filter(state=Run.State.FINISHED, uuid__startswith=run)
    runs = runs.filter(revision__benchmark=place.benchmark)
    older = runs.select_related("entrant", "endpoint", "scorer", "revision__benchmark__scorer").first()
    return measure_run(older) if older else ()


def _is_asked_for(row: Standing, query: BoardQuery) -> bool:
    if query.scorer:
        return names_scorer(query.scorer, str(row.scorer), row.scorer.digest)
    return bool(row.details.get("is_ruling", True))


def _slice(place: Place, state: BoardState, query: BoardQuery, row: Standing) -> Standing:
    """The row with the number of some problems only; its place stays that of the whole board."""
    values = measure_slice(place, state.facts, query, row.subset.slug, row.metric)
    found = values.get((str(row.run.uuid)[:8], str(row.scorer)))
    if found is None:
        raise Http404
    cell = found.cell
    row.value, row.low, row.high, row.interval_kind = cell.value, cell.low, cell.high, cell.interval_kind
    row.n_problems, row.n_scored, row.n_unscored = found.n_problems, found.n_scored, 0
    row.details = {**row.details, "note": cell.note, "n_planned": found.n_planned}
    return row


def _print_state(state: BoardState, query: BoardQuery) -> str:
    """The moment that a permanent link names."""
    return query.as_of or (print_moment(state.changed_at) if state.changed_at else "")


def _make(place: Place, row: Standing, query: BoardQuery, as_of: str) -> Receipt:
    run = row.run
    label = _label(place, row, query)
    value = print_metric(row.metric, row.value)
    url = _permalink(place, row, query, as_of)
    day = run.finished_at.date().isoformat() if run.finished_at else ""
    with override("en"):  # what is copied stands in papers
        text, latex, bibtex = _cite(place, row, query, value, url, day)
    return Receipt(
        value=value,
        label=label,
        entrant=row.entrant.name,
        low=None if row.low is None else print_metric(row.metric, row.low),
        high=None if row.high is None else print_metric(row.metric, row.high),
        interval_kind=say_sentence(row.interval_kind),
        n=_describe_n(row, run),
        scored=row.n_scored,
        planned=row.n_planned,
        part=_describe_part(row),
        benchmark=place.title,
        revision=row.revision.label,
        split=row.split,
        shots=run.shots,
        prompt=run.prompt_digest[:12],
        scorer=f"{row.scorer} · {row.scorer.digest[:12]}",
        scorer_url=reverse("scorer", args=[row.scorer.digest]),
        judge=", ".join(judge.model for judge in row.scorer.judges.all()),
        reviewed=_reviewed(row),
        provenance=_provenance(run),
        date=day,
        command=repeat_command(run, row.scorer, row.revision),
        text=text,
        latex=latex,
        bibtex=bibtex,
        url=url,
        place=_describe_place(row),
        bounds=_describe_bounds(row),
        run_url=reverse("run", args=[run.uuid]),
        replies_url=_replies_url(run, row),
        parameters=tuple(say_parameters(run.params)),
    )


def _permalink(place: Place, row: Standing, query: BoardQuery, as_of: str) -> str:
    """Leads back to exactly this number: data, split, scorer and moment written out."""
    path = reverse("receipt", args=[place.benchmark.slug, str(row.run.uuid)[:8], row.subset.slug, row.metric])
    exactly = {"revision": row.revision.label, "split": row.split, "scorer": row.scorer.digest[:DIGEST_DIGITS]}
    wanted = query.of_numbers | exactly | ({"as_of": as_of} if as_of else {})
    return f"{settings.SITE_URL}{path}?{urlencode(wanted)}"


def _label(place: Place, row: Standing, query: BoardQuery) -> str:
    """Whose number it is, of which board, and of which part of it."""
    column = "" if row.subset.slug == Subset.OVERALL else say_subset(row.subset)
    basis = "" if row.basis == Standing.Basis.MACHINE else basis_in_words(row.basis)
    board = localised(place.benchmark, "title")
    about = join_words((metric_label(row.metric), board, column, name_slice(query), basis))
    return _("%(model)s: %(number)s") % {"model": row.entrant.name, "number": about}


def _cite(place: Place, row: Standing, query: BoardQuery, value: str, url: str, day: str) -> tuple[str, str, str]:
    """The number as plain text, as LaTeX and as BibTeX."""
    label, words = _label(place, row, query), interval_in_words(row.metric, to_cell(row))
    version = f"data {row.revision.label}, {row.split}, scorer {row.scorer}"
    text = f"{label}: {value}{f' ({words})' if words else ''}; n = {row.n_planned}; {version}; {day}. {url}"
    return text, _latex(label, value, row), _bibtex(place, label, value, url, day, version)


def _replies_url(run: Run, row: Standing) -> str:
    """The list of the replies that the number is made of."""
    wanted = {"subset": "" if row.subset.slug == Subset.OVERALL else row.subset.slug}
    wanted["split"] = "" if row.split == run.split else row.split
    query = urlencode({name: value for name, value in wanted.items() if value})
    return f"{reverse('run', args=[run.uuid])}{'?' if query else ''}{query}#replies"


def _describe_n(row: Standing, run: Run) -> str:
    n = str(row.n_planned)
    return n if run.repeats == 1 else f"{n} × {run.repeats}"


def _describe_part(row: Standing) -> str:
    """How much of the column a limited run was asked; empty for a whole one."""
    if row.n_planned == row.n_problems:
        return ""
    return _("%(n)d of the %(all)d problems were asked") % {"n": row.n_planned, "all": row.n_problems}


def _reviewed(row: Standing) -> str:
    share = row.details.get("reviewed")
    return _("%(share)s of the scored replies") % {"share": print_share(share)} if share else ""


def _describe_place(row: Standing) -> str:
    if row.rank is None:
        return _("not ranked: %(reason)s") % {"reason": reason_in_words(row.unranked_reason)}
    place = {"rank": row.rank, "low": row.rank_low, "high": row.rank_high, "tier": row.tier}
    test = say_sentence(row.details.get("test") or "")
    words = [
        _("rank %(rank)d") % place,
        _("between %(low)d and %(high)d") % place if row.rank_low != row.rank_high else "",
        _("tier %(tier)d") % place if test else "",
        _("%(test)s, Holm") % {"test": test} if test else _("nobody else to compare with"),
    ]
    return join_words(words)


def _describe_bounds(row: Standing) -> str:
    if not row.n_unscored or row.bound_low is None or row.bound_high is None:
        return ""
    return _("%(n)d samples are unscored: as nothing %(low)s, in full %(high)s") % {
        "n": row.n_unscored,
        "low": print_metric(row.metric, row.bound_low),
        "high": print_metric(row.metric, row.bound_high),
    }


def _latex(label: str, value: str, row: Standing) -> str:
    number = value.replace("\u202f", r"\,").replace("%", r"\%")
    if row.low is None or row.high is None:
        return f"${number}$ % {label}"
    low, high = (print_metric(row.metric, bound, with_unit=False) for bound in (row.low, row.high))
    return f"${number}\\;[{low}, {high}]$ % {label}, 95 % interval, {row.interval_kind}, n = {row.n_planned}"


def _bibtex(place: Place, label: str, value: str, url: str, day: str, version: str) -> str:
    fields = {"title": f"{label}: {value}", "year": day[:4], "note": version}
    return make_entry(f"proctor-{place.benchmark.slug}-{day.replace('-', '')}", fields, url=url)


def _provenance(run: Run) -> str:
    """How the number came to be; of a carried run also where its replies are from."""
    words = mark_in_words(run.provenance)
    if run.carried_from is None:
        return words
    label = run.carried_from.revision.label
    return _("%(words)s; replies given on data %(label)s, scored again") % {"words": words, "label": label}
