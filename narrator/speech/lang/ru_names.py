"""Russian names in the cases that commands and phrases need, by pymorphy3 and its dictionary.

A case is named by its question: who, whom, to_whom, of_whom. Loads the dictionary (0.2 s, 29 MB) with the first name
that is asked about. Invariant: every word comes back in every case; one that is not declined comes back as it is.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

CASES = {"who": "nomn", "whom": "accs", "to_whom": "datv", "of_whom": "gent"}
"""The cases by their questions: Анна выставляет, выставляю Анну, замечание Анне, снять замечание с Анны."""

PLACES = {
    "кто": ("seat", "<any_who>"),
    "кого": ("seat", "<any_whom>"),
    "кому": ("seat", "<any_to_whom>"),
    "сколько": ("count", "<votes>"),
}
"""What a club's own phrase may hold, with the slot that it fills and how that may be said: a number, a name."""

COMMANDS = {
    "nominate": [
        "[я] выставляю [на голосование] {seat_whom}",
        "на голосование {seat_whom}",
        "<voter> выставляет {seat_whom}",
        "{by_who} выставляет (<who>|{seat_whom})",
    ],
    "ritual": ["я выставляю на голосование {seat_whom}"],
    "vote-for": ["<voter> [голосует] за {seat_whom}", "{by_who} [голосует] за (<who>|{seat_whom})", "{by_who} пас"],
    "choose": ["{seat_whom}", "[я] выбираю {seat_whom}"],
    "best-move": ["лучший ход {seat_who}"],
    "warn": ["(замечание|фол) {seat_to_whom}", "{seat_to_whom} (замечание|фол)"],
    "unwarn": ["(снять|минус) (замечание|фол) ({seat_to_whom}|(с|со) {seat_of_whom})"],
    "leave": ["{seat_who} уходит", "{seat_who} встает из за стола"],
    "remove": ["удалить {seat_whom}", "модкилл {seat_who}"],
    "killed": ["[ночью] (убит|убита) {seat_who}", "{seat_who} (убит|убита)"],
    "floor": ["{seat_who} [ваша] минута", "слово {seat_to_whom}"],
}
"""What can be said with a name where a seat's number may stand, beside the sentences with the number. A name by itself
is heard as «Анну» only: «Анна!» is said at every table."""

_WORD = re.compile(r"[А-Яа-яЁё]+")
_NAME = re.compile(rf"{_WORD.pattern}(?:[ -]{_WORD.pattern})*")
_VOWEL = re.compile("[аеёиоуыэюя]", re.IGNORECASE)
_KINDS = ("Name", "Patr", "Surn", "anim", "NOUN")
"""What a word of a name most likely is, first of all a first name: «Вера» is no faith here, «Роман» no novel."""


def is_speakable(name: str) -> bool:
    """Whether `name` is made of Russian words that can be pronounced."""
    return bool(_NAME.fullmatch(name)) and all(_VOWEL.search(w) and len(w) > 1 for w in _WORD.findall(name))


@lru_cache(maxsize=256)
def declined(name: str, case: str) -> str:
    """«Анна» → «Анне» (to_whom); of several words, each: «Кот Матроскин» → «Коту Матроскину»."""
    return _WORD.sub(lambda word: _declined(word[0], CASES[case]), name)


def _declined(word: str, grammeme: str) -> str:
    """The word in a case; small, capital or all capital letters as written. Puts ё where the dictionary has it."""
    likely = [p for p in _dictionary().parse(word.lower()) if {"sing", "nomn"} in p.tag]
    if not likely:
        return word
    best = max(likely, key=lambda p: (*(kind in p.tag for kind in _KINDS), p.score))
    wanted = {"sing", grammeme} | ({best.tag.gender} if "ADJF" in best.tag and best.tag.gender else set())
    found = best.inflect(wanted)
    if grammeme == "accs" and "masc" in best.tag and (not found or found.word == best.word or "ADJF" in best.tag):
        found = best.inflect(wanted - {"accs"} | {"gent"})  # «Док» is no thing but a person: «выставляю Дока»
    text = str(found.word) if found else word.lower()
    return text.upper() if word.isupper() else text.capitalize() if word[0].isupper() else text


@cache
def _dictionary() -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang="ru")
