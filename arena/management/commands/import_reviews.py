"""Read people's decisions from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.services.review_files import read_reviews


class Command(ArenaCommand):
    help = "Store reviews from a file (.csv, else JSON lines), as export_reviews writes it. Twice adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--path", type=Path, required=True)
        parser.add_argument("--create-people", action="store_true", help="make inactive accounts for unknown reviewers")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CommandError(f"--path {path.name}: {error.strerror}", returncode=BAD_INPUT) from error
        report = read_reviews(data, path.name, create_people=options["create_people"], inline=True)
        self.stdout.write(f"{report.stored} records stored, {report.known} were there already")
