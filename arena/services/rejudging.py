"""Judging the replies of a board again in slices, for the workers."""

from __future__ import annotations

import time

from arena.models import Run, Scorer
from arena.services.budgets import Meter
from arena.services.rescoring import Buying, rejudge_run
from arena.services.seats import seat_targets

SLICE_S = 60.0


def advance_rejudging(run_id: int, scorer_id: int, after_pk: int = 0) -> int | None:
    """Judge one slice of a run's replies with our own judges; where to go on, or None when all are looked at."""
    run = Run.objects.select_related("revision__benchmark", "scorer").get(pk=run_id)
    scorer = Scorer.objects.get(pk=scorer_id)
    targets = seat_targets(run.revision.benchmark, list(scorer.judges.all()))
    buying = Buying(targets, Meter({}), run.concurrency, time.monotonic() + SLICE_S)
    return rejudge_run(run, scorer, buying, after_pk=after_pk).next_pk
