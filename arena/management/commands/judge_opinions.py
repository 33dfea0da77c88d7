"""Ask PHYBench's process judge, or a judge that suggests the error class, about a run's replies. Ranks nothing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand, find_run
from arena.llm.call import Target
from arena.management.commands.evaluate import read_key, read_pairs
from arena.services.budgets import Meter
from arena.services.process_judge import PURPOSES, judge_opinions
from arena.services.runs import check_base_url
from arena.services.scorers import JudgeSpec
from scoring.judge import Purpose


class Command(ArenaCommand):
    help = "Buy opinions on a run's replies: `process` (four sub-scores, PHYBench) or `error_class` (wrong replies)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run")
        parser.add_argument("purpose", choices=[purpose.value for purpose in PURPOSES])
        parser.add_argument("--judge-model", required=True)
        parser.add_argument("--judge-base-url", required=True)
        parser.add_argument("--judge-api-key-env", default="", metavar="VAR")
        parser.add_argument("--judge-param", action="append", default=[], metavar="KEY=VALUE")
        parser.add_argument("--budget-tokens", type=int)
        parser.add_argument("--budget-usd", type=float)

    def handle(self, *args: Any, **options: Any) -> None:
        url, model = options["judge_base_url"], options["judge_model"]
        check_base_url("judge-base-url", url)
        asked = judge_opinions(
            find_run(options["run"]),
            Purpose(options["purpose"]),
            JudgeSpec(model, url, read_pairs("judge-param", options["judge_param"])),
            Target(url, model, read_key("judge-api-key-env", options["judge_api_key_env"])),
            Meter({"tokens": options["budget_tokens"], "usd": options["budget_usd"]}),
        )
        self.stdout.write(
            f"{asked.verdicts} of {asked.replies} replies have an opinion, {asked.skipped} were not asked about "
            f"{asked.stop_reason}".rstrip()
        )
