"""Put a benchmark to a model: the same services as the web form."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from arena.commands import BAD_INPUT, UNSCORED, ArenaCommand, exit_with
from arena.models import Run
from arena.services.engine import advance_run
from arena.services.reporting import count_progress, report_run
from arena.services.runs import Credentials, RunRequest, create_run
from arena.services.scorers import JudgeSpec
from arena.services.workers import broker_fault, is_worker_listening
from arena.tasks import enqueue_run

WORKER_WAIT_S = 10.0


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
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--max-tokens", type=int)
    parser.add_argument("--max-image-bytes", type=int)
    parser.add_argument("--reasoning-effort", default="")
    parser.add_argument("--budget-tokens", type=int)
    parser.add_argument("--budget-usd", type=float)
    parser.add_argument("--param", action="append", default=[], metavar="KEY=VALUE")


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
    help = "Evaluate a model on a benchmark. Exit 0: every planned sample is scored; 3: some are not; 2: bad input."

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


def follow(command: ArenaCommand, run: Run, credentials: Credentials, *, inline: bool) -> None:
    """Work on the run here, or wait for the workers; a progress bar on stderr either way."""
    if inline:
        with Bar(run) as bar:
            bar.watch_in_thread()
            advance_run(run.pk, credentials=credentials, inline=True)
        return
    enqueue_run(run.pk)
    started, warned = time.monotonic(), False
    with Bar(run) as bar:
        while bar.update():
            time.sleep(0.5)
            if (
                not warned
                and time.monotonic() - started > WORKER_WAIT_S
                and not bar.closed
                and not is_worker_listening()
            ):
                command.stderr.write("no worker is listening: start one with `make run`; this command keeps waiting")
                warned = True


class Bar:
    """A progress bar over the run's closed samples, read from the database."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.closed = 0
        self._stop = False
        self._bar = tqdm(total=run.planned, unit="sample", file=sys.stderr, disable=None, mininterval=0.5)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        if self._thread is not None:
            self._thread.join()
        self.update()
        self._bar.close()

    _thread: Any = None

    def watch_in_thread(self) -> None:
        import threading

        from django.db import connection

        if connection.in_atomic_block or self._bar.disable:  # nothing to show, or inside a test's transaction
            return

        def watch() -> None:
            while not self._stop:
                self.update()
                time.sleep(1)
            connection.close()

        self._thread = threading.Thread(target=watch, daemon=True)
        self._thread.start()

    def update(self) -> bool:
        """Show the newest count; False once the run has ended."""
        self.closed = count_progress(self.run)
        self._bar.n = self.closed
        self._bar.refresh()
        return Run.objects.filter(pk=self.run.pk, state__in=Run.LIVE_STATES).exists()


def finish(command: ArenaCommand, run: Run, *, as_json: bool) -> None:
    """Print what came out and exit with its code."""
    run.refresh_from_db()
    report = report_run(run)
    if as_json:
        command.stdout.write(json.dumps(report.as_json(), ensure_ascii=False))
    else:
        command.stdout.write(
            f"{report.scored} of {report.planned} samples scored ({run.state} {run.stop_reason})".strip()
        )
        for name, value in report.metrics.items():
            command.stdout.write(f"  {name} = {'-' if value is None else f'{value:.6g}'}")
    if run.state == Run.State.FAILED:
        command.stderr.write(run.stop_reason)
    exit_with(0 if report.scored == report.planned else UNSCORED)
