"""Score old replies with another rule, without a single call."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from arena.commands import ArenaCommand, find_run
from arena.errors import Refused
from arena.models import Benchmark, DatasetRevision, Run
from arena.services.carrying import carry_over
from arena.services.catalog import get_adapter
from arena.services.rescoring import rescore_run
from arena.services.scorers import as_coded, find_scorer_for_rescoring, set_current_scorer
from arena.signals import catalog_changed


class Command(ArenaCommand):
    help = "Rescore a benchmark's runs (or one) from stored replies and stored judge replies; no call is made."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--run", default="")
        parser.add_argument("--scorer", default="", metavar="NAME[@VERSION]")
        parser.add_argument(
            "--to-revision",
            default="",
            metavar="LABEL",
            help="score the stored replies of published runs on the revision before LABEL against LABEL's references",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        adapter = get_adapter(options["slug"])
        benchmark = Benchmark.objects.filter(slug=adapter.slug).first()
        if benchmark is None:
            raise Refused("benchmark", f"{adapter.slug} is not imported yet")
        if options["to_revision"]:
            self._carry(benchmark, options)
            return
        runs = Run.objects.filter(revision__benchmark=benchmark).select_related("scorer", "revision__benchmark")
        if options["run"]:
            runs = runs.filter(pk=find_run(options["run"]).pk)
            if not runs:
                raise Refused("run", f"run {options['run']} is no run of {adapter.slug}")
        for run in runs:
            scorer = find_scorer_for_rescoring(adapter, run, options["scorer"])
            done = rescore_run(run, scorer, inline=True)
            self.stdout.write(
                f"run {run.uuid}: {done.replies} replies, {done.judgments} new judgments by {scorer}, "
                f"{done.unscored} unscored"
            )
        if not options["run"] and not options["scorer"]:
            self._move_on(benchmark)

    def _move_on(self, benchmark: Benchmark) -> None:
        """After an upgrade of the code, what ranks is the rule in its new version, under which all now stand."""
        before = benchmark.scorer
        if before is None or (current := as_coded(get_adapter(benchmark.slug), before)) == before:
            return
        set_current_scorer(benchmark, current)
        for revision_id in benchmark.revisions.values_list("pk", flat=True):
            catalog_changed.send(sender=Benchmark, revision_id=revision_id, inline=True)
        self.stdout.write(f"{benchmark.slug}: {current} ranks now, no more {before}")

    def _carry(self, benchmark: Benchmark, options: dict[str, Any]) -> None:
        """Each run by itself: what cannot be carried is told and stops no other."""
        if options["scorer"]:
            raise Refused("scorer", "a run is carried with the benchmark's scorer; rescore it afterwards")
        revision = benchmark.revisions.filter(label=options["to_revision"]).first()
        if revision is None:
            labels = ", ".join(benchmark.revisions.values_list("label", flat=True))
            raise Refused(
                "to-revision", f"{benchmark.slug} has no revision {options['to_revision']!r}; there are: {labels}"
            )
        for run in self._runs_to_carry(revision, options["run"]):
            try:
                carried, done = carry_over(run, revision, inline=True)
            except Refused as refused:
                if options["run"]:
                    raise
                self.stderr.write(str(refused))
                continue
            self.stdout.write(
                f"run {run.uuid} ({run.entrant.name}) on {revision.label}: run {carried.uuid}, "
                f"{done.replies} of {carried.planned} replies, {done.judgments} new judgments, {done.unscored} unscored"
            )

    def _runs_to_carry(self, revision: DatasetRevision, uuid: str) -> list[Run]:
        if uuid:
            return [find_run(uuid)]
        older = revision.older
        if older is None:
            raise Refused("to-revision", f"no official revision stands before {revision.label}")
        runs = Run.objects.on_board().filter(revision=older, state=Run.State.FINISHED)
        return list(runs.select_related("entrant", "scorer", "revision__benchmark").order_by("pk"))
