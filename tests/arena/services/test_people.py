"""Accounts: who may sign up, the first maintainer, appointing, and leaving."""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse

from arena.env import VAR
from arena.errors import Refused
from arena.models import MAINTAINER, AuditEvent, Guard, User
from arena.services import people, submissions
from arena.services.invitations import call_back, is_invitation, list_open, make_invitation, use_invitation
from arena.services.runs import Credentials, RunRequest
from tests.factories import import_samples, make_cast, make_user
from tests.fake_llm import FakeLLM, say

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough pass phrase"


def sign_up(client: Client, query: str = "", name: str = "newcomer", email: str = "") -> int:
    data = {"username": name, "email": email, "password1": PASSWORD, "password2": PASSWORD}
    return client.post(f"/accounts/signup/{query}", data).status_code


@pytest.mark.parametrize(
    ("mode", "query", "is_open"), [("open", "", True), ("invite", "", False), ("closed", "", False)]
)
def test_sign_up_follows_the_setting(client: Client, settings: object, mode: str, query: str, is_open: bool) -> None:
    settings.SIGNUP = mode  # type: ignore[attr-defined]
    sign_up(client, query)
    assert User.objects.filter(username="newcomer").exists() is is_open
    assert client.get("/accounts/signup/").status_code in (200, 302)


def test_invitation_opens_sign_up_but_not_where_it_is_closed(client: Client, settings: object) -> None:
    settings.SIGNUP = "closed"  # type: ignore[attr-defined]
    sign_up(client, f"?invitation={make_invitation()}", "early")
    settings.SIGNUP = "invite"  # type: ignore[attr-defined]
    sign_up(Client(), "?invitation=forged", "forger")
    sign_up(Client(), f"?invitation={make_invitation()}", "guest")
    assert list(User.objects.values_list("username", flat=True)) == ["guest"]


def test_invitation_is_for_as_many_people_as_it_says(settings: object) -> None:
    settings.SIGNUP = "invite"  # type: ignore[attr-defined]
    single, double = make_invitation(), make_invitation(uses=2)
    for name in ("one", "two"):
        sign_up(Client(), f"?invitation={single}", f"single-{name}")
    for name in ("one", "two", "three"):
        sign_up(Client(), f"?invitation={double}", f"double-{name}")
    assert list(User.objects.order_by("pk").values_list("username", flat=True)) == [
        "single-one",
        "double-one",
        "double-two",
    ]


def test_last_place_of_an_invitation_goes_to_one_of_two_open_forms(client: Client, settings: object) -> None:
    settings.SIGNUP = "invite"  # type: ignore[attr-defined]
    token, late = make_invitation(), Client()
    late.get(f"/accounts/signup/?invitation={token}")
    sign_up(client, f"?invitation={token}", "first")
    assert sign_up(late, "", "second") == 200
    assert list(User.objects.values_list("username", flat=True)) == ["first"]


def test_place_that_is_taken_in_the_same_instant_leaves_no_account() -> None:
    """Both forms had passed the door; the invitation is taken inside the transaction that makes the account."""
    token, user = make_invitation(), make_user("first")
    assert use_invitation(token, user) and not use_invitation(token, user) and not use_invitation("forged", user)


def test_invitation_ends_after_fourteen_days_and_when_it_is_called_back() -> None:
    maintainer = make_cast()["maintainer"]
    token, other = make_invitation(maintainer), make_invitation(maintainer)
    assert is_invitation(token) and len(list_open()) == 2
    call_back(list_open()[0].name, maintainer)
    assert [is_invitation(token), is_invitation(other)] == [True, False]
    with pytest.raises(Refused, match="void already"):
        call_back("no such", maintainer)
    age_invitations(timedelta(days=13))
    assert is_invitation(token)
    age_invitations(timedelta(days=1, seconds=1))
    assert not is_invitation(token) and not list_open()


def age_invitations(by: timedelta) -> None:
    Guard.objects.update(enforced=False)
    AuditEvent.objects.filter(act="invite").update(created_at=F("created_at") - by)
    Guard.objects.update(enforced=True)


def test_sign_up_with_an_address_needs_no_mail_server(client: Client, settings: object, tmp_path: Path) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_FILE_PATH = str(tmp_path)  # type: ignore[attr-defined]
    assert sign_up(client, email="new@example.org") == 302
    assert any("new@example.org" in path.read_text() for path in tmp_path.iterdir())
    assert client.get("/submissions/").status_code == 200, "and is signed in"


