"""Make a fresh checkout ready: database, static files, samples, demo accounts. Repeats nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command

from arena.commands import ArenaCommand
from arena.services.demo import import_samples, make_demo_accounts
from arena.services.published import import_shipped


class Command(ArenaCommand):
    help = "Migrate, collect static files, import samples and published numbers, make the demo accounts (demo mode)."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        for slug in import_samples():
            self.stdout.write(f"imported our samples of {slug}")
        if n := import_shipped():
            self.stdout.write(f"imported {n} published numbers")
        if settings.DEMO:
            make_demo_accounts()
