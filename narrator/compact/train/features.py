"""Mel cepstra exactly as Kaldi computes them from the package's `mfcc.conf`, and stretched vocal tracts on request.

Invariant: with a warp of 1 the numbers are those that Vosk feeds the network with (dither apart).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray

Floats = NDArray[np.float32]

HOP, WINDOW = 160, 400  # samples at 16 kHz
COEFFICIENTS = 40
_FFT, _LOW, _HIGH, _LIFTER = 512, 20.0, 7600.0, 22.0
_FLOOR = float(np.finfo(np.float32).eps)
_EDGE = 6000.0  # hertz up to which the warp is a plain factor


def mfcc(sound: Floats, warp: float = 1.0) -> Floats:
    """[frames, 40] of `sound` [samples], 16 kHz, in units of 16-bit samples; a frame every 10 ms, whole windows only.

    `warp`: factor of all frequencies, rounded to hundredths; above 1 is a shorter vocal tract heard as a longer one.
    """
    frames = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP].astype(np.float32)
    frames = frames - frames.mean(1, keepdims=True)
    sharp = np.empty_like(frames)
    sharp[:, 1:] = frames[:, 1:] - 0.97 * frames[:, :-1]
    sharp[:, 0] = 0.03 * frames[:, 0]
    spectrum: Any = scipy.fft.rfft(sharp * _povey(), _FFT, axis=1)
    power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    return np.asarray(np.log(np.maximum(power @ _mel_bank(round(warp, 2)).T, _FLOOR)) @ _cosines().T, np.float32)


@functools.cache
def _povey() -> Floats:
    turn = 2 * np.pi * np.arange(WINDOW) / (WINDOW - 1)
    return np.asarray((0.5 - 0.5 * np.cos(turn)) ** 0.85, np.float32)


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log(1 + hertz / 700.0)


@functools.lru_cache(maxsize=128)
def _mel_bank(warp: float) -> Floats:
    """Triangles [40, bins]; frequencies are warped linearly, 0 and 8 kHz stay."""
    hertz = np.arange(_FFT // 2) * 16000.0 / _FFT
    edge = _EDGE if warp <= 1 else _EDGE / warp
    upper = edge * warp + (hertz - edge) * (8000 - edge * warp) / (8000 - edge)
    mel = _mel(np.where(hertz <= edge, hertz * warp, upper))
    edges = np.linspace(_mel(_LOW), _mel(_HIGH), COEFFICIENTS + 2)
    left, centre, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    bank = np.clip(np.minimum((mel - left) / (centre - left), (right - mel) / (right - centre)), 0, None)
    return np.pad(bank, ((0, 0), (0, 1))).astype(np.float32)


@functools.cache
def _cosines() -> Floats:
    n = np.arange(COEFFICIENTS)
    transform = np.sqrt(2.0 / COEFFICIENTS) * np.cos(np.pi / COEFFICIENTS * (n[None] + 0.5) * n[:, None])
    transform[0] = np.sqrt(1.0 / COEFFICIENTS)
    lifter = 1 + _LIFTER / 2 * np.sin(np.pi * n / _LIFTER)
    return np.asarray(transform * lifter[:, None], np.float32)
