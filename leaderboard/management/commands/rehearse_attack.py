"""Report what a vote-buying attack would move."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand
from leaderboard.statistics.attack import Attack, rehearse


class Command(ArenaCommand):
    help = "Simulate bots that promote one model, and report its rating with and without quarantine."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seeds", type=int, default=3)

    def handle(self, *args: Any, **options: Any) -> None:
        plan = Attack()
        self.stdout.write(
            f"{plan.n_models} models, {plan.n_honest} honest votes by {plan.n_voters} voters, "
            f"{plan.n_attack} votes by {plan.n_bots} bots for one model"
        )
        for seed in range(options["seeds"]):
            report = rehearse(Attack(seed=seed))
            self.stdout.write(
                f"seed {seed}: honest {report.before.rating:.0f} (interval {report.width:.0f} wide); "
                f"moved {report.moved:.1f} with quarantine, {report.would_have_moved:.1f} without; "
                f"held {report.n_bots_held} of {plan.n_bots} bots, {report.n_honest_held} of {plan.n_voters} voters"
            )
