"""Write people's decisions to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.services.review_export import write_reviews


class Command(ArenaCommand):
    help = "Write every review, adjudication and error label to a file: .csv, else JSON lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--path", type=Path, required=True)
        parser.add_argument("--benchmark", default="", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            n = write_reviews(str(options["path"]), options["benchmark"])
        except OSError as error:
            raise CommandError(f"--path {options['path'].name}: {error.strerror}", returncode=BAD_INPUT) from error
        self.stdout.write(f"{n} records written to {options['path'].name}")
