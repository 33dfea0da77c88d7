"""Import replies made elsewhere as an uploaded run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.following import say_publication
from arena.results import count_outcomes
from arena.services.imports import import_predictions
from arena.services.reporting import report_run

FORMATS = ("auto", "jsonl", "phybench", "evalscope", "lm-eval", "inspect")
READ = FORMATS[:3]  # the layout is told by the file itself


class Command(ArenaCommand):
    help = "Import a predictions file (JSON lines, or what PHYBench's pipeline wrote) as an uploaded run and score it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--path", type=Path, required=True)
        parser.add_argument("--format", choices=FORMATS, default="auto")
        parser.add_argument("--benchmark", default="")
        parser.add_argument("--model", default="")
        parser.add_argument("--revision", default="")
        parser.add_argument("--subset", default="")
        parser.add_argument("--split", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = options["format"]
        if wanted not in READ:
            raise CommandError(f"--format {wanted} is not supported yet: {', '.join(READ)} are", returncode=BAD_INPUT)
        for name in ("benchmark", "model"):
            if not options[name]:
                raise CommandError(f"--{name} is needed for such a file", returncode=BAD_INPUT)
        if wanted == "phybench" and options["benchmark"] != "phybench":
            raise CommandError("--format phybench is the pipeline of --benchmark phybench", returncode=BAD_INPUT)
        path: Path = options["path"]
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CommandError(f"--path {path.name}: {error.strerror}", returncode=BAD_INPUT) from error
        run = import_predictions(
            data,
            path.name,
            benchmark=options["benchmark"],
            model=options["model"],
            revision=options["revision"],
            split=options["split"],
            subset=options["subset"],
        )
        report = report_run(run)
        self.stdout.write(
            f"run {run.uuid}: {report.replied} replies, {report.scored} scored of {report.planned} planned"
        )
        for status, n in sorted(count_outcomes(report.results).items()):
            self.stdout.write(f"  {status}: {n}")
        for name, value in report.metrics.items():
            self.stdout.write(f"  {name} = {'-' if value is None else f'{value:.6g}'}")
        self.stdout.write(say_publication(report.run))
