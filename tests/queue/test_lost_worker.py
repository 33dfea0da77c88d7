"""The queue with its real parts: a worker killed half way loses nothing, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil

from tests.browser.site import ROOT, run_site
from tests.mock_server import run_mock

LEASE_S = 8


def test_run_survives_a_killed_worker_with_the_totals_of_an_undisturbed_one(shared: Path, tmp_path: Path) -> None:
    data = str(shared / "data/coin_flip/coin_flip_official_shape_500.jsonl")
    with run_mock(shared, "--latency", "0.25") as mock, run_site(tmp_path, RUN_LEASE_S=str(LEASE_S)) as site:
        site.manage("import_benchmark", "coin_flip", "--path", data)
        asked = ["evaluate", "coin_flip", "--model", "m", "--base-url", mock.url, "--api-model", "coinflip-p80"]
        command = subprocess.Popen(
            [sys.executable, "manage.py", *asked, "--json", "--concurrency", "8"],
            cwd=ROOT,
            env=site.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        _wait_for(lambda: mock.stats()["requests"] > 150)
        worker = psutil.Process(site.runtime["pids"]["worker"])
        for process in [*worker.children(recursive=True), worker]:
            os.kill(process.pid, signal.SIGKILL)
        killed = time.monotonic()
        before = mock.stats()["requests"]
        _wait_for(lambda: mock.stats()["requests"] > before + 20, LEASE_S + 30)
        assert time.monotonic() - killed < LEASE_S + 30
        output, _ = command.communicate(timeout=200)
        assert command.returncode == 0
        report = json.loads(output)
        _wait_for(lambda: b">m</a>" in _get(f"{site.url}/b/coin_flip/"))
        parts = [psutil.Process(pid) for pid in site.runtime["pids"].values()]
        family = [*parts, *(child for part in parts for child in part.children(recursive=True))]
    assert (report["scored"], report["metrics"]["accuracy"]) == (500, 0.818)
    assert round(report["metrics"]["f1_score"], 5) == 0.82398
    assert [process for process in family if process.is_running() and process.status() != psutil.STATUS_ZOMBIE] == []


def _wait_for(condition, timeout_s: float = 60) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout_s:g} s"
        time.sleep(0.1)


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=20) as response:
        return bytes(response.read())
