"""When a command may be acted on before the end-pointer: by what may still follow, and by the quiet after it.

Knows words and loudness, neither the recogniser nor what a command means. Lives on the recogniser's thread.
Invariant: only a text that is a whole form is ever called complete, and one that another command continues, or that
should not be done in haste, is never called settled.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from enum import IntEnum
from operator import contains
from typing import TYPE_CHECKING

from narrator.messages import Form

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TAIL = 4  # letters: an ending of fewer follows without a pause
_WINDOW = 3.0  # seconds over which the room and the voice are measured
_FAINTEST = 30.0  # dB over one step of a 16-bit sample: below it nothing is anybody's voice
_CONTRAST = 15.0  # dB between the room and what counts as a voice
_ABOVE_ROOM = 0.35  # of that distance is still quiet


Meaning = frozenset[tuple[str, tuple[tuple[int, ...] | str, ...]]]
"""Readings of a text, each an intent and what stands in its slots; the same for all ways to say the same."""


class Standing(IntEnum):
    """What a text is to the forms, the more certain the greater."""

    NOTHING = 0  # no form begins so
    BEGUN = 1  # a form goes on from here
    COMPLETE = 2  # a form, but another command may go on from here, or it should not be done in haste
    SETTLED = 3  # a form, and nothing that follows could make it another command


class Forms:
    """The forms that may be said now."""

    def __init__(self, forms: Iterable[Form]) -> None:
        self._by_first: dict[str, list[Form]] = {}
        words: set[str] = set()
        for form in forms:
            for word in form.places[0]:
                self._by_first.setdefault(word, []).append(form)
            words.update(*form.places)
        self._words = frozenset(words)
        self._heads: dict[str, bool] = {}

    def standing(self, words: Sequence[str]) -> Standing:
        """Of a text, in words."""
        if not words:
            return Standing.BEGUN
        fitting = [form for form in self._fitting(words) if form.prompt]
        whole = [form for form in fitting if len(form.places) == len(words)]
        if not whole:
            return Standing.BEGUN if fitting else Standing.NOTHING
        meanings = {(form.intent, form.slots) for form in whole}
        if all(form.at_once and (form.intent, form.slots) in meanings for form in fitting):
            return Standing.SETTLED
        return Standing.COMPLETE

    def meaning(self, words: Sequence[str]) -> Meaning:
        """What a whole form says; empty if the words are none."""
        return frozenset(
            (form.intent, tuple(form.numbers.get(words[place], words[place]) for place in form.slots))
            for form in self._fitting(words)
            if len(form.places) == len(words)
        )

    def _fitting(self, words: Sequence[str]) -> list[Form]:
        """Forms that are these words or go on from them."""
        return [
            form
            for form in self._by_first.get(words[0] if words else "", ())
            if len(form.places) >= len(words) and all(map(contains, form.places, words))
        ]

    def is_head(self, word: str) -> bool:
        """Whether a much longer word begins like this one, as «одиннадцать» does like «один»."""
        if word not in self._heads:
            stem = word.rstrip("ь")
            self._heads[word] = any(o.startswith(stem) and len(o) >= len(stem) + _TAIL for o in self._words)
        return self._heads[word]


class Quiet:
    """How long it has been quiet since a voice was heard, by the loudness of short blocks.

    The room is the faintest of the last seconds and a voice the loudest of them; with too little between the two, as
    in a crowd, it is never quiet.
    """

    def __init__(self) -> None:
        self._levels: deque[tuple[float, float]] = deque()  # dB, seconds
        self._held = 0.0
        self.seconds = 0.0
        self.never = True
        """Whether too little is between the room and a voice to tell."""

    def add(self, block: NDArray[np.int16], seconds: float) -> float:
        """Seconds of quiet up to the end of `block`; 0 while somebody speaks, or nobody has."""
        level = max(_FAINTEST, 20 * math.log10(float(block.std()) + 1e-9) if len(block) else 0.0)
        self._levels.append((level, seconds))
        self._held += seconds
        while self._held > _WINDOW:
            self._held -= self._levels.popleft()[1]
        levels = [value for value, _ in self._levels]
        room, voice = min(levels), max(levels)
        self.never = voice - room < _CONTRAST
        if self.never or level > room + _ABOVE_ROOM * (voice - room):
            self.seconds = 0.0
        else:
            self.seconds += seconds
        return self.seconds
