"""What stands between a command and the microphone: other people, noise, music, and the room.

All of it is made from fixed seeds, so that two models hear the same. Loudness: a ratio in dB is that of the speech's
mean power, from its first to its last sound, to the noise's. Rooms are simulated by pyroomacoustics (image sources).
Invariant: speech put into a room begins at the same sample: the way of the direct sound is cut off.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tests.bench.hearing.voices import RATE, Sound, levelled

FLOOR = 10 ** (-72 / 20)
"""Of full scale: the noise of a quiet room and of the microphone itself, always there."""
NEAR = 0.3
"""Metres at which a voice is as loud in a room as without one."""


@dataclass(frozen=True)
class Noises:
    """Endless noises cut to length. `talkers`: for each of the people who babble, his sentences one after another."""

    talkers: Sequence[Sound]
    _music: dict[int, Sound] = field(default_factory=dict)

    def make(self, kind: str, length: int, dice: np.random.Generator) -> Sound:
        """`length` samples of «babble» (four talk at once), «talker» (one does), «white» or «music», mean power 1."""
        match kind:
            case "white":
                return dice.normal(0, 1, length).astype(np.float32)
            case "music":
                song = int(dice.integers(4))
                if song not in self._music:
                    self._music[song] = _music(song)
                return _unit(_piece(self._music[song], length, dice))
        count = 4 if kind == "babble" else 1
        chosen = dice.choice(len(self.talkers), count, replace=False)
        return _unit(sum((_unit(_piece(self.talkers[n], length, dice)) for n in chosen), np.zeros(length, np.float32)))


def with_noise(sound: Sound, speech: slice, noise: Sound, ratio: float) -> Sound:
    """`sound` with `noise` of mean power 1 under it, `ratio` dB below its part `speech`."""
    power = float(np.sqrt(np.mean(sound[speech] ** 2)))
    return sound + noise * (power * 10 ** (-ratio / 20))


def quiet_room(sound: Sound, dice: np.random.Generator) -> Sound:
    """`sound` with the noise that is always there."""
    return sound + dice.normal(0, FLOOR, len(sound)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Place:
    """Somebody at `distance` metres from the microphone, on a table in a room of `size` metres."""

    size: tuple[float, float, float]
    echo: float  # seconds in which the sound falls by 60 dB
    distance: float
    direction: float = 0.7  # radians


SMALL, LIVING, HALL = ((3.4, 4.1, 2.6), 0.3), ((5.3, 4.6, 2.7), 0.45), ((7.6, 6.2, 3.1), 0.65)
"""A kitchen, a living room, a hall."""


def heard_at(sound: Sound, place: Place) -> Sound:
    """`sound` as the microphone hears it there: fainter and with echoes, the same length."""
    fftconvolve: Any = importlib.import_module("scipy.signal").fftconvolve
    response = _response(place) / _energy(_response(Place(place.size, place.echo, NEAR)))
    return np.asarray(fftconvolve(sound, response)[: len(sound)], np.float32)


@cache
def _response(place: Place) -> Sound:
    rooms: Any = importlib.import_module("pyroomacoustics")
    size = np.array(place.size)
    absorption, order = rooms.inverse_sabine(place.echo, size)
    room = rooms.ShoeBox(size, fs=RATE, materials=rooms.Material(absorption), max_order=min(order, 40))
    table = np.array([0.47 * size[0], 0.44 * size[1], 0.8])
    way = np.array([np.cos(place.direction), np.sin(place.direction)]) * place.distance
    mouth = np.array([table[0] + way[0], table[1] + way[1], 0.8 + min(0.4, place.distance / 2)])
    if not np.all((mouth > 0.1) & (mouth < size - 0.1)):
        raise ValueError(f"{place} is outside of the room.")
    room.add_source(mouth)
    room.add_microphone(table)
    room.compute_rir()
    response = np.asarray(room.rir[0][0], np.float32)
    return response[int(np.argmax(np.abs(response))) :]


def _energy(response: Sound) -> float:
    return float(np.sqrt(np.sum(response**2)))


def _unit(sound: Sound) -> Sound:
    return np.asarray(sound / max(float(np.sqrt(np.mean(sound**2))), 1e-6), np.float32)


def _piece(sound: Sound, length: int, dice: np.random.Generator) -> Sound:
    """`length` samples from anywhere in an endless repetition of `sound`."""
    return np.resize(np.roll(sound, -int(dice.integers(len(sound)))), length)


def _music(song: int, seconds: float = 24.0) -> Sound:
    """Four chords, a bass and a drum over and over: not beautiful, but it has the beat and the tones of music."""
    dice = np.random.default_rng(9000 + song)
    beat = 60 / dice.uniform(84, 132)
    out = np.zeros(round((seconds + 4) * RATE), np.float32)
    root = dice.uniform(98, 160)
    chords = [root * 2 ** (np.array(steps) / 12) for steps in ((0, 4, 7), (9, 12, 16), (5, 9, 12), (7, 11, 14))]
    for n in range(int(seconds / beat)):
        chord = chords[n // 4 % 4]
        melody = dice.choice(chord) * dice.choice([2, 4])
        tones = [(tone * 2, 0.5) for tone in chord] if n % 2 == 0 else []
        for tone, loudness in (*tones, (melody, 0.8), (chord[0] / 2, 1.0)):
            _add(out, n * beat, loudness * _note(tone, beat * 2))
        drum = dice.normal(0, 1, round(0.08 * RATE)) * np.exp(-np.arange(round(0.08 * RATE)) / (0.02 * RATE))
        _add(out, n * beat, 0.6 * drum)
    return levelled(out[: round(seconds * RATE)])


def _note(tone: float, seconds: float) -> Sound:
    times = np.arange(round(seconds * RATE)) / RATE
    harmonics = np.arange(1, 9)[:, None]
    waves = np.sin(2 * np.pi * tone * harmonics * times) / harmonics**1.5
    return np.asarray(waves.sum(axis=0) * np.exp(-3 * times / seconds), np.float32)


def _add(out: Sound, at: float, sound: Any) -> None:
    first = round(at * RATE)
    part = out[first : first + len(sound)]
    part += np.asarray(sound[: len(part)], np.float32)
