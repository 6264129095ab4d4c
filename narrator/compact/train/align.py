"""Where in an utterance every phone is: the best path of the present model through the words that were said.

Invariant: the path goes through all phones in order; silence may stand before, between and after words only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from narrator.compact.train.corpus import Utterance
from narrator.compact.train.features import mfcc
from narrator.compact.train.network import STEP, Network, padded

_PRIOR = 0.6  # exponent of the division by the phones' frequencies
_IMPOSSIBLE = -1e30


@dataclass(frozen=True, slots=True)
class Aligned:
    """An utterance with, for every frame of 10 ms, its phone (0 is silence) and the number of its stretch.

    A stretch is one phone of one word, or one silence. `score`: mean log probability of a frame.
    """

    utterance: Utterance
    phones: NDArray[np.uint8]
    stretches: NDArray[np.int16]
    score: float


def align(said: Sequence[Utterance], network: Network, alphabet: Sequence[str]) -> Iterator[Aligned]:
    """Align utterances one by one; those that are too short for their phones are left out."""
    chance = np.random.default_rng(0)
    numbers = {phone: number for number, phone in enumerate(alphabet)}
    for utterance in said:
        dither = chance.standard_normal(len(utterance.sound))
        features = mfcc((utterance.sound + dither).astype(np.float32))
        states, optional = _states(utterance, numbers)
        with torch.no_grad():
            scores = network(torch.tensor(padded(features))[:, None])[:, 0] - _PRIOR * network.prior.log()
            # a phone's two outputs, of its first frame and of later ones, are one here
            scores = scores.log_softmax(1).view(len(scores), -1, 2).logsumexp(2)
        if len(scores) < len(states):
            continue
        path, total = best_path(scores.numpy()[:, states].astype(np.float64), optional)
        whole = path[
            np.minimum((np.arange(len(features)) + STEP // 2) // STEP, len(path) - 1)
        ]  # an output stands amid its frames
        yield Aligned(utterance, states[whole].astype(np.uint8), whole.astype(np.int16), total / len(path))


def good(aligned: Sequence[Aligned]) -> list[Aligned]:
    """Without the utterances whose sound does not fit their text; judged source by source."""
    kept: list[Aligned] = []
    for source in dict.fromkeys(item.utterance.source for item in aligned):
        own = [item for item in aligned if item.utterance.source == source]
        scores = np.array([item.score for item in own])
        kept += [item for item in own if item.score > scores.mean() - 2.5 * scores.std()]
    return kept


def _states(utterance: Utterance, numbers: dict[str, int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The phones to go through, with silences, and which of them may be passed over."""
    states, optional = [0], [True]
    for word in utterance.words:
        states += [*(numbers[phone] for phone in word), 0]
        optional += [*(False for _ in word), True]
    return np.array(states), np.array(optional)


def best_path(scores: NDArray[np.float64], optional: NDArray[np.bool_]) -> tuple[NDArray[np.int64], float]:
    """The state of every frame and the sum of scores, of the best path from the first state to the last.

    `scores` [frames, states]; `optional` [states]: which may be passed over, never two in a row, the ends among them.
    """
    frames, states = scores.shape
    best = np.full(states, _IMPOSSIBLE)
    best[:2] = scores[0, :2]
    came = np.zeros((frames, states), np.int8)
    candidates: Any = np.full((3, states), _IMPOSSIBLE)  # stayed, came from the state before, from the one before that
    for frame in range(1, frames):
        candidates[0], candidates[1, 1:] = best, best[:-1]
        candidates[2, 2:] = np.where(optional[1:-1], best[:-2], _IMPOSSIBLE)
        came[frame] = candidates.argmax(0)
        best = candidates.max(0) + scores[frame]
    state = states - 1 if best[-1] > best[-2] else states - 2
    total, path = float(best[state]), np.zeros(frames, np.int64)
    for frame in range(frames - 1, -1, -1):
        path[frame] = state
        state -= int(came[frame, state])
    return path, total
