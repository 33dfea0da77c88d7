"""The words at the door: what mails call the site, what sign-up asks, and what the first maintainer is told."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client

from arena.services import people
from tests.arena.services.test_people import PASSWORD, sign_up
from tests.factories import make_cast, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_door(settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    settings.SITE_URL = "https://proctor.example.org"  # type: ignore[attr-defined]


def test_every_mail_names_the_site(client: Client, open_door: None) -> None:
    sign_up(client, email="new@example.org")
    client.logout()
    client.post("/accounts/password/reset/", {"email": "new@example.org"})
    client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert len(mail.outbox) == 3, "of the first account, its reset, and the address that nobody has"
    for message in mail.outbox:
        assert message.subject.startswith("[Proctor] "), message.subject
        assert "Hello from Proctor!" in message.body and "using Proctor!\nproctor.example.org" in message.body
        assert not re.search(r"(from|on|using|email)\s+[.!]", message.body), message.body
    assert "an account on proctor.example.org" in mail.outbox[0].body
    assert any("account with email nobody@example.org" in message.body for message in mail.outbox)


def test_sign_up_says_once_that_an_address_is_optional_and_why_it_helps(client: Client, open_door: None) -> None:
    page = client.get("/accounts/signup/").content.decode()
    label = re.sub(r"<[^>]+>", "", re.search(r'<label for="id_email">.*?</label>', page)[0])
    assert label == "E-mail address (optional)"
    assert "a forgotten password cannot be reset" in page


@pytest.mark.parametrize(
    ("mode", "there", "absent"),
    [
        ("open", "/accounts/signup/", "by invitation"),
        ("invite", "by invitation", "/accounts/signup/"),
        ("closed", "", "signup"),
    ],
)
def test_sign_in_sends_nobody_to_a_closed_door(
    client: Client, settings: object, mode: str, there: str, absent: str
) -> None:
    settings.SIGNUP = mode  # type: ignore[attr-defined]
    page = client.get("/accounts/login/").content.decode()
    assert there in page and absent not in page


def test_closed_door_says_how_one_gets_in(client: Client, settings: object) -> None:
    settings.SIGNUP = "invite"  # type: ignore[attr-defined]
    assert "ask a maintainer" in client.get("/accounts/signup/").content.decode()
    settings.SIGNUP = "closed"  # type: ignore[attr-defined]
    page = client.get("/accounts/signup/").content.decode()
    assert "No new accounts" in page and "invitation" not in page


def test_first_maintainer_is_told_what_comes_next(client: Client, settings: object) -> None:
    settings.SIGNUP = "invite"  # type: ignore[attr-defined]
    query = f"?setup={people.make_setup_token()}"
    data = {"username": "first", "password1": PASSWORD, "password2": PASSWORD}
    answer = client.post(f"/accounts/signup/{query}", data, follow=True)
    page = answer.content.decode()
    assert answer.redirect_chain[-1][0] == "/people/"
    assert "You are the first maintainer" in page and 'href="/judges/"' in page and "import_benchmark" in page
    make_user("second")
    assert "You are the first maintainer" not in client.get("/people/").content.decode()


def test_menu_leads_maintainers_alone_to_the_administration(client: Client) -> None:
    cast = make_cast()
    people.set_roles(cast["maintainer"], {"maintainer"})
    for name, is_shown in (("maintainer", True), ("submitter", False)):
        client.force_login(cast[name])
        assert ('href="/admin/"' in client.get("/submissions/").content.decode()) is is_shown, name


def test_who_deletes_their_account_is_told_that_private_runs_stay(client: Client) -> None:
    client.force_login(make_cast()["submitter"])
    assert "what is private for maintainers alone" in client.get("/accounts/delete/").content.decode()
