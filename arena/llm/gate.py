"""How many calls of one client are out at once: the limit gives way when the endpoint says "too many" and comes back.

Each refusal gives up one place (if the endpoint bears n and refuses the rest, the limit falls to n at once); each
success wins back 1/limit, so a round of successes wins back one (additive increase).
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType


class Gate:
    """An adaptive semaphore of one event loop: at most `limit` inside, 1 <= limit <= `most`."""

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"concurrency must be at least 1, not {most!r}")
        self._most = most
        self._limit = float(most)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        return int(self._limit)

    @property
    def inside(self) -> int:
        return self._inside

    def shrink(self) -> None:
        """The endpoint refused one of several calls: one place fewer."""
        self._limit = max(1.0, min(self._limit, self._inside) - 1 if self._inside > 1 else self._limit)

    def grow(self) -> None:
        """A call came back well."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)
        self._let_in()

    async def __aenter__(self) -> None:
        if self._inside < self.limit and not self._waiting:
            self._inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # Cancelled in the same tick in which the place was given: hand it on, or it is lost for good.
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._inside < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._inside += 1
                turn.set_result(None)
