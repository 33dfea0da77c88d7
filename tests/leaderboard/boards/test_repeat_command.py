"""The command on a receipt: read by the real parser, it asks for the same run under the same scorer."""

from __future__ import annotations

import re
import shlex
from html import unescape
from typing import Any

import pytest

from arena.management.commands import evaluate, import_run
from arena.models import Run
from arena.services.runs import Credentials, RunRequest, create_run
from arena.services.scorers import JudgeSpec
from leaderboard.rendering.commands import set_command
from leaderboard.selectors.repeat_command import repeat_command
from tests.factories import import_samples

pytestmark = pytest.mark.django_db

HERE = "http://127.0.0.1:9/v1"
MEASURED = ("split", "subsets", "limit", "shots", "repeats", "params", "prompt_digest", "planned", "partial", "style")


def make(**choices: Any) -> Run:
    import_samples(choices["benchmark"])
    return create_run(RunRequest(model="A model's name", base_url=HERE, **choices), Credentials(), keep_keys=False)


def parse(command: str) -> dict[str, Any]:
    """The options as `evaluate` reads them, a reader's own address and keys in the places left for them."""
    words = [HERE if word.endswith("BASE_URL") else word for word in shlex.split(command)]
    assert words[:3] == ["python", "manage.py", "evaluate"]
    return vars(evaluate.Command().create_parser("manage.py", "evaluate").parse_args(words[3:]))


def repeat(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("API_KEY", "sk-one")
    monkeypatch.setenv("JUDGE_API_KEY", "sk-two")
    request, credentials = evaluate.read_request(parse(repeat_command(run, run.scorer, run.revision)))
    assert credentials.api_key == "sk-one"
    assert credentials.judge_api_key == ("sk-two" if run.scorer.judges.exists() else "")
    return create_run(request, credentials, keep_keys=False)


@pytest.mark.parametrize(
    "choices",
    [
        {"benchmark": "coin_flip", "api_model": "meta/model-7b", "shots": 3, "temperature": None, "limit": 4},
        {"benchmark": "arc_indic", "subsets": ("bn", "hi"), "repeats": 3, "reasoning_effort": "high"},
        {
            "benchmark": "phybench",
            "scorer": "phybench-official",
            "max_tokens": 77,
            "param": {"seed": 7, "timeout_s": 9},
        },
        {"benchmark": "phybench", "param": {"top_p": 0.5, "stop": ["\n\n"], "tag": "12", "user": "it's me"}},
        {
            "benchmark": "phyx_oe",
            "judge_strategy": "rule",
            "max_image_bytes": 5000,
            "max_tokens": 77,
            "temperature": 0.7,
        },
        {"benchmark": "phyx_oe", "judges": (JudgeSpec("grader", HERE),), "judge_base_url": HERE},
        {
            "benchmark": "hipho",
            "judges": (JudgeSpec("one", HERE, {"temperature": 0.5}), JudgeSpec("two", HERE, {"temperature": 0.5})),
            "judge_base_url": HERE,
            "scorer_params": {"calls": "scheme", "judge_repeats": 2, "figures": True},
        },
    ],
)
def test_the_command_asks_for_the_same_run_under_the_same_scorer(
    choices: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make(**choices)
    again = repeat(run, monkeypatch)
    assert {name: getattr(again, name) for name in MEASURED} == {name: getattr(run, name) for name in MEASURED}
    assert (again.scorer, again.revision, again.entrant) == (run.scorer, run.revision, run.entrant)
    assert again.endpoint is not None and run.endpoint is not None
    assert again.endpoint.api_model == run.endpoint.api_model


def test_an_uploaded_run_is_repeated_from_its_file() -> None:
    run = make(benchmark="coin_flip")
    run.provenance = Run.Provenance.UPLOADED
    words = shlex.split(repeat_command(run, run.scorer, run.revision))
    options = vars(import_run.Command().create_parser("manage.py", "import_run").parse_args(words[3:]))
    assert (words[2], options["benchmark"], options["model"]) == ("import_run", "coin_flip", "A model's name")


def test_the_command_is_set_in_whole_options_and_copies_as_it_is() -> None:
    run = make(benchmark="coin_flip")
    command = repeat_command(run, run.scorer, run.revision)
    parts = re.findall(r'<span class="command-part">(.*?)</span>', set_command(command))
    assert " ".join(map(unescape, parts)) == command and len(parts) > 5
    assert all(part.startswith("--") for part in parts[1:])
    assert "<b>" not in set_command("evaluate --model '<b>'")
