"""What is said to measure hearing: commands in the moments where they count, and what each must do.

The sentences come from the templates, written out by the tests' own reader, so that nothing that the product cannot
hear is left out of the table by mistake. Invariant: the same seed gives the same commands in the same order.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narrator.compact.pronounce import DATA
from narrator.game import moves as m
from narrator.game.guards import allowed
from narrator.game.moves import Move
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase, State
from narrator.speech.grammar import Reading, grammar
from narrator.speech.intents import (
    Attention,
    Listening,
    Meaning,
    Request,
    Unclear,
    attention,
    listening,
    live_readings,
    understand,
)
from tests.speech import oracle
from tests.speech.positions import at
from tests.table import lobby, made, placed

GRAMMAR: Any = grammar("ru")
CARDINALS = 0.5
"""How often a number is said as «пять» and not in one of its other forms."""
ADDRESSED = 0.2
"""How often «ведущий» is said where it need not be."""


@dataclass(frozen=True)
class Moment:
    """A state that listens, with the talk button held or not."""

    name: str
    state: State
    talk: bool = False

    @functools.cached_property
    def listening(self) -> Listening:
        """What the recogniser is given: phrases, and the forms of whole commands."""
        return listening(GRAMMAR, self.state, talk=self.talk, can_undo=True)

    def means(self, text: str) -> Meaning | Unclear:
        """What a heard text does now."""
        return understand(GRAMMAR, text, self.state, talk=self.talk)

    def sentences(self) -> Iterator[str]:
        """Every sentence of every live command, without the address; of two numbers in one, their commonest forms."""
        for reading in dict.fromkeys(live_readings(self.state, True)):
            slots = dict(reading.slots)
            kept = None if len(slots) < 2 else 3
            for sentence in sorted(oracle.sentences()[reading.intent]):
                if oracle.takes(sentence, slots):
                    places = [oracle.forms(token, slots)[:kept] for token in sentence]
                    yield from map(" ".join, itertools.product(*places))

    def does(self, text: str) -> Meaning | None:
        """The legal move or request that a text is, None if it does nothing."""
        meaning = self.means(text)
        if isinstance(meaning, Unclear):
            return None
        legal = isinstance(meaning, Request | m.Undo) or allowed(self.state, meaning) is None
        return meaning if legal else None


@dataclass(frozen=True, slots=True)
class Command:
    """A sentence to say: its intent, the text for a voice (with ё and a pause after «ведущий»), and what it must do."""

    moment: str
    intent: str
    text: str
    does: Meaning


def _day(key: str, phase: Phase, *then: Move, host: Host = Host.FULL, candidates: tuple[int, ...] = ()) -> State:
    """Everybody is in, and some have warnings."""
    rules = RULESETS[key]
    seats = tuple(range(1, rules.seats + 1))
    warnings = dict.fromkeys((2, 5, 7, 9), 1)
    return made(placed(rules, phase, host, alive=seats, candidates=candidates, warnings=warnings), *then).state


_MOMENTS: dict[str, Callable[[], State]] = {
    "lobby": lambda: lobby(RULESETS["moscow"]).state,
    "speech": lambda: _day("classic", Phase.SPEECHES),
    "speech, talk button": lambda: _day("classic", Phase.SPEECHES),
    "speech ended by thanks": lambda: _day("sport", Phase.SPEECHES),
    "speech, no host": lambda: _day("classic", Phase.SPEECHES, host=Host.NONE),
    "nominations": lambda: _day("moscow", Phase.SPEECHES, *[m.Next()] * RULESETS["moscow"].seats),
    "vote": lambda: _day("classic", Phase.VOTE, candidates=(2, 5, 9)),
    "named vote": lambda: _day("forum", Phase.VOTE, candidates=(2, 5, 9)),
    "lift": lambda: _day("sport", Phase.LIFT, candidates=(2, 5)),
    "victim's vote": lambda: at("moscow", Phase.VICTIM_VOTE, candidates=(2, 5)),
    "best move": lambda: at("forum", Phase.BEST_MOVE),
    "morning": lambda: at("classic", Phase.MORNING, host=Host.LIGHT),
    "question": lambda: _day("classic", Phase.SPEECHES, m.Remove(6)),
    "paused": lambda: _day("classic", Phase.VOTE, m.Pause(), candidates=(2, 5, 9)),
    "night": lambda: _day("classic", Phase.NIGHT_SHOOTING),
}


def moments() -> dict[str, Moment]:
    """Every moment that is measured, by name."""
    return {name: Moment(name, make(), name.endswith("talk button")) for name, make in _MOMENTS.items()}


def balanced(moments: Sequence[Moment], count: int, seed: int = 1) -> list[Command]:
    """`count` commands, each intent of each moment equally often."""
    dice = random.Random(seed)
    pools = [(moment, intent, readings) for moment in moments for intent, readings in by_intent(moment).items()]
    found: list[Command] = []
    while len(found) < count:
        for moment, intent, readings in dice.sample(pools, len(pools)):
            command = _command(moment, intent, dice.choice(readings), dice)
            if command is not None:
                found.append(command)
    return found[:count]


def every_form(moments: Sequence[Moment], seed: int = 1) -> list[Command]:
    """Each sentence of each template once, in a moment where it is live; the forms of the numbers in turn."""
    dice = random.Random(seed)
    live: dict[str, list[tuple[Moment, Reading]]] = defaultdict(list)
    for moment in moments:
        for intent, readings in by_intent(moment).items():
            live[intent] += [(moment, reading) for reading in readings]
    found: list[Command] = []
    for intent, places in live.items():
        for sentence in sorted(oracle.sentences()[intent]):
            fitting = [place for place in places if oracle.takes(sentence, dict(place[1].slots))]
            for moment, reading in dice.sample(fitting, min(3, len(fitting))):
                command = _command(moment, intent, reading, dice, sentence)
                if command is not None:
                    found.append(command)
                    break
    return found


def by_intent(moment: Moment) -> dict[str, list[Reading]]:
    """What is live in a moment."""
    found: dict[str, list[Reading]] = defaultdict(list)
    for reading in dict.fromkeys(live_readings(moment.state, True)):
        found[reading.intent].append(reading)
    return found


def of_words(moment: Moment, texts: Sequence[str]) -> Iterator[Command]:
    """Those of `texts` that are commands of a moment, to be put together from single words."""
    for text in texts:
        does = moment.does(text)
        if does is not None:
            yield Command(moment.name, GRAMMAR.read(text)[0].intent, text, does)


def _command(
    moment: Moment, intent: str, reading: Reading, dice: random.Random, sentence: oracle.Sentence | None = None
) -> Command | None:
    slots = dict(reading.slots)
    if sentence is None:
        fits = [sentence for sentence in oracle.sentences()[intent] if oracle.takes(sentence, slots)]
        if not fits:
            return None
        sentence = dice.choice(sorted(fits))
    text = " ".join(_form(oracle.forms(token, slots), dice) for token in sentence)
    unasked = intent in ("ritual", "end-speech") and moment.does(text) is not None
    needed = attention(moment.state) is Attention.ADDRESSED and not moment.talk and not unasked
    address = "ведущий, " if needed or (not unasked and dice.random() < ADDRESSED) else ""
    does = moment.does(address + text)
    return None if does is None else Command(moment.name, intent, address + with_yo(text), does)


def _form(forms: Sequence[str], dice: random.Random) -> str:
    return forms[0] if dice.random() < CARDINALS else dice.choice(forms)


_YO = {word.replace("ё", "е"): word for word in (DATA / "yo.txt").read_text("utf-8").split() if word != "всё"}


def with_yo(text: str) -> str:
    """As it is spoken: commands are written without ё."""
    return " ".join(_YO.get(word, word) for word in text.split())


RECORDINGS = Path(__file__).parents[4] / "shared" / "speech" / "human"
"""Recordings of people, where they are at hand."""
