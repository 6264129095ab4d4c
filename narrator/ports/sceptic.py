"""A second opinion on what was taken for a command: the same sound, heard by one to whom talk is likelier.

Who must not miss a command in a crowd takes many a sentence for one. So the compact model has two words for what is no
word of it: [unk], which is dear, and [chatter], which is cheap. The recogniser listens for its phrases and [unk]; the
sceptic beside it listens for the same phrases and [chatter], and what it does not think of was not said.
Knows Vosk, neither words nor what they mean. Invariant: it has heard the same samples as the recogniser, from the same
one on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

DOUBT = 0.1
"""The probability to the sceptic, 0…1, below which a command was none."""


class Sceptic:
    """`new` makes a Vosk recogniser that gives alternatives."""

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new = new
        self.renew()

    def renew(self) -> None:
        """Forget what was being said; the next frame begins anew."""
        self._vosk = self._new()
        self._ended = ""

    def hear(self, frames: bytes) -> None:
        """Some more sound of what is being said."""
        if self._vosk.AcceptWaveform(frames):
            self._ended = self._vosk.Result()

    def alternatives(self, *, over: bool) -> list[dict[str, Any]]:
        """What may have been said since it began to hear, as Vosk tells it.

        `over`: the next frame begins anew; otherwise it can hear nothing more until `renew`.
        """
        said = (self._vosk.FinalResult(), self._ended)  # it may have taken it for finished before the recogniser did
        if over:
            self.renew()
        for told in filter(None, said):
            alternatives: list[dict[str, Any]] = json.loads(told).get("alternatives", [])
            if alternatives and alternatives[0].get("result"):
                return alternatives
        return []
