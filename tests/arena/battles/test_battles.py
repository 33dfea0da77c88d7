"""One vote a voter a battle, whatever is clicked; nothing told before it; caps; exclusions with their reasons."""

from __future__ import annotations

import threading

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from arena.errors import Refused
from arena.models import AuditEvent, BattleServing, Pool, Vote, VoteExclusion, Withdrawal
from arena.services import voters
from arena.services.battles import (
    cast_vote,
    exclude_votes,
    excluded_ids,
    find_serving,
    open_answer,
    restore_votes,
    serve_battle,
    skip_battle,
)
from arena.services.pairing import Filters
from arena.services.voters import TooMany, hash_address, identify
from tests.arena.battles.scenes import publish_run, visitor
from tests.factories import make_cast

ALL = Filters()


@pytest.fixture
def pair() -> None:
    for name in ("Alder", "Birch"):
        publish_run(name)


def need_a_database_that_threads_share() -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite in memory locks whole tables between threads; tests/browser/test_arena.py races over HTTP")


@pytest.mark.django_db
def test_a_battle_left_open_comes_back(pair: None) -> None:
    first, again = serve_battle(visitor("v1"), ALL), serve_battle(visitor("v1"), ALL)
    assert first is not None and again is not None and first.pk == again.pk


@pytest.mark.django_db
def test_the_next_battle_is_served_ahead_and_only_one(pair: None) -> None:
    voter = visitor("v1")
    first = serve_battle(voter, ALL)
    assert first is not None
    ahead = serve_battle(voter, ALL, after=first.battle.uuid)
    again = serve_battle(voter, ALL, after=first.battle.uuid)
    assert ahead is not None and again is not None and ahead.pk == again.pk != first.pk
    assert ahead.shown_at is None and first.shown_at is not None


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["reply", "run"])
def test_a_battle_goes_when_a_reply_of_it_is_withdrawn(pair: None, what: str) -> None:
    voter, other = visitor("v1"), visitor("v2")
    serving, judged = serve_battle(voter, ALL), serve_battle(other, ALL)
    assert serving is not None and judged is not None
    cast_vote(other, judged.battle.uuid, "left")
    for battle in {serving.battle, judged.battle}:
        row = {"reply": battle.reply_b} if what == "reply" else {"run": battle.reply_b.run}
        Withdrawal.objects.create(**row, reason="it names a person")
    again = serve_battle(voter, ALL)
    assert again is None or again.battle != serving.battle
    for act in (lambda: cast_vote(voter, serving.battle.uuid, "left"), lambda: open_answer(voter, serving.battle.uuid)):
        with pytest.raises(Refused, match="was withdrawn"):
            act()
    with pytest.raises(Refused, match="was withdrawn"):
        find_serving(other, judged.battle.uuid)
    assert not Vote.objects.filter(voter=voter.key).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("choice", ["left", "right"])
def test_a_vote_speaks_of_the_side_that_was_shown(pair: None, choice: str) -> None:
    for number in range(4):
        voter = visitor(f"v{number}")
        serving = serve_battle(voter, ALL)
        assert serving is not None
        vote = cast_vote(voter, serving.battle.uuid, choice).vote
        left = "b" if serving.swapped else "a"
        assert (vote.outcome == left) == (choice == "left")
        assert vote.swapped == serving.swapped and vote.pool == Pool.ANONYMOUS
    assert set(BattleServing.objects.values_list("swapped", flat=True)) == {True, False}


@pytest.mark.django_db
def test_a_second_vote_gets_the_first_ones_result(pair: None) -> None:
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    first = cast_vote(voter, serving.battle.uuid, "left")
    second = cast_vote(voter, serving.battle.uuid, "right")
    assert first.is_new and not second.is_new
    assert first.vote == second.vote and Vote.objects.count() == 1


