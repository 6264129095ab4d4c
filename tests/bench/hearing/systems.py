"""Who listens: our ears as they are in the box, and others that hear the same sound.

Sound comes from memory, block by block, faster than real time; the place in the sound at which a result appears is
when it was known. Each listener says what it would do in a moment and may be told that the moment has changed.
Invariant: nobody hears sound that comes after the result that he is judged by.
"""

from __future__ import annotations

import functools
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from narrator.config import EarsSettings
from narrator.messages import Heard
from narrator.ports.child import Link
from narrator.ports.hearing import Hearing, Listen, Orders
from narrator.ports.microphone import BLOCK, Microphone, Source
from narrator.ports.models import UNKNOWN
from narrator.ports.recogniser import Recogniser
from narrator.speech.intents import Meaning, surety
from narrator.speech.lang import ru
from tests.bench.hearing.commands import GRAMMAR, Moment
from tests.bench.hearing.voices import RATE, Sound

Samples = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Result:
    """A text with its confidence, and the second of the sound at which it was known.

    `meant`: the command that it is, if it is one; `sure`: certain enough to be done, otherwise it is asked for again.
    """

    at: float
    text: str
    confidence: float
    meant: Meaning | None
    sure: bool = True

    @property
    def does(self) -> Meaning | None:
        """What is done; None is nothing."""
        return self.meant if self.sure else None

    @property
    def again(self) -> bool:
        """Whether it is asked for again."""
        return self.meant is not None and not self.sure


React = Callable[[Result], Moment | None]
"""Told of every result; gives the moment that the game has gone to, or None to hear no more."""


class System(Protocol):
    """Somebody who listens. `needs_end`: hears whole clips only, so that his results have no time."""

    name: str
    needs_end: bool

    def hear(self, sound: Samples, moment: Moment, react: React) -> None:
        """Listen to `sound` from its beginning, in `moment`."""


def samples(sound: Sound) -> Samples:
    """16-bit samples, as a microphone gives them."""
    return np.asarray((np.clip(sound, -1, 1) * 32767).round(), np.int16)


# --- ours --------------------------------------------------------------------------------------------------------


class Ours:
    """The box's ears: the loop of its child process over a tape, and what the game makes of a text.

    `early` off: every command waits for the end-pointer.
    """

    needs_end = False

    def __init__(self, name: str, model: Path, settings: EarsSettings, *, early: bool = True) -> None:
        self.name, self._least = name, settings.confidence
        self._recogniser = Recogniser(model, RATE, early=early)

    def hear(self, sound: Samples, moment: Moment, react: React) -> None:
        """See System."""
        tape, orders = _Tape(sound, moment, self._least, react), Orders(_listen(0, moment))
        while not tape.closed:  # it also ends where its process has grown too big, as one with hours of sound has
            Hearing(cast(Link, tape), orders, self._recogniser, lambda: cast(Microphone, tape)).run()


def _listen(epoch: int, moment: Moment) -> Listen:
    return Listen(epoch, *moment.listening)


class _Tape:
    """The link to the owner and the microphone in one."""

    def __init__(self, sound: Samples, moment: Moment, least: float, react: React) -> None:
        size = round(RATE * BLOCK)
        self._blocks = [sound[at : at + size] for at in range(0, len(sound) - size + 1, size)]
        self._next = self._epoch = 0
        self._moment, self._least, self._react = moment, least, react
        self._orders: list[Listen] = []
        self._ended = False
        self.source = Source(0, "tape", RATE, 1)
        self.lost = self.overflows = 0
        self.active, self.moved = True, ""

    # the link

    @property
    def closed(self) -> bool:
        return self._ended or self._next >= len(self._blocks)

    def beat(self) -> None:
        return

    def receive(self, timeout: float) -> Any:
        return self._orders.pop(0) if self._orders else None

    def send(self, message: Any) -> None:
        if not isinstance(message, Heard) or message.epoch != self._epoch or self._ended:
            return
        meant = self._moment.does(message.text)
        sure = meant is None or message.confidence >= surety(meant, self._least)
        result = Result(self._next * BLOCK, message.text, message.confidence, meant, sure)
        moment = self._react(result)
        if moment is None:
            self._ended = True
        elif moment is not self._moment or result.does is not None:
            self._moment = moment
            self._epoch += 1
            self._orders.append(_listen(self._epoch, moment))

    # the microphone

    def read(self, timeout: float) -> Samples:
        self._next += 1
        return self._blocks[self._next - 1]

    def drop(self) -> None:
        return

    def close(self) -> None:
        return


