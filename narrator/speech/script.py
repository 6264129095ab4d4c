"""Phrases with their slots filled: the words of the narrator, by key. Knows the language, not the game's rules.

A phrase is written in segments, «Говорит {seat}.|{Time}.»; each is spoken and kept as a sound by itself, so that all
there is to say at a table is a few hundred sounds. A list of seats is one segment for each seat.
Invariant: a filled segment holds no digit and no open slot (what is only shown may hold digits).
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any
from zlib import crc32

from narrator.speech.lang import load

PAUSE = 0.4
"""Seconds of silence after a phrase, unless the host takes longer there."""
JOINT = 0.08
"""Seconds of silence between the segments of a phrase."""
_LISTS = ("seats", "Seats", "dead")


@dataclass(frozen=True, slots=True)
class Line:
    """A segment to say and the silence after it, in seconds."""

    text: str
    pause: float = PAUSE


class _Number:
    """A number in a phrase: `{count}` is the word, `{count:голос/голоса/голосов}` declines with it."""

    def __init__(self, words: ModuleType, number: int) -> None:
        self._words, self._number = words, number

    def __format__(self, forms: str) -> str:
        if not forms:
            return str(self._words.cardinal(self._number))
        return str(self._words.counted(self._number, forms))


class _Seat:
    """A seat in a phrase: `{seat}` is its number, `{seat:whom}` names the player, too, in that case."""

    def __init__(self, words: ModuleType, text: str, name: str) -> None:
        self._words, self._text, self._name = words, text, name

    def __format__(self, case: str) -> str:
        if not case or not self._name:
            return self._text
        return f"{self._text}, {self._words.NAMES.declined(self._name, case)}"

    def after(self, word: str) -> _Seat:
        """The same with a word before it: «и номер пять»."""
        return _Seat(self._words, f"{word} {self._text}", self._name)


class Script:
    """What is said in one language with one set of wordings, to players called `names` ("" for who is not called).

    A phrase may have variants; the day, the seat and the key alone decide between them, so a replay says the same.
    """

    def __init__(self, language: str, wording: str, day: int = 0, names: tuple[str, ...] = ()) -> None:
        self.words = load(language)
        self._day, self._names = day, names
        own: dict[str, str] = self.words.SCRIPTS.get(wording, {})
        self._phrases: dict[str, tuple[str, ...]] = {
            **{key: (text, *self.words.VARIANTS.get(key, ())) for key, text in self.words.BASE.items()},
            **{key: (text,) for key, text in own.items()},
        }

    def __iter__(self) -> Iterator[str]:
        """The names of all phrases."""
        return iter(self._phrases)

    def has(self, key: str) -> bool:
        """Whether there is such a phrase."""
        return key in self._phrases

    def segments(self, key: str) -> tuple[str, ...]:
        """The segments of a phrase and of its variants as written, slots open."""
        return tuple(dict.fromkeys(segment for text in self._phrases[key] for segment in text.split("|")))

    def __call__(self, key: str, *, pause: float = PAUSE, **slots: Any) -> tuple[Line, ...]:
        """The phrase `key` as lines; `pause` follows the last one.

        Slots: seat (int), voter (int), seats (ints), dead (ints, named in a list, too), count, table (ints),
        seconds (float); others are put in as they are.
        """
        variants = self._phrases[key]
        chosen = variants[crc32(f"{key} {self._day} {slots.get('seat')}".encode()) % len(variants)]
        texts = [text for segment in chosen.split("|") for text in self.filled(segment, slots)]
        return tuple(Line(text, JOINT if place < len(texts) - 1 else pause) for place, text in enumerate(texts))

    def text(self, key: str, **slots: Any) -> str:
        """The whole phrase as one text."""
        return " ".join(line.text for line in self(key, **slots))

    def filled(self, segment: str, slots: dict[str, Any]) -> tuple[str, ...]:
        """A segment with its slots filled: one text, or one for each item of its list."""
        fields = {name for _, name, _, _ in string.Formatter().parse(segment) if name}
        values: dict[str, Any] = {}
        for name, value in slots.items():
            values.update(self._values(name, value))
        listed = next((name for name in _LISTS if name in fields), None)
        if listed is None:
            return (upper_if_first(segment, segment.format(**values)),)
        items = values[listed]
        if len(items) == 1:
            return (upper_if_first(segment, segment.format(**{**values, listed: items[0]})),)
        case = "who" if listed == "dead" else ""
        parts = [f"{item:{case}}," for item in items[:-1]]
        return (*parts, segment.format(**{**values, listed: items[-1].after(self.words.AND)}))

    def _values(self, name: str, value: Any) -> dict[str, Any]:
        words = self.words
        match name:
            case "seat":
                seat, number = str(words.seat_name(value)), str(words.cardinal(value))
                named = {"seat": seat, "Seat": upper_first(seat), "number": number}
                return {**{key: self._seat(value, text) for key, text in named.items()}, "digits": value}
            case "voter":
                return {"Voter": upper_first(str(words.seat_name(value)))}
            case "seats" | "dead":
                items = [str(words.seat_name(seat)) for seat in value]
                seats = [self._seat(seat, text) for seat, text in zip(value, items, strict=True)]
                first = [self._seat(value[0], upper_first(items[0])), *seats[1:]] if seats else []
                return {name: seats, name.capitalize(): first}
            case "count" | "table":
                return {name: _Number(words, value), "word": words.cardinal(value)}
            case "seconds":
                time = str(words.duration(value))
                return {"time": time, "Time": upper_first(time)}
        return {name: value}

    def _seat(self, seat: int, text: str) -> _Seat:
        return _Seat(self.words, text, self._names[seat - 1] if 0 < seat <= len(self._names) else "")


def upper_first(text: str) -> str:
    """The text with a capital first letter, the rest untouched."""
    return text[:1].upper() + text[1:]


def upper_if_first(segment: str, text: str) -> str:
    """A segment that begins with a number begins with a capital letter if it is a sentence of its own."""
    return upper_first(text) if segment.startswith("{count") else text


@lru_cache(maxsize=64)
def script_for(language: str, wording: str, day: int = 0, names: tuple[str, ...] = ()) -> Script:
    """The script of a language and a wording, on that day of the game, for players called `names`."""
    return Script(language, wording, day, names)