@pytest.mark.django_db
def test_only_who_was_shown_a_battle_may_vote_on_it(pair: None) -> None:
    serving = serve_battle(visitor("v1"), ALL)
    assert serving is not None
    with pytest.raises(Refused, match="not shown to you"):
        cast_vote(visitor("v2"), serving.battle.uuid, "left")
    assert Vote.objects.count() == 0


@pytest.mark.django_db
def test_a_choice_outside_the_four_is_refused(pair: None) -> None:
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    with pytest.raises(Refused, match="choice"):
        cast_vote(voter, serving.battle.uuid, "a")


@pytest.mark.django_db
def test_opening_the_reference_is_on_the_vote(pair: None) -> None:
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    opened = open_answer(voter, serving.battle.uuid).answer_opened_at
    assert open_answer(voter, serving.battle.uuid).answer_opened_at == opened
    assert cast_vote(voter, serving.battle.uuid, "left").vote.answer_opened


@pytest.mark.django_db
def test_a_skipped_battle_neither_comes_back_nor_takes_a_vote(pair: None) -> None:
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    skip_battle(voter, serving.battle.uuid)
    following = serve_battle(voter, ALL)
    assert following is not None and following.battle.problem_id != serving.battle.problem_id
    with pytest.raises(Refused, match="skipped"):
        cast_vote(voter, serving.battle.uuid, "left")


@pytest.mark.django_db
def test_pools_follow_the_person(pair: None) -> None:
    cast = make_cast()
    found = {name: identify(user, "cookie", "192.0.2.1").pool for name, user in cast.items()}
    assert found == {"reviewer": Pool.REVIEWER, "maintainer": Pool.REVIEWER, "submitter": Pool.SIGNED_IN}
    assert visitor("cookie").pool == Pool.ANONYMOUS


@pytest.mark.django_db
def test_signing_in_does_not_bring_back_what_the_visitor_has_judged(pair: None) -> None:
    seen = set()
    voter = visitor("cookie")
    for _ in range(10):
        serving = serve_battle(voter, ALL)
        assert serving is not None
        cast_vote(voter, serving.battle.uuid, "tie")
        seen.add(serving.battle.problem_id)
    account = identify(make_cast()["submitter"], "cookie", "192.0.2.1")
    for _ in range(10):
        serving = serve_battle(account, ALL)
        assert serving is not None and serving.battle.problem_id not in seen
        cast_vote(account, serving.battle.uuid, "tie")
    assert serve_battle(account, ALL) is None


@pytest.mark.django_db
def test_neither_address_nor_cookie_nor_account_is_stored(pair: None) -> None:
    user = make_cast()["submitter"]
    for voter in (visitor("cookie-of-a-visitor"), identify(user, "cookie-of-a-visitor", "192.0.2.1")):
        serving = serve_battle(voter, ALL)
        assert serving is not None
        cast_vote(voter, serving.battle.uuid, "left")
    for table in (Vote, BattleServing):
        stored = repr(list(table.objects.values()))
        assert "192.0.2.1" not in stored and "cookie-of-a-visitor" not in stored and "submitter" not in stored
    assert Vote.objects.values_list("address", flat=True)[0] == hash_address("192.0.2.1")


def test_an_address_hash_is_another_one_tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    found = set()
    for day in (1, 2):
        monkeypatch.setattr("django.utils.timezone.now", lambda day=day: datetime(2026, 1, day, tzinfo=UTC))
        found.add(hash_address("192.0.2.1"))
    assert len(found) == 2


@pytest.mark.django_db
def test_caps_hold_for_a_voter_and_for_an_address(pair: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voters, "DAY_VOTER", 2)
    monkeypatch.setattr(voters, "DAY_ADDRESS", 3)

    def vote(cookie: str, address: str) -> None:
        voter = visitor(cookie, address)
        serving = serve_battle(voter, ALL)
        assert serving is not None
        cast_vote(voter, serving.battle.uuid, "tie")

    vote("v1", "192.0.2.1")
    vote("v1", "192.0.2.1")
    with pytest.raises(TooMany, match="this voter"):
        vote("v1", "192.0.2.9")
    vote("v2", "192.0.2.1")
    with pytest.raises(TooMany, match="this address"):
        vote("v3", "192.0.2.1")
    vote("v3", "192.0.2.2")


