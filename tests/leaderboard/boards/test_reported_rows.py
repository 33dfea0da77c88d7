"""Published numbers on a board: every source is named with its date, and none is mixed with another that disagrees."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from arena.models import DatasetRevision, Entrant, ReportedResult
from tests.leaderboard.boards.scenes import make_board
from tests.leaderboard.boards.test_board_insight import part_of, sit, spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 12, "optics": 8}, max_points=100)


def report(revision: DatasetRevision, name: str, source: str, date: str, **numbers: Any) -> None:
    """numbers: metric -> value, or `setting`."""
    setting, metrics = numbers.pop("setting", ""), numbers
    entrant, _ = Entrant.objects.get_or_create(slug=name.lower(), defaults={"name": name})
    for metric, value in metrics.items():
        ReportedResult.objects.create(
            benchmark=revision.benchmark, entrant=entrant, metric=metric, value=value, source=source, date=date,
            setting=setting, digest=f"{name}{source}{date}{metric}{setting}",
        )  # fmt: skip


def read(client: Client, query: str = "") -> list[dict[str, Any]]:
    rows = json.loads(client.get(f"/b/phybench.json?{query}").content)["rows"]
    return [row for row in rows if row["mark"] == "reported"]


def test_sources_that_agree_share_a_row_and_are_both_named(eed: DatasetRevision, client: Client) -> None:
    report(eed, "Alpha", "The paper (arXiv:1)", "2025-05", eed=46.4, accuracy=0.348)
    report(eed, "Alpha", "The site (a commit)", "2025-12-05", eed=46.37, accuracy=0.3478)
    (row,) = read(client)
    assert row["value"] == 46.37, "the more exact reading"
    assert row["source"] == "The site (a commit), 2025-12-05; The paper (arXiv:1), 2025-05"
    cell = part_of(client.get("/b/phybench/").content.decode(), ">Alpha<", "</th>")
    assert cell.index("The site") < cell.index("2025-12-05") < cell.index("The paper") < cell.index(">2025-05<")


def test_sources_that_disagree_have_a_row_each(eed: DatasetRevision, client: Client) -> None:
    report(eed, "Alpha", "The paper", "2025-05", eed=4.5, accuracy=0.026)
    report(eed, "Alpha", "The site", "2025-12-05", eed=27.4, accuracy=0.1585)
    report(eed, "Alpha", "A third", "2026-01", eed=27.4)
    assert [(row["value"], row["source"]) for row in read(client)] == [
        (27.4, "A third, 2026-01; The site, 2025-12-05"),
        (4.5, "The paper, 2025-05"),
    ]


def test_an_older_source_with_other_numbers_never_fills_gaps_of_a_newer_one(
    eed: DatasetRevision, client: Client
) -> None:
    report(eed, "Alpha", "The paper", "2025-05", eed=40.0, accuracy=0.3)
    report(eed, "Alpha", "The site", "2025-12-05", eed=50.0)
    assert [(row["value"], row["metrics"]["accuracy"]) for row in read(client)] == [(50.0, None), (40.0, 0.3)]


def test_versions_of_a_model_in_one_source_are_told_apart(eed: DatasetRevision, client: Client) -> None:
    report(eed, "Alpha", "The site", "2025-12-05", eed=50.0, setting="alpha-0325")
    report(eed, "Alpha", "The site", "2025-12-05", eed=56.0, setting="alpha-0617")
    page = client.get("/b/phybench/").content.decode()
    assert len(read(client)) == 2 and ">alpha-0325<" in page and ">alpha-0617<" in page
    report(eed, "Beta", "The paper", "2025-05", eed=40.0)
    report(eed, "Beta", "The site", "2025-12-05", eed=45.0)
    report(eed, "Gamma", "The site", "2025-12-05", eed=30.0)
    charts = client.get("/b/phybench/charts/").content.decode()
    names = set(re.findall(r'<span class="name">([^<]+) \(reported\)<', charts))
    assert names == {"Alpha · alpha-0325", "Alpha · alpha-0617", "Beta · 2025-05", "Beta · 2025-12-05", "Gamma"}


def test_a_corrected_reading_takes_the_place_of_the_old_one(eed: DatasetRevision, client: Client) -> None:
    report(eed, "Alpha", "The site", "2025-12-05", eed=50.0)
    old = ReportedResult.objects.get()
    ReportedResult.objects.create(
        benchmark=eed.benchmark, entrant=old.entrant, metric="eed", value=51.0, source="The site", date="2025-12-05",
        digest="new", supersedes=old,
    )  # fmt: skip
    assert [row["value"] for row in read(client)] == [51.0]


def test_a_published_number_above_every_rank_stands_in_no_tier(eed: DatasetRevision, client: Client) -> None:
    report(eed, "Human", "The paper", "2025-05", eed=99.0)
    sit(eed, A=spread(15), B=spread(2))
    table = part_of(client.get("/b/phybench/").content.decode(), '<table class="board">', "</table>")
    assert table.index(">Human<") < table.index("Tier 1") < table.index(">A<") < table.index("Tier 2")


def test_models_published_with_medals_alone_stand_in_the_order_of_these(client: Client) -> None:
    exams = make_board("hipho", {"IPhO_2025": 3}, kind="exam", max_points=2, marks=(5.0, 4.0, 3.0))
    for name, gold, silver in (("Amber", 1, 5), ("Beryl", 12, 0), ("Coral", 1, 7)):
        report(exams, name, "A paper", "2025-09", gold=gold, silver=silver, bronze=0, exam_score=20.0)
    page = client.get("/b/hipho/").content.decode()
    assert page.index(">Beryl<") < page.index(">Coral<") < page.index(">Amber<")
