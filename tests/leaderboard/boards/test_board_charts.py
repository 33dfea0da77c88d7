"""Charts of a board: each has its table and its file, and says how its numbers came to be."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from datetime import date

import pytest
from django.test import Client

from arena.models import DatasetRevision, Entrant
from arena.services.samples import planned_entries
from arena.signals import scores_changed
from tests.leaderboard.boards.scenes import cells_of, give, give_all, make_board, make_run, part_of, report, sit, spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 12, "optics": 8}, max_points=100)


def figure_of(client: Client, slug: str, name: str) -> str:
    return part_of(client.get(f"/b/{slug}/charts/").content.decode(), f'id="chart-{name}"', "</figure>")


def test_every_chart_has_its_table_and_leaves_as_svg(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15), B=spread(5))
    Entrant.objects.filter(name="A").update(release_date="2025-03-01")
    Entrant.objects.filter(name="B").update(release_date="2026-02-01")
    page = client.get("/b/phybench/charts/").content.decode()
    names = [part.split('"')[0] for part in page.split('id="chart-')[1:]]
    assert {"intervals", "tokens", "release", "subsets", "heat", "eed"} <= set(names)
    for name in names:
        figure = part_of(page, f'id="chart-{name}"', "</figure>")
        assert "<svg" in figure and "<title" in figure and "<tbody><tr>" in figure, name
        response = client.get(f"/b/phybench/charts/{name}.svg")
        assert response.status_code == 200 and response["Content-Type"] == "image/svg+xml", name
        root = ElementTree.fromstring(response.content)
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and b"var(" not in response.content, name
    assert client.get("/b/phybench/charts/nothing.svg").status_code == 404


def test_repeats_make_curves_over_k(client: Client) -> None:
    revision = make_board("coin_flip", {"default": 12}, answers=("YES", "NO"))
    run = make_run(revision, "Twice", repeats=2)
    for repeat in (0, 1):
        give_all(run, [float(i % 2 == repeat) for i in range(12)], repeat=repeat)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    page = client.get("/b/coin_flip/charts/").content.decode()
    figure = part_of(page, 'id="chart-pass-k"', "</figure>")
    rows = [cells_of(row) for row in part_of(figure, "<tbody>", "</tbody>").replace("</tr>", "").split("<tr>")[1:]]
    assert [(row[1], row[2]) for row in rows] == [("1", "50.0"), ("2", "100.0")]
    assert 'id="chart-pass-hat-k"' in page and 'id="chart-maj-k"' in page


def test_a_point_says_its_day_and_its_value_as_the_board_prints_it(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15), B=spread(5))
    for name, day in (("A", date(2025, 3, 1)), ("B", date(2026, 2, 1))):
        Entrant.objects.filter(name=name).update(release_date=day)
    figure = figure_of(client, "phybench", "release")
    assert "<title>A: 75.0, 95 % " in figure and ", 2025-03-01</title>" in figure
    assert f"{date(2025, 3, 1).toordinal():,}".replace(",", "\u2009") not in figure


def test_a_plot_prints_no_more_digits_than_the_board(client: Client) -> None:
    revision = make_board("coin_flip", {"default": 12}, answers=("YES", "NO"))
    run = make_run(revision, "A")
    give_all(run, [float(i > 1) for i in range(12)], answers=["NO", "YES"] + ["YES", "NO"] * 5)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    assert ">0.833<" in figure_of(client, "coin_flip", "intervals")


def test_reported_models_are_marked_in_bars_heat_map_and_tables(eed: DatasetRevision, client: Client) -> None:
    for subset, value in (("overall", 60.0), ("mechanics", 62.0), ("optics", 57.0)):
        report(eed, "B", value, subset=subset)
    sit(eed, A=spread(15))
    bars, heat, plot = (figure_of(client, "phybench", name) for name in ("subsets", "heat", "intervals"))
    assert bars.count('class="bar reported"') == 4, "two subsets, drawn for wide and narrow pages"
    assert heat.count('class="reported"') == 2 and "Hollow: reported elsewhere" in heat
    assert all(">B (reported)</span></th>" in figure and ">A</span></th>" in figure for figure in (bars, heat, plot))
    exported = client.get("/b/phybench/charts/subsets.svg").content.decode()
    assert ".bar:not(.reported)" in exported


def test_charts_of_home_and_board_leave_as_svg_and_png(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15), B=spread(5))
    for path in ("/", "/b/phybench/"):
        page = client.get(path).content.decode()
        figure = part_of(page, '<figure class="chart-figure"', "</figure>")
        address = figure.split('data-png="')[1].split('"')[0]
        response = client.get(address)
        assert (
            response.status_code == 200
            and response.content.startswith(b"<?xml")
            and "attachment" in str(response["Content-Disposition"])
        )
        assert "js/chart-png" in page, path


def test_a_plot_explains_only_the_marks_it_has(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15))
    alone = figure_of(client, "phybench", "intervals")
    assert "A rule parts tiers" not in alone and "Hollow" not in alone
    report(eed, "C", 60.0)
    sit(eed, B=spread(5))
    both = figure_of(client, "phybench", "intervals")
    assert "A rule parts tiers. Hollow: reported elsewhere" in both


def test_a_hostile_name_stays_text_in_every_chart_file(eed: DatasetRevision, client: Client) -> None:
    hostile = "\"'><script>hit</script>]]>&nbsp;<a href=javascript:1 onload=1>\x0b\x1b"
    sit(eed, **{hostile: spread(15), "Beta": spread(5)})
    page = client.get("/b/phybench/charts/").content.decode()
    names = [part.split('"')[0] for part in page.split('id="chart-')[1:]]
    drawn = [ElementTree.fromstring(client.get(f"/b/phybench/charts/{name}.svg").content) for name in names]
    assert any("<script>hit" in "".join(svg.itertext()) for svg in drawn)
    for node in (node for svg in drawn for node in svg.iter()):
        assert not node.tag.lower().endswith(("script", "foreignobject", "image")), node.tag
        assert not any(name.startswith("on") for name in node.attrib), node.attrib
        assert not node.get("href", "").startswith("javascript:"), node.attrib


def test_a_run_over_some_problems_of_an_exam_stands_in_no_chart_of_points(client: Client) -> None:
    """Three of twelve problems are a sum of fewer points, not a bad exam."""
    exams = make_board("hipho", {"IPhO_2025": 6, "APhO_2025": 6}, kind="exam", max_points=2)
    sit(exams, Whole=[1.0] * 12)
    part = make_run(exams, "Part", limit=2, partial=True)
    for entry in planned_entries(part):
        give(part, entry, 2.0)
    scores_changed.send(sender=None, run_ids=[part.pk], inline=True)
    page = client.get("/b/hipho/charts/").content.decode()
    for name in ("intervals", "subsets", "heat"):
        figure = figure_of(client, "hipho", name)
        assert ">Whole<" in figure and ">Part<" not in figure, name
    assert "Runs over part of the problems have no total to compare." in page
    assert ">Part<" in client.get("/b/hipho/").content.decode(), "the board says what it is"
