"""What is learnt towards: each frame's phone, and the whole sequence against every other that could have been said.

The second is maximum mutual information without a lattice: the score of what was said, let one output frame early or
late, against the sum over all paths through a loop of phones, in which the decoder's garbage state competes as well,
with the decoder's scale and prior. Invariant: the said is among the paths, so that the second is never negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from narrator.compact.acoustic import GARBAGE_MARGIN, PRIOR, SCALE

_FRAMES, _SEQUENCE = 0.5, 1.0  # weights of the two
_SILENCE = -1.0  # against silence while learning, so that it must be sure; the decoder then leans towards it
_TO_GARBAGE = 0.02  # probability of going to garbage from anywhere
_STAYS = 0.5  # probability of staying there


class Criterion:
    """`transitions` [states, states]: probability of an output's label given the one before."""

    def __init__(self, transitions: Any, prior: Any) -> None:
        states = len(transitions)
        loop = torch.zeros(states + 1, states + 1)
        loop[:states, :states] = torch.as_tensor(transitions) * (1 - _TO_GARBAGE)
        loop[:states, states] = _TO_GARBAGE
        entries = loop[:states, :states].sum(0)
        entries[1::2] = 0  # only a phone's first frame follows garbage
        loop[states, :states] = (1 - _STAYS) * entries / entries.sum()
        loop[states, states] = _STAYS
        self._loop, self._states = loop, states
        self._shift = -PRIOR * torch.as_tensor(prior).log()
        self._shift[:2] += _SILENCE

    def __call__(self, scores: Any, labels: Any) -> tuple[Any, Any]:
        """(what to make small, its two parts and the share of right frames), of scores [outputs, batch, states]."""
        frames = F.cross_entropy(scores.flatten(0, 1), labels.flatten())
        sequence = self.sequence(scores, labels)
        right = (scores.argmax(2) == labels).float().mean()
        told = torch.stack([frames.detach(), sequence.detach(), right])
        return _FRAMES * frames + _SEQUENCE * sequence, told

    def sequence(self, scores: Any, labels: Any) -> Any:
        """Mean over frames of: log of the sum over all paths, less that over what was said."""
        logs = SCALE * (scores + self._shift).log_softmax(2)
        garbage = torch.full((*logs.shape[:2], 1), -SCALE * GARBAGE_MARGIN)
        logs = torch.cat([logs, garbage], 2)
        top = logs.detach().amax(2, keepdim=True)
        likely = (logs - top).exp()
        said = F.one_hot(labels, self._states + 1).to(likely.dtype)
        near = said.clone()
        near[1:] += said[:-1]
        near[:-1] += said[1:]
        both = torch.cat([likely * (near > 0), likely], 1)
        total = _paths(both, self._loop)
        batch = labels.shape[1]
        return (total[batch:] - total[:batch]).mean() / len(labels)


def _paths(likely: Any, loop: Any) -> Any:
    """[batch]: log of the sum over all paths of `likely` [outputs, batch, states]; any state may be the first."""
    total = torch.zeros(likely.shape[1])
    alpha = likely[0] / likely.shape[2]
    for step in likely[1:]:
        size = alpha.sum(1, keepdim=True) + 1e-30
        total = total + size[:, 0].log()
        alpha = (alpha / size) @ loop * step
    return total + (alpha.sum(1) + 1e-30).log()


def transitions(label_sequences: Iterable[Any], states: int) -> Any:
    """Probabilities [states, states] of a label given the one before, as counted; what cannot be is 0."""
    counts = np.zeros((states, states))
    for labels in label_sequences:
        np.add.at(counts, (labels[:-1].ravel(), labels[1:].ravel()), 1)
    often = counts.sum(0) + 1
    possible = np.zeros((states, states), bool)
    possible[:, ::2] = True  # any phone may begin
    for phone in range(0, states, 2):
        possible[[phone, phone + 1], phone + 1] = True  # only what has begun goes on
    smoothed = (counts + 20 * often / often.sum()) * possible
    return (smoothed / smoothed.sum(1, keepdims=True)).astype(np.float32)
