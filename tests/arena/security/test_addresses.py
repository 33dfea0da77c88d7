"""Whose address counts: the peer's, or what our own proxies say; never what a visitor claims."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.security.addresses import read_address
from arena.services.throttling import site_throttle
from tests.factories import import_samples, make_user


@pytest.mark.parametrize(
    ("proxies", "forwarded", "peer", "address"),
    [
        (0, "", "192.0.2.1", "192.0.2.1"),
        (0, "203.0.113.9", "192.0.2.1", "192.0.2.1"),  # a claim, by default
        (1, "203.0.113.9", "10.0.0.1", "203.0.113.9"),
        (1, "198.51.100.7, 203.0.113.9", "10.0.0.1", "203.0.113.9"),  # the left one is the visitor's claim
        (2, "198.51.100.7, 203.0.113.9, 10.0.0.2", "10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "10.0.0.1", "10.0.0.1"),  # fewer proxies than there should be: nothing is believed
        (1, "not an address", "10.0.0.1", "10.0.0.1"),
        (1, "", "10.0.0.1", "10.0.0.1"),
        (1, "203.0.113.9:4711", "10.0.0.1", "203.0.113.9"),
        (1, "[2001:db8:1:2:3::4]:4711", "10.0.0.1", "2001:db8:1:2::/64"),
        (0, "", "2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        (0, "", "::ffff:192.0.2.1", "192.0.2.1"),
        (0, "", "", ""),  # a Unix socket
    ],
)
def test_address_is_the_one_that_the_outermost_trusted_proxy_saw(
    settings: Any, proxies: int, forwarded: str, peer: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert read_address({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded}) == address


def try_often(claims: bool) -> list[int]:
    """Status codes of 25 pasted replies, each with another claim of where it comes from."""
    client, found = Client(), []
    for n in range(25):
        headers = {"HTTP_X_FORWARDED_FOR": f"203.0.113.{n}" if claims else "203.0.113.250"}
        answer = client.post("/b/coin_flip/problems/0/try/", {"reply": "ANSWER: YES"}, **headers)
        found.append(answer.status_code)
    return found


@pytest.mark.django_db
def test_claimed_addresses_do_not_get_around_the_limit(settings: Any) -> None:
    import_samples()
    assert 429 in try_often(claims=True)
    settings.TRUSTED_PROXIES = 1
    site_throttle.cache_clear()
    assert 429 not in try_often(claims=True), "behind a proxy each visitor has a limit of their own"
    assert 429 in try_often(claims=False)


@pytest.mark.django_db
def test_wrong_passwords_are_counted_by_the_real_address(client: Client) -> None:
    make_user("submitter")
    data = {"login": "submitter", "password": "wrong"}
    pages = [
        client.post("/accounts/login/", data, HTTP_X_FORWARDED_FOR=f"203.0.113.{n}").content.decode() for n in range(12)
    ]
    assert "Too many failed login attempts" in pages[-1]


@pytest.mark.django_db
def test_sign_in_works_where_the_server_names_no_address(client: Client) -> None:
    make_user("submitter")
    data = {"login": "submitter", "password": "submitter-secret"}
    assert client.post("/accounts/login/", data, REMOTE_ADDR="").status_code == 302
