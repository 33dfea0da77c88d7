"""Names of entrants: two that look alike are one."""

from __future__ import annotations

import pytest

from arena.errors import Refused
from arena.services.entrants import get_entrant, get_model

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "name",
    [
        "Zebra\u200b-7B",
        "\u202eZebra-7B\u202c",
        "zebra-7b\ufeff",
        " Zebra-\u00ad7B\x07",
        "Zebra-7B\U000e0041",
        "Zebra-7B\u3164",
        "Ze\u200dbra-7B\ufe0f",
    ],
)
def test_a_name_with_what_cannot_be_seen_is_the_name_that_is_seen(name: str) -> None:
    known = get_entrant("Zebra-7B", "Stripe\u202e Works")
    assert get_entrant(name) == known and known.organisation == "Stripe Works"


def test_joiners_of_indic_names_stay() -> None:
    assert get_entrant("क्\u200dष").name == "क्\u200dष"


def test_a_heap_of_accents_is_no_taller_than_four() -> None:
    assert get_entrant("Z" + "\u0333" * 90).name == "Z" + "\u0333" * 4


@pytest.mark.parametrize("name", ["Z\u0435bra-7B", "\u0396ebra-7\u0392"])
def test_a_model_in_other_letters_that_look_like_a_known_one_is_refused(name: str) -> None:
    get_entrant("Zebra-7B")
    with pytest.raises(Refused, match="looks like the known"):
        get_model(name, "", None)


def test_a_name_in_its_own_letters_is_no_look_alike() -> None:
    get_entrant("Zebra-7B")
    assert get_model("\u0417\u0435\u0431\u0440\u0430-7B", "", None).name == "\u0417\u0435\u0431\u0440\u0430-7B"
