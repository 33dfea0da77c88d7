"""Put a benchmark to a model: the same services as the web form."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.following import finish, follow
from arena.services.runs import Credentials, RunRequest, create_run
from arena.services.scorers import JudgeSpec
from arena.services.workers import broker_fault


def add_run_arguments(parser: CommandParser) -> None:
    """The options of CONTRACT.md; each is a field of RunRequest."""
    parser.add_argument("slug", help="the benchmark")
    parser.add_argument("--model", required=True, help="the name on the board")
    parser.add_argument("--base-url", required=True, help="OpenAI-compatible, usually ending in /v1")
    parser.add_argument("--api-model", default="", help="the endpoint's own name of the model (default: --model)")
    parser.add_argument("--api-key-env", default="", metavar="VAR", help="environment variable that holds the key")
    parser.add_argument("--organisation", default="")
    parser.add_argument("--revision", default="")
    parser.add_argument("--split", default="")
    parser.add_argument("--subset", action="append", default=[], metavar="S")
    parser.add_argument("--limit", type=int, help="the first N problems of each chosen subset; never ranked")
    parser.add_argument("--shots", type=int)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--scorer", default="", metavar="NAME[@VERSION]")
    parser.add_argument("--scorer-param", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--judge-strategy", choices=("auto", "llm", "rule"), default="auto")
    parser.add_argument("--judge-model", action="append", default=[], metavar="M")
    parser.add_argument("--judge-base-url", default="")
    parser.add_argument("--judge-api-key-env", default="", metavar="VAR")
    parser.add_argument("--judge-param", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--official-judge", action="store_true", help="make this the judge that ranks")
    parser.add_argument("--temperature", type=read_temperature, default=0.0, help="`none` leaves it out of the request")
    parser.add_argument("--max-tokens", type=int)
    parser.add_argument("--max-image-bytes", type=int)
    parser.add_argument("--reasoning-effort", default="")
    parser.add_argument("--budget-tokens", type=int)
    parser.add_argument("--budget-usd", type=float)
    parser.add_argument("--param", action="append", default=[], metavar="KEY=VALUE")


def read_temperature(text: str) -> float | None:
    """None for `none`: some endpoints refuse the field."""
    try:
        return None if text.lower() == "none" else float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor `none`") from error


def read_pairs(option: str, pairs: list[str]) -> dict[str, Any]:
    """`key=value` texts; a value is JSON where it reads as JSON, else text."""
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise CommandError(f"--{option}: {pair!r} is not key=value", returncode=BAD_INPUT)
        try:
            found[key] = json.loads(value)
        except ValueError:
            found[key] = value
    return found


def read_key(option: str, variable: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise CommandError(f"--{option}: the environment variable {variable} is empty or not set", returncode=BAD_INPUT)
    return key


def read_request(options: dict[str, Any]) -> tuple[RunRequest, Credentials]:
    if options["judge_model"] and not options["judge_base_url"]:
        raise CommandError("--judge-base-url is needed with --judge-model", returncode=BAD_INPUT)
    if options["official_judge"] and not options["judge_model"]:
        raise CommandError("--official-judge needs --judge-model", returncode=BAD_INPUT)
    judge_params = read_pairs("judge-param", options["judge_param"])
    judges = tuple(JudgeSpec(model, options["judge_base_url"], judge_params) for model in options["judge_model"])
    request = RunRequest(
        benchmark=options["slug"],
        model=options["model"],
        base_url=options["base_url"],
        api_model=options["api_model"],
        organisation=options["organisation"],
        revision=options["revision"],
        split=options["split"],
        subsets=tuple(options["subset"]),
        limit=options["limit"],
        shots=options["shots"],
        repeats=options["repeats"],
        concurrency=options["concurrency"],
        scorer=options["scorer"],
        scorer_params=read_pairs("scorer-param", options["scorer_param"]),
        judge_strategy=options["judge_strategy"],
        judges=judges,
        judge_base_url=options["judge_base_url"],
        is_official_judge=options["official_judge"],
        temperature=options["temperature"],
        max_tokens=options["max_tokens"],
        reasoning_effort=options["reasoning_effort"],
        max_image_bytes=options["max_image_bytes"],
        param=read_pairs("param", options["param"]),
        budget={
            key: value for key, value in (("tokens", options["budget_tokens"]), ("usd", options["budget_usd"])) if value
        },
    )
    credentials = Credentials(
        read_key("api-key-env", options["api_key_env"]), read_key("judge-api-key-env", options["judge_api_key_env"])
    )
    return request, credentials


class Command(ArenaCommand):
    help = (
        "Evaluate a model on a benchmark. The run is public when it ends; maintainers withdraw it from its page. "
        "Exit 0: every planned sample is scored; 3: some are not; 2: bad input."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_run_arguments(parser)
        parser.add_argument("--inline", action="store_true", help="no broker, no worker: everything in this process")
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        request, credentials = read_request(options)
        if not options["inline"] and (fault := broker_fault()):
            raise CommandError(f"{fault}; start `make run` or use --inline", returncode=BAD_INPUT)
        run = create_run(request, credentials, keep_keys=not options["inline"])
        self.stderr.write(f"run {run.uuid}: {run.planned} samples")
        follow(self, run, credentials, inline=options["inline"])
        finish(self, run, as_json=options["json"])
