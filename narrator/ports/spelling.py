"""One neutral stress mark, U+0301 after the vowel, as each engine can take it.

RHVoice honours the mark. espeak-ng does not, but it takes phonemes in [[ ]]: `espeak_ru.tsv` has them for the words
that it gets wrong by itself; marks of other words are dropped. Whoever cannot use the mark gets `plain`. Pure text.
Invariant: what is returned holds no mark for an engine that would read it aloud.
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

STRESS = "\u0301"
"""Stands after the stressed vowel."""

_TABLE = Path(__file__).with_name("espeak_ru.tsv")
_WORD = re.compile(rf"[\w{STRESS}]+")
ESPEAK_SPELLING = hashlib.sha256(_TABLE.read_bytes()).hexdigest()[:8]
"""Part of the key of espeak-ng's sounds: other phonemes, other sounds."""


def plain(text: str) -> str:
    """The text without stress marks."""
    return text.replace(STRESS, "")


def for_espeak(text: str) -> str:
    """The text with the phonemes of its marked words, as far as they are known."""
    return _WORD.sub(_phonemes, text) if STRESS in text else text


def _phonemes(word: re.Match[str]) -> str:
    known = _known().get(word[0].lower()) if STRESS in word[0] else None
    return f"[[{known}]]" if known else plain(word[0])


@functools.cache
def _known() -> dict[str, str]:
    lines = _TABLE.read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines)
