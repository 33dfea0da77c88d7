"""`manage.py evaluate --inline` on real benchmark files against the mock model and judge."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from arena.models import CallError, JudgeError, Judgment, Reply, Run
from tests.mock_server import MockServer, run_mock

pytestmark = pytest.mark.django_db

FAULTS = "500=0.05,429=0.05,reset=0.02,truncate=0.02,badjson=0.01,utf8=0.01,empty=0.01"


def evaluate(slug: str, mock: MockServer, api_model: str, *options: str, code: int = 0) -> dict[str, Any]:
    out = io.StringIO()
    arguments = [slug, "--model", api_model[:40], "--base-url", mock.url, "--api-model", api_model]
    arguments += ["--inline", "--json", "--concurrency", "32", *options]
    if code:
        with pytest.raises(SystemExit) as ended:
            call_command("evaluate", *arguments, stdout=out)
        assert ended.value.code == code
    else:
        call_command("evaluate", *arguments, stdout=out)
    return dict(json.loads(out.getvalue()))


def import_coin_flip(shared: Path) -> None:
    path = shared / "data/coin_flip/coin_flip_official_shape_500.jsonl"
    call_command("import_benchmark", "coin_flip", "--path", str(path), stdout=io.StringIO())


def import_hipho(shared: Path) -> None:
    call_command("import_benchmark", "hipho", "--path", str(shared / "data/hipho"), stdout=io.StringIO())


def test_oracle_of_coin_flips_scores_one(shared: Path) -> None:
    import_coin_flip(shared)
    with run_mock(shared) as mock:
        report = evaluate("coin_flip", mock, "coinflip-oracle")
    assert (report["planned"], report["replied"], report["scored"], report["unscored"]) == (500, 500, 500, 0)
    assert report["metrics"]["accuracy"] == 1.0
    assert report["metrics"]["f1_score"] == 1.0


def test_the_prompt_is_sent_byte_for_byte(shared: Path) -> None:
    """The mock chooses its slips by a hash of the prompt, so these figures hold for one text only."""
    import_coin_flip(shared)
    with run_mock(shared) as mock:
        report = evaluate("coin_flip", mock, "coinflip-p80")
    assert report["metrics"]["accuracy"] == 0.818
    assert round(report["metrics"]["f1_score"], 5) == 0.82398


def test_faults_of_the_endpoint_cost_no_sample_and_double_none(shared: Path) -> None:
    import_coin_flip(shared)
    with run_mock(shared, "--fault", FAULTS, "--retry-after", "0.1") as mock:
        report = evaluate("coin_flip", mock, "coinflip-p80")
        stats = mock.stats()
    assert report["scored"] == 500
    assert report["metrics"]["accuracy"] == 0.818
    assert Reply.objects.count() == 500
    assert CallError.objects.exists() and stats["answered_twice"] == 0


@pytest.mark.slow
def test_full_marks_of_the_judge_give_the_full_marks_of_the_exams(shared: Path) -> None:
    import_hipho(shared)
    with run_mock(shared) as mock:
        report = evaluate(
            "hipho", mock, "constant:\\boxed{1}", "--judge-model", "judge-rubric-p100", "--judge-base-url", mock.url
        )
        images = mock.stats()["images"]
    full = {"IPhO_2025": 29.4, "IPhO_2024": 29.3, "APhO_2025": 30, "EuPhO_2025": 29, "EuPhO_2024": 28}
    full |= {"NBPhO_2025": 43.5, "NBPhO_2024": 50, "CPhO_2025": 320}
    assert images == 413
    assert report["scored"] + report["unscored"] == 403
    assert report["unscored"] == sum(n for status, n in report["outcomes"].items() if status.endswith("failed"))
    assert {exam: report["subsets"][exam]["exam_score"] for exam in full} == full


@pytest.mark.slow
def test_each_exam_total_is_the_sum_of_the_stored_rows_and_faults_change_none(shared: Path) -> None:
    import_hipho(shared)
    with run_mock(shared, "--fault", FAULTS, "--retry-after", "0.1") as mock:
        report = evaluate(
            "hipho", mock, "constant:\\boxed{1}", "--judge-model", "judge-rubric-p50", "--judge-base-url", mock.url
        )
    assert report["scored"] == 403
    run = Run.objects.get(uuid=report["run"])
    best: dict[int, Decimal] = {}
    exam_of: dict[int, str] = {}
    rows = Judgment.objects.filter(reply__run=run).values_list("reply_id", "points", "reply__problem__subset__slug")
    for reply, points, exam in rows:
        best[reply] = max(best.get(reply, Decimal(0)), points)
        exam_of[reply] = exam
    totals: dict[str, Decimal] = {}
    for reply, points in best.items():
        totals[exam_of[reply]] = totals.get(exam_of[reply], Decimal(0)) + points
    assert {exam: float(total) for exam, total in totals.items()} == {
        exam: metrics["exam_score"] for exam, metrics in report["subsets"].items()
    }


def test_judge_without_a_verdict_leaves_samples_unscored_and_exits_three(shared: Path) -> None:
    call_command("import_benchmark", "hipho", stdout=io.StringIO())
    with run_mock(shared) as mock:
        report = evaluate(
            "hipho", mock, "constant:I think so.", "--judge-model", "constant:full marks!",
            "--judge-base-url", mock.url,
            code=3,
        )  # fmt: skip
    assert report["scored"] == 0
    assert report["outcomes"] == {"judge_failed": report["planned"]}
    assert report["metrics"]["exam_score"] is None
    assert set(JudgeError.objects.values_list("kind", flat=True)) == {"prose"}
    assert not Judgment.objects.filter(level="step").exists()


def test_wrong_key_stops_the_run_early_with_the_reason(shared: Path) -> None:
    import_coin_flip(shared)
    with run_mock(shared, "--key", "sk-right") as mock:
        report = evaluate("coin_flip", mock, "coinflip-oracle", code=3)
        requests = mock.stats()["requests"]
    assert report["scored"] == 0 and requests < 100
    run = Run.objects.get(uuid=report["run"])
    assert run.state == Run.State.FAILED and "401" in run.stop_reason


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--subset", "IPhO_1900"], "subset"),
        (["--revision", "none"], "revision"),
        (["--split", "train"], "split"),
        (["--limit", "0"], "limit"),
        (["--concurrency", "999"], "concurrency"),
        (["--scorer", "guess"], "scorer"),
        (["--judge-strategy", "rule"], "judge-strategy"),
        (["--param", "model=x"], "param"),
        ([], "judge-model"),
    ],
)
def test_bad_choices_are_refused_by_name_and_store_nothing(options: list[str], word: str) -> None:
    call_command("import_benchmark", "hipho", stdout=io.StringIO())
    base = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--inline"]
    judge = (
        []
        if word in ("judge-model", "judge-strategy")
        else ["--judge-model", "j", "--judge-base-url", "http://127.0.0.1:9"]
    )
    with pytest.raises(CommandError, match=word) as refused:
        call_command("evaluate", "hipho", *base, *judge, *options)
    assert refused.value.returncode == 2
    assert not Run.objects.exists()


def test_private_address_is_refused_before_anything_is_stored() -> None:
    call_command("import_benchmark", "coin_flip", stdout=io.StringIO())
    with pytest.raises(CommandError, match="base-url.*private") as refused:
        call_command("evaluate", "coin_flip", "--model", "m", "--base-url", "http://10.1.2.3/v1", "--inline")
    assert refused.value.returncode == 2 and not Run.objects.exists()


def test_limit_makes_a_run_partial_and_counts_by_subset(shared: Path) -> None:
    call_command("import_benchmark", "arc_indic", stdout=io.StringIO())
    with run_mock(shared) as mock:
        report = evaluate("arc_indic", mock, "arc-hash", "--limit", "2", "--subset", "hi", "--subset", "en")
    assert report["planned"] == 4 and set(report["subsets"]) == {"hi", "en"}
    assert Run.objects.get(uuid=report["run"]).partial
