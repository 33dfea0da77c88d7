"""What is edited in the admin shows on boards at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from arena.models import Benchmark, DatasetRevision, Entrant, Price, Subset
from arena.signals import scores_changed
from leaderboard.models import PageVersion, Standing
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give_all, make_board, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def revision() -> DatasetRevision:
    revision = make_board("hipho", {"IPhO_2025": 3}, kind="exam", max_points=2, marks=(5.0, 4.0, 3.0))
    run = make_run(revision, "Alpha")
    give_all(run, [2.0, 1.0, 1.0])
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    return revision


def edit_entrant() -> None:
    Entrant.objects.get(name="Alpha").save()


def edit_benchmark() -> None:
    Benchmark.objects.get(slug="hipho").save()


def edit_price() -> None:
    Price.objects.create(model="alpha", valid_from=date(2026, 1, 1), input_usd=1, output_usd=1)


def drop_price() -> None:
    Price.objects.all().delete()


@pytest.mark.parametrize("edit", [edit_entrant, edit_benchmark, edit_price, drop_price])
def test_an_edit_makes_stored_pages_old(
    revision: DatasetRevision, edit: Callable[[], None], django_capture_on_commit_callbacks: Any
) -> None:
    Price.objects.create(model="beta", valid_from=date(2026, 1, 1), input_usd=1, output_usd=1)
    token = PageVersion.objects.get().token
    with django_capture_on_commit_callbacks(execute=True):
        edit()
    assert PageVersion.objects.get().token != token


def test_a_threshold_edited_in_the_admin_moves_the_medal(revision: DatasetRevision, client: Client) -> None:
    subset = Subset.objects.get(slug="IPhO_2025")

    def medal() -> Any:
        return Standing.objects.get(metric="exam_score", basis="machine", subset=subset).details["medal"]

    assert medal() == "silver"
    admin = make_user("root")
    admin.is_staff = admin.is_superuser = True
    admin.save()
    client.force_login(admin)
    fields = {
        "title": "IPhO 2025", "native_title": "", "language": "en", "position": 1, "full_mark": "",
        "full_mark_human": "", "gold": "4", "silver": "3", "bronze": "2", "best_human": "",
    }  # fmt: skip
    response = client.post(f"/admin/arena/subset/{subset.pk}/change/", fields)
    assert response.status_code == 302, response.content[:500]
    subset.refresh_from_db()
    assert subset.gold == Decimal(4) and medal() == "gold"
