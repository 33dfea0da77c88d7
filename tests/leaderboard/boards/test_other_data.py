"""An import makes other data current: the runs on what was there before stay one click away."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client

from arena.models import Run
from arena.services.publishing import withdraw_run
from tests.factories import import_samples, run_inline
from tests.fake_llm import FakeLLM, say
from tests.leaderboard.boards.scenes import report

pytestmark = pytest.mark.django_db

FLIP = "A coin is heads up. Ann flips the coin. Is the coin still heads up?"


def import_flips(folder: Path, label: str, n: int = 2) -> None:
    path = folder / "flips.jsonl"
    path.write_text("\n".join(json.dumps({"question": f"{FLIP} {i}", "answer": "NO"}) for i in range(n)))
    import_samples("coin_flip", path, label)


def other_data(page: str) -> str:
    found = re.search(r'<p class="(?:muted|notice)">[^<]*other data.*?</p>', page, re.S)
    return found[0] if found else ""


def test_board_leads_to_the_runs_on_data_that_are_not_current_any_more(client: Client, tmp_path: Path) -> None:
    import_samples("coin_flip")
    with FakeLLM([say("ANSWER: YES")]) as server:
        first, second = run_inline(server.base_url, model="Early"), run_inline(server.base_url, model="Second")
        assert other_data(client.get("/b/coin_flip/").content.decode()) == "", "there is one state of the data alone"
        import_flips(tmp_path, "of-2026")
        words = other_data(client.get("/b/coin_flip/").content.decode())
        assert "No run is public on these data yet" in words
        assert 'href="/b/coin_flip/?revision=sample">sample</a> (2 runs)' in words
        assert "Early" in client.get("/b/coin_flip/?revision=sample").content.decode()
        run_inline(server.base_url, model="Late")
    words = other_data(client.get("/b/coin_flip/").content.decode())
    assert "boards of their own" in words and "(2 runs)" in words
    words = other_data(client.get("/b/coin_flip/?revision=sample").content.decode())
    assert 'href="/b/coin_flip/">of-2026</a> (1 run)' in words
    for run in (first, second):
        withdraw_run(run, "made on samples", None, inline=True)
    assert other_data(client.get("/b/coin_flip/").content.decode()) == ""
    assert Run.objects.count() == 3


def test_stale_rows_of_ours_are_not_denied(client: Client, tmp_path: Path) -> None:
    import_flips(tmp_path, "one")
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url, model="Early")
    report(run.revision, "Elsewhere", 0.9, metric="f1_score")
    import_flips(tmp_path, "two", 3)
    page = client.get("/b/coin_flip/").content.decode()
    assert "measured on older data, one" in page and "Elsewhere" in page
    assert "every model here is reported by others" not in page
