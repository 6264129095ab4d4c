"""The ears port: what is heard comes as `Heard` signals; the work is done in a watched child process.

No call blocks and none touches a device. Must not know what a phrase means.
Invariant: after any death of the child the next one listens for the same phrases under the same epoch, as
muted as before; the inbox gets one `PortFailed` for each outage and one `PortBack` at its end.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from narrator.config import EarsSettings
from narrator.messages import Form, Heard, PortBack, PortFailed
from narrator.ports import Put
from narrator.ports.child import Child
from narrator.ports.hearing import Fault, Finish, Health, Learn, Learnt, Listen, Mute, Note, Works, hear

log = logging.getLogger(__name__)
PORT, VOCABULARY = "ears", "vocabulary"
_HUNG = 1.8  # seconds without a sign of life
_DEATHS = 3
"""Deaths in a row, with no sound heard between, after which the outage is reported."""


class MicrophoneEars:
    """Listens through the configured microphone with a Vosk model.

    `words`: every word that any grammar may use; the compact model is built from them when there is no other.
    """

    def __init__(self, settings: EarsSettings, cache_dir: Path, words: Sequence[str], put: Put) -> None:
        self._put = put
        self._lock = threading.Lock()
        self._listen = Listen()
        self._words: tuple[str, ...] = ()
        self._unheard = ""
        self._muted = 0
        self._failed = False
        self._deaths = 0
        self._health: Health | None = None
        with self._lock:  # the child's thread may ask for orders before it is assigned
            self._child = Child(
                PORT,
                hear,
                (settings, cache_dir, tuple(words)),
                on_message=self._on_message,
                on_start=self._on_start,
                on_death=self._on_death,
                patience=_HUNG,
            )

    def listen(self, epoch: int, phrases: Sequence[str], forms: Sequence[Form] | None = None) -> None:
        """See Ears. An utterance that is being spoken is dropped; the same epoch and phrases again change nothing."""
        with self._lock:
            self._listen = Listen(epoch, tuple(phrases), None if forms is None else tuple(forms))
            self._child.send(self._listen)

    def learn(self, words: Sequence[str]) -> None:
        """Listen with a vocabulary of `words` as soon as there is one; what it lacks is told as «vocabulary»."""
        with self._lock:
            self._words = tuple(words)
            self._child.send(Learn(self._words))

    def finish(self) -> None:
        """Take the utterance so far as finished."""
        self._child.send(Finish())

    def mute(self) -> None:
        """Drop the microphone's frames until as many `unmute` have come."""
        self._hold(1)

    def unmute(self) -> None:
        """Undo one `mute`. Raises ValueError when there was none."""
        self._hold(-1)

    def _hold(self, step: int) -> None:
        with self._lock:
            if self._muted + step < 0:
                raise ValueError("unmute without mute")
            self._muted += step
            self._child.send(Mute(self._muted))

    @property
    def health(self) -> Health | None:
        """The last second's level and counts; None when nothing has come yet or the microphone is gone."""
        return self._health

    @property
    def restarts(self) -> int:
        """How often the child process was started again."""
        return self._child.restarts

    @property
    def pid(self) -> int | None:
        """The child's process id; None between lives."""
        return self._child.pid

    def ails(self) -> str:
        """See Vital."""
        return self._child.ails()

    def close(self) -> None:
        """Stop listening; no process is left."""
        self._child.close()

    # --- on the child's watching thread ---

    def _on_start(self) -> None:
        with self._lock:
            if self._words:
                self._child.send(Learn(self._words))
            self._child.send(self._listen)
            self._child.send(Mute(self._muted))

    def _on_message(self, message: Any) -> None:
        match message:
            case Heard():
                self._put(message)
            case Health():
                self._health = message
            case Works():
                self._deaths = 0
                if self._failed:
                    self._failed = False
                    self._put(PortBack(PORT))
            case Fault(why):
                self._fail(why)
            case Learnt(why) if why != self._unheard:
                self._unheard = why
                self._put(PortFailed(VOCABULARY, why) if why else PortBack(VOCABULARY))
            case Note(text):
                log.warning("%s: %s", PORT, text)

    def _on_death(self, why: str) -> None:
        self._health = None
        self._deaths += 1
        if self._deaths >= _DEATHS:
            self._fail(f"The recogniser cannot be kept running ({why}); run: narrator doctor.")

    def _fail(self, why: str) -> None:
        self._health = None
        if self._failed:
            log.info("%s: still: %s", PORT, why)
            return
        self._failed = True
        log.warning("%s: %s", PORT, why)
        self._put(PortFailed(PORT, why))


class TypedEars:
    """The keyboard's ears, and the twin of tests: what is typed is heard, exactly.

    `listening` is the history of every `listen`, `learnt` of every `learn`. Typed text passes even when muted or with
    no phrases: a keyboard hears no loudspeaker, and what to do with a wrong line is for the reader of the inbox to say.
    """

    def __init__(self, put: Put) -> None:
        self._put = put
        self.listening: list[tuple[int, tuple[str, ...]]] = []
        self.learnt: list[tuple[str, ...]] = []
        self.finished = 0
        self._muted = 0

    @property
    def epoch(self) -> int:
        """The epoch listened under, 0 at first."""
        return self.listening[-1][0] if self.listening else 0

    @property
    def phrases(self) -> tuple[str, ...]:
        """What is listened for now."""
        return self.listening[-1][1] if self.listening else ()

    @property
    def muted(self) -> bool:
        """Whether a microphone would be muted now."""
        return self._muted > 0

    def type(self, text: str) -> None:
        """Hear `text` with certainty under the current epoch."""
        self._put(Heard(text, 1.0, self.epoch))

    def listen(self, epoch: int, phrases: Sequence[str], forms: Sequence[Form] | None = None) -> None:
        """Record what is listened for."""
        self.listening.append((epoch, tuple(phrases)))

    def learn(self, words: Sequence[str]) -> None:
        """Record the words; a keyboard knows them all."""
        self.learnt.append(tuple(words))

    def finish(self) -> None:
        """Count it; typed lines are always whole."""
        self.finished += 1

    def mute(self) -> None:
        """Count one more."""
        self._muted += 1

    def unmute(self) -> None:
        """Count one less. Raises ValueError when there was no `mute`."""
        if not self._muted:
            raise ValueError("unmute without mute")
        self._muted -= 1

    def close(self) -> None:
        """Nothing to close."""