def test_dead_mail_server_is_no_error_page(client: Client, settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # type: ignore[attr-defined]
    assert sign_up(client, email="new@example.org") == 302
    client.logout()
    assert client.post("/accounts/password/reset/", {"email": "new@example.org"}).status_code == 302
    assert list((VAR / "mail").iterdir()) and (VAR / "mail").stat().st_mode & 0o077 == 0, "kept, and for nobody else"


def test_password_is_reset_by_the_link_in_the_mail(client: Client) -> None:
    make_user("submitter")
    assert client.post("/accounts/password/reset/", {"email": "submitter@example.org"}).status_code == 302
    link = re.search(r"http://[^/]+(/accounts/password/reset/key/\S+)", mail.outbox[0].body)
    assert link is not None
    page = client.get(link[1], follow=True)
    form = page.redirect_chain[-1][0]
    assert client.post(form, {"password1": PASSWORD, "password2": PASSWORD}).status_code == 302
    assert client.login(username="submitter", password=PASSWORD)


def test_reset_for_an_unknown_address_tells_nothing(client: Client) -> None:
    make_user("submitter")
    known = client.post("/accounts/password/reset/", {"email": "submitter@example.org"})
    unknown = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])


def test_first_to_sign_up_by_the_setup_link_is_maintainer_and_the_second_is_not(
    client: Client, settings: object
) -> None:
    settings.SIGNUP = "closed"  # type: ignore[attr-defined]
    token = people.make_setup_token()
    sign_up(client, f"?setup={token}", "first")
    assert User.objects.get(username="first").is_maintainer and client.get("/people/").status_code == 200
    sign_up(Client(), f"?setup={token}", "second")
    assert not User.objects.filter(username="second").exists(), "the link is void"


