"""Score old replies with another rule, without a single call."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand, find_run
from arena.errors import Refused
from arena.models import Benchmark, Run
from arena.services.catalog import get_adapter
from arena.services.rescoring import rescore_run
from arena.services.scorers import find_scorer_for_rescoring


class Command(ArenaCommand):
    help = "Rescore a benchmark's runs (or one) from stored replies and stored judge replies; no call is made."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--run", default="")
        parser.add_argument("--scorer", default="", metavar="NAME[@VERSION]")

    def handle(self, *args: Any, **options: Any) -> None:
        adapter = get_adapter(options["slug"])
        benchmark = Benchmark.objects.filter(slug=adapter.slug).first()
        if benchmark is None:
            raise Refused("benchmark", f"{adapter.slug} is not imported yet")
        runs = Run.objects.filter(revision__benchmark=benchmark).select_related("scorer", "revision__benchmark")
        if options["run"]:
            runs = runs.filter(pk=find_run(options["run"]).pk)
            if not runs:
                raise Refused("run", f"run {options['run']} is no run of {adapter.slug}")
        for run in runs:
            scorer = find_scorer_for_rescoring(adapter, run, options["scorer"])
            done = rescore_run(run, scorer, inline=True)
            self.stdout.write(
                f"run {run.uuid}: {done.replies} replies, {done.judgments} new judgments by {scorer}, "
                f"{done.unscored} unscored"
            )