@pytest.mark.django_db
def test_a_burst_is_stopped_with_a_time_to_come_back(pair: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voters, "BURST_VOTER", 1)
    voter = visitor("v1")
    for number in range(2):
        serving = serve_battle(voter, ALL)
        assert serving is not None
        if number:
            with pytest.raises(TooMany) as refused:
                cast_vote(voter, serving.battle.uuid, "tie")
            assert refused.value.retry_after_s > 0
        else:
            cast_vote(voter, serving.battle.uuid, "tie")


@pytest.mark.django_db
def test_an_exclusion_has_a_reason_and_an_author_and_can_be_taken_back(pair: None) -> None:
    maintainer = make_cast()["maintainer"]
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    vote = cast_vote(voter, serving.battle.uuid, "left").vote
    with pytest.raises(Refused, match="say why"):
        exclude_votes([vote], "  ", maintainer)
    assert exclude_votes([vote], "a bot", maintainer) == 1
    assert exclude_votes([vote], "a bot", maintainer) == 0
    assert excluded_ids() == {vote.pk}
    assert restore_votes([vote], "no bot", maintainer) == 1
    assert excluded_ids() == set()
    assert [row.reason for row in VoteExclusion.objects.order_by("pk")] == ["a bot", "no bot"]
    assert set(AuditEvent.objects.values_list("act", flat=True)) == {"exclude-votes", "restore-votes"}


@pytest.mark.django_db
@pytest.mark.parametrize("act", ["update", "delete"])
def test_votes_cannot_be_changed(pair: None, act: str) -> None:
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    cast_vote(voter, serving.battle.uuid, "left")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        getattr(Vote.objects.all(), act)(**({"outcome": "b"} if act == "update" else {}))


@pytest.mark.django_db
def test_serving_takes_a_bounded_number_of_queries(pair: None) -> None:
    with CaptureQueriesContext(
        connection,
    ) as few:
        serve_battle(visitor("v1"), ALL)
    for name in ("Cedar", "Dogwood", "Elm"):
        publish_run(name)
    with CaptureQueriesContext(connection) as many:
        serve_battle(visitor("v2"), ALL)
    assert len(many) <= len(few) + 4


@pytest.mark.django_db(transaction=True)
def test_a_race_of_votes_leaves_one_and_all_see_it() -> None:
    need_a_database_that_threads_share()
    for name in ("Alder", "Birch"):
        publish_run(name)
    voter = visitor("v1")
    serving = serve_battle(voter, ALL)
    assert serving is not None
    outcomes: list[str] = []
    start = threading.Barrier(8)

    def click(choice: str) -> None:
        start.wait()
        try:
            outcomes.append(cast_vote(voter, serving.battle.uuid, choice).vote.outcome)
        finally:
            connection.close()

    threads = [threading.Thread(target=click, args=(("left", "right")[n % 2],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Vote.objects.count() == 1
    assert outcomes == [Vote.objects.get().outcome] * 8


@pytest.mark.django_db(transaction=True)
def test_a_race_of_tabs_serves_no_pairing_twice() -> None:
    need_a_database_that_threads_share()
    for name in ("Alder", "Birch"):
        publish_run(name)
    voter = visitor("v1")
    start = threading.Barrier(6)

    def open_tab() -> None:
        start.wait()
        try:
            serve_battle(voter, ALL)
        finally:
            connection.close()

    threads = [threading.Thread(target=open_tab) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pairings = list(BattleServing.objects.values_list("pairing", flat=True))
    assert pairings and len(pairings) == len(set(pairings))
