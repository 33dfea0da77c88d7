"""Re-encrypt stored endpoint keys under the newest of ENCRYPTION_KEYS."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandError

from arena.commands import BAD_INPUT, ArenaCommand
from arena.security.encryption import EncryptionError, new_key
from arena.services.keys import rotate_keys


class Command(ArenaCommand):
    help = "Re-encrypt every stored endpoint key under the first of ENCRYPTION_KEYS."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--new", metavar="ID", help="print a fresh entry for ENCRYPTION_KEYS and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(new_key(options["new"]) if options["new"] else f"{rotate_keys()} keys re-encrypted")
        except EncryptionError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
