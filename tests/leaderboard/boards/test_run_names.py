"""Several runs of one model on a board: what tells them apart stands beside its name, and nothing where it is one."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from arena.models import DatasetRevision, Run
from arena.signals import scores_changed
from tests.leaderboard.boards.scenes import give_all, make_board, make_run, part_of, sit, spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def twice() -> tuple[DatasetRevision, Run, Run]:
    """Alpha without examples and with five, and Beta once."""
    revision = make_board("phybench", {"mechanics": 20}, max_points=100)
    sit(revision, Beta=spread(3))
    runs = [make_run(revision, "Alpha", shots=shots, params={"temperature": 0.6}) for shots in (0, 5)]
    for run, n_right in zip(runs, (10, 15)):
        give_all(run, spread(n_right))
    scores_changed.send(sender=None, run_ids=[run.pk for run in runs], inline=True)
    return revision, *runs


def test_two_runs_of_one_model_show_the_setting_they_differ_in(
    twice: tuple[DatasetRevision, Run, Run], client: Client
) -> None:
    page = client.get("/b/phybench/").content.decode()
    rows = [part for part in page.split('<th class="model" scope="row">')[1:] if ">Alpha</a>" in part]
    assert [part_of(row, 'class="variant">', "</span>").partition(">")[2] for row in rows] == ["5 shots", "0 shots"]
    assert "temperature" not in rows[0][: rows[0].index("</th>")], "both have the same"
    beta = page[page.index(">Beta</a>") :]
    assert "variant" not in beta[: beta.index("</th>")]


def test_two_runs_of_one_model_have_two_names_where_models_are_compared(
    twice: tuple[DatasetRevision, Run, Run], client: Client
) -> None:
    page = client.get("/b/phybench/compare/").content.decode()
    assert ">Alpha (0 shots)</option>" in page and ">Alpha (5 shots)</option>" in page and ">Beta</option>" in page
    assert ">Alpha (5 shots)<" in client.get("/b/phybench/problems/").content.decode()
    assert "Alpha · 5 shots" in client.get("/b/phybench/charts/").content.decode()


def test_the_twins_name_run_and_receipt_of_each_row(twice: tuple[DatasetRevision, Run, Run], client: Client) -> None:
    revision, _plain, primed = twice
    rows = json.loads(client.get("/b/phybench.json").content)["rows"]
    first = rows[0]
    assert (first["model"], first["variant"], first["run"]) == ("Alpha", "5 shots", str(primed.uuid)[:8])
    assert "75.0" in client.get(first["receipt"][first["receipt"].index("/b/") :]).content.decode()
    chinese = client.get("/b/phybench.json", HTTP_ACCEPT_LANGUAGE="zh-hans").content
    assert json.loads(chinese)["rows"] == rows, "programs read one language"
    head = client.get("/b/phybench.csv").content.decode().split("\r\n")[0]
    assert {"variant", "run", "receipt"} <= set(head.split(",")) and revision.label == first["revision"]
