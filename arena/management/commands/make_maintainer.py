"""Make an account a maintainer, or print the link by which the first one signs up."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, ArenaCommand
from arena.models import MAINTAINER, REVIEWER, User
from arena.services.people import has_maintainer, make_setup_token, set_roles


def setup_link() -> str:
    """Where the first maintainer signs up; valid for seven days and until there is one."""
    return f"{settings.SITE_URL}/accounts/signup/?setup={make_setup_token()}"


class Command(ArenaCommand):
    help = "Give an account the maintainer's role; without a name, print the first maintainer's sign-up link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["username"]
        if not name:
            if has_maintainer():
                raise CommandError("there is a maintainer already: name an account", returncode=BAD_INPUT)
            self.stdout.write(setup_link())
            return
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise CommandError(f"no account {name!r}", returncode=BAD_INPUT)
        roles = {MAINTAINER} | ({REVIEWER} if user.is_reviewer else set())
        set_roles(user, roles)
        self.stdout.write(f"{name} is a maintainer")
