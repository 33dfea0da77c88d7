"""Ratings follow votes and scores: a debounced rebuild in the queue, or at once where no queue is."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.dispatch import receiver

from arena.celery import app
from arena.models import Benchmark
from arena.services.judge_battles import judge_battles
from arena.signals import scores_changed, votes_changed
from leaderboard.ballots import SCORES_POOL
from leaderboard.ratings import rebuild_ratings

log = logging.getLogger(__name__)
DEMO_JUDGE_S = 15
DEBOUNCE_S = 5  # a rebuild of 100,000 votes takes about a second; votes come one by one


@receiver(votes_changed)
def follow_votes(sender: object, pools: list[str], inline: bool = False, **_: Any) -> None:
    _follow([str(pool) for pool in pools], inline)


@receiver(scores_changed)
def follow_scores(sender: object, run_ids: list[int], inline: bool = False, **_: Any) -> None:
    _follow([SCORES_POOL], inline)
    if settings.DEMO and settings.REDIS_URL and not inline:
        transaction.on_commit(lambda: _judge_demo(run_ids))


def _judge_demo(run_ids: list[int]) -> None:
    """The demonstration fills its judges' table by itself, once its models have sat an exam that has a judge."""
    benchmarks = Benchmark.objects.filter(revisions__runs__in=run_ids, judge_endpoint__isnull=False).distinct()
    for pk in benchmarks.values_list("pk", flat=True):
        if cache.add(f"demo-judge:{pk}", 1, DEMO_JUDGE_S):
            judge.apply_async((pk, 20), countdown=DEMO_JUDGE_S)


def _follow(pools: list[str], inline: bool) -> None:
    if inline or not settings.REDIS_URL:
        rebuild_ratings(pools)
    else:
        transaction.on_commit(lambda: _enqueue(pools))


def _enqueue(pools: list[str]) -> None:
    for pool in pools:
        if cache.add(f"ratings-queued:{pool}", 1, 60):
            try:
                rebuild.apply_async((pool,), countdown=DEBOUNCE_S)
            except Exception:  # a broker that is down must not undo the vote that was just stored
                log.exception("ratings of %s could not be queued; the next vote asks again", pool)
                cache.delete(f"ratings-queued:{pool}")


@app.task(name="leaderboard.tasks.rebuild_ratings")
def rebuild(pool: str) -> None:
    cache.delete(f"ratings-queued:{pool}")  # before reading: a later vote queues anew
    rebuild_ratings([pool])


@app.task(name="leaderboard.tasks.judge_battles")
def judge(benchmark_id: int, limit: int) -> None:
    """A round of battles before the benchmark's own judge; each pair on each problem is judged once, however often."""
    judge_battles(Benchmark.objects.select_related("judge_endpoint", "scorer").get(pk=benchmark_id), limit=limit)
