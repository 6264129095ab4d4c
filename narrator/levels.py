"""How loud a microphone is: level, noise floor and clipping, and what to do about them.

Arithmetic on blocks of samples, no device. Levels are 0…1 of full scale. Invariant: the noise floor is what was there
most of the quiet time of the last seconds; a voice does not lift it.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUIET, LOUD, CLIPPED = 0.0002, 0.05, 0.99
"""Root mean square of a dead microphone and of a room too loud to be heard in; peak of one turned up too far."""
KEPT = 10.0
"""Seconds of sound that are judged."""
_FLOOR = 0.2  # share of the blocks that are as quiet as the room itself: between words, and between people


class Meter:
    """Judges the last seconds of sound, fed in blocks."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[float, float, float, int]] = deque()  # seconds, root mean square, peak, clipped
        self._held = 0.0

    def add(self, block: NDArray[np.int16], rate: int) -> None:
        """One more block of one channel."""
        if not len(block):
            return
        wide = abs(block.astype("float32")) / 32768
        seconds, rms = len(block) / rate, float((wide @ wide / len(wide)) ** 0.5)
        self._blocks.append((seconds, rms, float(wide.max()), int((wide >= CLIPPED).sum())))
        self._held += seconds
        while self._held > KEPT:
            self._held -= self._blocks.popleft()[0]

    def level(self, seconds: float = 0.2) -> float:
        """Root mean square of the last moment."""
        squares = time = 0.0
        for length, rms, _, _ in reversed(self._blocks):
            squares, time = squares + length * rms**2, time + length
            if time >= seconds - 1e-6:
                break
        return (squares / time) ** 0.5 if time else 0.0

    @property
    def peak(self) -> float:
        """The loudest sample."""
        return max((peak for _, _, peak, _ in self._blocks), default=0.0)

    @property
    def floor(self) -> float:
        """Root mean square of the room when nobody speaks."""
        levels = sorted(rms for _, rms, _, _ in self._blocks)
        return levels[int(_FLOOR * len(levels))] if levels else 0.0

    @property
    def clipped(self) -> int:
        """Samples that were cut off."""
        return sum(clipped for _, _, _, clipped in self._blocks)


def advice(peak: float, floor: float) -> str:
    """What to do about a microphone with this loudest sample and this noise, "" if it is well."""
    if floor < QUIET:
        return "it is switched off or turned down: its own switch, alsamixer (F4)"
    if peak > CLIPPED:
        return "it is turned up too far: alsamixer (F4)"
    if floor > LOUD:
        return "the room is loud (or was just now): closer to the microphone, or buttons"
    return ""


def decibels(level: float) -> str:
    """«-58 dB» below full scale, «none» for silence."""
    return f"{20 * math.log10(level):.0f} dB" if level > 0 else "none"
