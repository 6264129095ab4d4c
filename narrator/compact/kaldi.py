"""Kaldi's binary format: the parts of a neural network that we read and write.

Formats: Kaldi's `WriteToken`/`WriteBasicType`, `CompressedMatrix` ("CM2 ") and the nnet3 text of components. Bytes
only; knows nothing of phones or of files. Invariant: what is written here, Vosk 0.3.45 reads.
"""

from __future__ import annotations

import re
import struct

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]


def components(base: bytes) -> list[tuple[str, str, bytes]]:
    """(name, kind, bytes) of every component, in order."""
    found = list(re.finditer(rb"<ComponentName> (\S+) <(\w+)>", base))
    ends = [match.start() for match in found[1:]] + [len(base)]
    return [(m[1].decode(), m[2].decode(), base[m.start() : end]) for m, end in zip(found, ends, strict=True)]


def find_matrix(text: bytes) -> tuple[Floats, int, int]:
    """The component's matrix, and where its bytes start and end."""
    start = text.index(b"<LinearParams> FM ") + len(b"<LinearParams> ")
    rows, columns = struct.unpack_from("<xixi", text, start + 3)
    at = start + 13
    return np.frombuffer(text, "<f4", rows * columns, at).reshape(rows, columns), start, at + 4 * rows * columns


def find_vector(text: bytes, tag: bytes = b"<BiasParams>") -> tuple[Floats, int, int]:
    """The component's vector after `tag`, and where its bytes start and end."""
    start = text.index(tag + b" FV ") + len(tag) + 1
    (size,) = struct.unpack_from("<xi", text, start + 3)
    at = start + 8
    return np.frombuffer(text, "<f4", size, at), start, at + 4 * size


def integer(value: int) -> bytes:
    return b"\x04" + struct.pack("<i", value)


def real(value: float) -> bytes:
    return b"\x04" + struct.pack("<f", value)


def double(value: float) -> bytes:
    return b"\x08" + struct.pack("<d", value)


def integers(values: list[int]) -> bytes:
    return b"\x04" + struct.pack(f"<i{len(values)}i", len(values), *values)


def vector(values: ArrayLike) -> bytes:
    array = np.ascontiguousarray(values, "<f4")
    return b"FV " + integer(len(array)) + array.tobytes()


def matrix(values: ArrayLike) -> bytes:
    array = np.ascontiguousarray(values, "<f4")
    return b"FM " + integer(array.shape[0]) + integer(array.shape[1]) + array.tobytes()


def compressed(values: Floats) -> bytes:
    """Two bytes an element, evenly spread between the least and the greatest."""
    low, high = float(values.min()), float(values.max())
    steps = np.round((values - low) / (high - low) * 65535).astype("<u2")
    return b"CM2 " + struct.pack("<ffii", low, high - low, *values.shape) + steps.tobytes()


def affine(name: str, weights: ArrayLike, bias: ArrayLike) -> bytes:
    return (
        f"<ComponentName> {name} <FixedAffineComponent> <LinearParams> ".encode() + matrix(weights)
        + b"<BiasParams> " + vector(bias) + b"</FixedAffineComponent> "
    )  # fmt: skip


def log_softmax(name: str, size: int) -> bytes:
    nothing = vector([])
    return (
        f"<ComponentName> {name} <LogSoftmaxComponent> <Dim> ".encode() + integer(size)
        + b"<ValueAvg> " + nothing + b"<DerivAvg> " + nothing + b"<Count> " + double(0)
        + b"<OderivRms> " + nothing + b"<OderivCount> " + double(0)
        + b"<NumDimsSelfRepaired> " + double(0) + b"<NumDimsProcessed> " + double(0) + b"</LogSoftmaxComponent> "
    )  # fmt: skip
