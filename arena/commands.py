"""What the management commands share: bad input is exit 2 with plain words, never a traceback."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.errors import ArenaError, ImportRefused
from arena.models import Run

BAD_INPUT = 2
UNSCORED = 3


class ArenaCommand(BaseCommand):
    """A command whose refusals are told line by line and exit with 2."""

    requires_migrations_checks = False

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except ImportRefused as refused:
            for fault in refused.faults:
                self.stderr.write(fault)
            raise CommandError(f"{len(refused.faults)} faults; nothing was stored", returncode=BAD_INPUT) from refused
        except ArenaError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error


def exit_with(code: int) -> None:
    """End the process with a code that is no error of ours."""
    if code:
        sys.exit(code)


def find_run(text: str) -> Run:
    """The run of this UUID. Raises CommandError."""
    try:
        return Run.objects.select_related("revision__benchmark", "scorer", "entrant").get(uuid=text)
    except (Run.DoesNotExist, ValueError, TypeError) as error:
        raise CommandError(f"no run {text!r}", returncode=BAD_INPUT) from error
    except Exception as error:
        if type(error).__name__ == "ValidationError":
            raise CommandError(f"{text!r} is no run's UUID", returncode=BAD_INPUT) from error
        raise
