"""Let an LLM judge fight out battles."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.env import read_secret
from arena.errors import Refused
from arena.models import Benchmark
from arena.security.url_guard import UrlRefused
from arena.services.judge_battles import JudgePlace, find_place, judge_battles


class Command(ArenaCommand):
    help = "Let a judge compare replies in pairs, both orders each: the benchmark's own judge, or one that you name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="*", help="benchmarks (default: all public ones that have a judge)")
        parser.add_argument("--limit", type=int, default=50, help="battles of each benchmark")
        parser.add_argument("--concurrency", type=int, default=8)
        parser.add_argument("--judge-model", default="")
        parser.add_argument("--judge-base-url", default="")
        parser.add_argument("--judge-api-key-env", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        place = self._place(options)
        for benchmark in self._benchmarks(options["slug"], place):
            try:
                report = judge_battles(
                    benchmark,
                    place or find_place(benchmark),
                    limit=options["limit"],
                    concurrency=options["concurrency"],
                    inline=True,
                )
            except UrlRefused as error:
                raise CommandError(f"judge-base-url: {error}", returncode=BAD_INPUT) from error
            self.stdout.write(
                f"{benchmark.slug}: {report.drawn} battles, {report.wins} wins, {report.ties} ties "
                f"({report.flipped} changed with the sides), {report.failed} without a verdict"
            )

    def _place(self, options: dict[str, Any]) -> JudgePlace | None:
        model, url = options["judge_model"], options["judge_base_url"]
        if bool(model) != bool(url):
            raise Refused("judge-model", "--judge-model and --judge-base-url go together")
        name = options["judge_api_key_env"]
        return JudgePlace(model, url, read_secret(name) if name else "") if model else None

    def _benchmarks(self, slugs: list[str], place: JudgePlace | None) -> list[Benchmark]:
        found = list(Benchmark.objects.filter(is_public=True).select_related("judge_endpoint", "scorer"))
        if not slugs:
            return [benchmark for benchmark in found if place or benchmark.judge_endpoint]
        if unknown := set(slugs) - {benchmark.slug for benchmark in found}:
            raise Refused("slug", f"no public benchmark {', '.join(sorted(unknown))}")
        return [benchmark for benchmark in found if benchmark.slug in slugs]
