"""The arena through its addresses: blind until the vote, one vote, names after it, pages for maintainers."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.models import BattleServing, Benchmark, DatasetRevision, Pool, Problem, User, Vote
from arena.services import voters
from tests.arena.battles.scenes import publish_run
from tests.factories import make_cast

pytestmark = pytest.mark.django_db

NAMES = ("Alderwood-9", "Birchwood-9", "Groveworks")


def wood(name: str, problem: Problem) -> str:
    return f"My name is {name}, made by Groveworks. Variant {ord(name[0])}: $x = {ord(name[0])}$. ANSWER: YES"


@pytest.fixture
def grove() -> None:
    for name in NAMES[:2]:
        publish_run(name, words=wood, organisation="Groveworks")


def open_battle(client: Client, query: str = "") -> str:
    """The address of the vote on the battle that is shown."""
    page = client.get(f"/arena/{query}").content.decode()
    found = re.search(r'action="(/arena/battles/[0-9a-f-]{36}/vote/)"', page)
    assert found, page
    return found[1]


def test_a_battle_is_shown_at_once_without_an_account(client: Client, grove: None) -> None:
    response = client.get("/arena/")
    page = response.content.decode()
    assert response.status_code == 200 and "Reply A" in page and "Reply B" in page
    assert "<math" in page  # rendered as on the reply page
    assert "no-store" in response["Cache-Control"]


def test_no_name_is_anywhere_before_the_vote(client: Client, grove: None) -> None:
    response = client.get("/arena/")
    told = response.content.decode() + repr(dict(response.items())) + str(response.cookies)
    serving = BattleServing.objects.select_related("battle__reply_a", "battle__reply_b").get()
    secrets = [*NAMES, "alderwood", "birchwood", "/m/", "/replies/", "/runs/", "api_model"]
    secrets += [str(serving.battle.reply_a.uuid), str(serving.battle.reply_b.uuid)]
    assert [secret for secret in secrets if secret.lower() in told.lower()] == []
    assert "▒▒▒▒" in told


def test_the_reference_is_not_in_the_page_until_it_is_opened(client: Client, grove: None) -> None:
    vote = open_battle(client)
    page = client.get("/arena/").content.decode()
    assert 'id="reference"' not in page
    response = client.post(vote.replace("/vote/", "/answer/"), follow=True)
    assert 'id="reference"' in response.content.decode()
    assert BattleServing.objects.get().answer_opened_at is not None
    client.post(vote, {"choice": "left"})
    assert Vote.objects.get().answer_opened


def test_names_come_after_the_vote(client: Client, grove: None) -> None:
    vote = open_battle(client)
    page = client.post(vote, {"choice": "left"}, follow=True).content.decode()
    assert NAMES[0] in page and NAMES[1] in page and "You found A better." in page
    assert "/replies/" in page and "Next battle" in page


def test_nothing_is_revealed_before_ones_own_vote(client: Client, grove: None) -> None:
    vote = open_battle(client)
    address = vote.replace("vote/", "")
    assert client.get(address).url == "/arena/"  # type: ignore[attr-defined]
    other = Client()
    open_battle(other)
    other.post(vote, {"choice": "left"})  # perhaps shown to the other too; their vote opens nothing for this one
    assert client.get(address).url == "/arena/"  # type: ignore[attr-defined]
    stranger = Client()
    assert stranger.get(address).status_code == 404
    assert stranger.post(vote, {"choice": "left"}).status_code == 403
    assert stranger.post(vote.replace("/vote/", "/answer/")).status_code == 404


def test_a_replayed_vote_shows_the_first_ones_result(client: Client, grove: None) -> None:
    vote = open_battle(client)
    first = client.post(vote, {"choice": "left"}, follow=True).content.decode()
    again = client.post(vote, {"choice": "right"}, follow=True).content.decode()
    assert "You found A better." in first and "You found A better." in again
    assert Vote.objects.count() == 1


def test_a_forged_cookie_is_no_voter(client: Client, grove: None) -> None:
    vote = open_battle(client)
    forger = Client()
    forger.cookies["arena_voter"] = "chosen:by:me"
    assert forger.post(vote, {"choice": "left"}).status_code == 403


def test_a_vote_needs_a_post_with_a_token(grove: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    vote = open_battle(strict)
    assert strict.get(vote).status_code == 405
    assert strict.post(vote, {"choice": "left"}).status_code == 403
    assert Vote.objects.count() == 0


def test_the_cookie_is_signed_and_out_of_reach_of_scripts(client: Client, grove: None) -> None:
    cookie = client.get("/arena/").cookies["arena_voter"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie.value.count(":") == 2


def test_the_next_battle_is_fetched_ahead(client: Client, grove: None) -> None:
    uuid = open_battle(client).split("/")[3]
    ahead = open_battle(client, f"?after={uuid}").split("/")[3]
    assert ahead != uuid
    assert open_battle(client).split("/")[3] == uuid
    client.post(f"/arena/battles/{uuid}/vote/", {"choice": "tie"})
    assert open_battle(client).split("/")[3] == ahead


def test_too_many_votes_are_told_with_a_time(client: Client, grove: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voters, "DAY_ADDRESS", 1)
    client.post(open_battle(client), {"choice": "tie"})
    response = client.post(open_battle(client), {"choice": "tie"})
    assert response.status_code == 429 and int(response["Retry-After"]) > 0


def test_accounts_and_reviewers_are_pools_of_their_own(grove: None) -> None:
    for name, pool in (("submitter", Pool.SIGNED_IN), ("reviewer", Pool.REVIEWER)):
        client = Client()
        user = make_cast()[name] if name == "submitter" else User.objects.get(username=name)
        client.force_login(user)
        client.post(open_battle(client), {"choice": "tie"})
        assert Vote.objects.filter(pool=pool).count() == 1


def test_filters_and_an_arena_without_battles(client: Client, grove: None) -> None:
    page = client.get("/arena/?benchmark=coin_flip&language=en").content.decode()
    assert "Reply A" in page and '<option value="coin_flip" selected>' in page
    page = client.get("/arena/?field=Nowhere").content.decode()
    assert "No battle is left" in page


def test_an_arena_on_an_empty_database_says_so(client: Client) -> None:
    assert "No battle is left" in client.get("/arena/").content.decode()
    assert "No votes yet" in client.get("/arena/ratings/").content.decode()


@pytest.mark.parametrize("query", ["?pool=nonsense", "?pool=scores", "?after=x", "?style=1", "?source=%00&field='"])
def test_odd_addresses_are_no_errors(client: Client, grove: None, query: str) -> None:
    assert client.get(f"/arena/ratings/{query}").status_code == 200
    assert client.get(f"/arena/{query}").status_code == 200


def test_figures_of_the_problem_are_shown_where_the_licence_lets_us(client: Client) -> None:
    for name in NAMES[:2]:
        publish_run(name, "phyx_mc", words=wood)
    DatasetRevision.objects.update(origin=DatasetRevision.Origin.OFFICIAL)  # our own drawings are always shown
    Benchmark.objects.update(figures_public=False)
    page = client.get("/arena/").content.decode()
    assert "/b/phyx_mc/figures/" not in page and "its licence does not allow it" in page
    Benchmark.objects.update(figures_public=True)
    assert "/b/phyx_mc/figures/" in client.get("/arena/").content.decode()


def test_voters_are_for_maintainers_alone(grove: None) -> None:
    cast = make_cast()
    for name, status in (("submitter", 403), ("reviewer", 403), ("maintainer", 200)):
        client = Client()
        client.force_login(cast[name])
        assert client.get("/arena/voters/").status_code == status
        assert client.post("/arena/voters/exclude/", {"voter": "x", "reason": "r"}).status_code == (
            403 if status == 403 else 302
        )
        assert client.post("/arena/voters/judge/").status_code == (403 if status == 403 else 302)
    assert Client().get("/arena/voters/").status_code == 302


def test_a_maintainer_excludes_and_restores_a_voter(grove: None) -> None:
    visitor, maintainer = Client(), Client()
    maintainer.force_login(make_cast()["maintainer"])
    visitor.post(open_battle(visitor), {"choice": "left"})
    key = Vote.objects.get().voter
    page = maintainer.post(
        "/arena/voters/exclude/", {"voter": key, "reason": "voted from a script"}, follow=True
    ).content.decode()
    assert "voted from a script" in page and "Restore" in page
    ratings = visitor.get("/arena/ratings/").content.decode()
    assert "1 vote excluded: voted from a script" in ratings and "No votes yet" in ratings
    maintainer.post("/arena/voters/exclude/", {"voter": key, "reason": "a person after all", "act": "restore"})
    assert "No votes yet" not in visitor.get("/arena/ratings/").content.decode()


def test_private_benchmarks_do_not_count(client: Client, grove: None) -> None:
    client.post(open_battle(client), {"choice": "left"})
    assert NAMES[0] in client.get("/arena/ratings/").content.decode()
    Benchmark.objects.update(is_public=False)
    assert NAMES[0] not in client.get("/arena/ratings/").content.decode()
