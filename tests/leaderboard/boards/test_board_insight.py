"""The pages that take a board apart: medals, comparison, grid, charts, reproductions, estimates from a sample."""

from __future__ import annotations

import io
import json
import re
from html import unescape

import pytest
from django.test import Client
from PIL import Image

from arena.models import DatasetRevision, Policy, Reply
from arena.services.review_claims import claim_next
from arena.services.review_desk import submit_review
from arena.services.review_policies import QueueRequest, build_queue
from arena.signals import scores_changed
from leaderboard.models import Standing
from leaderboard.standings import rebuild_board
from tests.arena.reviews.scenes import decide_all, make_people
from tests.leaderboard.boards.scenes import cells_of, give, make_board, make_run, part_of, report, sit, spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 12, "optics": 8}, max_points=100)


# --- medals -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def exams() -> DatasetRevision:
    """Two exams of three problems at two points each: gold from 5, silver from 4, bronze from 3."""
    return make_board(
        "hipho", {"IPhO_2025": 3, "IPhO_2024": 3}, kind="exam", max_points=2, marks=(5.0, 4.0, 3.0)
    )  # fmt: skip


def test_medals_are_ordered_by_gold_then_by_the_tie_exam(exams: DatasetRevision, client: Client) -> None:
    sit(
        exams,
        Amber=[2.0, 2.0, 2.0, 0.0, 0.0, 0.0],  # gold and nothing, 6 points in IPhO 2025
        Beryl=[2.0, 2.0, 1.0, 0.0, 0.0, 0.0],  # gold and nothing, 5 points
        Coral=[2.0, 2.0, 0.0, 2.0, 1.0, 0.0],  # silver and bronze
        Delta=[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    )
    page = client.get("/b/hipho/medals/").content.decode()
    table = part_of(page, 'id="table"')
    rows = [cells_of(row) for row in part_of(table, "<tbody>", "</tbody>").split("<tr>")[1:] for row in [row[:-5]]]
    assert [(row[0], row[1].split()[0], *row[2:6]) for row in rows] == [
        ("1", "Amber", "1", "0", "0", "2"),
        ("2", "Beryl", "1", "0", "0", "2"),
        ("3", "Coral", "0", "1", "1", "2"),
        ("4", "Delta", "0", "0", "0", "2"),
    ]


def test_a_models_exams_show_points_medal_and_thresholds(exams: DatasetRevision, client: Client) -> None:
    sit(exams, Amber=[2.0, 2.0, 1.5, 0.0, 0.0, 0.0], Coral=[2.0, 2.0, 0.0, 2.0, 1.0, 0.0])
    page = client.get("/b/hipho/medals/?model=coral").content.decode()
    exam = part_of(page, 'id="exams"')
    assert "Exams of Coral" in exam and "silver" in exam and "bronze 3" in exam and "gold 5" in exam
    assert client.get("/b/hipho/medals/?model=nobody").status_code == 200


def test_points_of_exams_and_modalities_lead_to_their_receipts(exams: DatasetRevision, client: Client) -> None:
    sit(exams, Amber=[2.0, 2.0, 1.5, 0.0, 0.0, 0.0])
    page = client.get("/b/hipho/medals/").content.decode()
    links = re.findall(r'class="(?:value )?number" href="([^"]+)">([^<]+)<', page)
    assert [text for _url, text in links] == ["5.5", "5.5", "0.0"], "the tie, and both exams"
    for url, text in links:
        assert f'<span class="value">{text}</span>' in client.get(url).content.decode()


def test_only_exam_boards_have_a_medals_page(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(10))
    assert client.get("/b/phybench/medals/").status_code == 404


# --- what is solved ---------------------------------------------------------------------------------------------------


def test_solved_means_all_points_on_every_page(exams: DatasetRevision, client: Client) -> None:
    sit(exams, A=[1.3, 2.0, 0.0, 0.0, 0.0, 0.0], B=[2.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    grid = client.get("/b/hipho/problems/?order=official").content.decode()
    row = grid[grid.index(">IPhO_2025_0<") :]
    assert ">1/2<" in row[: row.index("</tr>")]
    compared = client.get("/b/hipho/compare/?a=a&b=b").content.decode()
    assert ">IPhO_2025_0<" in part_of(compared, 'id="only"'), "only B solves it"
    assert "1 of 2 models" in client.get("/b/hipho/problems/IPhO_2025_0/").content.decode()


# --- grid -------------------------------------------------------------------------------------------------------------


def test_the_grid_lists_the_hardest_first_and_leads_to_replies(eed: DatasetRevision, client: Client) -> None:
    runs = sit(eed, A=spread(15), B=spread(5))
    page = client.get("/b/phybench/problems/").content.decode()
    body = part_of(page, "<tbody>", "</tbody>")
    rows = body.split("<tr>")[1:]
    assert len(rows) == 20 and ">optics_3<" in rows[0] and ">mechanics_4<" in rows[-1]
    assert 'title="A: wrong"' in rows[0] and 'title="B: right"' in rows[-1]
    assert 'class="shape wrong"' in rows[0] and 'class="shape right"' in rows[-1] and "0/2" in rows[0]
    assert ">mechanics_0<" in client.get("/b/phybench/problems/?order=easy").content.decode().split("<tr>")[2]
    short = str(runs["A"].uuid)[:8]
    response = client.get(f"/b/phybench/grid/{short}/mechanics_3/")
    reply = Reply.objects.get(run=runs["A"], problem__external_id="mechanics_3")
    assert response.status_code == 302 and response["Location"] == f"/replies/{reply.uuid}/"


def test_the_legend_of_the_grid_holds_every_mark_on_it_and_no_other(client: Client) -> None:
    revision = make_board("phybench", {"mechanics": 4}, max_points=100)
    run = make_run(revision, "A")
    for entry, status in zip(revision.entries.all(), ("scored", "unparseable", "cut", "scored"), strict=True):
        give(run, entry, 100 if status == "scored" else 0, status=status)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    page = client.get("/b/phybench/problems/").content.decode()
    legend = re.findall(r'class="outcome ([a-z_]+)"', part_of(page, '<ul class="legend">', "</ul>"))
    marks = set(re.findall(r"<td><a class=\"shape ([a-z_]+)\"", page))
    assert legend == ["right", "partial", "wrong", "unparseable", "cut"]
    assert marks == {"right", "unparseable", "cut"}


def test_a_click_on_the_picture_leads_to_the_reply_under_it(client: Client) -> None:
    revision = make_board("phybench", {"mechanics": 60}, max_points=100)
    runs = sit(revision, A=spread(40, 60), B=spread(10, 60))
    response = client.get("/b/phybench/grid.png?order=official")
    picture = Image.open(io.BytesIO(response.content))
    assert response["Content-Type"] == "image/png" and picture.size == (60 * 8, 2 * 10)
    rgb = picture.convert("RGB")
    right, wrong = rgb.getpixel((0, 0)), rgb.getpixel((59 * 8, 0))
    assert right != wrong and rgb.getpixel((20 * 8, 12)) == wrong and rgb.getpixel((20 * 8, 2)) == right
    click = client.get("/b/phybench/grid/?order=official&subset=?164,13")
    reply = Reply.objects.get(run=runs["B"], problem__external_id="mechanics_20")
    assert click["Location"] == f"/replies/{reply.uuid}/"
    page = client.get("/b/phybench/problems/?order=official").content.decode()
    link, source = re.search(r'<a href="\.\./grid/\?([^"]*)"><img ismap src="[^"?]*\?([^"]*)"', page).groups()  # type: ignore[union-attr]
    assert link == source and "split=test" in link
    for x, y in ((164, 13), (0, 0)):
        click = client.get(f"/b/phybench/grid/?{unescape(link)}?{x},{y}")
        assert click.status_code == 302 and click["Location"].startswith("/replies/")
    for outside in ("?order=official?9999,3", "?order=official?3,900", "?order=official?x,y", "?"):
        assert client.get(f"/b/phybench/grid/{outside}").status_code == 404


def test_the_grid_can_be_narrowed(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15))
    page = client.get("/b/phybench/problems/?subset=optics&q=optics_3").content.decode()
    assert part_of(page, "<tbody>", "</tbody>").count("<tr>") == 1
    assert "No problem matches" in client.get("/b/phybench/problems/?q=zzz").content.decode()


# --- reproductions ----------------------------------------------------------------------------------------------------


def test_a_model_reported_and_measured_is_compared_with_its_settings(eed: DatasetRevision, client: Client) -> None:
    sit(eed, Alpha=spread(12), Beta=spread(3))
    report(eed, "Alpha", 70.0, repeats=16)
    report(eed, "Gamma", 50.0)
    page = client.get("/b/phybench/reproductions/").content.decode()
    body = part_of(page, "<tbody>", "</tbody>")
    (row,) = body.replace("</tr>", "").split("<tr>")[1:]
    name, what, reported, measured, difference, differs, source = cells_of(row.replace("<br>", " "))
    assert name == "Alpha" and "EED" in what and reported.startswith("70") and measured.startswith("60")
    assert difference.startswith("−10") and "within the interval" in difference and "…" in difference
    assert "repeats 16, here 1" in differs and source == "a paper, 2025-05"
    assert client.get(row.split('class="number" href="')[1].split('"')[0]).status_code == 200


def test_sources_that_report_the_same_share_a_line(eed: DatasetRevision, client: Client) -> None:
    sit(eed, Alpha=spread(12))
    for source, value in (("a paper", 70.0), ("its board", 70.0), ("another", 71.0)):
        report(eed, "Alpha", value, source=source)
    body = part_of(client.get("/b/phybench/reproductions/").content.decode(), "<tbody>", "</tbody>")
    rows = [cells_of(row.replace("<br>", " ")) for row in body.replace("</tr>", "").split("<tr>")[1:]]
    assert [(row[2], row[-1]) for row in rows] == [
        ("70.0", "a paper, 2025-05; its board, 2025-05"),
        ("71.0", "another, 2025-05"),
    ]


def test_nothing_is_compared_where_nothing_is_both(eed: DatasetRevision, client: Client) -> None:
    sit(eed, Alpha=spread(12))
    report(eed, "Gamma", 50.0)
    assert "No model both reported and measured" in client.get("/b/phybench/reproductions/").content.decode()


# --- the estimate from a random sample --------------------------------------------------------------------------------


def test_random_reviews_give_estimated_rows_with_an_interval_and_without_a_rank(client: Client) -> None:
    revision = make_board("arc_indic", {"en": 80}, kind="language")
    run = sit(revision, Alpha=[1.0] * 60 + [0.0] * 20)["Alpha"]
    (ada,) = make_people("ada")
    build_queue(QueueRequest(revision.benchmark, Policy.RANDOM, number=40, needed=1), None)
    n_lowered = n_decided = 0
    while (slot := claim_next(ada)) is not None:
        was = slot.item.reply.judgments.get().points
        lowered = was == 1 and n_decided % 4 == 0  # people take away what every fourth looked-at reply had earned
        n_lowered += lowered
        n_decided += 1
        submit_review(ada, slot.item, decide_all(slot.item, "0" if lowered else str(was)))
    rebuild_board(revision.pk, "test")
    row = Standing.objects.get(run=run, subset__slug="overall", metric="accuracy", basis="estimated")
    assert n_decided == 40 and n_lowered > 0
    assert row.value == pytest.approx(0.75 - n_lowered / 40) and row.low < row.value < row.high
    assert row.rank is None and row.unranked_reason == "estimate" and row.details["n_reviews"] == 40
    shown = json.loads(client.get("/b/arc_indic.json?basis=estimated&metric=accuracy").content)["rows"]
    mine = next(line for line in shown if line["model"] == "Alpha")
    assert mine["value"] == pytest.approx(row.value) and mine["rank"] is None
    page = client.get("/b/arc_indic/?basis=estimated&metric=accuracy").content.decode()
    assert "an estimate from the random review sample" in page


def test_too_few_random_reviews_give_no_estimate() -> None:
    revision = make_board("arc_indic", {"en": 40}, kind="language")
    run = sit(revision, Alpha=[1.0] * 40)["Alpha"]
    (ada,) = make_people("ada")
    build_queue(QueueRequest(revision.benchmark, Policy.RANDOM, number=10, needed=1), None)
    while (slot := claim_next(ada)) is not None:
        submit_review(ada, slot.item, decide_all(slot.item, "1"))
    rebuild_board(revision.pk, "test")
    assert not Standing.objects.filter(run=run, basis="estimated").exists()
