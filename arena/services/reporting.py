"""What a run came to, for the command line and the run page: the JSON object of CONTRACT.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.models import CallError, Reply, Run
from arena.results import SampleResult, count_outcomes, read_results
from arena.services.samples import planned_entries, read_progress
from arena.summary import Metrics, as_rates, summarise_run


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run's outcome. replied, scored, unscored count samples; call_errors counts failed tries."""

    run: Run
    planned: int
    replied: int
    scored: int
    call_errors: int
    outcomes: dict[str, int]
    metrics: Metrics
    subsets: dict[str, Metrics]
    results: list[SampleResult]

    def as_json(self) -> dict[str, Any]:
        run = self.run
        return {
            "run": str(run.uuid),
            "benchmark": run.revision.benchmark.slug,
            "revision": run.revision.label,
            "split": run.split,
            "entrant": run.entrant.name,
            "planned": self.planned,
            "replied": self.replied,
            "scored": self.scored,
            "unscored": self.planned - self.scored,
            "call_errors": self.call_errors,
            "outcomes": self.outcomes,
            "wall_s": None if run.wall_s is None else round(run.wall_s, 3),
            "metrics": as_rates(self.metrics),
            "subsets": {slug: as_rates(metrics) for slug, metrics in self.subsets.items()},
        }


def report_run(run: Run) -> RunReport:
    run = Run.objects.select_related("revision__benchmark", "entrant", "scorer").get(pk=run.pk)
    results = read_results(run, entries=planned_entries(run))
    overall, subsets = summarise_run(run.revision.benchmark.slug, results, run.scorer.params.get("policy", "corrected"))
    return RunReport(
        run=run,
        planned=run.planned,
        replied=sum(result.reply_id is not None for result in results),
        scored=sum(result.is_scored for result in results),
        call_errors=CallError.objects.filter(run=run).count(),
        outcomes=count_outcomes(results),
        metrics=overall,
        subsets=subsets,
        results=results,
    )


def count_progress(run: Run) -> int:
    """Closed samples, for a progress bar: cheap while replies come in, exact once most have."""
    replied = Reply.objects.filter(run_id=run.pk).count()
    if replied < run.planned // 2:
        return replied
    return read_progress(Run.objects.select_related("revision", "scorer").get(pk=run.pk)).closed
