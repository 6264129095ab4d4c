"""Whether a part of the box still works, as opposed to a device that is merely absent.

A device may be gone for a whole evening and the game goes on without it; a thread that has died or hangs is a fault of
the program, and only a new process mends it. Knows threads and queues, no device and no game.

Invariant: `ails` never blocks, and says nothing of a thread that is only busy for less than its patience.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol, runtime_checkable

PATIENCE = 15.0
"""Seconds after which a thread that has not answered counts as hanging: longer than any device may keep it."""


@runtime_checkable
class Vital(Protocol):
    """A part that can tell whether it works."""

    def ails(self) -> str:
        """One sentence about what has died or hangs inside, or an empty string."""


class Answers:
    """Whether `thread` still takes what is put into its queue: `ask(answer)` puts `answer` there, to be called."""

    def __init__(
        self,
        thread: threading.Thread,
        ask: Callable[[Callable[[], None]], None],
        patience: float = PATIENCE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._thread, self._ask, self._patience, self._now = thread, ask, patience, now
        self._asked: float | None = None

    def _answer(self) -> None:
        self._asked = None

    def ails(self) -> str:
        """See Vital. Asks again when the last answer has come."""
        if not self._thread.is_alive():
            return f"The thread {self._thread.name} has died."
        now, asked = self._now(), self._asked
        if asked is None:
            self._asked = now
            self._ask(self._answer)
        elif now - asked > self._patience:
            return f"The thread {self._thread.name} has hung for {now - asked:.0f} s."
        return ""
