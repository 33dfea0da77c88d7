"""Where the scored answer stands in a reply."""

from __future__ import annotations

import pytest

from arena.answer_places import find_answer_places
from arena.models import Problem
from tests.leaderboard.replies.scenes import make_board

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("slug", "external_id", "reply", "found"),
    [
        (
            "hipho",
            "Sample_2026_en_3_1",
            "\\boxed{9} <answer>\\boxed{1}, \\boxed{2}, \\boxed{3}</answer>",
            ["1", "2", "3"],
        ),
        ("hipho", "Sample_2026_en_3_1", "only \\boxed{7}", ["7", None, None]),
        ("phybench", "1", "$\\boxed{x}$ or $\\boxed{y^2}$", ["y^2"]),
        ("phybench", "1", "nothing", [None]),
        ("phyx_oe", "1", "Final answer: 12 N.", ["12 N"]),
        ("coin_flip", "0", "Heads it was. ANSWER: NO", ["NO"]),
        ("arc_indic", "en:Sample_1", "The answer is (C)", ["C"]),
    ],
)
def test_place_holds_the_answer(slug: str, external_id: str, reply: str, found: list[str | None]) -> None:
    make_board(slug)
    problem = Problem.objects.filter(external_id=external_id, subset__benchmark__slug=slug).order_by("pk")[0]
    places = find_answer_places(slug, problem, reply)
    assert [place and reply[slice(*place)] for place in places] == found
