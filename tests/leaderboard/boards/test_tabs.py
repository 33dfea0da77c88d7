"""The tabs of a benchmark: the same on each of its pages."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.leaderboard.boards.scenes import make_board

pytestmark = pytest.mark.django_db

PAGES = (
    *("", "medals/", "problems/", "compare/", "charts/"),
    *("reproductions/", "changes/", "about/", "judges/", "splits/"),
)


def tabs_of(page: str) -> list[str]:
    nav = page[page.index('class="board-nav"') :]
    return re.findall(r'<li><a href="([^"]+)"', nav[: nav.index("</nav>")])


def test_every_page_of_an_exam_benchmark_has_the_same_tabs_with_or_without_thresholds(client: Client) -> None:
    make_board("hipho", {"Sample_2026": 3}, kind="exam", max_points=2)
    found = {page: tabs_of(client.get(f"/b/hipho/{page}").content.decode()) for page in PAGES}
    assert {"/b/hipho/medals/", "/b/hipho/splits/"} <= set(found[""])
    assert all(tabs == found[""] for tabs in found.values()), found


def test_a_benchmark_without_exams_or_kinds_has_no_tab_for_them(client: Client) -> None:
    make_board("phybench", {"mechanics": 3}, max_points=100)
    tabs = tabs_of(client.get("/b/phybench/").content.decode())
    assert not {"/b/phybench/medals/", "/b/phybench/splits/"} & set(tabs)