# --- Vosk by itself ----------------------------------------------------------------------------------------------

STEP = RATE // 10
"""Samples in a block, for Vosk by itself."""


class Held:
    """Vosk held to the same grammar as ours, its own end-pointer, each text taken at its word."""

    needs_end = False

    def __init__(self, name: str, model: Path) -> None:
        self.name, self._new = name, _vosk(model)

    def hear(self, sound: Samples, moment: Moment, react: React) -> None:
        """See System."""
        recogniser = self._fresh(moment)
        for at in range(0, len(sound), STEP):
            if not recogniser.AcceptWaveform(sound[at : at + STEP].tobytes()):
                continue
            text = str(json.loads(recogniser.Result())["text"])
            went = react(Result((at + STEP) / RATE, text, 1.0, moment.does(text))) if text else moment
            if went is None:
                return
            if went is not moment:
                moment, recogniser = went, self._fresh(went)

    def _fresh(self, moment: Moment) -> Any:
        return self._new(json.dumps([*moment.listening[0], UNKNOWN], ensure_ascii=False))


def _vosk(model: Path) -> Callable[..., Any]:
    """Makes recognisers for a model."""
    import vosk

    vosk.SetLogLevel(-1)
    return functools.partial(vosk.KaldiRecognizer, vosk.Model(str(model)), RATE)


class Writer(ABC):
    """Writes down whatever it hears, knowing nothing of the moment; only then the text is looked for among commands."""

    needs_end = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._kept: tuple[Samples, Sequence[tuple[float, str]]] | None = None

    @abstractmethod
    def write(self, sound: Samples) -> Iterator[tuple[float, str]]:
        """Texts, each with the second at which it was known."""

    def take(self, text: str, moment: Moment) -> Meaning | None:
        """What is done about a text: nothing unless it is a command word by word."""
        return moment.does(text)

    def hear(self, sound: Samples, moment: Moment, react: React) -> None:
        """See System. The same sound in another moment is not written down again."""
        if self._kept is None or self._kept[0] is not sound:
            self._kept = sound, tuple(self.write(sound))
        for at, text in self._kept[1]:
            went = react(Result(at, text, 1.0, self.take(text, moment)))
            if went is None:
                return
            moment = went


class Free(Writer):
    """Vosk with no grammar: any word of the model after any other."""

    def __init__(self, name: str, model: Path) -> None:
        super().__init__(name)
        self._new = _vosk(model)

    def write(self, sound: Samples) -> Iterator[tuple[float, str]]:
        """See Writer."""
        recogniser = self._new()
        for at in range(0, len(sound), STEP):
            if recogniser.AcceptWaveform(sound[at : at + STEP].tobytes()):
                text = str(json.loads(recogniser.Result())["text"])
                if text:
                    yield (at + STEP) / RATE, text


class Whisper(Writer):
    """Whisper base; of all sentences that are commands now the nearest is taken, if it is `nearest` enough (0…1)."""

    needs_end = True

    def __init__(self, name: str, model: Any, nearest: float = 0.8) -> None:
        super().__init__(name)
        self._model, self._nearest = model, nearest
        self._sentences: dict[str, Sequence[str]] = {}

    def write(self, sound: Samples) -> Iterator[tuple[float, str]]:
        """See Writer."""
        parts, _ = self._model.transcribe(
            sound.astype(np.float32) / 32768,
            language="ru",
            beam_size=5,
            temperature=0.0,
            condition_on_previous_text=False,
        )
        for part in parts:
            yield part.end, ru.normal(" ".join(_NUMBERS.get(word, word) for word in ru.normal(part.text).split()))

    def take(self, text: str, moment: Moment) -> Meaning | None:
        """See Writer."""
        from rapidfuzz import fuzz, process

        bare, addressed = GRAMMAR.address(text)
        if moment.name not in self._sentences:
            self._sentences[moment.name] = tuple(moment.sentences())
        known = self._sentences[moment.name]
        best = process.extractOne(bare, known, scorer=fuzz.ratio, score_cutoff=100 * self._nearest)
        return moment.does(f"{ru.ADDRESS} {best[0]}" if addressed else best[0]) if best else None


_NUMBERS = {str(number): ru.cardinal(number) for number in range(100)}


def timed(system: System, sound: Samples, moment: Moment, react: React) -> float:
    """Let `system` hear; processor seconds that it took."""
    began = time.process_time()
    system.hear(sound, moment, react)
    return time.process_time() - began
