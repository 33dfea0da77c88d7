"""The audit log: who did what, with what stood there before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.models import AuditEvent, Benchmark, User


def record_event(
    actor: User | None,
    act: str,
    target: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    benchmark: Benchmark | int | None = None,
) -> AuditEvent:
    """Append one event. target: kind and public id, such as `item:<uuid>`. Call within the deed's transaction."""
    return AuditEvent.objects.create(
        actor=actor,
        act=act,
        target=target,
        before=dict(before),
        after=dict(after),
        benchmark_id=benchmark.pk if isinstance(benchmark, Benchmark) else benchmark,
    )
