"""The text as it is to be read: stress marks from the language's table, names as their owners say them.

Pure. The words that are shown and compared have no marks; only a synthesiser gets this text. Invariant: nothing but
marks is added to a text, except where a name has a spelling of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from narrator.speech.lang import load

MARK = "\u0301"


class Stress:
    """Callable: text → text with U+0301 after the stressed vowel of hard words.

    `names`: how a word is to be read instead, by its own spelling, as the settings give it.
    """

    def __init__(self, language: str, names: Mapping[str, str]) -> None:
        self._marked = {line.replace(MARK, ""): line for line in load(language).STRESS}
        self._names = dict(names)
        hard = sorted((*self._names, *self._marked), key=len, reverse=True)
        self._hard = re.compile(rf"\b(?:{'|'.join(re.escape(word) for word in hard)})\b", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        """See the class."""
        return self._hard.sub(self._read, text)

    def _read(self, found: re.Match[str]) -> str:
        word = found[0]
        if word in self._names:
            return self._names[word]
        marked = self._marked.get(word.lower())
        return word if marked is None else _as_written(word, marked)


def _as_written(word: str, marked: str) -> str:
    """The marks of `marked` put into `word`, which has capital letters of its own."""
    letters = iter(word)
    return "".join(mark if mark == MARK else next(letters) for mark in marked)
