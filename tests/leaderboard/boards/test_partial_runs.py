"""A run over a part of a set never speaks for the whole of it."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.test import Client

from arena.models import DatasetRevision, Entrant, ReportedResult, Run
from arena.signals import scores_changed
from leaderboard.standings import change_pages, rebuild_board
from tests.leaderboard.boards.scenes import give_all, make_board, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def exams() -> DatasetRevision:
    """Two exams of twelve problems at two points each: gold from 20, silver from 16, bronze from 12."""
    return make_board("hipho", {"IPhO_2025": 12, "IPhO_2024": 12}, kind="exam", max_points=2, marks=(20.0, 16.0, 12.0))


def sit_first(revision: DatasetRevision, name: str, points: float, n: int) -> Run:
    """A limited run over the first n problems of each exam."""
    run = make_run(revision, name, partial=True, limit=n)
    give_all(run, [points] * revision.entries.count())
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    return run


def test_the_receipt_of_a_limited_run_counts_what_was_asked(exams: DatasetRevision, client: Client) -> None:
    run = sit_first(exams, "Limited", 0.0, 7)
    page = client.get(f"/b/hipho/receipt/{str(run.uuid)[:8]}/overall/exam_score/").content.decode()
    assert "14 (14 of 14 scored); 14 of the 24 problems were asked" in page
    assert "n = 14;" in page and "24 scored" not in page


def test_fourteen_problems_without_a_point_do_not_make_an_interval_of_nothing(
    exams: DatasetRevision, client: Client
) -> None:
    sit_first(exams, "Limited", 0.0, 7)
    rows = client.get("/b/hipho.json?metric=accuracy").json()["rows"]
    row = next(row for row in rows if row["model"] == "Limited")
    assert row["low"] == 0.0 and row["high"] > 0.1
    assert (row["n_planned"], row["n_problems"]) == (14, 24)
    written = csv.DictReader(io.StringIO(client.get("/b/hipho.csv").content.decode()))
    assert next(row["n_planned"] for row in written if row["model"] == "Limited") == "14"


def test_an_exam_that_was_not_sat_whole_earns_no_medal_and_no_nought(exams: DatasetRevision, client: Client) -> None:
    sit_first(exams, "Limited", 2.0, 7)
    whole = make_run(exams, "Whole")
    give_all(whole, [2.0] * 12 + [0.0] * 12)
    scores_changed.send(sender=None, run_ids=[whole.pk], inline=True)
    page = client.get("/b/hipho/").content.decode()
    medals = {
        row[row.index("/m/") + 3 :].partition("/")[0]: row[row.index('data-label="Medals">') + 20 :].partition("<")[0]
        for row in page.split("<tr")
        if "/m/" in row
    }
    assert medals == {"limited": "–", "whole": "1 · 0 · 0"}
    table = client.get("/b/hipho/medals/").content.decode()
    assert "Whole" in table[table.index('id="table"') : table.index("</tbody>")]
    assert "/m/limited/" not in table[table.index('id="table"') : table.index("</tbody>")]


def test_the_examples_of_the_methods_are_no_limited_runs(exams: DatasetRevision, client: Client) -> None:
    sit_first(exams, "Limited", 1.0, 7)
    assert "Limited on" not in client.get("/methodology/").content.decode()


def leader_of(client: Client) -> str:
    """What the home page says beside the only benchmark, as text."""
    page = client.get("/").content.decode()
    part = page[page.index('<div class="leader">') :]
    return " ".join(re.sub(r"<[^>]+>", " ", part[: part.index("</div>")]).split())


def report(revision: DatasetRevision, name: str, **numbers: float) -> None:
    entrant, _ = Entrant.objects.get_or_create(slug=name.lower(), defaults={"name": name})
    for metric, value in {**numbers, "exam_score": 9.5}.items():
        ReportedResult.objects.create(
            entrant=entrant, benchmark=revision.benchmark, split="test", metric=metric, value=value,
            subset="IPhO_2025" if metric == "exam_score" else "overall", source="A table", date="2026-02",
            digest=f"{name} {metric}",
        )  # fmt: skip


def test_a_limited_run_never_leads_the_home_page(exams: DatasetRevision, client: Client) -> None:
    sit_first(exams, "Limited", 2.0, 7)
    assert leader_of(client).startswith("not ranked yet: 1 run (limited run)")
    report(exams, "Laureate", gold=12, silver=1, bronze=0)
    report(exams, "Runner", gold=11, silver=2, bronze=0)
    change_pages()
    assert leader_of(client).startswith("12 · 1 · 0 gold · silver · bronze Laureate reported not ranked yet: 1 run")
    overall = client.get("/").content.decode()
    row = overall[overall.index('id="overall"') :]
    assert "28.0" in row and "limited run" in row


def test_a_ranked_run_leads_however_high_others_stand(exams: DatasetRevision, client: Client) -> None:
    sit_first(exams, "Limited", 2.0, 11)
    report(exams, "Laureate", gold=2, silver=0, bronze=0)
    whole = make_run(exams, "Whole")
    give_all(whole, [1.0] * 24)
    scores_changed.send(sender=None, run_ids=[whole.pk], inline=True)
    said = leader_of(client)
    assert "Whole" in said and "24.0" in said and "Limited" not in said and "not ranked" not in said


def test_before_any_run_home_and_board_name_what_others_reported(exams: DatasetRevision, client: Client) -> None:
    report(exams, "Aardvark", gold=1, silver=0, bronze=1)
    report(exams, "Laureate", gold=2, silver=0, bronze=0)
    rebuild_board(exams.pk, "test")
    said = leader_of(client)
    assert said.startswith("2 · 0 · 0 gold · silver · bronze Laureate reported no run of ours yet")
    assert "<b>2</b> models reported" in client.get("/").content.decode()
    board = client.get("/b/hipho/").content.decode()
    assert "No run of ours yet" in board and "in the order of their medals" in board
    rows = client.get("/b/hipho.json").json()["rows"]
    assert [row["model"] for row in rows][:2] == ["Laureate", "Aardvark"]
