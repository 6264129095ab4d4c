"""Recordings for the recogniser: WAV files and, where soundfile is installed, FLAC. Knows neither phrases nor devices.

Invariant: a file that is broken is a RecogniserError that says what to do, never a shorter sound.
"""

from __future__ import annotations

import importlib
import wave
from pathlib import Path
from typing import Any

import numpy as np

from narrator.ports.models import RecogniserError

RATES = range(8000, 192_001)
"""Hertz that a recogniser can be given."""


def read_sound(path: Path) -> tuple[bytes, int]:
    """Mono 16-bit frames and their rate in hertz, of a 16-bit WAV file or, where soundfile is installed, FLAC.

    Channels are averaged. Raises RecogniserError for a file that is absent, broken, empty or of another kind.
    """
    try:
        samples, rate = _read_flac(path) if path.suffix.lower() == ".flac" else _read_wav(path)
    except (wave.Error, EOFError) as error:
        raise RecogniserError(f"{path} is no 16-bit WAV file ({error or 'it ends too soon'}): convert it.") from error
    except OSError as error:
        raise RecogniserError(f"{path} cannot be read ({error.strerror}): check the name and the rights.") from error
    if not len(samples):
        raise RecogniserError(f"{path} holds no sound: record it again.")
    if rate not in RATES:
        raise RecogniserError(f"{path} is at {rate} Hz: convert it to 16000 Hz.")
    return samples.mean(axis=1).round().astype("<i2").tobytes(), rate


def _read_wav(path: Path) -> tuple[Any, int]:
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise wave.Error(f"it has {8 * file.getsampwidth()} bits a sample")
        channels, rate = file.getnchannels(), file.getframerate()
        frames = file.readframes(file.getnframes())
    whole = len(frames) - len(frames) % (2 * channels)  # a file that was cut off may end inside a frame
    return np.frombuffer(frames[:whole], "<i2").reshape(-1, channels), rate


def _read_flac(path: Path) -> tuple[Any, int]:
    try:
        soundfile: Any = importlib.import_module("soundfile")  # not a dependency of the product
    except ImportError:
        raise RecogniserError(f"{path} needs soundfile: pip install soundfile, or convert it to WAV.") from None
    try:
        samples, rate = soundfile.read(str(path), dtype="int16", always_2d=True)
    except soundfile.SoundFileError as error:
        raise RecogniserError(f"{path} is no FLAC file ({error}): convert it to 16-bit WAV.") from error
    return samples, int(rate)
