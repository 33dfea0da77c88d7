"""Import a benchmark's official files, or our samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand
from arena.services.catalog import import_benchmark


class Command(ArenaCommand):
    help = "Import a benchmark: lands whole as one dataset revision, or not at all. Without --path: our own samples."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--path", type=Path, help="the official file or folder")
        parser.add_argument("--revision", default="", help="a label; without it <date>-<sha8>")

    def handle(self, *args: Any, **options: Any) -> None:
        report = import_benchmark(options["slug"], options["path"], options["revision"])
        for warning in report.warnings:
            self.stderr.write(f"warning: {warning}")
        state = "imported" if report.is_new else "there already, nothing changed"
        self.stdout.write(f"{options['slug']}: revision {report.revision.label} {state}")
        self.stdout.write(
            f"  {report.problems} problems, {report.figures} figure references to {report.images} images, "
            f"{report.answers} answers, {report.criteria} criteria"
        )
        for subset, n in report.subsets.items():
            self.stdout.write(f"  {subset}: {n}")
