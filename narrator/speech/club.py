"""A club's own phrases for commands: «карточка {кому}» for «замечание {кому}», «город засыпает» for «дальше».

A phrase may hold one place, for a player or for a number of votes, and then its command holds the same one. Pure.
Invariant: a phrase that `problems` lets pass means its command and nothing else, and the narrator never says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from narrator.speech.grammar import Grammar, Reading
from narrator.speech.lang import load

_PLACE = re.compile(r"\{(\w+)\}")
_PHRASE = re.compile(r"[а-яё]+( [а-яё]+)*")


def templates(grammar: Grammar, phrases: Mapping[str, str]) -> dict[str, list[str]]:
    """The phrases as templates by intent; `grammar` is the one without them. Phrases that have `problems` are left
    out as far as they mean nothing."""
    places = load(grammar.language).NAMES.PLACES
    found: dict[str, list[str]] = {}
    for phrase, command in phrases.items():
        parts = _PLACE.split(phrase)  # words, place, words, place, words …
        words = (places[part][1] if odd % 2 else grammar.normal(part) for odd, part in enumerate(parts))
        template = " ".join(filter(None, words))
        for said in _meant(grammar, command):
            found.setdefault(said.intent, []).append(template)
    return found


def problems(grammar: Grammar, phrases: Mapping[str, str], said: Iterable[str]) -> list[str]:
    """What is wrong with `phrases`, a sentence each. `said`: all that the narrator says."""
    spoken = tuple(grammar.normal(text) for text in said)
    found: list[str] = []
    seen: dict[str, str] = {}
    for phrase, command in phrases.items():
        twin = seen.setdefault(grammar.normal(_PLACE.sub("пять", phrase)), phrase)
        why = _wrong(grammar, phrase, command, spoken) or (f"it is «{twin}» again" if twin != phrase else "")
        if why:
            found.append(f"«{phrase}» = «{command}»: {why}.")
    return found


def _wrong(grammar: Grammar, phrase: str, command: str, spoken: tuple[str, ...]) -> str:
    words = load(grammar.language)
    places = ", ".join(f"{{{place}}}" for place in words.NAMES.PLACES)
    held = _PLACE.findall(phrase)
    if len(held) > 1 or _PLACE.findall(command) != held or any(place not in words.NAMES.PLACES for place in held):
        return f"the phrase and its command hold the same place, one of {places}, or none"
    example = _PLACE.sub("пять", phrase)
    if not _PHRASE.fullmatch(example) or example == "пять":
        return "write it in small Russian letters, without commas and digits"
    if grammar.address(example)[1]:
        return f"leave «{words.ADDRESS}» out, it may stand before any command"
    if not _meant(grammar, command):
        return "there is no such command; narrator's README lists what can be said"
    taken = grammar.read(grammar.normal(example))
    if taken:
        return f"it is a command already ({', '.join(sorted({reading.intent for reading in taken}))})"
    echo = re.compile(r"[\w ]+".join(re.escape(grammar.normal(part)) for part in _PLACE.split(phrase)[::2]))
    itself = next((text for text in spoken if echo.fullmatch(text)), "")
    return f"the narrator himself says «{itself}»" if itself else ""


def _meant(grammar: Grammar, command: str) -> list[Reading]:
    """What a command means that holds the places it should."""
    places = load(grammar.language).NAMES.PLACES
    held = _PLACE.findall(command)
    if any(place not in places for place in held):
        return []
    slots = {places[place][0] for place in held}
    readings = grammar.read(grammar.normal(_PLACE.sub("пять", command)))
    return [reading for reading in readings if {name for name, _ in reading.slots} == slots]
