"""Ask an endpoint whether it can be used, and say in plain words why not."""

from __future__ import annotations

import asyncio
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from arena.commands import BAD_INPUT, ArenaCommand, exit_with
from arena.llm.call import Target
from arena.llm.check import check_endpoint
from arena.management.commands.evaluate import read_key
from arena.security.url_guard import parse_allowlist


class Command(ArenaCommand):
    help = "Check an OpenAI-compatible endpoint: address, key, model."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url")
        parser.add_argument("--api-key-env", default="", metavar="VAR")
        parser.add_argument("--api-model", default="")
        parser.add_argument("--timeout", type=float, default=20.0)

    def handle(self, *args: Any, **options: Any) -> None:
        target = Target(options["url"], options["api_model"], read_key("api-key-env", options["api_key_env"]))
        allowlist = parse_allowlist(settings.ENDPOINT_ALLOWLIST)
        report = asyncio.run(check_endpoint(target, allowlist, options["timeout"]))
        self.stdout.write(report.message)
        for model in report.models[:20]:
            self.stdout.write(f"  {model}")
        exit_with(0 if report.ok else BAD_INPUT)
