"""Whether the queue is there and anybody listens to it."""

from __future__ import annotations

from django.conf import settings

from arena.celery import app

_WAIT_S = 2.0


def broker_fault() -> str:
    """Why nothing can be queued, in plain words; empty where the broker answers."""
    if not settings.REDIS_URL:
        return "no broker is configured (REDIS_URL) and no embedded one is running"
    try:
        with app.connection_for_write(connect_timeout=3) as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except Exception as error:  # kombu raises whatever its transport does
        return f"the broker does not answer ({type(error).__name__})"
    return ""


def is_worker_listening() -> bool:
    try:
        return bool(app.control.ping(timeout=_WAIT_S))
    except Exception:  # an unreachable broker is the same answer
        return False
