"""Redis is down: pages work all the same, and limits hold in this process."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache, caches
from django.test import Client

from arena.models import User
from tests.factories import import_samples, make_cast

pytestmark = pytest.mark.django_db
NOBODY = "redis://127.0.0.1:1/0"  # where nothing listens
PAGES = (
    *("/", "/b/coin_flip/", "/b/coin_flip/problems/", "/b/coin_flip/problems/0/", "/b/coin_flip/compare/"),
    *("/b/coin_flip/about/", "/arena/", "/arena/ratings/", "/review/agreement/", "/judges/", "/accounts/login/"),
)
OWN_PAGES = ("/submit/", "/submit/?benchmark=coin_flip&part=estimate", "/submissions/", "/people/", "/review/")


@pytest.fixture
def cast(settings: Any) -> dict[str, User]:
    import_samples()
    settings.CACHES = {"default": {"BACKEND": "arena.cache.SteadyCache", "LOCATION": NOBODY}}
    settings.REDIS_URL = NOBODY
    return make_cast()


def test_pages_are_there(cast: dict[str, User]) -> None:
    client = Client()
    assert [client.get(path).status_code for path in PAGES] == [200] * len(PAGES)
    assert client.post("/b/coin_flip/problems/0/try/", {"reply": "ANSWER: YES"}).status_code == 200
    assert client.post("/accounts/password/reset/", {"email": "nobody@example.org"}).status_code == 302
    data = {"login": "maintainer", "password": "maintainer-secret"}
    assert client.post("/accounts/login/", data).status_code == 302
    assert [client.get(path).status_code for path in OWN_PAGES] == [200] * len(OWN_PAGES)
    check = {"act": "check", "base_url": "http://127.0.0.1:9/v1", "benchmark": "coin_flip"}
    assert client.post("/submit/", check).status_code == 200


def test_wrong_passwords_are_still_counted(cast: dict[str, User]) -> None:
    client, data = Client(), {"login": "submitter", "password": "wrong"}
    pages = [client.post("/accounts/login/", data).content.decode() for _ in range(12)]
    assert "Too many failed login attempts" in pages[-1]


def test_cache_keeps_what_it_is_given(cast: dict[str, User]) -> None:
    assert cache.add("a", 1) and not cache.add("a", 2) and cache.get("a") == 1
    cache.set_many({"b": 1, "c": 2})
    assert cache.incr("b") == 2 and cache.get_many(["b", "c"]) == {"b": 2, "c": 2}
    cache.delete("c")
    assert "c" not in cache and cache.get_or_set("d", 5) == 5
    caches["default"].clear()
    assert cache.get("a") is None
