"""How loud a second of sound was. Knows neither the microphone nor what is said.

Invariant: a second is counted in blocks of sound, not by a clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrator.ports.microphone import BLOCK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Level:
    """Peak and root mean square over about a second of blocks."""

    def __init__(self) -> None:
        self._blocks, self._peak, self._mean_squares = 0, 0, 0.0

    def add(self, block: NDArray[np.int16]) -> bool:
        """True when a second is full."""
        wide = block.astype("float32")
        self._blocks += 1
        self._peak = max(self._peak, int(block.max()), -int(block.min()))
        self._mean_squares += float(wide @ wide) / max(1, len(wide))
        return self._blocks * BLOCK >= 1.0

    def take(self) -> tuple[float, float]:
        """Peak and RMS, 0…1 of full scale; begins the next second."""
        result = self._peak / 32768, (self._mean_squares / self._blocks) ** 0.5 / 32768
        self._blocks, self._peak, self._mean_squares = 0, 0, 0.0
        return result
