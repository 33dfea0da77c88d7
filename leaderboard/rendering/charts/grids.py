"""Charts of cells: a heat map, and who solves what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.rendering.svg import LETTER, WIDE, Drawing, Scale, fit

STEPS = 10
LINKED_CELLS = 2_500  # beyond, a link a cell would make the page heavy: rows and columns stay links
OUTCOMES = ("right", "partial", "wrong", "no_answer", "unparseable", "refused", "cut", "timeout", "unscored")


@dataclass(frozen=True, slots=True)
class GridLine:
    """A row or column of a grid. is_reported: a hollow diamond before the row's name."""

    label: str
    href: str = ""
    is_reported: bool = False


def heat_step(value: float, low: float, high: float) -> int:
    """0..9: which of the ten shades `heat-0` .. `heat-9` a value has; for tables as for the picture."""
    share = Scale(low, high, 0, 1)(value)
    return min(STEPS - 1, int(share * STEPS))


def heat_map(
    rows: Sequence[GridLine],
    columns: Sequence[GridLine],
    values: Sequence[Sequence[float | None]],
    *,
    title: str,
    low: float,
    high: float,
    width: int = WIDE,
) -> SafeString:
    """A shade and the number in each cell; None (missing) is an empty cell with a dash, never a zero.

    values[i][j] belongs to rows[i] and columns[j]. On narrow pages column names stand upright.
    """
    mark = 24 if any(row.is_reported for row in rows) else 0
    gutter = min(0.34 * width, 12 + mark + LETTER * max((len(row.label) for row in rows), default=0))
    cell = (width - gutter) / max(1, len(columns))
    is_turned = any(len(column.label) * LETTER > cell - 4 for column in columns)
    head = min(120.0, 12 + LETTER * max((len(c.label) for c in columns), default=0)) if is_turned else 22.0
    drawing = Drawing(width, head + 24 * len(rows))
    for index, column in enumerate(columns):
        _draw_column_name(drawing, column, gutter + cell * (index + 0.5), head, is_turned)
    for index, row in enumerate(rows):
        _draw_row_name(drawing, row, gutter, head + 24 * index + 16)
        for number, value in enumerate(values[index]):
            x, y = gutter + cell * number, head + 24 * index
            _draw_heat(drawing, value, x, y, cell, (low, high), f"{row.label}, {columns[number].label}")
    return drawing.to_svg(title, "chart heat-map")


def problem_grid(
    problems: Sequence[GridLine],
    models: Sequence[GridLine],
    outcomes: Sequence[Sequence[str]],
    *,
    title: str,
    links: Mapping[tuple[int, int], str] | None = None,
    width: int = WIDE,
) -> SafeString:
    """A row a model, a column a problem, a mark by outcome; outcomes[i][j]: models[i] on problems[j].

    Outcomes are told apart by height and colour: right is a full cell, partial half, wrong a line at the foot, the
    others a dot. Runs of equal cells are one path, so that 3,000 x 60 stays a small picture when problems are in order
    of difficulty. links[i, j] (up to LINKED_CELLS cells) leads to the reply.
    """
    gutter = min(0.3 * width, 12 + LETTER * max((len(model.label) for model in models), default=0))
    cell = (width - gutter) / max(1, len(problems))
    row_height = 20
    drawing = Drawing(width, 4 + row_height * len(models))
    has_links = links is not None and len(problems) * len(models) <= LINKED_CELLS
    for index, model in enumerate(models):
        y = 4 + row_height * index
        _draw_row_name(drawing, model, gutter, y + 14)
        for name, path in _outcome_paths(outcomes[index], gutter, y, cell, row_height - 4).items():
            drawing.path(path, f"cell {name}")
        if has_links and links:
            _draw_cell_links(drawing, index, model, problems, links, (gutter, y, cell, row_height))
    return drawing.to_svg(title, "chart problem-grid-chart")


def _outcome_paths(outcomes: Sequence[str], left: float, y: float, cell: float, height: float) -> dict[str, str]:
    paths: dict[str, list[str]] = {}
    start = 0
    for index in range(1, len(outcomes) + 1):
        if index < len(outcomes) and outcomes[index] == outcomes[start]:
            continue
        name = outcomes[start] if outcomes[start] in OUTCOMES else "unscored"
        share = {"right": 1.0, "partial": 0.5, "wrong": 0.15}.get(name, 0.06)
        x, wide = left + cell * start, cell * (index - start)
        gap = min(1.0, 0.15 * cell)
        tall = height * share
        paths.setdefault(name, []).append(
            f"M{x:.2f} {y + height - tall:.1f}h{wide - gap:.2f}v{tall:.1f}h-{wide - gap:.2f}z"
        )
        start = index
    return {name: "".join(parts) for name, parts in paths.items()}


def _draw_cell_links(
    drawing: Drawing,
    row: int,
    model: GridLine,
    problems: Sequence[GridLine],
    links: Mapping[tuple[int, int], str],
    box: tuple[float, float, float, float],
) -> None:
    left, y, cell, height = box
    for column, problem in enumerate(problems):
        if drawing.link(links.get((row, column), ""), f"{model.label}, {problem.label}"):
            drawing.rect(left + cell * column, y, cell, height, "cell-link")
            drawing.end_link()


def _draw_heat(
    drawing: Drawing, value: float | None, x: float, y: float, cell: float, limits: tuple[float, float], name: str
) -> None:
    if value is None or not math.isfinite(value):
        drawing.text(x + cell / 2, y + 16, "–", "muted", "middle")
        return
    spread = limits[1] - limits[0]
    shown = f"{value:.{0 if spread >= 50 else 1 if spread >= 5 else 2}f}"
    drawing.rect(x + 0.5, y + 0.5, cell - 1, 23, f"heat-{heat_step(value, *limits)}", f"{name}: {shown}")
    if len(shown) * LETTER <= cell:
        drawing.text(x + cell / 2, y + 16, shown, "value", "middle")


def _draw_row_name(drawing: Drawing, row: GridLine, gutter: float, y: float) -> None:
    shown = fit(row.label, gutter - (34 if row.is_reported else 10))
    if row.is_reported:
        drawing.diamond(7, y - 4, 4, "reported")
    is_link = drawing.link(row.href, row.label if shown != row.label else "")
    drawing.text(gutter - 8, y, shown, "label row-label", "end")
    if is_link:
        drawing.end_link()


def _draw_column_name(drawing: Drawing, column: GridLine, x: float, head: float, is_turned: bool) -> None:
    is_link = drawing.link(column.href)
    if is_turned:
        drawing.text(x + 4, head - 6, fit(column.label, head - 12), "label", turn=-90)
    else:
        drawing.text(x, head - 7, column.label, "label", "middle")
    if is_link:
        drawing.end_link()
