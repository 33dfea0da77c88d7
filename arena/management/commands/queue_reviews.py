"""Fill the review queue by a policy."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand
from arena.errors import Refused
from arena.models import Benchmark, Policy
from arena.services.review_policies import FINDERS, QueueRequest, build_queue


class Command(ArenaCommand):
    help = "Queue a benchmark's replies for human review, as the page /review/queue/ does."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--policy", choices=[str(policy.value) for policy in FINDERS], required=True)
        parser.add_argument("--needed", type=int, default=2, help="independent reviewers an item")
        parser.add_argument("--threshold", type=float, default=0.0, help="share of a part's maximum two may differ by")
        parser.add_argument("--share", type=float, help="of each run's replies (random)")
        parser.add_argument("--number", type=int, help="replies of each run (random)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--limit", type=int, default=200, help="of the other policies")

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = Benchmark.objects.filter(slug=options["slug"]).first()
        if benchmark is None:
            raise Refused("benchmark", f"there is no {options['slug']!r}")
        names = ("needed", "threshold", "share", "number", "seed", "limit")
        request = QueueRequest(benchmark, Policy(options["policy"]), **{name: options[name] for name in names})
        queued = build_queue(request, None)
        self.stdout.write(f"{queued.new} items queued, {queued.joined} got one more reason")
