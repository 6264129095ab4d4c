"""How much louder a command was than what was heard just before it and just after it.

Whoever gives a command begins to speak. What is no louder than what somebody said in the half second before is the
middle of his sentence, whatever words it resembles; so is what is followed at once by more of the same voice, which
was not there before. A crowd goes on all the time, and may be as loud for a moment; but a word that is no louder than
it is on the whole is its own.
Knows samples and times, neither words nor the recogniser. Invariant: what was cleared is never compared with.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RISE, ALONE = 3.0, 6.0
"""Decibels that a command must be louder than what somebody said just before it; and a number that is all of it: more
often than any other it is the end of a sentence."""
FALL, NEW = 6.0, 10.0
"""Decibels that a command must be louder than what comes right after it, if that is so much louder than what was before
it: what goes on all the time is the crowd. By `NEW`, too, somebody's voice before a command stands above the room."""

_KEPT = 10.0  # seconds: longer than any command
_BEFORE = (0.5, 0.2)  # seconds before a command in which it is listened for a voice
_AFTER = (0.1, 0.35)  # seconds after a command's end, from and to: later is somebody else's turn
_ROOM = 2.0  # seconds before a command, of which the faintest tenth is the room, or the crowd
_EDGE = 0.05  # seconds that its first sound may have begun earlier than the recogniser says


class Loudness:
    """The power of the last seconds of sound, block by block."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[float, float, float]] = deque()  # begins, ends (seconds), mean square

    def add(self, block: NDArray[np.int16], begins: float, ends: float) -> None:
        """A block of sound, and when it was, in seconds."""
        wide = block.astype("float32")
        self._blocks.append((begins, ends, float(wide @ wide) / max(1, len(wide))))
        while self._blocks[-1][1] - self._blocks[0][0] > _KEPT:
            self._blocks.popleft()

    def clear(self) -> None:
        """Forget what was heard; a command just done is not what the next one is compared with."""
        self._blocks.clear()

    def rise(self, start: float, end: float) -> float:
        """Decibels from the half second before `start`, or its last part if that was louder, to `start`…`end`.

        Infinite if nothing was heard before.
        """
        before, command = self._before(start), self._mean(start, end)
        return 10 * math.log10(command / before) if command and before else math.inf

    def fall(self, start: float, end: float) -> float:
        """Decibels from `start`…`end` down to the quarter of a second after it; infinite if nothing was heard then."""
        command, after = self._mean(start, end), self._mean(end + _AFTER[0], end + _AFTER[1])
        return 10 * math.log10(command / after) if command and after else math.inf

    def is_amid(self, start: float, end: float, *, alone: bool = False) -> bool:
        """Whether `start`…`end` is the middle of what somebody says: he spoke just before, or began to and goes on, or
        is one of the crowd.

        `alone`: it is nothing but a number.
        """
        rise, fall = self.rise(start, end), self.fall(start, end)
        if fall < FALL and rise - fall > NEW:
            return True
        if rise >= (ALONE if alone else RISE):
            return False
        spoken = self._before(start) > self._room(start) * 10 ** (NEW / 10)
        return spoken or (rise < RISE and self._mean(start, end) < self._mean(start - _ROOM, start) * 10 ** (RISE / 10))

    def _before(self, start: float) -> float:
        """Mean square of the half second before `start`, or of its last part if that was louder."""
        return max(self._mean(start - length, start - _EDGE) for length in _BEFORE)

    def _room(self, start: float) -> float:
        """Mean square of the room before `start`, or of the crowd in it; 0 if nothing was heard then."""
        powers = sorted(power for begins, ends, power in self._blocks if start - _ROOM <= begins and ends <= start)
        return powers[len(powers) // 10] if powers else 0.0

    def _mean(self, start: float, end: float) -> float:
        """Mean square from `start` to `end`; 0 if nothing was heard then."""
        powers = [power for begins, ends, power in self._blocks if begins >= start and ends <= end]
        return sum(powers) / len(powers) if powers else 0.0
