"""Measure how lenient a benchmark's judges are: what they give for a solution that is none."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand
from arena.errors import Refused
from arena.models import Benchmark
from arena.services.canaries import PROBLEMS, check_leniency
from arena.services.catalog import get_adapter


class Command(ArenaCommand):
    help = (
        "Ask every official judge of a benchmark about an empty solution, where only 0 is right, and keep the answers."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--problems", type=int, default=PROBLEMS)

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = Benchmark.objects.filter(slug=get_adapter(options["slug"]).slug).first()
        seats = benchmark.judge_seats.select_related("judge") if benchmark else ()
        if not seats or benchmark is None:
            raise Refused("judge", f"{options['slug']} has no official judge")
        for seat in seats:
            found = check_leniency(benchmark, seat.judge, problems=options["problems"])
            share = "no verdict" if found.share is None else f"{found.share:.1%} of the points"
            self.stdout.write(f"{seat.judge}: {share} for nothing, {found.n_lenient} of {found.n} above 0")
