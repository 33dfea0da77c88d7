"""Stored pages: equal bytes, old at once after a change, apart by language, never for a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from arena.models import DatasetRevision, Withdrawal
from arena.signals import scores_changed
from leaderboard.stored_pages import store
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give_all, make_board, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stores(settings: Any) -> Iterator[None]:
    settings.STORED_PAGES_S = 0.0
    store.clear()
    yield
    store.clear()


@pytest.fixture
def revision() -> DatasetRevision:
    revision = make_board("phybench", {"mechanics": 30}, max_points=100)
    run = make_run(revision, "Alpha")
    give_all(run, [100.0] * 20 + [0.0] * 10)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    return revision


def test_the_second_visitor_gets_the_stored_page_with_the_same_headers(
    revision: DatasetRevision, django_assert_num_queries: Any
) -> None:
    first = Client().get("/b/phybench/")
    with django_assert_num_queries(1):  # the version alone
        second = Client().get("/b/phybench/")
    assert second.content == first.content and b"Alpha" in second.content
    for name in ("Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "Content-Type", "ETag"):
        assert second[name] == first[name], name
    assert "script-src 'self'" in second["Content-Security-Policy"]
    assert {"Accept-Language", "Cookie", "Accept-Encoding"} <= set(second["Vary"].split(", "))


def test_a_known_etag_is_answered_with_304_and_no_body(revision: DatasetRevision) -> None:
    etag = Client().get("/b/phybench/")["ETag"]
    again = Client().get("/b/phybench/", headers={"if-none-match": etag})
    assert again.status_code == 304 and not again.content and again["ETag"] == etag
    assert Client().get("/b/phybench/", headers={"if-none-match": '"other"'}).status_code == 200


def test_a_change_makes_the_page_old_at_once(revision: DatasetRevision) -> None:
    before = Client().get("/b/phybench/")
    run = make_run(revision, "Beta")
    give_all(run, [100.0] * 30)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    after = Client().get("/b/phybench/", headers={"if-none-match": before["ETag"]})
    assert after.status_code == 200 and b"Beta" in after.content and after["ETag"] != before["ETag"]
    Withdrawal.objects.create(run=run, reason="a test")
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    assert b"Beta" not in Client().get("/b/phybench/").content


def test_each_language_has_its_own_page(revision: DatasetRevision) -> None:
    english = Client().get("/b/phybench/", headers={"accept-language": "en"})
    chinese = Client().get("/b/phybench/", headers={"accept-language": "zh-Hans"})
    assert b'lang="en"' in english.content and b'lang="zh-hans"' in chinese.content
    by_cookie = Client()
    by_cookie.cookies["django_language"] = "zh-hans"
    assert b'lang="zh-hans"' in by_cookie.get("/b/phybench/", headers={"accept-language": "en"}).content


def test_a_session_never_gets_nor_leaves_a_stored_page(revision: DatasetRevision) -> None:
    Client().get("/b/phybench/")
    client = Client()
    client.force_login(make_user("somebody"))
    own = client.get("/b/phybench/")
    assert b"somebody" in own.content and "ETag" not in own
    assert b"somebody" not in Client().get("/b/phybench/").content


def test_a_signed_in_page_takes_at_most_six_queries(
    revision: DatasetRevision, django_assert_max_num_queries: Any
) -> None:
    client = Client()
    client.force_login(make_user("somebody"))
    client.get("/b/phybench/")
    with django_assert_max_num_queries(6):
        client.get("/b/phybench/")


def test_addresses_with_other_queries_are_other_pages(revision: DatasetRevision) -> None:
    plain = Client().get("/b/phybench/").content
    assert Client().get("/b/phybench/?sort=-eed").content != plain
    assert Client().get("/b/phybench/").content == plain


def test_a_compressed_page_unpacks_to_the_same(revision: DatasetRevision) -> None:
    import gzip

    plain = Client().get("/b/phybench/")
    packed = Client().get("/b/phybench/", headers={"accept-encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == plain.content
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)


def test_an_error_is_never_stored(revision: DatasetRevision) -> None:
    assert Client().get("/b/none/").status_code == 404
    assert Client().get("/b/none/").status_code == 404
    assert "ETag" not in Client().get("/b/none/")


def test_the_store_stays_within_its_bytes() -> None:
    from leaderboard.stored_pages import MAX_BYTES, Store

    small = Store()
    for number in range(10):
        small.put(number, number, MAX_BYTES // 4)
    assert small.get(0) is None and small.get(9) == 9
