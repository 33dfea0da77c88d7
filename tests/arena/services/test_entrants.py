"""Names of entrants: two that look alike are one."""

from __future__ import annotations

import pytest

from arena.services.entrants import get_entrant

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["Zebra\u200b-7B", "\u202eZebra-7B\u202c", "zebra-7b\ufeff", " Zebra-\u00ad7B\x07"])
def test_a_name_with_what_cannot_be_seen_is_the_name_that_is_seen(name: str) -> None:
    known = get_entrant("Zebra-7B", "Stripe\u202e Works")
    assert get_entrant(name) == known and known.organisation == "Stripe Works"


def test_joiners_of_indic_names_stay() -> None:
    assert get_entrant("क्\u200dष").name == "क्\u200dष"
