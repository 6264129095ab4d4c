"""The ears' child process: a microphone and a recogniser on one thread, told by messages what to listen for.

May block, abort or hang: the owner watches it and starts it again. It keeps nothing that the owner cannot
send again. A microphone that fails ends the process: only a new one sees a new list of devices.

Invariant: a result carries the epoch of the grammar that was loaded while all of it was spoken; sound that
waited when the grammar changed or the gate opened is never recognised.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narrator.config import EarsSettings
from narrator.messages import Form, Heard
from narrator.ports.child import Link
from narrator.ports.devices import DeviceError
from narrator.ports.lesson import Lesson, Teach
from narrator.ports.level import Level
from narrator.ports.microphone import BLOCK, Look, Microphone, choose, load_sounddevice
from narrator.ports.models import RecogniserError, check_model, find_model
from narrator.ports.recogniser import Recogniser, Utterance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Seconds, unless said otherwise.
NO_SOUND = 1.5  # without a block: the microphone is gone, whatever the sound system says
ALL_ZERO = 10.0  # of exact zeros: a switched-off microphone or a wrong source; a live one always has noise
LONGEST_ZERO = 160.0
LOOK_EVERY = 2.0  # between looks for a microphone or a model that is not there
RETRY_MODEL = 30.0  # before a recogniser that could not be made is tried again
_WAIT = 0.1  # for one block
RELEASE = 0.15  # of sound still taken after the talk button came up: what the sound system holds back
RENEW = 600.0  # without an utterance: the recogniser is made anew, its memory grows
MEMORY = 400 << 20  # resident bytes: the process ends with the next grammar, or while nobody is listened to


@dataclass(frozen=True, slots=True)
class Listen:
    """In: the grammar from now on; no phrases: do not listen. `forms`: see `Ears.listen`."""

    epoch: int = 0
    phrases: tuple[str, ...] = ()
    forms: tuple[Form, ...] | None = None


@dataclass(frozen=True, slots=True)
class Mute:
    """In: how many hold the gate closed; 0 opens it."""

    count: int


@dataclass(frozen=True, slots=True)
class Learn:
    """In: all words that may be listened for from now on."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finish:
    """In: the utterance so far is finished."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Out: nothing can be heard, in one sentence that says what to do; it is tried again by itself."""

    why: str


@dataclass(frozen=True, slots=True)
class Works:
    """Out: sound comes in."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Out: the words of `Learn` can be heard, but for what `why` says in one sentence ("": all of them)."""

    why: str


@dataclass(frozen=True, slots=True)
class Note:
    """Out: something for the log."""

    text: str


@dataclass(frozen=True, slots=True)
class Health:
    """Out, about once a second.

    `peak` and `rms` of the last second, 0…1 of full scale; since the stream was opened, `overflows` of the
    sound system and `lost` blocks of 25 ms; `memory` in bytes.
    """

    device: str
    rate: int
    peak: float
    rms: float
    overflows: int
    lost: int
    memory: int


def hear(link: Link, settings: EarsSettings, cache_dir: Path, words: tuple[str, ...]) -> None:
    """The child's whole life. A fault ends the process at once: PortAudio may hang in an orderly shutdown."""
    orders = Orders()
    link.beat()
    look = Look(settings.device)  # meanwhile we load
    try:
        with _beating(link):
            model = _wait_for_model(link, orders, lambda: find_model(settings, cache_dir, words))
            if model is None:
                return
            missing = check_model(model).missing_words(words)
        if missing:
            link.send(Note(f"The model {model.name} cannot hear {', '.join(missing)}: say it another way, or press."))
        if not _wait_for_microphone(link, orders, settings.device, look):
            return
        with _beating(link):
            sd = load_sounddevice()
            source = choose(sd, settings.device)
            recogniser = Recogniser(model, source.rate, early=settings.early)

        def learn(words: tuple[str, ...]) -> tuple[Recogniser | None, str]:
            folder = find_model(settings, cache_dir, words)
            unknown = check_model(folder).missing_words(words)
            why = f"The model {folder.name} cannot hear {', '.join(unknown)}: call by number." if unknown else ""
            return None if folder == model else Recogniser(folder, source.rate, early=settings.early), why

        Hearing(link, orders, recogniser, lambda: Microphone(sd, source), learn, words).run()
    except DeviceError as error:
        link.send(Fault(str(error)))
        os._exit(0)
    except RecogniserError as error:
        link.send(Fault(str(error)))
        _pause(link, orders, RETRY_MODEL)
        os._exit(0)


