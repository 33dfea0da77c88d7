"""Let the demo models sit the sample exams, once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.services.demo import queue_demo_reviews, start_demo_runs
from arena.tasks import enqueue_run


class Command(ArenaCommand):
    help = "Queue one run of each demo model on each sample set (demo mode only)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--base-url", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("only with DEMO=1", returncode=BAD_INPUT)
        for run in start_demo_runs(options["base_url"]):
            enqueue_run(run.pk)
        queue_demo_reviews()  # of runs that ended while nobody was looking
