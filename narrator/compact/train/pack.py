"""Writes what was learnt as differences to the package's weights: small, and of no use without the package.

Invariant: `Acoustic` reads what is written here and comes within half a step of 8 bits of every weight.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narrator.compact.kaldi import components, find_matrix, find_vector


def pack(path: Path, base: bytes, phones: Sequence[str], parameters: Mapping[str, NDArray[Any]], prior: Any) -> None:
    """Write `path` (.npz), whole or not at all.

    `parameters`: weights and biases by name, as in `Network.parameters`; `prior` [2 · phones]: frequency of outputs.
    """
    stored: dict[str, NDArray[Any]] = {
        "phones": np.array(phones),
        "base": np.array(hashlib.sha256(base).hexdigest()),
        "output:weights": parameters["output:weights"].astype(np.float16),
        "output:bias": parameters["output:bias"].astype(np.float32),
        "output:prior": np.asarray(prior, np.float32),
    }
    for name, _, text in components(base):
        if f"{name}:weights" not in parameters:
            continue
        difference = parameters[f"{name}:weights"] - find_matrix(text)[0]
        scale = np.maximum(np.abs(difference).max(1), 1e-9) / 127
        stored[f"{name}:weights"] = np.round(difference / scale[:, None]).astype(np.int8)
        stored[f"{name}:scale"] = scale.astype(np.float32)
        if f"{name}:bias" in parameters:
            stored[f"{name}:bias"] = (parameters[f"{name}:bias"] - find_vector(text)[0]).astype(np.float16)
    partial = path.with_suffix(".partial.npz")
    np.savez_compressed(partial, **stored)  # type: ignore[arg-type]  # its stub takes the names for its own options
    partial.rename(path)
