"""Who solves what: problems by models, hardest first, every cell a way to the reply."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import Http404
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext
from numpy.typing import NDArray
from PIL import Image

from arena.models import Problem, Reply
from leaderboard.board_entries import read_entries
from leaderboard.page_store import store
from leaderboard.problem_index import read_index
from leaderboard.rendering.excerpt import excerpt_html
from leaderboard.scores import FULL_SHARE, make_sheet, mark_solved, values_of
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.run_settings import name_entries
from leaderboard.selectors.wordings import say_group, say_outcome
from leaderboard.statistics.intervals import average_repeats
from leaderboard.vectors import STATUSES, Floats, Ints

PLAIN = ("right", "partial", "wrong")
ORDERS = ("hard", "easy", "official")
CELLS_A_PAGE = 1200
ROW_PX = 10
RIGHT, PARTIAL, WRONG, OTHER, NOTHING = range(5)
# As tokens.css has them for the light theme: right, partial, wrong, another outcome, nothing asked.
PALETTE = (0x0B, 0x63, 0xA5, 0x8E, 0x78, 0xBD, 0xE3, 0x9A, 0x66, 0x9A, 0x9E, 0xA3, 0xF2, 0xF1, 0xEC)
TEXTBOX_LANGUAGES = {"zh": "zh-Hans"}


@dataclass(frozen=True, slots=True)
class GridModel:
    name: str
    slug: str
    solved: str


@dataclass(frozen=True, slots=True)
class GridCell:
    """outcome: right, partial, wrong or a status, empty where the run never had the problem. label: model, outcome."""

    outcome: str
    href: str
    label: str


@dataclass(frozen=True, slots=True)
class GridRow:
    external_id: str
    url: str
    excerpt: SafeString
    language: str
    subset: str
    points: str
    solved: str
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    place: Place
    models: tuple[GridModel, ...]
    rows: tuple[GridRow, ...]
    page: Page
    page_range: tuple[object, ...]
    order: str
    subset: str
    query: str
    subsets: tuple[tuple[str, str], ...]
    n_problems: int
    picture: str
    picture_query: str
    picture_size: tuple[int, int]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What the marks of this page mean: the plain three, and whichever else stands on it."""
        found = {cell.outcome for row in self.rows for cell in row.cells if cell.outcome}
        others = (name for name in STATUSES if name in found and name not in PLAIN)
        return (*PLAIN, *others)


@dataclass(frozen=True, slots=True)
class GridRun:
    """short: the run's first digits, as addresses name it."""

    name: str
    slug: str
    short: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """n problems in official order by m runs, best first.

    values (m, n): mean share of the points, NaN unscored. status (m, n): into STATUSES, of the first repeat.
    """

    problem_ids: Ints
    external_ids: tuple[str, ...]
    subsets: tuple[str, ...]
    runs: tuple[GridRun, ...]
    values: Floats
    status: NDArray[np.int8]
    planned: NDArray[np.bool_]

    @property
    def solved(self) -> Floats:
        """Share of models that solve it, by problem; NaN where no model is scored."""
        return average_repeats(mark_solved(self.values).T) if self.runs else np.full(len(self.external_ids), np.nan)

    @property
    def size(self) -> int:
        """Bytes, roughly."""
        names = sum(map(len, self.external_ids)) + 120 * len(self.external_ids)
        return self.values.nbytes + self.status.nbytes + self.planned.nbytes + names


def read_outcomes(place: Place) -> Outcomes:
    """All runs that stand on the board; read once a version, whatever part of them a page shows."""
    key = ("outcomes", place.revision.pk, place.split, get_language())  # which names runs of one model
    return store.remember(key, lambda: _load_outcomes(place), lambda outcomes: outcomes.size)


