"""Import numbers published elsewhere: shown as reported, never mixed with measured ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.services.published import import_published


class Command(ArenaCommand):
    help = "Import a table of published results: the long form, or one of the known wide files by its headers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the benchmark")
        parser.add_argument("--path", type=Path, required=True)
        parser.add_argument("--source", default="", help="where it was published, instead of what the file says")
        parser.add_argument("--date", default="", help="when, as 2025-12-05 or 2025-12")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CommandError(f"--path {path.name}: {error.strerror}", returncode=BAD_INPUT) from error
        report = import_published(options["slug"], data, source=options["source"], date=options["date"])
        self.stdout.write(
            f"{report.numbers} numbers of {report.entrants} entrants: {report.new} new, "
            f"{report.corrected} of them correct an older reading"
        )
