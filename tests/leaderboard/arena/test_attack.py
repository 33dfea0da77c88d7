"""The rehearsed attack, as `manage.py rehearse_attack` reports it."""

from io import StringIO

import pytest
from django.core.management import call_command

from leaderboard.statistics.attack import Attack, rehearse


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_fifty_bots_move_their_model_by_less_than_its_interval(seed: int) -> None:
    report = rehearse(Attack(seed=seed))
    assert report.moved < report.width
    assert report.would_have_moved > 2 * report.width
    assert report.n_bots_held == 50 and report.n_honest_held <= 8


def test_the_report_is_the_same_on_every_run() -> None:
    pages = []
    for _ in range(2):
        out = StringIO()
        call_command("rehearse_attack", seeds=1, stdout=out)
        pages.append(out.getvalue())
    assert pages[0] == pages[1] and "held 50 of 50 bots" in pages[0]
