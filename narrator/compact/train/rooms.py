"""Rooms to hear speech in: impulse responses by the image method, from the library pyroomacoustics.

Invariant: the same seed gives the same rooms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 16000
TALKERS = 4
"""Places in a room: the first speaks to the microphone, the others talk elsewhere."""
_LONGEST = 0.6  # seconds kept of a response

Responses = NDArray[np.float32]


def rooms(path: Path, count: int, seed: int) -> Responses:
    """[count, TALKERS, samples]: responses, the direct sound of each at the same early sample and of height one.

    Kept in the file `path`.
    """
    if not path.exists():
        chance = np.random.default_rng(seed)
        made = np.stack([_room(chance) for _ in range(count)]).astype(np.float16)
        partial = path.with_suffix(".partial.npy")
        np.save(partial, made)
        partial.rename(path)
    return np.asarray(np.load(path), np.float32)


def _room(chance: np.random.Generator) -> Responses:
    """A living room or a small hall; the microphone stands on a table, people sit 0.3 to 4 m away."""
    import pyroomacoustics as pra

    size = chance.uniform([2.8, 2.8, 2.3], [9.0, 7.0, 3.6])
    reverberation = chance.uniform(0.15, 0.8)
    try:
        absorption, order = pra.inverse_sabine(reverberation, size)
    except ValueError:  # no walls are soft enough for so short a time in so big a room
        absorption, order = 0.95, 3
    room: Any = pra.ShoeBox(size, fs=RATE, materials=pra.Material(absorption), max_order=min(order, 25))
    microphone = np.array([*chance.uniform(0.3, 0.7, 2) * size[:2], chance.uniform(0.7, 1.1)])
    for talker in range(TALKERS):
        distance = chance.uniform(0.3, 3.0 if talker == 0 else 4.0)
        angle = chance.uniform(0, 2 * np.pi)
        aside = microphone + np.array([distance * np.cos(angle), distance * np.sin(angle), chance.uniform(0, 0.6)])
        room.add_source(np.clip(aside, 0.2, size - 0.2))
    room.add_microphone(microphone)
    room.compute_rir()
    responses = np.zeros((TALKERS, int(_LONGEST * RATE)), np.float32)
    for talker, response in enumerate(room.rir[0]):
        start = max(0, int(np.abs(response).argmax()) - 16)  # the direct sound, and the filter's ripple before it
        kept = response[start : start + responses.shape[1]]
        responses[talker, : len(kept)] = kept / np.abs(kept).max()
    return responses
