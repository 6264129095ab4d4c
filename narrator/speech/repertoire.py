"""Everything fixed that the narrator can say at a table, so that it is rendered before anybody waits for it."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence

from narrator.game.rulesets import Ruleset, Voting
from narrator.speech.rules_text import spoken_rules
from narrator.speech.script import Script, script_for, upper_first

_SLOTS = {
    "Seat": "seat",
    "number": "seat",
    "Voter": "voter",
    "Seats": "seats",
    "word": "count",
    "time": "seconds",
    "Time": "seconds",
}
"""Names in phrases that are filled from a slot of another name."""


def repertoire(language: str, rules: Ruleset, seats: int, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Every segment that can be said at a table of `seats`, each once; `names`: of those who are called by name."""
    script = script_for(language, rules.script, names=tuple(names))
    texts: dict[str, None] = {}
    for key in script:
        if not key.startswith("private-"):  # shown, never said
            for segment in script.segments(key):
                texts.update(dict.fromkeys(_filled(script, key, segment, rules, seats)))
    texts.update(dict.fromkeys(spoken_rules(rules, language)))
    return tuple(texts)


def _filled(script: Script, key: str, segment: str, rules: Ruleset, seats: int) -> Iterator[str]:
    fields = {name for _, name, _, _ in string.Formatter().parse(segment) if name}
    slots: list[dict[str, object]] = [{}]
    slot_of = {**_SLOTS, "word": "table"} if key in ("lobby", "table-set") else _SLOTS
    for name in sorted({slot_of.get(field, field) for field in fields}):
        choices = _choices(script, name, key, rules, seats)
        if not segment.startswith("{"):
            choices = [choice for choice in choices if not isinstance(choice, tuple) or len(choice) == 1]
        slots = [{**slot, name: value} for slot in slots for value in choices]
    for slot in slots:
        yield from script.filled(segment, slot)


def _choices(script: Script, name: str, key: str, rules: Ruleset, seats: int) -> list[object]:
    """The values a slot can have; a list alone, and where it is a segment of its own at each place of a longer one."""
    everybody = range(1, seats + 1)
    match name:
        case "seat":
            return list(everybody)
        case "voter":
            return list(everybody) if rules.voting is Voting.NAMED else []
        case "seats" | "dead":
            return [(seat,) for seat in everybody] + [(seat, seat, seat) for seat in everybody]
        case "count":
            return list(range(10 if key == "pin-digit" else max(seats, rules.warning_limit) + 1))
        case "table":
            return [seats]
        case "seconds":
            return list(_seconds(key, rules))
        case "rules":
            names: dict[str, str] = script.words.RULES_NAMES
            return list(names.values()) if key == "menu-change-rules" else [names[rules.script]]
        case "Role":
            return [upper_first(role) for role in script.words.ROLE_NAMES.values()]
        case "commands":
            return []  # a club's own phrases may mean two things; nobody knows which
    raise KeyError(f"{key}: no values are known for the slot {name}")


def _seconds(key: str, rules: Ruleset) -> Iterator[float]:
    if key.startswith("speech-"):
        times = (
            rules.introduction,
            rules.speech,
            rules.short_speech,
            rules.tie_speech,
            rules.last_word_voted,
            rules.last_word_killed,
        )
        yield from sorted({time for time in times if time})
    elif key in ("more-time", "less-time"):
        yield 10.0
    else:
        yield from range(int(rules.speech) + 31)
