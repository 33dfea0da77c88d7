"""The command line that repeats a run; addresses and keys are the reader's own and stand as placeholders."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from arena.models import DatasetRevision, Run, Scorer
from arena.services.runs import CallParams
from arena.services.scorers import JUDGE_DEFAULTS, JUDGED_POLICIES

BASE_URL, API_KEY, JUDGE_BASE_URL, JUDGE_API_KEY, FILE = (
    "BASE_URL",
    "API_KEY",
    "JUDGE_BASE_URL",
    "JUDGE_API_KEY",
    "FILE",
)


def repeat_command(run: Run, scorer: Scorer, revision: DatasetRevision) -> str:
    """Asks the same of the same model on `revision`, scored by `scorer`; an uploaded file is imported again."""
    options = _import_options if run.provenance == Run.Provenance.UPLOADED else _evaluate_options
    return shlex.join(["python", "manage.py", *options(run, scorer, revision)])


def _import_options(run: Run, scorer: Scorer, revision: DatasetRevision) -> Iterator[str]:
    yield from ("import_run", "--path", FILE, "--benchmark", revision.benchmark.slug, "--model", run.entrant.name)
    yield from ("--revision", revision.label, "--split", run.split)


def _evaluate_options(run: Run, scorer: Scorer, revision: DatasetRevision) -> Iterator[str]:
    yield from ("evaluate", revision.benchmark.slug, "--model", run.entrant.name, "--base-url", BASE_URL)
    if api_model := run.endpoint.api_model if run.endpoint else run.params.get("api_model", ""):
        yield from ("--api-model", str(api_model))
    yield from ("--api-key-env", API_KEY, "--revision", revision.label, "--split", run.split)
    for subset in run.subsets:
        yield from ("--subset", subset)
    if run.limit:
        yield from ("--limit", str(run.limit))
    yield from ("--shots", str(run.shots), "--repeats", str(run.repeats))
    yield from _call_options(run.params)
    yield from _scorer_options(scorer, revision.benchmark.slug)


def _call_options(params: Mapping[str, Any]) -> Iterator[str]:
    yield from ("--temperature", str(params.get("temperature")).lower())  # `none` leaves it out of the request
    named = ("max_tokens", "reasoning_effort", "max_image_bytes")
    for name in named:
        if params.get(name) not in (None, ""):
            yield from (f"--{name.replace('_', '-')}", str(params[name]))
    if params.get("seed") is not None:
        yield from ("--param", _pair("seed", params["seed"]))
    if params.get("timeout_s") not in (None, CallParams.timeout_s):
        yield from ("--param", _pair("timeout_s", params["timeout_s"]))
    for name, value in (params.get("extra") or {}).items():
        yield from ("--param", _pair(name, value))


def _scorer_options(scorer: Scorer, slug: str) -> Iterator[str]:
    yield from ("--scorer", f"{scorer.name}@{scorer.version}")
    judges = list(scorer.judges.order_by("pk"))
    if not judges:
        if scorer.params.get("policy") in JUDGED_POLICIES.get(slug, ()):
            yield from ("--judge-strategy", "rule")
        return
    for judge in judges:
        yield from ("--judge-model", judge.model)
    yield from ("--judge-base-url", JUDGE_BASE_URL, "--judge-api-key-env", JUDGE_API_KEY)
    given = dict(judges[0].params)  # those of one command line are alike
    for name, value in {**given.pop("extra", {}), **given}.items():
        yield from ("--judge-param", _pair(name, value))
    for name, default in JUDGE_DEFAULTS.items():
        if scorer.params.get(name, default) != default:
            yield from ("--scorer-param", _pair(name, scorer.params[name]))


def _pair(name: str, value: object) -> str:
    """`key=value` as the command reads it: JSON, or a text that is none."""
    is_plain = isinstance(value, str) and not _is_json(value)
    return f"{name}={value if is_plain else json.dumps(value)}"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
