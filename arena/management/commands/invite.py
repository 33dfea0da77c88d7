"""Print an invitation link for the sign-up page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from arena.commands import ArenaCommand
from arena.services.invitations import make_invitation


class Command(ArenaCommand):
    help = "Print a link by which one person (or --uses N) may sign up within fourteen days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--uses", type=int, default=1, help="how many people may sign up by it")

    def handle(self, *args: Any, **options: Any) -> None:
        token = make_invitation(uses=options["uses"])
        self.stdout.write(f"{settings.SITE_URL}/accounts/signup/?invitation={token}")
