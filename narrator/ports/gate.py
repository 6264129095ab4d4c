"""The gate between our own sound and the microphone: while anyone holds it, nobody listens.

Counted, because several things sound at once (a phrase, an earcon, the buzzer), and each lets go for itself.
Knows neither microphone nor speaker: the two callbacks do the work, on the thread of the caller, and may not
call the gate themselves.

Invariant: the count is never negative, and closing and opening strictly alternate.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


def _nothing() -> None:
    return


class Gate:
    """`on_close` runs when the first hold comes, `on_open` when the last one goes; both may be set later."""

    def __init__(self, on_close: Callable[[], None] = _nothing, on_open: Callable[[], None] = _nothing) -> None:
        self.on_close, self.on_open = on_close, on_open
        self._count = 0
        self._lock = threading.Lock()

    @property
    def held(self) -> bool:
        """True while the microphone must not listen."""
        return self._count > 0

    def hold(self) -> None:
        """Close the gate, or keep it closed; needs one `release`."""
        with self._lock:  # the callback runs inside, or two threads could close and open in the wrong order
            self._count += 1
            if self._count == 1:
                self.on_close()

    def release(self) -> None:
        """Take back one `hold`. Raises RuntimeError when there is none to take back."""
        with self._lock:
            if self._count == 0:
                raise RuntimeError("the gate was released more often than it was held")
            self._count -= 1
            if self._count == 0:
                self.on_open()
