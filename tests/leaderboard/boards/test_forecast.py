"""What a correction will do to a board is foretold from stored replies: as it then comes, without a call or a write."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.benchmarks import samples
from arena.models import DatasetRevision, JudgeReply, Run
from arena.services.foretelling import foretell_run
from leaderboard.models import Standing
from tests.arena.judging.court import judged_run, play
from tests.arena.services.test_carrying import TRUTH, change_first_criterion, import_flips, reply_to_all
from tests.factories import import_samples, run_inline
from tests.fake_llm import FakeLLM, say
from tests.leaderboard.boards.test_changes import read_rows

pytestmark = pytest.mark.django_db
SAMPLES = Path(samples.__file__).parent


def make_official() -> None:
    """Our samples take the part of official data: on the sample set nothing is offered."""
    DatasetRevision.objects.update(origin=DatasetRevision.Origin.OFFICIAL)


def test_foretelling_writes_nothing(tmp_path: Path) -> None:
    run = reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    new = import_flips(tmp_path / "b", "r2", *TRUTH)
    with CaptureQueriesContext(connection) as queries:
        foretold = foretell_run(run, new)
    assert not [query["sql"] for query in queries if not query["sql"].startswith("SELECT")]
    assert [sample.points for sample in foretold.samples] == [1, 1, 1] and foretold.judge_calls == 0
    assert len(foretold.changed) == 1 and foretold.carried.pk is None


def test_a_corrected_formula_is_foretold_by_eed(tmp_path: Path, client: Client) -> None:
    folder = tmp_path / "phybench"
    shutil.copytree(SAMPLES / "phybench", folder)
    import_samples("phybench", folder, "r1")
    with FakeLLM([say("$$\\boxed{2 m g}$$")]) as server:
        run_inline(server.base_url, "phybench")
    path = next(folder.glob("*.json*"))
    text = path.read_text(encoding="utf-8")
    records = json.loads(text)
    record = next(record for record in records if record.get("answer"))
    record["answer"] = "$$2 m g$$"
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    import_samples("phybench", folder, "r2")
    make_official()
    rows = read_rows(client.get("/b/phybench/changes/").content.decode(), "Who moves")
    (cells,) = rows.values()
    assert cells[0] == "1" and cells[2] == "100 / 100" and "→" in cells[3]
    call_command("rescore", "phybench", "--to-revision", "r2")
    (after,) = read_rows(client.get("/b/phybench/changes/").content.decode(), "Who moves").values()
    assert after[1:] == cells[1:]


def test_what_only_a_judge_can_say_is_counted_in_calls(tmp_path: Path, client: Client) -> None:
    folder = tmp_path / "hipho"
    shutil.copytree(SAMPLES / "hipho", folder)
    import_samples("hipho", folder, "r1")
    with FakeLLM(play(0.5)) as server:
        run = judged_run(server)
        Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
        change_first_criterion(folder / "Sample_2026_en.json")
        import_samples("hipho", folder, "r2")
        make_official()
        calls, bought = len(server.requests), JudgeReply.objects.count()
        page = client.get("/b/hipho/changes/").content.decode()
        assert len(server.requests) == calls and JudgeReply.objects.count() == bought
    (cells,) = read_rows(page, "Who moves").values()
    assert "waits for 1 verdict of a judge" in page and "rejudge hipho" in page
    assert cells[2] == "0–1 / 1" and cells[-1].endswith("→ –")
    low, high = (float(end) for end in cells[3].partition("→ ")[2].split("–"))
    assert low < high, "the value lies between nothing and everything for what waits"
    call_command("rescore", "hipho", "--to-revision", "r2")
    page = client.get("/b/hipho/changes/").content.decode()
    (carried,) = read_rows(page, "Who moves").values()
    assert carried == cells, "what waits is no zero once the run is carried either"
    assert "waits for 1 verdict of a judge" in page and "1 verdict is still missing" in page and "rejudge hipho" in page


def test_too_much_to_grade_on_a_page_is_left_to_the_command(
    tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.selectors.rescore_offer.MOST_FORETOLD", 0)
    reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    import_flips(tmp_path / "b", "r2", *TRUTH)
    page = client.get("/b/coin_flip/changes/").content.decode()
    assert "too many replies to foretell" in page
    assert read_rows(page, "Who moves")["Alpha"][2:4] == ["–", "0.800 → –"]


def test_a_run_made_on_the_new_data_keeps_the_older_one_of_its_series_away(tmp_path: Path, client: Client) -> None:
    old = reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    other = reply_to_all(DatasetRevision.objects.get(), "YES", "YES", "NO", name="Beta")
    new = import_flips(tmp_path / "b", "r2", *TRUTH)
    reply_to_all(new, "NO", "YES", "YES")
    rows = read_rows(client.get("/b/coin_flip/changes/").content.decode(), "Who moves")
    assert rows["Alpha"][3].endswith("→ –") and rows["Beta"][4] == "1 → 2"
    assert Standing.objects.filter(run__in=[old, other], revision=new).count() == 0


def test_a_run_that_a_newer_one_replaced_is_no_part_of_the_offer(tmp_path: Path, client: Client) -> None:
    old = import_flips(tmp_path / "a", "r1", "YES", "YES", "YES")
    reply_to_all(old, "YES", "YES", "YES")
    reply_to_all(old, "NO", "YES", "YES")
    import_flips(tmp_path / "b", "r2", *TRUTH)
    page = client.get("/b/coin_flip/changes/").content.decode()
    assert page.count(">Alpha<") == 1 and read_rows(page, "Who moves")["Alpha"][4] == "1 → 1"
