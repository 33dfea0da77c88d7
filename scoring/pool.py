"""Scoring in killable processes: `python -m scoring --serve` children over pipes, shared by the threads of a process.

Works alike in a web process, in Celery's prefork workers and on the command line: children are plain subprocesses,
end when their owner dies (their input ends) and are replaced when they die. Bounds on CPU and memory are theirs
(scoring.bounds).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.bounds import BoundedScorer


class Pool:
    """At most `size` children, started when needed. All methods may be called from any thread."""

    def __init__(self, size: int | None = None) -> None:
        self._scorer = BoundedScorer()

    def score(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The response of `python -m scoring` to one request. Never raises for its content."""
        return self._scorer.respond(request)

    def score_many(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [self.score(request) for request in requests]

    def close(self) -> None:
        self._scorer.close()


_pool: Pool | None = None


def get_pool() -> Pool:
    """The process's own pool, made on first use; a fork starts without one."""
    global _pool
    if _pool is None:
        _pool = Pool()
    return _pool
