"""All 403 problems against a judge with faults, and a process killed while it judges: nothing lost or doubled."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from arena.models import CallError, JudgeError, JudgeReply, Reply, Run, Subset
from arena.results import read_results
from arena.services.samples import planned_entries
from arena.summary import exam_points
from scoring.metrics import Thresholds, medal
from tests.mock_server import MockServer, run_mock

ROOT = Path(__file__).resolve().parents[3]
FAULTS = "500=0.03,429=0.03,badjson=0.02,empty=0.02,truncate=0.02,hang=0.003"
CONCURRENCY = 24
pytestmark = pytest.mark.slow


def evaluate_hipho(mock: MockServer, model: str) -> dict[str, Any]:
    out = io.StringIO()
    arguments = ["hipho", "--model", model, "--base-url", mock.url, "--api-model", "constant:\\boxed{1}", "--inline"]
    arguments += ["--json", "--concurrency", "64", "--param", "timeout_s=10"]
    call_command("evaluate", *arguments, "--judge-model", "judge-rubric-p80", "--judge-base-url", mock.url, stdout=out)
    return dict(json.loads(out.getvalue()))


@pytest.mark.django_db
def test_faults_change_no_exam_total_no_medal_and_buy_nothing_twice(shared: Path) -> None:
    call_command("import_benchmark", "hipho", "--path", str(shared / "data/hipho"), stdout=io.StringIO())
    with run_mock(shared) as mock:
        calm = evaluate_hipho(mock, "Calm")
        undisturbed = mock.stats()
    with run_mock(shared, "--fault", FAULTS, "--retry-after", "0.1", "--hang", "60") as mock:
        rough = evaluate_hipho(mock, "Rough")
        disturbed = mock.stats()
    assert set(disturbed["faults"]) == {"500", "429", "badjson", "empty", "truncate", "hang"}
    assert calm["scored"] == rough["scored"] == 403
    assert rough["subsets"] == calm["subsets"] and rough["metrics"] == calm["metrics"]
    assert disturbed["answered_twice"] == undisturbed["answered_twice"]
    assert disturbed["distinct_prompts"] == undisturbed["distinct_prompts"]
    assert medals_of(rough) == medals_of(calm) and medals_of(calm)["F=MA_2025"] == "gold"
    run = Run.objects.get(uuid=rough["run"])
    bought = Reply.objects.filter(run=run).count() + JudgeReply.objects.filter(reply__run=run).count()
    assert bought == disturbed["distinct_prompts"], "one row for each thing that was asked"
    assert CallError.objects.filter(run=run).exists() and JudgeError.objects.filter(reply__run=run).exists()


def medals_of(report: dict[str, Any]) -> dict[str, str]:
    """Each exam's medal from the stored rows; the total there is the one that was printed."""
    run = Run.objects.get(uuid=report["run"])
    results = read_results(run, entries=planned_entries(run))
    medals = {}
    for exam in Subset.objects.filter(benchmark__slug="hipho", gold__isnull=False):
        total = exam_points([result for result in results if result.subset == exam.slug])
        assert total == report["subsets"][exam.slug]["exam_score"]
        marks = (exam.gold, exam.silver, exam.bronze)
        medals[exam.slug] = medal(total, Thresholds(*(None if mark is None else float(mark) for mark in marks)))
    assert len(medals) == 13
    return medals


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def environment(var: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return {**kept, "PROCTOR_VAR": str(var), "DJANGO_SETTINGS_MODULE": "arena.settings", "DEMO": "1"}


def count_rows(var: Path) -> tuple[int, int, str]:
    """Replies, judge replies and the run's UUID, read past the process that may be writing."""
    with closing(sqlite3.connect(f"file:{var / 'db.sqlite3'}?mode=ro", uri=True, timeout=30)) as base:
        replies = base.execute("SELECT count(*) FROM arena_reply").fetchone()[0]
        verdicts = base.execute("SELECT count(*) FROM arena_judgereply").fetchone()[0]
        uuid = base.execute("SELECT uuid FROM arena_run").fetchone()
    return replies, verdicts, uuid[0] if uuid else ""


def test_process_that_is_killed_while_judging_loses_only_what_was_under_way(shared: Path, tmp_path: Path) -> None:
    var, env = tmp_path / "var", environment(tmp_path / "var")
    for step in (["migrate"], ["import_benchmark", "hipho", "--path", str(shared / "data/hipho")]):
        subprocess.run(manage(*step), env=env, check=True, capture_output=True, timeout=300)
    with run_mock(shared, "--latency", "0.1") as mock:
        arguments = ["evaluate", "hipho", "--model", "Killed", "--base-url", mock.url, "--inline"]
        arguments += ["--api-model", "constant:\\boxed{1}", "--concurrency", str(CONCURRENCY)]
        arguments += ["--judge-model", "judge-rubric-p80", "--judge-base-url", mock.url]
        killed = subprocess.Popen(manage(*arguments), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            time.sleep(0.1)
            if (var / "db.sqlite3").exists() and count_rows(var)[1] > 300:
                break
        arrived = mock.stats()["status"]["200"]
        for _ in range(100):  # what had arrived is stored while more is on its way, however busy the machine is
            time.sleep(0.1)
            if sum(count_rows(var)[:2]) >= arrived:
                break
        assert killed.poll() is None
        killed.send_signal(signal.SIGKILL)
        killed.wait(30)
        replies, verdicts, uuid = count_rows(var)
        assert replies + verdicts >= arrived, f"{arrived} had arrived before"
        time.sleep(0.3)  # what was under way ends at the server
        answered = mock.stats()["status"]["200"]
        lost = answered - replies - verdicts
        resumed = subprocess.run(
            manage("resume", uuid, "--inline", "--json"), env=env, capture_output=True, timeout=500, text=True
        )
        assert resumed.returncode == 0, resumed.stderr[-2000:]
        stats = mock.stats()
    report = json.loads(resumed.stdout)
    assert report["scored"] == 403
    assert stats["answered_twice"] <= lost + stats["client_gone"], "only what was under way is asked again"
    assert stats["client_gone"] <= 2 * CONCURRENCY
    rows = sum(count_rows(var)[:2])
    assert rows == stats["distinct_prompts"]
