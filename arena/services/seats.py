"""Where each judge of a run answers: official judges at their own seats, a submitter's at the run's endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.llm.call import Target
from arena.models import Benchmark, Endpoint, Judge, JudgeSeat, Run, Scorer, User
from arena.services import keys

if TYPE_CHECKING:
    from arena.services.runs import Credentials


def judge_targets(run: Run, judges: Sequence[Judge], credentials: Credentials) -> dict[int, Target]:
    """Judge pk -> where to ask; a judge without a place is left out, and its parts stay unscored."""
    targets = {} if run.is_own_judge else seat_targets(run.revision.benchmark, judges)
    place = run.judge_endpoint
    if place is not None and len(targets) < len(judges):
        key = credentials.judge_api_key or keys.key_of(place)
        targets = {judge.pk: Target(place.base_url, judge.model, key) for judge in judges} | targets
    return targets


def seat_targets(benchmark: Benchmark, judges: Sequence[Judge]) -> dict[int, Target]:
    """Where we ask our own judges; one without a seat is left out."""
    seats = seats_of(benchmark, judges)
    return {
        judge.pk: Target(seats[judge.pk].base_url, judge.model, keys.key_of(seats[judge.pk]))
        for judge in judges
        if judge.pk in seats
    }


def seats_of(benchmark: Benchmark, judges: Sequence[Judge]) -> dict[int, Endpoint]:
    rows = JudgeSeat.objects.filter(benchmark=benchmark, judge__in=judges).select_related("endpoint")
    return {row.judge_id: row.endpoint for row in rows}


def has_seats(benchmark: Benchmark, scorer: Scorer) -> bool:
    """Whether every judge of the scorer can be asked by us."""
    judges = list(scorer.judges.all())
    return bool(judges) and len(seats_of(benchmark, judges)) == len(judges)


def seat_judge(benchmark: Benchmark, judge: Judge, endpoint: Endpoint, by: User | None) -> JudgeSeat:
    """Give a judge its place, or move it; the old endpoint's key is forgotten."""
    seat, is_new = JudgeSeat.objects.get_or_create(
        benchmark=benchmark, judge=judge, defaults={"endpoint": endpoint, "set_by": by}
    )
    if not is_new and seat.endpoint_id != endpoint.pk:
        keys.forget(seat.endpoint)
        seat.endpoint, seat.set_by = endpoint, by
        seat.save(update_fields=["endpoint", "set_by", "set_at"])
    return seat
