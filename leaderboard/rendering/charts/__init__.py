"""Numbers -> inline SVG. Pure functions: no clock, no database, the same input gives the same picture.

Classes used: `strip` with `strip-axis -broken -tick.gold|silver|bronze|human -unscored -sitting -interval -estimate
-reported -reviewed`; `chart` with a class for its kind, and within `axis`, `grid`, `tick`, `label`, `value`, `muted`,
`row-label`, `point-label`, `curve-label`, `panel-title`, `series-1..8` holding `dot`, `whisker`, `reported`, `bar`,
`line`, `band`; `frontier`; `heat-0..9`; `cell right|partial|wrong|...`, `cell-link`. `draw_both` wraps the two widths
of a chart in `chart-wide` and `chart-narrow`.
"""

from leaderboard.rendering.charts.grids import GridLine, heat_map, heat_step, problem_grid
from leaderboard.rendering.charts.planes import Curve, Point, curves, pareto_frontier, scatter
from leaderboard.rendering.charts.rows import (
    IntervalRow,
    ReferenceLine,
    dot_plot,
    histogram,
    interval_plot,
    small_multiples,
)
from leaderboard.rendering.charts.strip import StripTick, StripView, draw_strip
from leaderboard.rendering.svg import NARROW, WIDE, draw_both

__all__ = [
    "NARROW",
    "WIDE",
    "Curve",
    "GridLine",
    "IntervalRow",
    "Point",
    "ReferenceLine",
    "StripTick",
    "StripView",
    "curves",
    "dot_plot",
    "draw_both",
    "draw_strip",
    "heat_map",
    "heat_step",
    "histogram",
    "interval_plot",
    "pareto_frontier",
    "problem_grid",
    "scatter",
    "small_multiples",
]
