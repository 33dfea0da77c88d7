"""A citation's link leads back to the board as it stood, and a receipt to the number it was opened from."""

from __future__ import annotations

import json
import re
import time
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import Benchmark, DatasetRevision, Judgment, Run, Scorer, Withdrawal
from arena.signals import catalog_changed, scores_changed
from leaderboard.models import BoardState
from leaderboard.selectors.board_query import read_moment
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give_all, judge, make_board, make_run, make_scorer, override
from tests.leaderboard.boards.test_board_insight import part_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 40, "optics": 20}, max_points=100)


def spread(n_right: int, n: int = 60) -> list[float | None]:
    return [100.0] * n_right + [0.0] * (n - n_right)


def tell(*runs: Run) -> None:
    scores_changed.send(sender=None, run_ids=[run.pk for run in runs], inline=True)


def publish(revision: DatasetRevision, name: str, n_right: int, **fields: Any) -> Run:
    """A run published now, not on the scenes' first day."""
    run = make_run(revision, name, **fields)
    give_all(run, spread(n_right))
    Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
    tell(run)
    return run


def wait_a_second() -> None:
    """Links name whole seconds."""
    time.sleep(1.1)


def read(client: Client, address: str) -> dict[str, Any]:
    parts = urlsplit(unescape(address))
    return json.loads(client.get(f"{parts.path}?{parts.query}&format=json").content)  # type: ignore[no-any-return]


def places(found: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {row["model"]: (row["value"], row["low"], row["rank"], row["tier"]) for row in found["rows"] if row["value"]}


def cited_link(client: Client, query: str = "") -> str:
    page = client.get(f"/b/phybench/{query}").content.decode()
    found = re.search(r"howpublished = \{\\url\{(.*?)\}\}", page)
    assert found is not None
    return unescape(found[1])


def rescore(revision: DatasetRevision, **points: int) -> Scorer:
    """A newer scorer that ranks from now on."""
    newer = make_scorer("phybench", version="2")
    for name, n_right in points.items():
        run = Run.objects.get(entrant__name=name)
        entries = revision.entries.select_related("problem__subset").order_by("position")
        for entry, value in zip(entries, spread(n_right), strict=True):
            judge(run.replies.get(problem=entry.problem), value or 0.0, scorer=newer)
    Benchmark.objects.filter(pk=revision.benchmark_id).update(scorer=newer)
    catalog_changed.send(sender=None, revision_id=revision.pk, inline=True)
    tell(*Run.objects.all())
    return newer


def test_a_cited_board_keeps_values_ranks_and_tiers_through_a_rescore(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)
    publish(eed, "Beta", 20)
    link = cited_link(client)
    before = places(read(client, link))
    assert before["Alpha"][2:] == (1, 1) and before["Beta"][2:] == (2, 2)
    wait_a_second()
    rescore(eed, Alpha=10, Beta=45)
    now = places(read(client, "/b/phybench/?x=1"))
    assert now["Beta"][2] == 1 and now["Alpha"][2] == 2
    assert places(read(client, link)) == before
    page = client.get(link[link.index("/b/") :]).content.decode()
    assert "The board as it stood on" in page and "under ruler 1" in page and "older scorer" not in page


def test_a_cited_board_shows_no_run_that_came_later(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)
    link = cited_link(client)
    wait_a_second()
    publish(eed, "Beta", 55)
    publish(eed, "Alpha", 5, day=3)  # a newer run of the same model
    assert {name: place[0] for name, place in places(read(client, link)).items()} == {"Alpha": pytest.approx(500 / 6)}
    assert set(places(read(client, "/b/phybench/?x=1"))) == {"Alpha", "Beta"}


def test_every_number_of_a_cited_board_has_its_receipt(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)
    link = cited_link(client)
    wait_a_second()
    publish(eed, "Alpha", 5, day=3)
    page = client.get(link[link.index("/b/") :]).content.decode()
    (address,) = re.findall(r'class="value number" href="(receipt/.*?)"', page)
    receipt = client.get(f"/b/phybench/{unescape(address)}").content.decode()
    assert "83.3" in receipt and "rank 1" in receipt
    plain = unescape(address).partition("?")[0]
    assert "83.3" in client.get(f"/b/phybench/{plain}").content.decode(), "an older link still finds it"


def test_a_receipts_own_link_leads_back_to_the_same_number(eed: DatasetRevision, client: Client) -> None:
    run = publish(eed, "Alpha", 50)
    receipt = client.get(f"/b/phybench/receipt/{str(run.uuid)[:8]}/overall/eed/").content.decode()
    link = unescape(re.findall(r'<a href="([^"]*)">Permanent link', receipt)[0])
    wait_a_second()
    rescore(eed, Alpha=10)
    assert "83.3" in client.get(link[link.index("/b/") :]).content.decode()
    assert "16.7" in client.get(f"/b/phybench/receipt/{str(run.uuid)[:8]}/overall/eed/").content.decode()


def test_what_was_withdrawn_stays_away_and_is_counted(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)
    gone = publish(eed, "Beta", 20)
    link = cited_link(client)
    wait_a_second()
    Withdrawal.objects.create(run=gone, reason="a test")
    tell(gone)
    assert set(places(read(client, link))) == {"Alpha"}
    assert "1 run that stood here has been withdrawn since" in client.get(link[link.index("/b/") :]).content.decode()


def test_reviews_made_later_leave_a_cited_board_after_review_as_it_was(eed: DatasetRevision, client: Client) -> None:
    run = publish(eed, "Alpha", 50)
    maintainer = make_user("ada")
    reviewed = Judgment.objects.filter(reply__run=run, points=100)
    override(reviewed[0], 0.0, maintainer)
    tell(run)
    link = cited_link(client, "?basis=effective")
    assert places(read(client, link))["Alpha"][0] == pytest.approx(4900 / 60)
    wait_a_second()
    override(reviewed[1], 0.0, maintainer)
    tell(run)
    assert places(read(client, link))["Alpha"][0] == pytest.approx(4900 / 60)
    assert places(read(client, "/b/phybench/?basis=effective"))["Alpha"][0] == pytest.approx(4800 / 60)


def test_a_moment_after_the_last_change_is_the_board_of_now(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)
    page = client.get("/b/phybench/?as_of=2999-01-01").content.decode()
    assert "The board as it stood" not in page and ">Alpha<" in page
    long_ago = client.get("/b/phybench/?as_of=2020-01-01").content.decode()
    assert ">Alpha<" not in long_ago and "Nothing fits these filters" in long_ago


def test_a_link_made_in_the_second_of_the_change_shows_the_board_of_now(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)
    state = BoardState.objects.get()
    assert state.changed_at is not None
    link = cited_link(client)
    assert read(client, link)["as_of"] is None and places(read(client, link))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-29", "2026-11-29T23:59:59Z"),
        ("2026-11-29T10:00:00Z", "2026-11-29T10:00:00Z"),
        ("2026-11-29T10:00:00.25+02:00", "2026-11-29T08:00:01Z"),
        ("2026-11-29 10:00", "2026-11-29T10:00:00Z"),
        ("", ""),
        ("yesterday", ""),
        ("9999-12-31T23:59:59.5Z", ""),
        ("0001-01-01T00:00:00+14:00", ""),
    ],
)
def test_a_moment_is_read_as_a_second_of_utc(text: str, moment: str) -> None:
    assert read_moment(text) == moment


