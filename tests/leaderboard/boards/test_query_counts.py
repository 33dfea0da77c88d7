"""How many queries a page takes: few, and as many for ten models as for two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import DatasetRevision, Entrant, Reply, ReportedResult
from arena.signals import scores_changed
from leaderboard.page_store import store
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give_all, make_board, make_run

pytestmark = pytest.mark.django_db

BENCHMARKS = ("hipho", "phybench", "coin_flip", "arc_indic", "phyx_oe", "phyx_mc")
KINDS = {"hipho": "exam", "arc_indic": "language"}
BOARD = 6
# Anonymous and built anew, by the part of the address behind the benchmark.
MOST = {
    "": BOARD, "about/": 6, "charts/": 28, "compare/": 10, "problems/": 10, "changes/": 15, "reproductions/": 8,
    "medals/": 12,
}  # fmt: skip
PROBLEM, REPLY, SIGNED_IN = 26, 45, 5


@pytest.fixture(params=BENCHMARKS)
def slug(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def revision(slug: str) -> DatasetRevision:
    """A board that has been measured, reported on, and corrected once: all kinds of rows."""
    names, answers = {"en": 7, "hi": 6}, ("YES", "NO") if slug == "coin_flip" else ("1",)
    marks = (5.0, 4.0, 3.0) if slug == "hipho" else None
    revision = make_board(slug, names, kind=KINDS.get(slug, "field"), marks=marks, answers=answers)
    DatasetRevision.objects.create(benchmark=revision.benchmark, label="r0", sha256="1" * 64)
    ReportedResult.objects.create(
        benchmark=revision.benchmark, entrant=Entrant.objects.create(slug="gamma", name="Gamma"), split="test",
        subset="overall", metric="accuracy", value=0.5, source="a paper", date="2026-01",
    )  # fmt: skip
    sit(revision, "Alpha", "Beta")
    return revision


@pytest.fixture
def stores(settings: Any) -> Iterator[None]:
    settings.STORED_PAGES_S = 0.0
    store.clear()
    yield
    store.clear()


def sit(revision: DatasetRevision, *names: str) -> None:
    for i, name in enumerate(names):
        run = make_run(revision, name)
        give_all(run, [1.0] * (5 + i) + [0.0] * (8 - i))
        scores_changed.send(sender=None, run_ids=[run.pk], inline=True)


def count(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as found:
        assert client.get(path).status_code == 200, path
    return len(found)


def test_boards_and_their_pages_take_few_queries_however_many_models(revision: DatasetRevision, slug: str) -> None:
    paths = {f"/b/{slug}/{part}": most for part, most in MOST.items() if part != "medals/" or slug == "hipho"}
    few = {path: count(Client(), path) for path in paths}
    assert {path: n for path, n in few.items() if n > paths[path]} == {}
    sit(revision, *(f"Model {i}" for i in range(6)))
    assert {path: count(Client(), path) for path in paths} == few


def test_problems_and_replies_take_as_many_however_many_models(revision: DatasetRevision, slug: str) -> None:
    reply = Reply.objects.filter(run__entrant__name="Alpha").order_by("pk")[0]
    paths = {f"/b/{slug}/problems/{reply.problem.external_id}/": PROBLEM, f"/replies/{reply.uuid}/": REPLY}
    few = {path: count(Client(), path) for path in paths}
    assert {path: n for path, n in few.items() if n > paths[path]} == {}
    sit(revision, *(f"Model {i}" for i in range(6)))
    assert {path: count(Client(), path) for path in paths} == few


def test_home_takes_few_queries_for_one_benchmark_and_for_six() -> None:
    sit(make_board("phybench", {"a": 13}, max_points=100), "Alpha", "Beta")
    assert count(Client(), "/") <= BOARD
    for slug in BENCHMARKS:
        if slug != "phybench":
            sit(make_board(slug, {"a": 13}, kind=KINDS.get(slug, "field")), "Alpha", "Gamma")
    assert count(Client(), "/") <= BOARD


def test_a_signed_in_page_that_is_stored_takes_who_it_is_and_no_more(
    revision: DatasetRevision, slug: str, stores: None
) -> None:
    client = Client()
    client.force_login(make_user("somebody"))
    paths = ["/", *(f"/b/{slug}/{part}" for part in MOST if part != "medals/" or slug == "hipho")]
    assert {path: n for path in paths if (n := count(client, path)) > SIGNED_IN} == {}
    assert {path: n for path in paths if (n := count(Client(), path)) > 1} == {}
