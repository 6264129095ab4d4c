"""What a table does to speech: other people talking, noise, music, rooms, microphones, levels, other throats.

Works on one stretch of sound at a time and knows no labels; what moves in time is told by `speed`.
Invariant: the same generator state gives the same sound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
import soxr
from numpy.typing import NDArray

from narrator.compact.train.rooms import TALKERS, Responses

RATE = 16000
Sound = NDArray[np.float32]
"""Samples at 16 kHz, in units of 16-bit samples."""

_ACTIVE = 60.0  # samples above this count for the level of speech


@dataclass(frozen=True, slots=True)
class Spoilt:
    """`sound`: as the microphone gives it; `warp`: factor of the frequencies for `mfcc`."""

    sound: Sound
    warp: float


def faster(sound: Sound, speed: float) -> Sound:
    """Played at another speed: shorter and higher for `speed` above 1."""
    return np.asarray(soxr.resample(sound, RATE * speed, RATE, quality="LQ"), np.float32)


class Table:
    """Spoils sound with the talk of `others` (whole utterances) and in `responses` of rooms."""

    def __init__(self, others: Sequence[NDArray[np.int16]], responses: Responses) -> None:
        self._others = [other for other in others if len(other) > 1.5 * RATE]
        self._responses = responses

    def spoil(self, sound: Sound, chance: np.random.Generator) -> Spoilt:
        """One stretch with everything that may happen to it; `sound` may be silent, then it is all noise."""
        size = len(sound)
        level = level_of(sound)
        room = self._responses[chance.integers(len(self._responses))] if chance.random() < 0.5 else None
        if room is not None and chance.random() < 0.9:
            sound = _convolved(sound, room[0])
        if level == 0.0:
            level = 1000.0
            sound = self._noise(size, chance, room, empty=True) * level
        else:
            sound = sound * (level / max(level_of(sound), 1.0))
            if chance.random() < 0.85:
                sound = sound + self._noise(size, chance, room, empty=False) * level
        if chance.random() < 0.5:
            sound = _microphone(sound, chance)
        wanted = 10 ** chance.uniform(2.0, 3.85)
        sound = sound * (wanted / level) + chance.choice([0, 1, 1, 2, 5]) * chance.standard_normal(size)
        warp = chance.uniform(0.8, 1.22) if chance.random() < 0.8 else 1.0
        return Spoilt(np.clip(np.round(sound), -32768, 32767).astype(np.float32), warp)

    def _noise(self, size: int, chance: np.random.Generator, room: Responses | None, *, empty: bool) -> Sound:
        """Noise relative to speech of level 1, of one kind or two; `empty`: there is no speech to be heard over it."""
        kind = chance.random()
        if kind < 0.6:
            # alone, few voices would be speech to be heard, not noise
            voices = int(chance.integers(3, 8)) if empty else int(chance.choice([1, 2, 3, 4, 5, 6, 8]))
            noise = self._babble(size, voices, chance, room)
            decibels = chance.uniform(3 if voices > 1 else 6, 24)
        elif kind < 0.8:
            noise, decibels = coloured(size, chance), chance.uniform(2, 28)
        elif kind < 0.9:
            noise, decibels = music(size, chance), chance.uniform(3, 25)
        else:
            noise, decibels = household(size, chance), chance.uniform(3, 25)
        if empty:
            decibels = chance.uniform(-2, 20)
        noise = noise * 10 ** (-decibels / 20)
        if chance.random() < 0.25:
            noise = noise + coloured(size, chance) * 10 ** (-chance.uniform(10, 30) / 20)
        return np.asarray(noise, np.float32)

    def _babble(self, size: int, voices: int, chance: np.random.Generator, room: Responses | None) -> Sound:
        """People talking at once, of about the same loudness, each in his place."""
        total = np.zeros(size, np.float32)
        for voice in range(voices):
            said = np.zeros(0, np.float32)
            while len(said) < size:
                other = self._others[chance.integers(len(self._others))].astype(np.float32)
                start = int(chance.integers(max(1, len(other) - size))) if not len(said) else 0
                said = np.concatenate([said, other[start:] / max(level_of(other), 30.0)])
            said = faster(said[: int(size * 1.3)], chance.uniform(0.85, 1.2))
            said = np.resize(said, size)
            if room is not None:
                said = _convolved(said, room[1 + voice % (TALKERS - 1)])
            total += said / max(level_of(said * 1000) / 1000, 1e-3) * 10 ** (chance.normal(0, 2.5) / 20)
        return np.asarray(total / max(float(total.std()), 1e-6), np.float32)


def coloured(size: int, chance: np.random.Generator) -> Sound:
    """White to brown noise of level 1; a third of it white."""
    noise = chance.standard_normal(size).astype(np.float32)
    if chance.random() < 0.67:
        spectrum: Any = scipy.fft.rfft(noise)
        hertz = np.maximum(np.arange(len(spectrum)) * RATE / size, 20.0)
        noise = scipy.fft.irfft(spectrum * hertz ** -chance.uniform(0.2, 1.1), size).astype(np.float32)
    return np.asarray(noise / (noise.std() + 1e-6), np.float32)


def music(size: int, chance: np.random.Generator) -> Sound:
    """Chords with overtones that change with a beat, and a drum on it; level 1."""
    beat = int(RATE * chance.uniform(0.25, 0.7))
    root = chance.uniform(80, 200)
    time = np.arange(beat) / RATE
    decay = np.exp(-time * chance.uniform(0.5, 6))
    tilt = chance.uniform(0.7, 1.8)
    parts = []
    for _ in range(1 + size // beat):
        chord = np.zeros(beat)
        for step in chance.choice([0, 3, 4, 5, 7, 9, 12, 16, 19], chance.integers(2, 5), replace=False):
            for overtone in range(1, 8):
                hertz = root * 2 ** (step / 12) * overtone
                chord += np.sin(2 * np.pi * (hertz * time + chance.random())) / overtone**tilt
        drum = chance.standard_normal(beat) * np.exp(-time * 40) * chance.uniform(0, 3)
        parts.append(chord * decay + drum)
    noise = np.concatenate(parts)[chance.integers(beat) :]
    noise = np.resize(noise, size)
    return np.asarray(noise / (noise.std() + 1e-6), np.float32)


def household(size: int, chance: np.random.Generator) -> Sound:
    """Hum, and knocks and clinks now and then; level 1."""
    time = np.arange(size) / RATE
    noise = 0.3 * coloured(size, chance)
    hum = chance.choice([50.0, 100.0, 120.0])
    for overtone in range(1, 6):
        noise += chance.random() * 0.3 / overtone * np.sin(2 * np.pi * hum * overtone * time).astype(np.float32)
    for _ in range(chance.integers(1, 8)):
        start = int(chance.integers(size))
        rest = time[: size - start]
        ring = np.sin(2 * np.pi * chance.uniform(300, 5000) * rest) + chance.standard_normal(len(rest))
        noise[start:] += (chance.uniform(1, 8) * ring * np.exp(-rest * chance.uniform(8, 80))).astype(np.float32)
    return np.asarray(noise / (noise.std() + 1e-6), np.float32)


def level_of(sound: Any) -> float:
    """Root mean square of the samples that are not silence; 0 if all are."""
    loud = sound[np.abs(sound) > _ACTIVE]
    return float(np.sqrt(np.mean(loud**2))) if len(loud) else 0.0


def _convolved(sound: Sound, response: Sound) -> Sound:
    size = scipy.fft.next_fast_len(len(sound) + len(response), real=True)
    both: Any = scipy.fft.rfft(sound, size) * scipy.fft.rfft(response, size)
    return np.asarray(scipy.fft.irfft(both, size)[: len(sound)], np.float32)


def _microphone(sound: Sound, chance: np.random.Generator) -> Sound:
    """Another frequency response: a telephone's, or one that wanders by some decibels."""
    if chance.random() < 0.1:
        at, decibels = np.array([0, 200, 330, 3300, 3900, 8000]), np.array([-45.0, -30, 0, 0, -45, -60])
    else:
        at = np.array([0, 150, 400, 1000, 2500, 4500, 6500, 8000])
        decibels = np.cumsum(chance.normal(0, 2.5, 8))
        decibels -= decibels.mean()
        if chance.random() < 0.4:
            decibels[0] -= chance.uniform(5, 40)
        if chance.random() < 0.25:
            decibels[-2:] -= chance.uniform(5, 40)
    spectrum: Any = scipy.fft.rfft(sound)
    hertz = np.arange(len(spectrum)) * RATE / len(sound)
    gain = 10 ** (np.interp(hertz, at, decibels) / 20)
    return np.asarray(scipy.fft.irfft(spectrum * gain, len(sound)), np.float32)