def test_setup_link_is_void_where_a_maintainer_came_meanwhile(client: Client, settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    token = people.make_setup_token()
    client.get(f"/accounts/signup/?setup={token}")
    make_cast()
    sign_up(client, "", "late")
    assert not User.objects.get(username="late").is_maintainer


def test_setup_link_is_printed_only_while_nobody_maintains(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("make_maintainer")
    assert "/accounts/signup/?setup=" in capsys.readouterr().out
    make_user("someone")
    call_command("make_maintainer", "someone")
    assert User.objects.get(username="someone").is_maintainer
    with pytest.raises(CommandError):
        call_command("make_maintainer")
    with pytest.raises(CommandError, match="no account"):
        call_command("make_maintainer", "nobody")


def test_maintainer_appoints_and_nobody_else_does(client: Client) -> None:
    cast = make_cast()
    for name in ("reviewer", "submitter"):
        client.force_login(cast[name])
        assert client.get("/people/").status_code == 403
        data = {"act": "appoint", "person": cast["submitter"].pk, "roles": ["maintainer"]}
        assert client.post("/people/", data).status_code == 403
    client.force_login(cast["maintainer"])
    client.post("/people/", {"act": "appoint", "person": cast["submitter"].pk, "roles": ["reviewer"]})
    assert User.objects.get(username="submitter").is_reviewer
    page = client.post("/people/", {"act": "invite", "uses": "3"}).content.decode()
    assert "/accounts/signup/?invitation=" in page and "3 / 3" in page
    for uses in ("0", "101", "many", "-1"):
        assert "A number from 1 to 100" in client.post("/people/", {"act": "invite", "uses": uses}).content.decode()
    name = re.search(r'name="invitation" value="(\w+)"', page)
    assert name is not None
    client.post("/people/", {"act": "call-back", "invitation": name[1]})
    assert "3 / 3" not in client.get("/people/").content.decode()
    for person in ("x", "", "999999999999"):
        assert client.post("/people/", {"act": "appoint", "person": person}).status_code == 404


def test_last_maintainer_cannot_step_down() -> None:
    cast = make_cast()
    with pytest.raises(Refused, match="last maintainer"):
        people.set_roles(cast["maintainer"], set(), by=cast["maintainer"])
    people.set_roles(cast["reviewer"], {"maintainer"}, by=cast["maintainer"])
    people.set_roles(cast["maintainer"], set(), by=User.objects.get(username="maintainer"))
    assert not User.objects.get(username="maintainer").is_maintainer


def test_deleted_account_is_empty_locked_and_still_pointed_at(client: Client) -> None:
    import_samples()
    user = make_cast()["submitter"]
    with FakeLLM([say("ANSWER: YES")]) as server:
        request = RunRequest(benchmark="coin_flip", model="Aurora-2", base_url=server.base_url)
        stopped = submissions.submit(request, Credentials(), user)
        submissions.cancel(stopped, user)
        submission = submissions.submit(request, Credentials("sk-CANARY-987654321"), user)
        client.force_login(user)
        assert "not your password" in client.post("/accounts/delete/", {"password": "wrong"}).content.decode()
        assert User.objects.get(pk=user.pk).is_active
        other = Client()
        other.force_login(user)
        assert client.post("/accounts/delete/", {"password": "submitter-secret"}).status_code == 302
    gone = User.objects.get(pk=user.pk)
    assert (gone.username, gone.email, gone.is_active) == (f"deleted-{user.pk}", "", False)
    assert not gone.has_usable_password() and not gone.groups.exists()
    run = submission.runs.get()
    assert run.owner == gone and run.state == "cancelled" and run.endpoint.key_ciphertext == ""
    assert stopped.runs.get().stop_reason == f"cancelled by deleted-{user.pk}"
    assert client.get("/submissions/").status_code == 302 and other.get("/submissions/").status_code == 302
    assert not client.login(username="submitter", password="submitter-secret")


def test_name_of_the_deleted_is_not_for_newcomers(client: Client, settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    sign_up(client, name="Deleted-7")
    assert not User.objects.exists()


def test_delete_page_is_for_the_signed_in(client: Client) -> None:
    assert client.get("/accounts/delete/").status_code == 302


FILLED = {"key": "x", "uidb36": "1", "account_confirm_email": "x:y"}


def account_addresses() -> list[str]:
    """Every page of allauth, so that none that a new version brings is forgotten."""
    from allauth.account.urls import urlpatterns

    return [
        reverse(pattern.name, kwargs={name: FILLED[name] for name in pattern.pattern.regex.groupindex})
        for pattern in urlpatterns
    ]


@pytest.mark.parametrize("signup", ["open", "invite", "closed"])
@pytest.mark.parametrize("is_signed_in", [False, True])
def test_every_account_page_answers_in_our_frame(
    client: Client, settings: object, signup: str, is_signed_in: bool
) -> None:
    settings.SIGNUP = signup  # type: ignore[attr-defined]
    seen = 0
    for address in [*account_addresses(), "/accounts/delete/"]:
        if is_signed_in:
            client.force_login(User.objects.filter(username="reader").first() or make_user("reader"))
        page = client.get(address)
        assert page.status_code in (200, 302), address
        if page.status_code == 200:
            text = page.content.decode()
            assert 'class="site-header"' in text and text.count("<h1") == 1 and "<title>" in text, address
            seen += 1
    assert seen >= 8


def test_second_thoughts_are_asked_for_the_password_in_our_frame(client: Client) -> None:
    """A page that wants the password once more shows it beside what went wrong."""
    client.force_login(make_user("reader"))
    page = client.post("/accounts/reauthenticate/", {"password": "wrong"}).content.decode()
    assert 'class="site-header"' in page and 'class="errorlist"' in page
    assert client.post("/accounts/reauthenticate/", {"password": "reader-secret"}).status_code == 302


def test_address_is_confirmed_by_the_link_in_the_mail(client: Client, settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    sign_up(client, email="new@example.org")
    link = re.search(r"http://[^/]+(/accounts/confirm-email/\S+)", mail.outbox[0].body)
    assert link is not None
    page = client.get(link[1])
    assert page.status_code == 200 and "new@example.org" in page.content.decode()
    assert client.post(link[1]).status_code == 302
    assert EmailAddress.objects.get(email="new@example.org").verified


def test_closed_account_cannot_sign_in_and_sees_why(client: Client) -> None:
    user = make_user("reader")
    User.objects.filter(pk=user.pk).update(is_active=False)
    page = client.post("/accounts/login/", {"login": "reader", "password": "reader-secret"}, follow=True)
    assert page.status_code == 200 and "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "name", ["m\u0430intainer", "\uff4daintainer", "MAINTAINER", "maintainer@example.org", "...", "deleted-7"]
)
def test_name_that_passes_for_another_is_refused(client: Client, settings: object, name: str) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    make_cast()
    before = User.objects.count()
    assert sign_up(client, "", name) == 200 and User.objects.count() == before


def test_sign_up_says_each_thing_once(client: Client, settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    page = client.get("/accounts/signup/").content.decode()
    assert page.count('name="password1"') == 1 and "placeholder=" not in page


def test_name_in_its_own_letters_is_welcome(client: Client, settings: object) -> None:
    settings.SIGNUP = "open"  # type: ignore[attr-defined]
    assert sign_up(client, "", "Жанна") == 302 and User.objects.filter(username="Жанна").exists()


@pytest.mark.django_db(transaction=True)
def test_two_maintainers_who_dismiss_each_other_at_once_leave_one() -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite in memory is not shared between threads; its transactions exclude each other anyway")
    pair = [make_user(name, MAINTAINER) for name in ("first", "second")]
    together = threading.Barrier(2)

    def dismiss(by: User, other: User) -> None:
        assert by.is_maintainer
        together.wait()
        try:
            people.set_roles(other, set(), by=by)
        except Refused:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=dismiss, args=order) for order in (pair, pair[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.filter(groups__name=MAINTAINER).count() == 1
