"""A second opinion on what was taken for a command: the same sound, heard by one to whom talk is likelier.

Who must not miss a command in a crowd takes many a sentence for one. So the compact model has two words for what is no
word of it: [unk], which is dear, and [chatter], which is cheap. The recogniser listens for its phrases and [unk]; the
sceptic beside it listens for the same phrases and [chatter], and what it does not think of was not said.
Knows Vosk, neither words nor what they mean. Invariant: it has heard the same samples as the recogniser, from the same
one on, or it has no opinion at all: on a machine too slow for both it gives up.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

log = logging.getLogger(__name__)

DOUBT, NUMBERED, SOON = 0.03, 0.3, 0.9
"""The probability to the sceptic, 0…1, below which a command was none; and one with a number: as short as numbers are,
talk sounds like them most often, and in a crowd the sceptic knows them better than others; and any while it may be how
a sentence begins («А ведущий слышал, что…»), a number that is all of it («ну да» for «ноль»), or what is no louder than
the crowd was just before."""
SLOW = 0.4
"""Share of the time that it may take to hear: the recogniser takes as much again, and others want to live too."""
_TRIAL = 10.0  # seconds of sound after which it is looked at
_PATIENCE = 5.0  # seconds of sound after which it is waited for, at the latest


class Sceptic:
    """`new` makes a Vosk recogniser that gives alternatives. It has to be renewed before it hears anything.

    All calls are of one thread and return at once: it listens in a thread of its own, one thing after another.
    """

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new = new
        self._vosk: Any = None
        self._ended = ""
        self._heard = self._worked = 0.0  # seconds
        self._behind = 0.0  # seconds of sound handed over since it was last waited for
        self.has_given_up = False
        self._thread = ThreadPoolExecutor(1, "sceptic")
        self._last: Future[Any] = self._thread.submit(bool)

    def renew(self) -> None:
        """Forget what was being said; the next frame begins anew."""
        self._then(self._begin)

    def hear(self, frames: bytes, seconds: float) -> None:
        """Some more sound of what is being said, and how long it is."""
        self._behind += seconds
        if self._behind > _PATIENCE:
            self._last.result()  # or sound would pile up without end where it hangs
            self._behind = 0.0
        self._then(lambda: self._listen(frames, seconds))

    def alternatives(self) -> Future[list[dict[str, Any]] | None]:
        """What may have been said since it began to hear, as Vosk tells it; None if it cannot say.

        It has to be renewed before it hears any more.
        """
        return self._then(self._tell)

    def _then(self, work: Callable[[], Any]) -> Future[Any]:
        """Do this after what was to be done before; what failed before fails again."""
        before = self._last

        def after() -> Any:
            before.result()
            return work()

        self._last = self._thread.submit(after)
        return self._last

    def _begin(self) -> None:
        self._vosk, self._ended = (None if self.has_given_up else self._new()), ""

    def _listen(self, frames: bytes, seconds: float) -> None:
        if self.has_given_up:
            return
        began = time.perf_counter()
        if self._vosk.AcceptWaveform(frames):
            self._ended = self._vosk.Result()
        self._worked += time.perf_counter() - began
        self._heard += seconds
        if self._heard >= _TRIAL:
            self.has_given_up = self._worked > SLOW * self._heard
            self._heard = self._worked = 0.0
        if self.has_given_up:
            log.warning("This machine is too slow to hear everything twice: more talk is taken for commands.")

    def _tell(self) -> list[dict[str, Any]] | None:
        if self.has_given_up:
            return None
        said = (self._vosk.FinalResult(), self._ended)  # it may have taken it for finished before the recogniser did
        for told in filter(None, said):
            alternatives: list[dict[str, Any]] = json.loads(told).get("alternatives", [])
            if alternatives and alternatives[0].get("result"):
                return alternatives
        return []
