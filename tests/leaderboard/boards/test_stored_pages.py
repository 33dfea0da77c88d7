"""Stored pages: equal bytes, old at once after a change, apart by language and account, deaf to invented parameters."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.contrib.messages.storage.cookie import CookieStorage
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from arena.models import DatasetRevision, Withdrawal
from arena.services.people import set_roles
from arena.signals import scores_changed
from leaderboard.page_store import MAX_BYTES, Store, name_release, store
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


def test_a_stored_page_is_for_hosts_of_ours_alone(revision: DatasetRevision, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["ours.example"]
    for host, status in (("ours.example", 200), ("evil.example", 400), ("ours.example", 200)):
        assert Client().get("/b/phybench/", headers={"host": host}).status_code == status, host


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


def sign_in(name: str) -> Client:
    client = Client()
    client.force_login(make_user(name))
    return client


def test_each_account_gets_a_private_page_of_its_own(revision: DatasetRevision) -> None:
    anonymous = Client().get("/b/phybench/")
    one, two = (sign_in(name).get("/b/phybench/") for name in ("somebody", "another"))
    assert b"somebody" in one.content and b"another" in two.content and b"Alpha" in one.content
    assert b"somebody" not in two.content + anonymous.content + Client().get("/b/phybench/").content
    assert one["Cache-Control"] == two["Cache-Control"] == "private, no-cache"
    assert len({page["ETag"] for page in (anonymous, one, two)}) == 3
    assert "Cookie" in one["Vary"] and "Cookie" in anonymous["Vary"]


def test_a_signed_in_page_is_answered_with_304_until_something_changes(revision: DatasetRevision) -> None:
    client = sign_in("somebody")
    etag = client.get("/b/phybench/")["ETag"]
    again = client.get("/b/phybench/", headers={"if-none-match": etag})
    assert again.status_code == 304 and not again.content and again["ETag"] == etag
    assert again["Cache-Control"] == "private, no-cache" and "default-src" in again["Content-Security-Policy"]
    run = make_run(revision, "Beta")
    give_all(run, [100.0] * 30)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    changed = client.get("/b/phybench/", headers={"if-none-match": etag})
    assert changed.status_code == 200 and b"Beta" in changed.content
    client.logout()
    signed_out = client.get("/b/phybench/", headers={"if-none-match": changed["ETag"]})
    assert signed_out.status_code == 200 and b"somebody" not in signed_out.content


def test_pages_that_are_not_stored_are_private_too(revision: DatasetRevision) -> None:
    client = sign_in("somebody")
    for path in ("/submissions/", "/b/phybench/problems/mechanics_1/", "/b/none/"):
        assert "private" in client.get(path)["Cache-Control"], path


def test_a_message_is_shown_once_and_to_nobody_else(revision: DatasetRevision) -> None:
    client = Client()
    said = CookieStorage(RequestFactory().get("/"))._encode([Message(constants.INFO, "Your run was stored.")])
    client.cookies["messages"] = said
    assert b"Your run was stored." in client.get("/b/phybench/").content
    assert b"Your run was stored." not in client.get("/b/phybench/").content
    assert b"Your run was stored." not in Client().get("/b/phybench/").content


def test_who_becomes_a_reviewer_finds_the_way_to_the_queue_at_once(
    revision: DatasetRevision, django_capture_on_commit_callbacks: Any
) -> None:
    user = make_user("somebody")
    client = Client()
    client.force_login(user)
    link = b'<a href="/review/"'
    assert link not in client.get("/b/phybench/").content
    on_one = {"benchmark": revision.benchmark, "role": "reviewer"}
    for act, is_there in (
        (lambda: set_roles(user, {"reviewer"}), True),
        (lambda: set_roles(user, set()), False),
        (lambda: user.benchmark_roles.create(**on_one), True),
        (lambda: user.benchmark_roles.all().delete(), False),
    ):
        with django_capture_on_commit_callbacks(execute=True):
            act()
        assert (link in client.get("/b/phybench/").content) == is_there


def test_head_has_the_headers_of_get(revision: DatasetRevision) -> None:
    for client in (Client(), sign_in("somebody")):
        for _ in range(2):
            got, asked = client.get("/b/phybench/"), client.head("/b/phybench/")
            assert asked.status_code == 200 and not asked.content
            assert {**asked.headers} == {**got.headers}


def test_a_signed_in_page_takes_at_most_six_queries(
    revision: DatasetRevision, django_assert_max_num_queries: Any
) -> None:
    client = sign_in("somebody")
    client.get("/b/phybench/")
    with django_assert_max_num_queries(6):
        client.get("/b/phybench/")


def test_addresses_with_other_queries_are_other_pages(revision: DatasetRevision) -> None:
    plain = Client().get("/b/phybench/").content
    assert Client().get("/b/phybench/?sort=-eed").content != plain
    assert Client().get("/b/phybench/").content == plain


@pytest.mark.parametrize("query", ["x=1", "utm_source=a&x=%00", "sort=", "eed", "&&", "sort=" + "a" * 5000])
def test_an_invented_parameter_gets_the_stored_page(
    revision: DatasetRevision, query: str, django_assert_num_queries: Any
) -> None:
    plain = Client().get("/b/phybench/")
    with django_assert_num_queries(1):  # the version alone
        same = Client().get(f"/b/phybench/?{query}")
    assert same.content == plain.content and same["ETag"] == plain["ETag"]


def test_the_order_of_parameters_does_not_matter(revision: DatasetRevision, django_assert_num_queries: Any) -> None:
    first = Client().get("/b/phybench/?open=no&sort=model&x=2")
    with django_assert_num_queries(1):
        assert Client().get("/b/phybench/?sort=eed&y=1&sort=model&open=no").content == first.content


VALUES = {
    "/": ["sort=nobody", "tag=none"],
    "/b/phybench/": ["format=xml", "subset=overall", "basis=machine", "as_of=2999-01-01"],
    "/b/phybench.csv": ["sort=nobody", "org=Nobody"],
    "/b/phybench/about/": ["x=1"],
    "/b/phybench/charts/intervals.svg": ["sort=nobody", "metric=x"],
    "/b/phybench/compare/": ["a=nobody", "m=nobody&m=none", "metric=x", "problem=x"],
    "/b/phybench/problems/": ["subset=x", "order=x", "page=x", "page=999999", "page=1", "q=+"],
    "/b/phybench/grid.png": ["subset=x", "order=x"],
    "/b/phybench/changes/": ["since=x"],
    "/b/phybench/reproductions/": ["x=1"],
    "/methodology/": ["x=1"],
}  # fmt: skip


@pytest.mark.parametrize("path", VALUES)
def test_an_invented_value_comes_to_the_plain_page_and_makes_none(revision: DatasetRevision, path: str) -> None:
    plain = Client().get(path)
    assert plain.status_code == 200
    kept = len(store)
    for query in VALUES[path]:
        with CaptureQueriesContext(connection) as found:
            same = Client().get(f"{path}?{query}")
        assert same["ETag"] == plain["ETag"] and len(store) == kept, query
        assert len(found) <= 6, query


INVENTED = (
    "sort", "metric", "subset", "org", "scorer", "modality", "field", "language", "since", "kind", "open", "provenance",
    "basis", "as_of",
)  # fmt: skip


@pytest.mark.parametrize("path", ["/b/phybench/", "/b/phybench.json", "/b/phybench/charts/"])
def test_whatever_value_is_invented_the_page_that_says_so_is_one(revision: DatasetRevision, path: str) -> None:
    for name in INVENTED:
        first = Client().get(f"{path}?{name}=nobody")
        kept = len(store)
        again = Client().get(f"{path}?{name}=nothing")
        assert again["ETag"] == first["ETag"] and len(store) <= kept, name


def test_words_searched_for_make_no_stored_page(revision: DatasetRevision) -> None:
    Client().get("/b/phybench/problems/")
    kept = len(store)
    page = Client().get("/b/phybench/problems/?q=mechanics_7").content
    assert b"mechanics_7<" in page and b"mechanics_8<" not in page and len(store) == kept


def test_another_process_takes_the_page_that_one_has_made(revision: DatasetRevision, settings: Any) -> None:
    settings.REDIS_URL = "redis://somewhere"  # the test's cache is in memory
    first = Client().get("/b/phybench/problems/").content
    store.clear()  # as a process that has just begun
    with CaptureQueriesContext(connection) as found:
        assert Client().get("/b/phybench/problems/").content == first
    assert not any("arena_revisionproblem" in query["sql"] for query in found)


def test_a_page_of_another_release_is_not_taken(revision: DatasetRevision, settings: Any, tmp_path: Path) -> None:
    """The data did not change, the code did: a template of the release before named other styles."""
    settings.REDIS_URL = "redis://somewhere"
    first = Client().get("/b/phybench/problems/").content
    store.clear()
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "base.html").write_text("another")
    settings.BASE_DIR = tmp_path
    with CaptureQueriesContext(connection) as found:
        assert Client().get("/b/phybench/problems/").content == first
    assert any("arena_revisionproblem" in query["sql"] for query in found), "made anew"


def test_a_release_is_named_by_what_makes_its_pages(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("one", "two", "three")]
    for root, text in zip(roots, ("old", "old", "new")):
        (root / "templates").mkdir(parents=True)
        (root / "templates" / "base.html").write_text(text)
    one, two, three = map(name_release, roots)
    assert one == two != three


def test_a_reader_sees_a_change_after_the_age_of_the_version(revision: DatasetRevision, settings: Any) -> None:
    settings.STORED_PAGES_S = 0.2
    client = sign_in("somebody")
    for reader in (Client(), client):
        reader.get("/b/phybench/")
    run = make_run(revision, "Beta")
    give_all(run, [100.0] * 30)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    time.sleep(0.2)
    for reader in (Client(), client):
        assert b"Beta" in reader.get("/b/phybench/").content


def test_a_compressed_page_unpacks_to_the_same(revision: DatasetRevision) -> None:
    for client in (Client(), sign_in("somebody")):
        plain = client.get("/b/phybench/")
        packed = client.get("/b/phybench/", headers={"accept-encoding": "gzip, br"})
        assert packed["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == plain.content
        assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)


def test_an_error_is_never_stored(revision: DatasetRevision) -> None:
    assert Client().get("/b/none/").status_code == 404
    assert Client().get("/b/none/").status_code == 404
    assert "ETag" not in Client().get("/b/none/")


def test_the_store_stays_within_its_bytes() -> None:
    small = Store()
    for number in range(10):
        small.put(number, number, MAX_BYTES // 4)
    assert small.get(0) is None and small.get(9) == 9 and len(small) == 4


def test_what_many_ask_for_at_once_is_made_once() -> None:
    made: list[int] = []
    shared, begun = Store(), threading.Barrier(8)

    def make() -> int:
        made.append(1)
        time.sleep(0.05)
        return 7

    def ask(found: list[int]) -> None:
        begun.wait()
        found.append(shared.make_once("page", make, lambda _: 1))

    found: list[int] = []
    threads = [threading.Thread(target=ask, args=(found,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [7] * 8 and len(made) == 1