def _load_outcomes(place: Place) -> Outcomes:
    index = read_index(place.revision, place.split)
    slug = place.benchmark.slug
    found = []
    entries = read_entries(place.revision, place.split)
    for entry, name in zip(entries, name_entries(entries), strict=True):
        sheet = make_sheet(entry.machine, index, slug, entry.scorer.params.get("policy", "corrected"))
        values = sheet.vectors.points / 100 if slug == "phybench" else values_of("accuracy", sheet)
        run = GridRun(name, entry.run.entrant.slug, str(entry.run.uuid)[:8])
        found.append((run, average_repeats(values), sheet.vectors.status[:, 0], sheet.planned))
    found.sort(key=lambda row: (-np.nansum(row[1]), row[0].name))
    shape = len(found), index.size
    return Outcomes(
        index.problem_ids,
        index.external_ids,
        index.subsets,
        tuple(row[0] for row in found),
        np.array([row[1] for row in found]).reshape(shape),
        np.array([row[2] for row in found], dtype=np.int8).reshape(shape),
        np.array([row[3] for row in found], dtype=bool).reshape(shape),
    )


def order_problems(outcomes: Outcomes, *, order: str, subset: str) -> Ints:
    """Positions in the order asked for: `hard` (fewest models first), `easy`, or official."""
    rows = np.flatnonzero([name == subset for name in outcomes.subsets]) if subset in outcomes.subsets else None
    if rows is None:
        rows = np.arange(len(outcomes.subsets))
    if order == "official" or not outcomes.runs:
        return rows
    mean = average_repeats(outcomes.values.T)[rows]
    sortable = np.where(np.isnan(mean), 2.0, mean)  # what nobody was scored on comes last in both directions
    if order == "easy":
        sortable = np.where(sortable == 2.0, 2.0, -sortable)
    return rows[np.argsort(sortable, kind="stable")]