# --- receipts of what filters and other columns show ------------------------------------------------------------------


def receipt_of(client: Client, query: str) -> str:
    page = client.get(f"/b/phybench/?{query}").content.decode()
    (address,) = re.findall(r'class="value number" href="(receipt/.*?)"', page)
    response = client.get(f"/b/phybench/{unescape(address)}")
    assert response.status_code == 200, address
    return part_of(response.content.decode(), '<details class="receipt"', "</details>")


def test_the_receipt_of_a_slice_holds_the_number_of_the_slice(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 50)  # all 40 of mechanics and 10 of 20 in optics
    receipt = receipt_of(client, "field=optics")
    assert ">50.0<" in receipt and "optics" in receipt and "20 of 20 scored" in receipt


def test_the_receipt_after_review_holds_the_points_after_review(eed: DatasetRevision, client: Client) -> None:
    run = publish(eed, "Alpha", 30)
    override(Judgment.objects.filter(reply__run=run, points=100)[0], 0.0, make_user("ada"))
    tell(run)
    assert ">50.0<" in receipt_of(client, "basis=machine") and ">48.3<" in receipt_of(client, "basis=effective")
    assert "after review" in receipt_of(client, "basis=effective")


def test_the_receipt_under_another_scorer_holds_what_that_scorer_gave(eed: DatasetRevision, client: Client) -> None:
    publish(eed, "Alpha", 30)
    newer = rescore(eed, Alpha=45)
    assert ">75.0<" in receipt_of(client, "") and ">50.0<" in receipt_of(client, "scorer=ruler+1")
    assert ">75.0<" in receipt_of(client, f"scorer={newer.digest[:12]}")


def test_a_bibtex_entry_escapes_what_latex_reads(client: Client) -> None:
    revision = make_board("coin_flip", {"default": 30}, answers=("YES", "NO"))
    run = make_run(revision, "A_b & 50% {x}")
    give_all(run, [1.0] * 30, answers=["YES", "NO"] * 15)
    tell(run)
    page = client.get(f"/b/coin_flip/receipt/{str(run.uuid)[:8]}/overall/f1_score/").content.decode()
    entry = unescape(re.findall(r'data-copy="(@misc.*?)"', page, re.S)[0])
    assert r"A\_b \& 50\% \{x\}" in entry and entry.count("{") - entry.count("}") == 0
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.M))
    assert set(fields) == {"title", "year", "note", "howpublished"} and fields["year"].isdecimal()
    assert fields["howpublished"].startswith("\\url{http")
