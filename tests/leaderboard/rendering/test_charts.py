"""Numbers to SVG: well-formed, labelled, honest about what is missing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from leaderboard.rendering.charts import (
    NARROW,
    WIDE,
    Curve,
    GridLine,
    IntervalRow,
    Point,
    ReferenceLine,
    StripTick,
    StripView,
    curves,
    dot_plot,
    draw_both,
    draw_strip,
    heat_map,
    heat_step,
    histogram,
    interval_plot,
    pareto_frontier,
    problem_grid,
    scatter,
    small_multiples,
)
from leaderboard.rendering.svg import Scale, fit, log_ticks, nice_ticks, number_text, text_width, tick_texts

ROWS = [
    IntervalRow("Model A", 80.0, 76.0, 84.0, "/models/a/"),
    IntervalRow("Model B", 60.0, 55.0, 65.0, "/models/b/", starts_tier=True),
    IntervalRow("Paper's C", 70.0, is_reported=True),
    IntervalRow("Model D", None),
]
POINTS = [
    Point("cheap", 0.01, 40, "/m/1/"),
    Point("good", 0.1, 70, "/m/2/"),
    Point("worse", 0.2, 60),
    Point("best", 1.0, 90),
]
CHARTS = {
    "interval": lambda width: interval_plot(
        ROWS, title="Accuracy", axis="%", references=[ReferenceLine(65, "human", "people")], width=width
    ),
    "dots": lambda width: dot_plot([("A", [0, 0, 1, 1], "/x/")], title="Points", low=0, high=1, width=width),
    "histogram": lambda width: histogram([0, 50, 100], [3, 4], title="EED", axis="score", width=width),
    "multiples": lambda width: small_multiples(
        [("Optics", ROWS), ("Heat", ROWS)], title="Fields", low=0, high=100, width=width
    ),
    "scatter": lambda width: scatter(POINTS, title="Cost", x_axis="$", y_axis="%", x_is_log=True, width=width),
    "curves": lambda width: curves(
        [Curve("A", [1, 2, 4], [30, 40, 50], [25, 35, 45], [35, 45, 55])],
        title="pass@k",
        x_axis="k",
        y_axis="%",
        width=width,
    ),
    "heat": lambda width: heat_map(
        [GridLine("A", "/a/")],
        [GridLine("hi"), GridLine("ta")],
        [[50.0, None]],
        title="Languages",
        low=0,
        high=100,
        width=width,
    ),
    "grid": lambda width: problem_grid(
        [GridLine("1"), GridLine("2"), GridLine("3")],
        [GridLine("A")],
        [["right", "right", "wrong"]],
        title="Who",
        width=width,
    ),
}


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", CHARTS)
def test_chart_is_well_formed_labelled_and_within_its_box(name: str, width: int) -> None:
    root = parse(CHARTS[name](width))
    _, _, box_width, box_height = map(float, root.attrib["viewBox"].split())
    assert box_width == width
    assert root.attrib["aria-label"] == root.find("title").text
    assert root.attrib["role"] == ("group" if root.find(".//a") is not None else "img")
    for element in root.iter():
        assert "style" not in element.attrib
        for name_x in ("x", "x1", "x2", "cx"):
            assert -1 <= float(element.attrib.get(name_x, 0)) <= box_width + 1
        for name_y in ("y", "y1", "y2", "cy"):
            assert -1 <= float(element.attrib.get(name_y, 0)) <= box_height + 1


def test_both_widths_come_together() -> None:
    html = draw_both(CHARTS["interval"])
    assert html.count("<svg") == 2 and 'class="chart-wide"' in html and 'class="chart-narrow"' in html


def test_a_missing_value_is_a_dash_never_a_zero() -> None:
    root = parse(interval_plot([IntervalRow("D", None), IntervalRow("E", math.nan)], title="t"))
    assert root.find(".//circle") is None
    assert [t.text for t in root.iter("text") if t.attrib.get("class") == "muted"] == ["–", "–"]
    heat = parse(heat_map([GridLine("A")], [GridLine("x")], [[None]], title="t", low=0, high=1))
    assert heat.find(".//rect") is None


def test_reported_values_are_hollow_diamonds_without_an_interval() -> None:
    svg = interval_plot([IntervalRow("C", 70.0, 60.0, 80.0, is_reported=True)], title="t")
    assert 'class="reported"' in svg and "whisker" not in svg


def test_strip_places_estimate_interval_ticks_and_unscored_end() -> None:
    view = StripView(15, 10, 20, sittings=[12, 18], unscored=(9, 22), reviewed=14, text="15, 95 % 10 to 20")
    root = parse(draw_strip(view, 0, 30, [StripTick(20, "gold"), StripTick(1, "nonsense")]))
    assert root.attrib["viewBox"] == "0 0 96 16" and root.attrib["aria-label"] == "15, 95 % 10 to 20"
    by_class = {e.attrib["class"]: e for e in root.iter() if "class" in e.attrib}
    assert float(by_class["strip-estimate"].attrib["cx"]) == 48
    assert float(by_class["strip-interval"].attrib["x1"]) < 48 < float(by_class["strip-interval"].attrib["x2"])
    unscored = by_class["strip-unscored"].attrib
    assert float(unscored["x1"]) < float(by_class["strip-interval"].attrib["x1"]), "it could be less as well as more"
    assert float(unscored["x2"]) > float(by_class["strip-interval"].attrib["x2"])
    assert {"strip-tick gold", "strip-sitting", "strip-reviewed"} <= set(by_class)
    assert "nonsense" not in draw_strip(view, 0, 30, [StripTick(1, "nonsense")])


def test_strip_of_a_reported_or_missing_value() -> None:
    assert "strip-reported" in draw_strip(StripView(10, 5, 15, is_reported=True), 0, 30)
    assert "strip-interval" not in draw_strip(StripView(10, 5, 15, is_reported=True), 0, 30)
    assert "strip-estimate" not in draw_strip(StripView(None), 0, 30)


def test_frontier_holds_what_nothing_beats() -> None:
    assert [p.label for p in pareto_frontier(POINTS)] == ["cheap", "good", "best"]
    assert [p.label for p in pareto_frontier(POINTS, x_is_cost=False)] == ["best"]


def test_points_that_cannot_stand_on_the_scale_are_left_out() -> None:
    points = [Point("a", 0, 1), Point("b", 1, math.nan), Point("c", 1, 2)]
    svg = scatter(points, title="t", x_axis="x", y_axis="y", x_is_log=True)
    assert len(parse(svg).findall(".//circle")) == 1


EMPTY = [
    lambda: interval_plot([], title="t"),
    lambda: curves([], title="t", x_axis="x", y_axis="y"),
    lambda: scatter([], title="t", x_axis="x", y_axis="y"),
    lambda: heat_map([], [], [], title="t", low=0, high=1),
    lambda: small_multiples([], title="t", low=0, high=1),
    lambda: problem_grid([], [], [], title="t"),
]


@pytest.mark.parametrize("draw", EMPTY)
def test_empty_charts_draw(draw: Callable[[], str]) -> None:
    parse(draw())


def test_histogram_refuses_edges_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="need 3 edges"):
        histogram([0, 1], [1, 2], title="t")


def test_large_grid_stays_small_when_ordered_by_difficulty() -> None:
    outcomes = [["right"] * (3000 - 40 * model) + ["wrong"] * (40 * model) for model in range(60)]
    problems, models = [GridLine(str(n)) for n in range(3000)], [GridLine(str(n)) for n in range(60)]
    assert len(problem_grid(problems, models, outcomes, title="t")) < 40_000


def test_small_grid_links_its_cells() -> None:
    svg = problem_grid([GridLine("1")], [GridLine("A")], [["right"]], title="t", links={(0, 0): "/replies/1/"})
    assert 'href="/replies/1/"' in svg


def test_heat_has_ten_steps() -> None:
    assert [heat_step(v, 0, 100) for v in (0, 9.9, 10, 55, 100, 140)] == [0, 0, 1, 5, 9, 9]


def test_scales_and_ticks() -> None:
    assert Scale(0, 10, 100, 200)(5) == 150
    assert Scale(0, 10, 100, 200)(99) == 200
    assert Scale(1, 100, 0, 100, is_log=True)(10) == pytest.approx(50)
    assert nice_ticks(0, 30, 5) == [0, 10, 20, 30]
    assert nice_ticks(2, 2) == [2]
    assert log_ticks(6.6e-5, 0.0013) == pytest.approx([1e-4, 3e-4, 1e-3])
    assert log_ticks(3, 150) == [3, 10, 30, 100]
    assert log_ticks(1, 5000) == [1, 10, 100, 1000]
    for low in (0.00003, 0.004, 1.5, 70):
        for span in (3, 8, 25, 90, 4000):
            ticks = log_ticks(low, low * span)
            assert len(ticks) > 2 and ticks[1] < low * span**0.75, "a scale says where it begins"
    assert tick_texts([0, 0.2, 0.4]) == ["0", "0.2", "0.4"]
    assert number_text(29.4) == "29.4" and number_text(12345.0) == "12\u2009345"
    assert number_text(0.0005) == "0.0005" and number_text(0.000042) == "0.000042"


@pytest.mark.parametrize(("low", "high"), [(360, 640), (0.0003, 0.0009), (270, 700), (1, 9), (3, 40000)])
def test_a_logarithmic_scale_has_at_least_three_ticks(low: float, high: float) -> None:
    assert len(Scale(low, high, 0, 100, is_log=True).ticks()) >= 3
    assert fit("a rather long model name", 60).endswith("…")
    assert len(re.findall(".", fit("深度求索模型名称", 60))) <= 6


def test_a_curve_that_ends_early_is_led_to_its_name() -> None:
    whole, short = Curve("A", [1, 2, 4], [30, 40, 50]), Curve("B", [1, 2], [20, 25])
    svg = curves([whole, short], title="pass@k", x_axis="k", y_axis="%")
    assert svg.count('class="leader"') == 1
    leader = next(e for e in parse(svg).iter() if e.attrib.get("class") == "leader")
    name = next(e for e in parse(svg).iter() if e.attrib.get("class") == "curve-label" and e.text == "B")
    assert float(leader.attrib["x1"]) < float(leader.attrib["x2"]) < float(name.attrib["x"])


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_names_of_reference_lines_stand_apart_and_within_the_drawing(width: int) -> None:
    named = {25: "Random choice", 27: "Most frequent letter", 26: "Best human", 100: "Human full mark", 60: "gold"}
    lines = [ReferenceLine(value, "human", name) for value, name in named.items()]
    svg = interval_plot(ROWS, title="Accuracy", low=0, high=100, references=lines, width=width)
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*class="tick line-label"[^>]*>([^<]+)<', svg)
    assert len(found) == 5
    boxes = [(float(x), float(y), text_width(text)) for x, y, text in found]
    for i, (x, y, w) in enumerate(boxes):
        assert w / 2 <= x <= width - w / 2 + 0.1 and y > 8
        assert all(y != v or abs(x - u) >= (w + o) / 2 for u, v, o in boxes[:i])
    assert {y for _x, y, _w in boxes[-1:]} == {max(y for _x, y, _w in boxes)}, "one that meets none stays down"
