"""Mono 16-bit WAV files as samples. Knows neither phrases nor devices.

Invariant: a file that is not whole is a ValueError, never a shorter sound.
"""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.int16]


def read_wav(path: Path) -> tuple[Samples, int]:
    """Samples and rate of a mono 16-bit WAV. Raises ValueError when it is absent, cut short or other."""
    try:
        with wave.open(str(path), "rb") as file:
            kind = (file.getnchannels(), file.getsampwidth())
            frames, rate = file.getnframes(), file.getframerate()
            data = file.readframes(frames)
    except (OSError, EOFError, wave.Error) as error:
        raise ValueError(f"{path}: is not a readable WAV ({error or 'too short'})") from error
    if kind != (1, 2):
        raise ValueError(f"{path}: must be mono and 16 bits, not {kind[0]} channels and {8 * kind[1]} bits")
    if not frames or len(data) != 2 * frames:
        raise ValueError(f"{path}: has {len(data) // 2} of {frames} frames")
    return np.frombuffer(data, dtype=np.int16), rate
