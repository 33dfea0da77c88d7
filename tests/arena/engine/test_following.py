"""What `evaluate` says besides the numbers: why samples failed, and whether the run is public now."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command

from arena.following import Bar
from arena.models import CallError, Run
from tests.factories import import_samples, run_inline
from tests.fake_llm import FakeLLM, fail, say

pytestmark = pytest.mark.django_db


def evaluate(server: FakeLLM, *options: str, code: int = 0) -> tuple[str, str]:
    """(stdout, stderr)."""
    out, err = io.StringIO(), io.StringIO()
    arguments = ["coin_flip", "--model", "M", "--base-url", server.base_url, "--limit", "2", "--inline", *options]
    try:
        call_command("evaluate", *arguments, stdout=out, stderr=err)
        ended = 0
    except SystemExit as exit_:
        ended = exit_.code
    assert ended == code
    return out.getvalue(), err.getvalue()


def test_failed_samples_are_told_with_their_reason_and_nothing_is_public() -> None:
    import_samples()
    with FakeLLM([fail(401, "no such key")]) as server:
        out, _ = evaluate(server, code=3)
    assert "0 of 2 samples scored (finished)\n" in out
    assert "2 failed: unauthorized: The key was refused (401): no such key" in out
    assert "not public: a command's run is published when it finishes" in out
    assert Run.objects.get().published_at is None


def test_scored_run_says_that_it_is_public_and_where_to_withdraw_it() -> None:
    import_samples()
    with FakeLLM([say("ANSWER: YES")]) as server:
        out, _ = evaluate(server)
    assert "public on the board of coin_flip, data sample; withdraw it at http" in out
    assert f"/runs/{Run.objects.get().uuid}/" in out and "failed" not in out


def test_one_json_object_stays_alone_on_stdout() -> None:
    import_samples()
    with FakeLLM([fail(401)]) as server:
        out, err = evaluate(server, "--json", code=3)
    assert json.loads(out)["unscored"] == 2
    assert "2 failed: unauthorized" in err and "not public" in err


def test_without_a_terminal_progress_is_a_line_now_and_then() -> None:
    import_samples()
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url, limit=2)
    CallError.objects.create(run=run, problem=run.replies.first().problem, kind="connection_refused")
    lines: list[str] = []
    bar = Bar(run, lines.append)
    bar._bar.disable = True  # as where stderr is no terminal
    bar.update()
    assert lines == [], "nothing before the first ten seconds are over"
    bar._said_at -= 11
    bar.update()
    bar.update()
    assert lines == ["2 of 2 samples (newest failed call: connection_refused)"]
