"""Print an invitation link for the sign-up page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from arena.accounts import make_invitation
from arena.commands import ArenaCommand


class Command(ArenaCommand):
    help = "Print a link that opens the sign-up page for fourteen days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{settings.SITE_URL}/accounts/signup/?invitation={make_invitation(options['email'])}")
