"""Re-encrypt stored endpoint keys under the newest of ENCRYPTION_KEYS."""

from __future__ import annotations

from typing import Any

from arena.commands import ArenaCommand
from arena.services.keys import rotate_keys


class Command(ArenaCommand):
    help = "Re-encrypt every stored endpoint key under the first of ENCRYPTION_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{rotate_keys()} keys re-encrypted")
