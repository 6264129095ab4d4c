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
from typing import Any

log = logging.getLogger(__name__)

DOUBT, NUMBERED = 0.1, 0.5
"""The probability to the sceptic, 0…1, below which a command was none, and one with a number: as short as numbers are,
talk sounds like them most often, and in a crowd the sceptic knows them better than others."""
SLOW = 0.4
"""Share of the time that it may take to hear: the recogniser takes as much again, and others want to live too."""
_TRIAL = 10.0  # seconds of sound after which it is looked at


class Sceptic:
    """`new` makes a Vosk recogniser that gives alternatives. It has to be renewed before it hears anything."""

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new = new
        self._vosk: Any = None
        self._ended = ""
        self._heard = self._worked = 0.0  # seconds
        self.has_given_up = False

    def renew(self) -> None:
        """Forget what was being said; the next frame begins anew."""
        self._vosk, self._ended = (None if self.has_given_up else self._new()), ""

    def hear(self, frames: bytes, seconds: float) -> None:
        """Some more sound of what is being said, and how long it is."""
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

    def alternatives(self) -> list[dict[str, Any]] | None:
        """What may have been said since it began to hear, as Vosk tells it; None if it cannot say.

        It has to be renewed before it hears any more.
        """
        if self.has_given_up:
            return None
        said = (self._vosk.FinalResult(), self._ended)  # it may have taken it for finished before the recogniser did
        for told in filter(None, said):
            alternatives: list[dict[str, Any]] = json.loads(told).get("alternatives", [])
            if alternatives and alternatives[0].get("result"):
                return alternatives
        return []
