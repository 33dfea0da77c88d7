"""Make a fresh checkout ready: database, static files, samples, demo accounts. Repeats nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command

from arena.commands import ArenaCommand
from arena.services.demo import import_samples, make_demo_accounts


class Command(ArenaCommand):
    help = "Migrate, collect static files, import our samples and (demo mode) make the demo accounts."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        for slug in import_samples():
            self.stdout.write(f"imported our samples of {slug}")
        if settings.DEMO:
            make_demo_accounts()