def read_grid(place: Place, *, subset: str = "", query: str = "", order: str = "", page: str = "") -> Grid:
    outcomes = read_outcomes(place)
    subsets = tuple(dict.fromkeys(name for name in outcomes.subsets if name))
    order = order if order in ORDERS else ("hard" if outcomes.runs else "official")
    rows = order_problems(outcomes, order=order, subset=subset)
    if query:
        rows = _search(place, outcomes, rows, query)
    per_page = max(10, min(50, CELLS_A_PAGE // max(1, len(outcomes.runs))))
    paginator = Paginator(rows.tolist(), per_page)
    shown = paginator.get_page(page)
    m, n = len(outcomes.runs), int(rows.size)
    return Grid(
        place=place,
        models=tuple(_model(outcomes, i) for i in range(m)),
        rows=_rows(place, outcomes, list(shown)),
        page=shown,
        page_range=tuple(paginator.get_elided_page_range(shown.number)),
        order=order,
        subset=subset,
        query=query,
        subsets=tuple((name, say_group(name)) for name in subsets) if len(subsets) > 1 else (),
        n_problems=n,
        picture=f"/b/{place.benchmark.slug}/grid.png" if m > 1 and n > per_page and not query else "",
        picture_query=_picture_query(place, order, subset),
        picture_size=(n * cell_px(n), m * ROW_PX),
    )


def _picture_query(place: Place, order: str, subset: str) -> str:
    """What the picture and a click on it need to show the same problems in the same order."""
    query = {"order": order, "subset": subset, "split": place.split}
    if not place.revision.is_current:
        query["revision"] = place.revision.label
    return urlencode({name: value for name, value in query.items() if value})


def _search(place: Place, outcomes: Outcomes, rows: Ints, query: str) -> Ints:
    found = set(
        Problem.objects.filter(subset__benchmark=place.benchmark, statement__icontains=query).values_list(
            "pk", flat=True
        )
    )
    wanted, names = query.casefold(), outcomes.external_ids
    return np.array(
        [i for i in rows.tolist() if wanted in names[i].casefold() or int(outcomes.problem_ids[i]) in found],
        dtype=np.int64,
    )


def _model(outcomes: Outcomes, i: int) -> GridModel:
    values, run = outcomes.values[i], outcomes.runs[i]
    n_full = int(np.nansum(mark_solved(values)))
    return GridModel(run.name, run.slug, f"{n_full}/{int((~np.isnan(values)).sum())}")


def _rows(place: Place, outcomes: Outcomes, positions: Sequence[int]) -> tuple[GridRow, ...]:
    ids = [int(outcomes.problem_ids[i]) for i in positions]
    problems = Problem.objects.only("statement", "language", "max_points").in_bulk(ids)
    solved = outcomes.solved
    colon = pgettext("between a name and what it is", ": ")
    say = cache(lambda outcome: colon + say_outcome(outcome))  # a page has a thousand cells
    found = []
    for i in positions:
        problem = problems[int(outcomes.problem_ids[i])]
        name = quote(outcomes.external_ids[i], safe="")
        scored = int((~np.isnan(outcomes.values[:, i])).sum())
        found.append(
            GridRow(
                external_id=outcomes.external_ids[i],
                url=f"{name}/{place.query}",
                excerpt=excerpt_html(problem.statement),
                language=TEXTBOX_LANGUAGES.get(problem.language, problem.language),
                subset=outcomes.subsets[i].replace("_", " "),
                points=f"{problem.max_points:f}".rstrip("0").rstrip("."),
                solved="–" if not scored else f"{round(float(solved[i]) * scored)}/{scored}",
                cells=tuple(_cell(outcomes, k, i, name, say) for k in range(len(outcomes.runs))),
            )
        )
    return tuple(found)


def _cell(outcomes: Outcomes, run: int, problem: int, name: str, say: Callable[[str], str]) -> GridCell:
    values, status, planned = outcomes.values, outcomes.status, outcomes.planned
    outcome = outcome_of(values[run, problem], int(status[run, problem]), bool(planned[run, problem]))
    own = outcomes.runs[run]
    return GridCell(outcome, f"../grid/{own.short}/{name}/", f"{own.name}{say(outcome)}")


def outcome_of(value: float, status: int, is_planned: bool) -> str:
    if not is_planned:
        return ""
    if np.isnan(value):
        return STATUSES[status] if STATUSES[status] != "scored" else "unscored"
    if value >= FULL_SHARE:
        return "right"
    if value > 0:
        return "partial"
    return "wrong" if STATUSES[status] in ("scored", "open") else STATUSES[status]


def cell_px(n_problems: int) -> int:
    return max(1, min(8, 1152 // max(1, n_problems)))


def draw_picture(outcomes: Outcomes, rows: Ints) -> bytes:
    """PNG: a line a model, a column a problem; the table below says the same in words."""
    values = outcomes.values[:, rows]
    codes = np.full(values.shape, WRONG, dtype=np.uint8)
    codes[values > 0] = PARTIAL
    codes[values >= FULL_SHARE] = RIGHT
    codes[np.isnan(values)] = OTHER
    codes[~outcomes.planned[:, rows]] = NOTHING
    pixels = np.repeat(np.repeat(codes, ROW_PX, axis=0), cell_px(rows.size), axis=1)
    pixels[ROW_PX - 1 :: ROW_PX] = NOTHING
    image = Image.fromarray(pixels, mode="P")
    image.putpalette([*PALETTE, *([0] * (768 - len(PALETTE)))])
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def reply_at(place: Place, x: int, y: int, *, order: str, subset: str) -> str:
    """Address of the reply under a point of the picture."""
    outcomes = read_outcomes(place)
    rows = order_problems(outcomes, order=order, subset=subset)
    column, line = x // cell_px(int(rows.size)), y // ROW_PX
    if not (0 <= column < rows.size and 0 <= line < len(outcomes.runs)):
        raise Http404
    return find_reply(place, outcomes.runs[line].short, outcomes.external_ids[int(rows[column])])


def find_reply(place: Place, run: str, external_id: str) -> str:
    """Address of a run's first reply to a problem; the problem's own page where there is none."""
    if len(run) != 8 or not all(c in "0123456789abcdef" for c in run):
        raise Http404
    reply = (
        Reply.objects.filter(
            run__uuid__startswith=run,
            run__published_at__isnull=False,
            run__withdrawals__isnull=True,
            problem__entries__revision=place.revision,
            problem__entries__external_id=external_id,
        )
        .order_by("repeat")
        .first()
    )
    if reply is None:
        return f"/b/{place.benchmark.slug}/problems/{quote(external_id, safe='')}/{place.query}"
    return f"/replies/{reply.uuid}/"
