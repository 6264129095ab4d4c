"""A ruleset as sentences: for print with digits, to be read aloud in words.

Built from the ruleset's fields and the language's templates alone; knows no table and no file. Invariant: the same
ruleset gives the same sentences in the same order, and what is to be spoken holds no digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

from narrator.game.rulesets import RULESETS, Nominating, Ruleset, Shooting, Ties, Voting
from narrator.speech.lang import load

GROUPS: dict[str, tuple[str, ...]] = {
    "table": ("key", "script", "seats", "seats_min", "seats_max", "mafia", "maniac"),
    "day": (
        "introduction",
        "speech",
        "tie_speech",
        "last_word_voted",
        "last_word_killed",
        "warn_at",
        "opener",
        "thanks_ends_speech",
        "nominating",
        "one_nomination",
    ),
    "vote": (
        "voting",
        "candidates_day_one",
        "candidates_later",
        "changes",
        "pardon_day_one",
        "ties",
        "lift_limit",
        "count_step",
    ),
    "order": (
        "warning_limit",
        "warning_effect",
        "mute_at",
        "short_speech",
        "overtime_warning",
        "overtime_limit",
        "removal",
        "leaving",
    ),
    "night": (
        "first_night",
        "meeting",
        "meeting_time",
        "look_time",
        "conference",
        "shooting",
        "self_shots",
        "miss_at_night",
        "don_check",
        "call_step",
        "everybody_presses",
        "shooting_time",
        "role_pause",
    ),
    "end": ("mafia_wins", "misses_lose", "maniac_duel", "quiet_nights", "best_move"),
}
"""Every field of the ruleset under its heading, in the order of print."""

SPOKEN = ("speech", "nominating", "voting", "ties", "warning_limit", "mafia_wins", "misses_lose", "best_move")
"""What is worth hearing before a game; the rest is for reading."""

_APPLIES: dict[str, Callable[[Ruleset], bool]] = {
    "seats_min": lambda rules: rules.seats_min < rules.seats_max,
    "seats_max": lambda rules: rules.seats_min < rules.seats_max,
    "one_nomination": lambda rules: rules.nominating is Nominating.IN_SPEECH,
    "candidates_day_one": lambda rules: rules.voting is Voting.HANDS,
    "candidates_later": lambda rules: rules.voting is Voting.HANDS,
    "changes": lambda rules: rules.voting is Voting.NAMED,
    "pardon_day_one": lambda rules: rules.voting is Voting.NAMED,
    "count_step": lambda rules: rules.voting is Voting.HANDS,
    "lift_limit": lambda rules: rules.ties is Ties.CASCADE,
    "short_speech": lambda rules: rules.mute_at > 0,
    "meeting": lambda rules: not rules.conference,
    "meeting_time": lambda rules: not rules.conference,
    "look_time": lambda rules: not rules.conference,
    "call_step": lambda rules: rules.shooting is Shooting.CALLED,
    "everybody_presses": lambda rules: rules.everybody_presses,  # means nothing where somebody hosts
    "maniac_duel": lambda rules: rules.maniac > 0,
}
"""Fields that mean something only beside other values; where they do not, they are not told."""


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One field told: its sentence, and, where the club has changed it, the book's own sentence."""

    field: str
    text: str
    book: str = ""


class Figure:
    """A number in a template: `{n}` in digits or in words, `{n:голос/голоса/голосов}` with its noun."""

    def __init__(self, words: ModuleType, number: float, *, spoken: bool = False) -> None:
        self._words, self._number, self._spoken = words, number, spoken

    def __format__(self, forms: str) -> str:
        words, number = self._words, self._number
        if self._spoken:
            whole = round(number)
            return str(words.counted(whole, forms) if forms else words.cardinal(whole))
        digits = f"{number:g}".replace(".", words.IN_PRINT.DECIMAL)
        if not forms:
            return digits
        # a fraction takes the form of "two": 0,5 секунды
        return f"{digits} {words.plural(int(number) if number == int(number) else 2, forms)}"


def printed_time(words: ModuleType, seconds: float) -> str:
    """A length of time in digits: «60 секунд», «47 минут 12 секунд», «1 час 2 минуты»; up to 120 s in seconds."""
    if seconds <= 120:
        whole = round(seconds, 1)
        return format(Figure(words, whole), words.IN_PRINT.TIME["seconds"])
    hours, rest = divmod(round(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    parts = ((hours, "hours"), (minutes, "minutes"), (rest, "seconds"))
    return " ".join(format(Figure(words, number), words.IN_PRINT.TIME[unit]) for number, unit in parts if number)


def changed(rules: Ruleset) -> tuple[str, ...]:
    """The fields in which `rules` differ from their book; none if there is no such book."""
    book = RULESETS.get(rules.key)
    if book is None:
        return ()
    return tuple(name for names in GROUPS.values() for name in names if getattr(rules, name) != getattr(book, name))


def sentence(rules: Ruleset, field: str, words: ModuleType, *, spoken: bool = False) -> str:
    """What `field` says, for print or to be read aloud."""
    value = getattr(rules, field)
    by_value: dict[str, str] = words.IN_PRINT.RULE_LINES[field]
    template = by_value.get(value_key(value), by_value.get("*"))
    if template is None:
        raise ValueError(f"There are no words for {field} = {value!r}.")
    return template.format(**_slots(value, words, spoken))


def value_key(value: Any) -> str:
    """How a value is looked up among a field's sentences."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float | int):
        return f"{value:g}"
    return "" if value == () else str(value)


def _slots(value: Any, words: ModuleType, spoken: bool) -> dict[str, Any]:
    if isinstance(value, Enum | bool):
        return {}
    if isinstance(value, float | int):
        time = words.duration(value) if spoken else printed_time(words, value)
        return {"n": Figure(words, value, spoken=spoken), "time": time}
    if isinstance(value, tuple):
        return {"roles": ", ".join(words.ROLE_NAMES[str(role)] for role in value)}
    return {"value": value, "wording": words.RULES_NAMES.get(value, value)}


def printed_rules(rules: Ruleset, language: str) -> dict[str, tuple[RuleLine, ...]]:
    """Every field that means something in `rules`, by heading; a club's changes carry the book's sentence."""
    words = load(language)
    different = changed(rules)
    told: dict[str, tuple[RuleLine, ...]] = {}
    for group, names in GROUPS.items():
        lines = []
        for name in names:
            if name in different:
                book = sentence(RULESETS[rules.key], name, words)
                lines.append(RuleLine(name, sentence(rules, name, words), book))
            elif applies(rules, name):
                lines.append(RuleLine(name, sentence(rules, name, words)))
        told[words.IN_PRINT.RULE_HEADINGS[group]] = tuple(lines)
    return told


def applies(rules: Ruleset, field: str) -> bool:
    """Whether `field` has any meaning beside the other values."""
    condition = _APPLIES.get(field)
    return condition is None or condition(rules)


def spoken_rules(rules: Ruleset, language: str) -> tuple[str, ...]:
    """A few sentences to be read aloud before a game, without digits; a club's changes are always among them."""
    words = load(language)
    different = changed(rules)
    told = []
    for name in (name for names in GROUPS.values() for name in names):
        there = name in SPOKEN and value_key(getattr(rules, name)) not in ("0", "no")
        if (there or name in different) and applies(rules, name):
            told.append(sentence(rules, name, words, spoken=True))
    return tuple(told)
