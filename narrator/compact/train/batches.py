"""Examples to learn from: stretches of spoilt speech with the phone of every frame.

A batch is made from its number alone, so that a worker process can make it and an interrupted training goes on with
the same ones. Invariant: label k belongs to the sound under output k, whatever was done to the sound's speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narrator.compact.train.align import Aligned
from narrator.compact.train.augment import Sound, Table, faster, level_of
from narrator.compact.train.features import HOP, WINDOW, mfcc
from narrator.compact.train.network import STEP, padded

FRAMES = 318
"""Of one example: 3.2 s, 106 outputs."""
SIZE = (FRAMES - 1) * HOP + WINDOW
"""Samples of one example."""

_EMPTY = 0.06  # share of examples in which nobody speaks to the microphone
_LEVEL = 1000.0  # all are of about the same loudness before anything happens to them
_WEIGHTS = {"festvox": 1.5, "asterisk": 2.0, "rhvoice": 1.0, "espeak": 0.5}
_LABELS = NDArray[np.int64]


def weight(item: Aligned) -> float:
    """How often an utterance is taken: people before machines, by its length but not too short."""
    return _WEIGHTS[item.utterance.source.split("_")[0]] * max(1.5, len(item.utterance.sound) / 16000)


class Batches:
    """`count` batches of `size` examples: features [frames, size, 40] and labels [outputs, size].

    A label is twice the phone's number, and one more when the phone stood under the output before as well.
    """

    def __init__(self, aligned: Sequence[Aligned], table: Table, *, size: int, count: int, seed: int) -> None:
        self._aligned, self._table = aligned, table
        self._size, self._count, self._seed = size, count, seed
        weights = np.array([weight(item) for item in aligned])
        self._until = np.cumsum(weights) / weights.sum()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> tuple[Any, Any]:
        chance = np.random.default_rng((self._seed, number))
        examples = [self._example(chance) for _ in range(self._size)]
        features = np.stack([padded(features) for features, _ in examples], 1)
        return features, np.stack([labels for _, labels in examples], 1)

    def _example(self, chance: np.random.Generator) -> tuple[Any, _LABELS]:
        sound, phones, stretches = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.int64), np.zeros(SIZE, np.int64)
        number = 0
        at = int(chance.uniform(0, 0.8) * 16000) if chance.random() >= _EMPTY else SIZE
        while at < SIZE - 8000:
            said, phone, stretch = self._said(chance, SIZE - at)
            end = at + len(said)
            sound[at:end], phones[at:end], stretches[at:end] = said, phone, stretch + number + 1
            number = int(stretches[end - 1]) + 1
            stretches[end:] = number
            at = end + int(chance.uniform(0.1, 1.2) * 16000)
        spoilt = self._table.spoil(sound, chance)
        centres = np.arange(0, FRAMES, STEP) * HOP + WINDOW // 2
        under, stretch = phones[centres], stretches[centres]
        before = stretches[np.maximum(centres - STEP * HOP, 0)]
        return mfcc(spoilt.sound, spoilt.warp), 2 * under + (stretch == before)

    def _said(self, chance: np.random.Generator, room: int) -> tuple[Sound, _LABELS, _LABELS]:
        """An utterance at some speed, or as much of it as there is room for, and phone and stretch of every sample."""
        item = self._aligned[int(np.searchsorted(self._until, chance.random()))]
        speed = chance.uniform(0.84, 1.22) if chance.random() < 0.65 else 1.0
        wanted = int(room * speed)
        sound = item.utterance.sound
        start = int(chance.integers(len(sound) - wanted)) // HOP * HOP if len(sound) > wanted else 0
        part = sound[start : start + wanted].astype(np.float32)
        part *= _LEVEL * 10 ** (chance.normal(0, 1.5) / 20) / max(level_of(part), 30.0)
        said = (faster(part, speed) if speed != 1.0 else part)[:room]
        centres = start + np.arange(len(said)) * speed
        frames = np.clip(np.round((centres - WINDOW / 2) / HOP).astype(int), 0, len(item.phones) - 1)
        return said, item.phones[frames].astype(np.int64), item.stretches[frames].astype(np.int64)
