"""Everything fixed that the narrator can say at a table, so that it is rendered before anybody waits for it."""

from __future__ import annotations

import string
from collections.abc import Iterator

from narrator.game.rulesets import Ruleset, Voting
from narrator.speech.script import Script

_ADJUST = (10.0,)


def repertoire(language: str, rules: Ruleset, seats: int) -> tuple[str, ...]:
    """All fixed phrases for a table of `seats`, each once. Lists of seats stand with one seat; longer ones vary."""
    script = Script(language, rules.script)
    texts: dict[str, None] = {}
    for key in script:
        if key.startswith("private-"):
            continue  # shown, never said
        for text in _filled(script, key, rules, seats):
            texts[text] = None
    return tuple(texts)


def _filled(script: Script, key: str, rules: Ruleset, seats: int) -> Iterator[str]:
    fields = {name for _, name, _, _ in string.Formatter().parse(script.raw(key)) if name}
    names = {_SLOT_OF[name] for name in fields}
    everybody = range(1, seats + 1)
    choices: dict[str, list[object]] = {
        "seat": list(everybody),
        "dead": [((seat, ""),) for seat in everybody],
        "voter": list(everybody) if rules.voting is Voting.NAMED else [],
        "seats": [(seat,) for seat in everybody],
        "count": list(range(seats + 1)),
        "table": [seats],
        "seconds": [t for t in dict.fromkeys((*_ADJUST, *_times(rules))) if t],
        "rules": [script.words.RULES_NAMES[rules.script]],
        "Role": [],
        "Now": [],
    }
    slots: list[dict[str, object]] = [{}]
    for name in sorted(names):
        slots = [{**slot, name: value} for slot in slots for value in choices[name]]
    for slot in slots:
        yield script(key, **slot)


_SLOT_OF = {
    "seat": "seat",
    "Seat": "seat",
    "number": "seat",
    "Voter": "voter",
    "dead": "dead",
    "seats": "seats",
    "Seats": "seats",
    "count": "count",
    "word": "count",
    "table": "table",
    "time": "seconds",
    "Time": "seconds",
    "rules": "rules",
    "Role": "Role",
    "Now": "Now",
}


def _times(rules: Ruleset) -> tuple[float, ...]:
    return (
        rules.introduction,
        rules.speech,
        rules.short_speech,
        rules.tie_speech,
        rules.last_word_voted,
        rules.last_word_killed,
    )
