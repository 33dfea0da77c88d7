"""An entrant's page: what others published of it, what a baseline gets, and nothing of private runs."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.services.published import import_shipped
from tests.factories import import_samples

pytestmark = pytest.mark.django_db


def test_published_numbers_stand_with_every_source_of_their_own(client: Client) -> None:
    import_shipped()
    page = client.get("/m/deepseek-r1/").content.decode()
    for words in ("arXiv:2504.16074", "2025-12-05", "PhyX leaderboard", "P1-VL paper", "33.5", "25.0"):
        assert words in page, words
    assert 'class="tag reported"' in page


def test_baseline_shows_what_it_gets(client: Client) -> None:
    import_samples()
    page = client.get("/m/always-yes/").content.decode()
    assert "0.667" in page and "CoinFlip" in page


def test_unknown_entrant_is_not_found(client: Client) -> None:
    assert client.get("/m/nobody/").status_code == 404
