"""The audit log: who did what, with what stood there before and after."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import AuditEvent, Benchmark, User

READER_ACTS = ("erratum", "report")
READER_ACTS_PER_DAY = 20


def refuse_flood(reader: User | None) -> None:
    """Raises Refused where a reader has reported too much in the last day; reviewers report as much as they find."""
    if reader is None or reader.is_reviewer:
        return
    since = timezone.now() - timedelta(days=1)
    if (
        AuditEvent.objects.filter(actor=reader, act__in=READER_ACTS, created_at__gte=since).count()
        >= READER_ACTS_PER_DAY
    ):
        raise Refused("", _("You have reported a lot today; please go on tomorrow."))


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
