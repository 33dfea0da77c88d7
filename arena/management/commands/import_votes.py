"""Import votes made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand
from arena.services.vote_imports import import_votes

SHOWN = 50


class Command(ArenaCommand):
    help = (
        "Import votes: Chatbot Arena, llm_judge, Vicuna reviews, Arena-Hard, AlpacaEval, PandaLM, FairEval, our export."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--path", type=Path, required=True, help="a file, or a folder with all its files")
        parser.add_argument("--source", default="", help="the collection's name (default: the file's or folder's)")

    def handle(self, *args: Any, **options: Any) -> None:
        report = import_votes(options["path"], options["source"])
        for fault in report.refused[:SHOWN]:
            self.stderr.write(f"refused: {fault}")
        if len(report.refused) > SHOWN:
            self.stderr.write(f"refused: {len(report.refused) - SHOWN} more")
        for name, n in sorted(report.formats.items()):
            self.stdout.write(f"{name}: {n} votes")
        self.stdout.write(
            f"{report.imported} votes imported, {report.known} known already, "
            f"{report.no_verdict} without a verdict, {len(report.refused)} records refused"
        )
