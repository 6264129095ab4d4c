"""Phrases with their slots filled: the words of the narrator, by key. Knows the language, not the game's rules.

Invariant: a filled phrase holds no digit and no empty slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from narrator.speech.lang import load


class _Number:
    """A number in a phrase: `{count}` is the word, `{count:голос|голоса|голосов}` declines with it."""

    def __init__(self, words: ModuleType, number: int) -> None:
        self._words, self._number = words, number

    def __format__(self, forms: str) -> str:
        if not forms:
            return str(self._words.cardinal(self._number))
        return str(self._words.counted(self._number, forms))


class Script:
    """What is said in one language with one set of wordings."""

    def __init__(self, language: str, wording: str) -> None:
        self.words = load(language)
        self._phrases: dict[str, str] = {**self.words.BASE, **self.words.SCRIPTS.get(wording, {})}

    def has(self, key: str) -> bool:
        """Whether there is such a phrase."""
        return key in self._phrases

    def __call__(self, key: str, **slots: Any) -> str:
        """The phrase `key`. Slots: seat (int), seats (ints), count (int), seconds (float), others as they are."""
        filled: dict[str, Any] = {}
        for name, value in slots.items():
            filled.update(self._fill(name, value))
        return self._phrases[key].format(**filled)

    def _fill(self, name: str, value: Any) -> dict[str, Any]:
        words = self.words
        if name == "seat":
            text = str(words.seat_name(value))
            return {"seat": text, "Seat": upper_first(text), "number": words.cardinal(value)}
        if name == "voter":
            return {"Voter": upper_first(str(words.seat_name(value)))}
        if name == "dead":  # (seat, name) pairs: «номер четыре, Анна»
            return {"dead": words.listed([words.seat_name(s) + (f", {who}," if who else "") for s, who in value])}
        if name == "seats":
            text = words.listed([words.seat_name(seat) for seat in value])
            return {"seats": text, "Seats": upper_first(text)}
        if name in ("count", "table"):
            return {name: _Number(words, value), "word": words.cardinal(value)}
        if name == "seconds":
            text = str(words.duration(value))
            return {"time": text, "Time": upper_first(text)}
        return {name: value}

    def __iter__(self) -> Iterator[str]:
        """The names of all phrases."""
        return iter(self._phrases)

    def raw(self, key: str) -> str:
        """A phrase as written, slots open."""
        return self._phrases[key]


def upper_first(text: str) -> str:
    """The text with a capital first letter, the rest untouched."""
    return text[:1].upper() + text[1:]
