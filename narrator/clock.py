"""Time for the game: monotonic seconds, or a hand-moved clock for transcripts and tests.

Nothing here may read the wall clock: a Pi has no battery-backed clock and steps it at will.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Seconds that only grow."""

    def now(self) -> float: ...


class MonotonicClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        return time.monotonic()


class ManualClock:
    """A clock that stands still until `advance` moves it."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move forward by `seconds` ≥ 0; raises ValueError for a step back."""
        if seconds < 0:
            raise ValueError("a monotonic clock never goes back")
        self._now += seconds