@dataclass
class Orders:
    """What the owner wants now."""

    listen: Listen = Listen()
    muted: int = 0
    words: tuple[str, ...] = ()  # to be learnt; none: those that the process was born with

    def note(self, message: Any) -> None:
        """Take in a message of the owner."""
        match message:
            case Listen():
                self.listen = message
            case Mute(count):
                self.muted = count
            case Learn(words):
                self.words = words


@contextlib.contextmanager
def _beating(link: Link, longest: float = 120.0) -> Iterator[None]:
    """Beat from a second thread while this one does something slow, for `longest` seconds at most."""
    done = threading.Event()

    def beat() -> None:
        ends = time.monotonic() + longest
        while not done.wait(0.4) and time.monotonic() < ends:
            link.beat()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _wait_for_model(link: Link, orders: Orders, find: Callable[[], Path]) -> Path | None:
    """Look until there is one; None when the owner closes."""
    told = ""
    while not link.closed:
        try:
            return find()
        except RecogniserError as error:
            if str(error) != told:
                link.send(Fault(str(error)))
                told = str(error)
            _pause(link, orders, LOOK_EVERY)
    return None


def _wait_for_microphone(link: Link, orders: Orders, wanted: str, look: Look) -> bool:
    """Look until there is one; False when the owner closes."""
    told = ""
    while why := look.result(link.beat):
        if why != told:
            link.send(Fault(why))
            told = why
        _pause(link, orders, LOOK_EVERY)
        if link.closed:
            return False
        look = Look(wanted)
    return True


