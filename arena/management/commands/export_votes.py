"""Export anonymised votes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.csv_cells import guard_cell
from arena.models import Pool
from arena.services.vote_exports import FIELDS, export_votes


class Command(ArenaCommand):
    help = "Write all votes as JSON lines (or CSV, by the file's name): no addresses, no cookies, no accounts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--path", type=Path, required=True)
        parser.add_argument("--pool", choices=Pool.values, action="append", default=[])

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        n = 0
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                table = csv.DictWriter(file, FIELDS) if path.suffix == ".csv" else None
                if table:
                    table.writeheader()
                for row in export_votes(tuple(options["pool"])):
                    n += 1
                    if table:
                        table.writerow({name: guard_cell(value) for name, value in row.items()})
                    else:
                        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise CommandError(f"--path {path.name}: {error.strerror}", returncode=BAD_INPUT) from error
        self.stdout.write(f"{n} votes written to {path.name}")
