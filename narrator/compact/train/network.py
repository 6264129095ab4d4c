"""The acoustic model in PyTorch: the same weights and the same arithmetic as what `Acoustic.write` gives to Vosk.

Time is the first axis, frame k of the output stands for input frame 3 · k. Batch norms are frozen, as in the file.
Invariant: `parameters` holds all that is learnt and nothing else, under the names that `pack` writes.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from narrator.compact.acoustic import Acoustic
from narrator.compact.kaldi import components, find_matrix, find_vector

CONTEXT = 34
"""Frames of sound before and after a frame that its output depends on."""
STEP = 3
"""Frames of input for one of output."""

_INPUTS = 120
_BYPASS = 0.66  # of a layer's input added to its output
_EARLY, _LATE = (2, 3, 4), (6, 7, 8, 9, 10, 11, 12, 13, 14, 15)  # layers that look 1 and STEP frames aside


class Network:
    """`parameters`: what is learnt, by name, float32; starts as `acoustic` on top of the package's weights `base`."""

    def __init__(self, base: bytes, acoustic: Acoustic) -> None:
        self.parameters: dict[str, Any] = {}
        self._norms: dict[str, tuple[Any, Any]] = {}
        for name, kind, text in components(base):
            if name == "lda":
                weights = find_matrix(text)[0][:, :_INPUTS]
                self._splice = torch.tensor(weights.copy()), torch.tensor(find_vector(text)[0].copy())
            elif kind == "BatchNormComponent" and "output" not in name and "prefinal" not in name:
                self._norms[name] = _norm(text)
            elif acoustic.changes(name):
                weights, bias = acoustic.tuned(name, text)
                self.parameters[f"{name}:weights"] = torch.tensor(weights)
                if bias is not None:
                    self.parameters[f"{name}:bias"] = torch.tensor(bias)
        weights, bias, prior = acoustic.output
        self.parameters["output:weights"], self.parameters["output:bias"] = torch.tensor(weights), torch.tensor(bias)
        self.prior = torch.tensor(prior)
        for parameter in self.parameters.values():
            parameter.requires_grad_(True)

    def __call__(self, features: Any, *, dtype: Any = torch.float32) -> Any:
        """Scores before the softmax, [outputs, batch, 2 · phones], of `features` [frames + 2 · CONTEXT, batch, 40].

        `dtype`: what is computed with; torch.bfloat16 halves the time on processors made for it.
        """
        p = {name: parameter.to(dtype) for name, parameter in self.parameters.items()}
        norms = {name: (scale.to(dtype), shift.to(dtype)) for name, (scale, shift) in self._norms.items()}

        def layer(y: Any, number: int, aside: int) -> Any:
            """A factored layer: down to 64 with `aside` frames to the left, up again with as many to the right."""
            name = f"tdnnf{number}"
            down, up, bias = p[f"{name}.linear:weights"], p[f"{name}.affine:weights"], p[f"{name}.affine:bias"]
            scale, shift = norms[f"{name}.batchnorm"]
            if aside == 0:
                z, kept = F.linear(F.linear(y, down), up, bias), y
            else:
                wide, narrow, n = y.shape[2], down.shape[0], len(y) - aside
                z = F.linear(y[:n], down[:, :wide]) + F.linear(y[aside:], down[:, wide:])
                z = F.linear(z[: n - aside], up[:, :narrow], bias) + F.linear(z[aside:], up[:, narrow:])
                kept = y[aside:n]
            return torch.addcmul(shift, torch.relu(z), scale).add(kept, alpha=_BYPASS)

        x = features.to(dtype)
        splice, shift = (part.to(dtype) for part in self._splice)
        x = F.linear(torch.cat([x[:-2], x[1:-1], x[2:]], 2), splice, shift)
        y = torch.relu(F.linear(x, p["tdnn1.affine:weights"], p["tdnn1.affine:bias"]))
        scale, shift = norms["tdnn1.batchnorm"]
        y = torch.addcmul(shift, y, scale)
        for number in _EARLY:
            y = layer(y, number, 1)
        y = layer(y[::STEP].contiguous(), 5, 0)
        for number in _LATE:
            y = layer(y, number, 1)
        return F.linear(y, p["output:weights"], p["output:bias"]).float()


def padded(features: Any) -> Any:
    """[frames + 2 · CONTEXT, 40]: the edges repeated, as Kaldi does."""
    return np.pad(features, ((CONTEXT, CONTEXT), (0, 0)), mode="edge")


def _norm(text: bytes) -> tuple[Any, Any]:
    """Scale and shift of a batch norm."""

    def number(tag: bytes) -> float:
        return float(struct.unpack_from("<f", text, text.index(tag) + len(tag) + 2)[0])

    mean, variance = find_vector(text, b"<StatsMean>")[0], find_vector(text, b"<StatsVar>")[0]
    scale = number(b"<TargetRms>") / np.sqrt(variance + number(b"<Epsilon>"))
    return torch.tensor(scale.astype(np.float32)), torch.tensor((-mean * scale).astype(np.float32))
