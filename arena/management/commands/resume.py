"""Take a stopped or failed run up again: only what is missing is asked."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand, find_run
from arena.following import finish, follow
from arena.management.commands.evaluate import read_key
from arena.services.keys import key_of
from arena.services.runs import Credentials, reopen_run
from arena.services.workers import broker_fault


class Command(ArenaCommand):
    help = "Resume a run: missing and failed samples are tried again, whatever is there is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run")
        parser.add_argument("--api-key-env", default="", metavar="VAR")
        parser.add_argument("--judge-api-key-env", default="", metavar="VAR")
        parser.add_argument("--inline", action="store_true")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        run = find_run(options["run"])
        if not options["inline"] and (fault := broker_fault()):
            raise CommandError(f"{fault}; start `make run` or use --inline", returncode=BAD_INPUT)
        credentials = Credentials(
            read_key("api-key-env", options["api_key_env"]) or key_of(run.endpoint),
            read_key("judge-api-key-env", options["judge_api_key_env"]) or key_of(run.judge_endpoint),
        )
        run = reopen_run(run, credentials, keep_keys=not options["inline"])
        follow(self, run, credentials, inline=options["inline"])
        finish(self, run, as_json=options["json"])
