"""The ways through the site: who is shown the review queue, and where an address leads that only takes forms."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from arena.models import BenchmarkRole
from leaderboard.form_addresses import find_page_above
from tests.arena.reviews.scenes import make_run
from tests.factories import make_cast, make_user

pytestmark = pytest.mark.django_db


def test_review_is_shown_to_whoever_may_and_to_nobody_else(client: Client) -> None:
    run = make_run()
    cast = make_cast()
    cast["eve"] = make_user("eve")
    BenchmarkRole.objects.create(benchmark=run.revision.benchmark, user=cast["eve"], role="reviewer")
    for name, is_shown in (("reviewer", True), ("maintainer", True), ("eve", True), ("submitter", False)):
        client.force_login(cast[name])
        for path in ("/", "/submissions/", "/review/agreement/"):
            assert ('href="/review/"' in client.get(path).content.decode()) is is_shown, (name, path)
        assert client.get("/review/").status_code == (200 if is_shown else 403), name
    client.logout()
    assert 'href="/review/"' not in client.get("/").content.decode()


def test_everybody_finds_agreement_and_errata(client: Client) -> None:
    make_run()
    for path in ("/", "/methodology/", "/accounts/login/"):
        page = client.get(path).content.decode()
        assert 'href="/review/agreement/"' in page and 'href="/review/errata/"' in page, path


@pytest.mark.parametrize(
    ("path", "above"),
    [
        ("/runs/{}/act/", "/runs/{}/"),
        ("/submissions/{}/act/", "/submissions/{}/"),
        ("/review/{}/skip/", "/review/{}/"),
        ("/review/claim/", "/review/"),
        ("/review/errata/{}/", "/review/errata/"),
        ("/b/hipho/judges/7/act/", "/b/hipho/judges/"),
        ("/arena/battles/{}/vote/", "/arena/battles/{}/"),
    ],
)
def test_address_for_forms_opened_by_itself_shows_the_way_back(client: Client, path: str, above: str) -> None:
    name = uuid.uuid4()
    client.force_login(make_cast()["maintainer"])
    answer = client.get(path.format(name))
    page = answer.content.decode()
    assert answer.status_code == 405 and answer["Allow"] == "POST" and 'class="site-header"' in page
    assert f'href="{above.format(name)}"' in page


def test_script_gets_the_bare_answer(client: Client) -> None:
    client.force_login(make_cast()["reviewer"])
    answer = client.get(f"/review/{uuid.uuid4()}/draft/", HTTP_ACCEPT="application/json")
    assert answer.status_code == 405 and answer.content == b""


def test_way_up_ends_at_the_boards() -> None:
    assert find_page_above("/nowhere/at/all/") == "/"
