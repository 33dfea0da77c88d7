"""The queue's side of the services: primary keys in, one service call, nothing else."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.cache import cache

from arena.celery import app
from arena.models import Run, Scorer
from arena.services import demo, engine, rejudging, rescoring, runs

log = logging.getLogger(__name__)
_QUEUED_S = 600


def enqueue_run(run_id: int) -> None:
    """Ask for one more slice of this run, unless one is waiting in the queue already. Call after commit."""
    if cache.add(f"run-queued:{run_id}", 1, _QUEUED_S):
        try:
            advance_run.delay(run_id)
        except Exception:
            cache.delete(f"run-queued:{run_id}")  # nothing waits in the queue: the next call must ask again
            raise


def try_enqueue_run(run_id: int) -> bool:
    """The same for pages: False where the broker is down. Beat takes such a run up once it is back."""
    if not settings.REDIS_URL:
        return False
    try:
        enqueue_run(run_id)
    except Exception:  # kombu raises whatever its transport does
        log.exception("run %d could not be queued", run_id)
        return False
    return True


@app.task(name="arena.tasks.advance_run")
def advance_run(run_id: int) -> None:
    cache.delete(f"run-queued:{run_id}")
    try:
        has_more = engine.advance_run(run_id)
    except Exception:
        log.exception("run %d: a slice failed", run_id)
        if not runs.count_slice_failure(run_id):
            return
        has_more = True
    for waiting in runs.next_in_turn(run_id):
        enqueue_run(waiting)
    if has_more:
        enqueue_run(run_id)
    elif settings.DEMO:
        demo.queue_demo_reviews()


@app.task(name="arena.tasks.requeue_lost")
def requeue_lost() -> None:
    """Beat calls this: samples of dead workers are taken up again."""
    for run_id in runs.lost_runs():
        enqueue_run(run_id)


@app.task(name="arena.tasks.rescore_run")
def rescore_run(run_id: int, scorer_id: int) -> None:
    rescoring.rescore_run(Run.objects.get(pk=run_id), Scorer.objects.get(pk=scorer_id))


def enqueue_rejudging(order_id: int) -> bool:
    """Let a board be judged again as ordered; False where no broker takes it."""
    if not settings.REDIS_URL:
        return False
    try:
        rejudge.delay(order_id)
    except Exception:  # kombu raises whatever its transport does
        log.exception("the order %d to judge again could not be queued", order_id)
        return False
    return True


@app.task(name="arena.tasks.rejudge", autoretry_for=(Exception,), retry_backoff=5, max_retries=5)
def rejudge(order_id: int, run_id: int = 0, after_pk: int | None = None) -> None:
    place = rejudging.advance_rejudging(order_id, run_id, after_pk)
    if place is not None:
        rejudge.delay(order_id, *place)
