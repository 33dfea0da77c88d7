"""What changed: who moves after a correction, and who moved since a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from arena.models import Run, Withdrawal
from arena.signals import scores_changed
from leaderboard.board_history import SNAPSHOTS, add_snapshot
from leaderboard.models import BoardState, Standing
from tests.arena.services.test_carrying import TRUTH, import_flips, reply_to_all
from tests.leaderboard.boards.scenes import give_all, make_board, make_run
from tests.leaderboard.boards.test_board_insight import cells_of, part_of

pytestmark = pytest.mark.django_db


def read_rows(page: str, heading: str) -> dict[str, list[str]]:
    section = part_of(page, f'aria-label="{heading}"', "</table>")
    rows = part_of(section, "<tbody>", "</tbody>").replace("</tr>", "").replace("<br>", " ").split("<tr>")[1:]
    return {cells[0]: cells[1:] for cells in map(cells_of, rows)}


def test_the_offer_lists_who_moves_before_and_after_the_runs_are_carried(tmp_path: Path, client: Client) -> None:
    old = import_flips(tmp_path / "a", "r1", "YES", "YES", "YES")
    reply_to_all(old, "NO", "YES", "YES", name="Alpha")
    reply_to_all(old, "YES", "YES", "NO", name="Beta")
    assert "Who moves" not in client.get("/b/coin_flip/changes/").content.decode()
    import_flips(tmp_path / "b", "r2", *TRUTH)
    page = client.get("/b/coin_flip/changes/").content.decode()
    rows = read_rows(page, "Who moves")
    assert rows["Alpha"][:3] == ["1", "0 / 1", "1 / 1"] and rows["Beta"][:3] == ["1", "1 / 1", "0 / 1"]
    assert rows["Alpha"][3:] == ["0.800 → 1.000", "1 → 1"] and rows["Beta"][3:] == ["0.800 → 0.500", "1 → 2"]
    assert Run.objects.count() == 2 and not Standing.objects.filter(revision__label="r2").exists(), "nothing is stored"
    assert "rescore coin_flip --to-revision r2" in page
    foretold = {name: cells[3:] for name, cells in rows.items()}
    call_command("rescore", "coin_flip", "--to-revision", "r2")
    page = client.get("/b/coin_flip/changes/").content.decode()
    rows = read_rows(page, "Who moves")
    assert {name: cells[3:] for name, cells in rows.items()} == foretold, "it comes as it was foretold"
    assert rows["Alpha"][1:3] == ["0 / 1", "1 / 1"] and rows["Beta"][1:3] == ["1 / 1", "0 / 1"]
    assert "--to-revision" not in page
    assert "Alpha: replies given on data r1, scored again" in page and "new run" not in page
    values = {
        row.entrant.name: row.value
        for row in Standing.objects.filter(
            revision__label="r2", metric="accuracy", subset__slug="overall", basis="machine"
        )
    }
    assert values == {"Alpha": pytest.approx(1.0), "Beta": pytest.approx(1 / 3)}


def test_a_carried_run_says_where_its_replies_are_from(tmp_path: Path, client: Client) -> None:
    run = reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    import_flips(tmp_path / "b", "r2", *TRUTH)
    call_command("rescore", "coin_flip", "--to-revision", "r2", "--run", str(run.uuid))
    carried = run.carried.get()
    receipt = client.get(f"/b/coin_flip/receipt/{str(carried.uuid)[:8]}/overall/accuracy/").content.decode()
    assert "replies given on data r1, scored again" in receipt
    page = client.get(f"/runs/{carried.uuid}/").content.decode()
    assert f'<a href="/runs/{run.uuid}/">the run on r1</a>' in page
    assert "scored again" not in client.get(f"/runs/{run.uuid}/").content.decode()


def test_an_unpublished_run_is_no_part_of_the_offer(tmp_path: Path, client: Client) -> None:
    run = reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    type(run).objects.filter(pk=run.pk).update(published_at=None)
    import_flips(tmp_path / "b", "r2", *TRUTH)
    page = client.get("/b/coin_flip/changes/").content.decode()
    assert "1 problem changed" in page and "Who moves" not in page


def test_ranks_and_scores_that_moved_since_a_day_are_listed(client: Client) -> None:
    revision = make_board("phybench", {"mechanics": 20}, max_points=100)
    runs = {name: make_run(revision, name) for name in ("Alpha", "Beta", "Same")}
    for name, n in (("Alpha", 16), ("Beta", 10), ("Same", 2)):
        give_all(runs[name], [100.0] * n + [0.0] * (20 - n))
    tell(*runs.values())
    shift_history(days=10)
    better = make_run(revision, "Beta", day=1)
    give_all(better, [100.0] * 20)
    tell(better)
    since = (datetime.now(UTC) - timedelta(days=5)).date().isoformat()
    rows = read_rows(client.get(f"/b/phybench/changes/?since={since}").content.decode(), "Ranks and scores that moved")
    assert rows == {"Beta": ["50.0 → 100.0", "2 → 1"], "Alpha": ["80.0 → 80.0", "1 → 2"]}
    early = client.get("/b/phybench/changes/?since=2020-01-01").content.decode()
    assert "Ranks are kept from" in early and "Ranks and scores that moved" not in early
    Withdrawal.objects.create(run=better, reason="a test")
    tell(better)
    page = client.get(f"/b/phybench/changes/?since={since}").content.decode()
    assert "No rank and no score has moved" in page


def tell(*runs: Any) -> None:
    scores_changed.send(sender=None, run_ids=[run.pk for run in runs], inline=True)


def shift_history(days: int) -> None:
    """As if the board had last changed some days ago."""
    state = BoardState.objects.get()
    for shot in state.history:
        shot["at"] = (datetime.fromisoformat(shot["at"]) - timedelta(days=days)).isoformat()
    state.save()


def test_of_a_day_the_last_snapshot_stays_and_the_oldest_go() -> None:
    history: list[Any] = []
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for hours in range(0, 24 * (SNAPSHOTS + 5), 12):
        history = add_snapshot(history, [], "eed", start + timedelta(hours=hours))
    assert len(history) == SNAPSHOTS and all(shot["at"][11:13] == "12" for shot in history)
    assert history[0]["at"][:10] == "2026-01-06"