def _pause(link: Link, orders: Orders, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not link.closed and time.monotonic() < ends:
        link.beat()
        orders.note(link.receive(0.2))


class Hearing:
    """The working loop over an open microphone; `open_microphone` opens it (again).

    `learn` makes another recogniser for other words than `known`; see `Lesson`.
    """

    def __init__(
        self,
        link: Link,
        orders: Orders,
        recogniser: Recogniser,
        open_microphone: Callable[[], Microphone],
        learn: Teach = lambda words: (None, ""),
        known: tuple[str, ...] = (),
    ) -> None:
        self._link, self._orders, self._recogniser = link, orders, recogniser
        self._open_microphone, self._learn = open_microphone, learn
        self._known, self._lesson = known, None if not orders.words else Lesson(learn, orders.words)
        self._microphone = open_microphone()
        self._works = False
        self._finish_in = 0  # blocks until an asked-for end of the utterance; 0: none asked for
        self._usable = False  # whether the recogniser holds a grammar
        self._lost = 0
        self._zeros, self._zero_limit, self._silent = 0, ALL_ZERO, False
        self._level = Level()
        self._used = time.monotonic()  # the last utterance, or the recogniser's birth
        self._beaten = 0.0
        self._heavy = self._ended = False

    def run(self) -> None:
        """Until the owner closes. Raises DeviceError when the microphone fails."""
        self._load(self._orders.listen)
        missed = 0
        while not (self._link.closed or self._ended):
            self._beat()
            while (message := self._link.receive(0)) is not None:
                self._obey(message)
            block = self._microphone.read(_WAIT)
            if block is None:
                # Counted in waits, not by the clock: a process that was stopped itself has missed nothing.
                missed += 1
                if missed * _WAIT >= NO_SOUND or not self._microphone.active:
                    name = self._microphone.source.name
                    raise DeviceError(f"The microphone «{name}» stopped; plug it in again, that is enough.")
                continue
            missed = 0
            if self._microphone.moved:
                raise DeviceError(f"{self._microphone.moved}; plug that in again, or name one with [ears] device.")
            self._take(block)
            self._take_lesson()
        self._microphone.close()

    def _beat(self) -> None:
        now = time.monotonic()
        if now - self._beaten >= 0.4:
            self._beaten = now
            self._link.beat()

    @property
    def _open(self) -> bool:
        return self._usable and self._orders.muted == 0

    def _obey(self, message: Any) -> None:
        listen, was_open = self._orders.listen, self._open
        self._orders.note(message)
        if isinstance(message, Learn):
            self._begin_lesson()
        elif self._orders.listen != listen:  # the same again means nothing: it may be sent after every step
            self._ended = self._heavy  # what was being said is dropped in any case
            self._load(self._orders.listen)
        elif self._open and not was_open:
            self._forget()
        elif isinstance(message, Finish) and self._open:
            self._finish_in = round(RELEASE / BLOCK)

    def _begin_lesson(self) -> None:
        if self._lesson is None and self._orders.words != self._known:
            self._lesson = Lesson(self._learn, self._orders.words)

    def _take_lesson(self) -> None:
        """Go over to what has been learnt, between two utterances: nothing that is being said is lost."""
        learnt = self._lesson.result() if self._lesson is not None else None
        if self._lesson is None or learnt is None or (self._open and self._recogniser.partial):
            return
        self._known, self._lesson = self._lesson.words, None
        recogniser, why = learnt
        if recogniser is not None:
            self._recogniser = recogniser
            self._load(self._orders.listen)
        self._link.send(Learnt(why))
        self._begin_lesson()  # they may have changed again

    def _load(self, listen: Listen) -> None:
        self._forget()
        self._usable = False
        if listen.phrases:
            try:
                self._recogniser.listen(listen.phrases, listen.forms)
                self._usable = True
            except RecogniserError as error:
                self._link.send(Note(str(error)))

    def _forget(self) -> None:
        self._microphone.drop()
        self._recogniser.reset()
        self._finish_in = 0

    def _take(self, block: NDArray[np.int16]) -> None:
        if not self._works:
            self._works = True
            self._link.send(Works())
        self._watch_zeros(block)
        if self._microphone.lost > self._lost:
            self._lost = self._microphone.lost
            self._link.send(Note(f"The recogniser is too slow: {self._lost} blocks of sound lost so far."))
            self._forget()
        elif self._open:
            self._recognise(block)
        if self._level.add(block):
            self._check_up()

    def _recognise(self, block: NDArray[np.int16]) -> None:
        self._tell(self._recogniser.feed(block.tobytes()))
        if self._finish_in:
            self._finish_in -= 1
            if not self._finish_in:
                last = self._recogniser.finish()
                self._tell([last] if last else [])

    def _tell(self, utterances: Sequence[Utterance]) -> None:
        for said in utterances:
            self._used = time.monotonic()
            # what is doubted is asked for again, if it was meant for the box at all
            self._link.send(Heard(said.text, 0.0 if said.doubt else said.confidence, self._orders.listen.epoch))
            if said.doubt:
                self._link.send(Note(f"«{said.text}» was {said.doubt}: it is not acted on."))

    def _watch_zeros(self, block: NDArray[np.int16]) -> None:
        if block.any():
            self._zeros = 0
            if self._silent:
                self._silent = False
                self._link.send(Works())
            return
        self._zeros += 1
        if self._zeros * BLOCK < self._zero_limit:
            return
        self._zeros = 0
        self._zero_limit = min(2 * self._zero_limit, LONGEST_ZERO)  # it may be a noise gate
        if not self._silent:
            self._silent = True
            name = self._microphone.source.name
            self._link.send(Fault(f"The microphone «{name}» gives pure silence; switch it on or choose another one."))
        # A sound server may have put another source in the place of ours: ask for it again.
        self._microphone.close()
        self._microphone = self._open_microphone()
        self._lost = 0

    def _check_up(self) -> None:
        """Once a second: report, and let go of memory while nobody is listened to."""
        memory = resident_memory()
        microphone = self._microphone
        source, overflows, lost = microphone.source, microphone.overflows, microphone.lost
        peak, rms = self._level.take()
        self._link.send(Health(source.name, source.rate, peak, rms, overflows, lost, memory))
        now = time.monotonic()
        if now - self._used > RENEW and not self._recogniser.partial:
            self._used = now
            self._recogniser.reset()
        if memory > MEMORY and not self._heavy:
            self._link.send(Note(f"The recogniser holds {memory >> 20} MB; its process will start anew."))
        self._heavy = memory > MEMORY
        self._ended = self._heavy and not self._open


def resident_memory() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
