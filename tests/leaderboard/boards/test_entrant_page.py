"""A model's page: every run with its date, versions and number, and why it stands on the board no more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import DatasetRevision, Run, Withdrawal
from arena.signals import scores_changed
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give_all, make_board, make_run
from tests.leaderboard.boards.test_board_insight import part_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 40, "optics": 20}, max_points=100)


def publish(revision: DatasetRevision, n_right: int, days_ago: int, **fields: Any) -> Run:
    run = make_run(revision, "Alpha", **fields)
    at = timezone.now() - timedelta(days=days_ago)
    Run.objects.filter(pk=run.pk).update(published_at=at, finished_at=at)
    give_all(run, [100.0] * n_right + [0.0] * (60 - n_right))
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    return run


def short(run: Run) -> str:
    return str(run.uuid)[:8]


def test_an_older_run_stays_with_its_number_and_what_took_its_place(eed: DatasetRevision, client: Client) -> None:
    old, new = publish(eed, 30, 9), publish(eed, 45, 2)
    page = client.get("/m/alpha/").content.decode()
    standing, other = part_of(page, 'id="standing"'), part_of(page, 'id="older"')
    assert short(new) in standing and "75.0" in standing and "rank 1" in standing and short(old) not in standing
    assert f"/runs/{old.uuid}/" in other and "50.0" in other and "superseded" in other
    day = (timezone.now() - timedelta(days=2)).date().isoformat()
    assert (
        f"on {day} by" in other
        and f"/runs/{new.uuid}/" in other
        and "ruler 1" in other
        and "<code>r1</code>, <code>test</code>" in other
    )
    receipt = other.split('class="number" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "50.0" in client.get(receipt).content.decode()


def test_runs_under_other_settings_stand_beside_each_other(eed: DatasetRevision, client: Client) -> None:
    publish(eed, 30, 9), publish(eed, 45, 2, shots=5)
    page = client.get("/m/alpha/").content.decode()
    assert 'id="older"' not in page and "5 shots" in part_of(page, 'id="standing"')


def test_a_run_on_older_data_says_so(eed: DatasetRevision, client: Client) -> None:
    run = publish(eed, 30, 9)
    DatasetRevision.objects.filter(pk=eed.pk).update(is_current=False)
    DatasetRevision.objects.create(benchmark=eed.benchmark, label="r2", sha256="1" * 64, is_current=True)
    other = part_of(client.get("/m/alpha/").content.decode(), 'id="older"')
    assert short(run) in other and "stands on older data" in other and "?revision=r1" in other


def test_a_withdrawn_run_is_seen_by_maintainers_alone(eed: DatasetRevision, client: Client) -> None:
    publish(eed, 30, 9)
    gone = publish(eed, 45, 2)
    Withdrawal.objects.create(run=gone, reason="a leak")
    scores_changed.send(sender=None, run_ids=[gone.pk], inline=True)
    page = client.get("/m/alpha/").content.decode()
    assert short(gone) not in page and "50.0" in part_of(page, 'id="standing"')
    client.force_login(make_user("ada", "maintainer"))
    assert "withdrawn: a leak" in client.get("/m/alpha/").content.decode()


def test_a_test_run_of_phyx_takes_the_place_of_an_older_one_on_test_mini() -> None:
    from leaderboard.board_entries import find_successors

    revision = make_board("phyx_oe", {"mechanics": 4})
    mini, whole = make_run(revision, "Alpha", split="test_mini"), make_run(revision, "Alpha", day=1)
    assert find_successors([mini, whole]) == {mini.pk: whole}
    later = make_run(revision, "Alpha", day=2, split="test_mini")
    assert find_successors([mini, whole, later]) == {mini.pk: whole}
