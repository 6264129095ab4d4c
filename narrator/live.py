"""`narrator hear --live`: what the microphone gives, what is heard in it and what that would do, to set it up by.

Listens as a game in that moment does, in this process: what crashes here crashes no game. Invariant: nothing that is
heard is done; the moment stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from narrator import wiring
from narrator.archive import CURRENT
from narrator.config import Settings, did_you_mean
from narrator.game import moves as m
from narrator.game.guards import allowed
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.reducer import Played, play
from narrator.game.roles import Host
from narrator.game.state import Game, Phase, State
from narrator.journal import read
from narrator.levels import Meter
from narrator.naming import commands, vocabulary
from narrator.ports.devices import DeviceError
from narrator.ports.microphone import Look, Microphone, choose, load_sounddevice
from narrator.ports.models import check_model, find_model
from narrator.ports.recogniser import Recogniser, Utterance
from narrator.rules import ruleset
from narrator.speech.grammar import Grammar
from narrator.speech.intents import Request, Unclear, listening, understand
from narrator.table import played_back

NOW = "now"
"""The moment of the game that is under way, or else the table before a game."""
_SHOW_EVERY = 0.1  # seconds of sound between two looks
_NO_SOUND = 2.0
_WHY_NOT = {
    "not-understood": "no command",
    "not-addressed": "nothing: «ведущий» must come first, or the talk button be held (--talk)",
    "night": "nothing: at night only дальше, пауза, продолжить, повтори, отмена",
    "not-now": "nothing in this moment",
    "two-readings": "two commands at once",
}


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance. `lag`: seconds from its last sound until it was known; `took`: seconds of computing."""

    text: str
    confidence: float
    means: str
    lag: float
    took: float
    early: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """The microphone at one instant; levels 0…1. `partial`: what is being said, `heard`: what has just ended."""

    at: float
    level: float
    floor: float
    peak: float
    clipped: int
    lost: int
    partial: str
    heard: tuple[Heard, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {name: _rounded(value) for name, value in asdict(self).items()}


class Live:
    """An open microphone and a recogniser for one moment. Raises DeviceError or RecogniserError when there is none.

    `talk`: as if the talk button were held. `device`: its name, rate and model, in one line.
    """

    def __init__(self, settings: Settings, state: State, *, talk: bool = False) -> None:
        self._state, self._talk = state, talk
        self._words: Grammar = commands(settings)
        words = vocabulary(settings, self._words, state.names)
        model = find_model(settings.ears, settings.paths.cache_dir, words)
        self.unheard = check_model(model).missing_words(words)
        why = Look(settings.ears.device).result(lambda: None)
        if why:
            raise DeviceError(why)
        sd = load_sounddevice()
        source = choose(sd, settings.ears.device)
        self._recogniser = Recogniser(model, source.rate, early=settings.ears.early)
        phrases, forms = listening(self._words, state, talk=talk, can_undo=True)
        self._recogniser.listen(phrases, forms)
        self._microphone = Microphone(sd, source)
        self.device = f"{source.name}, {source.rate} Hz; {model.name}"

    def glances(self, seconds: float = 0.0) -> Iterator[Glance]:
        """Ten a second, for so many seconds of sound (0: without end). Raises DeviceError when the sound stops."""
        microphone, recogniser, meter = self._microphone, self._recogniser, Meter()
        rate = microphone.source.rate
        at, shown, missed = 0.0, 0.0, time.monotonic()
        heard: list[Heard] = []
        while not seconds or at < seconds:
            block = microphone.read(0.2)
            if block is None:
                if time.monotonic() - missed > _NO_SOUND or not microphone.active:
                    raise DeviceError(f"The microphone «{microphone.source.name}» gives no sound; replug it.")
                continue
            missed = time.monotonic()
            at += len(block) / rate
            meter.add(block, rate)
            heard += [self._heard(said) for said in recogniser.feed(block.tobytes())]
            if heard or at - shown >= _SHOW_EVERY:
                lost = microphone.lost + microphone.overflows
                levels = (meter.level(), meter.floor, meter.peak, meter.clipped)
                yield Glance(at, *levels, lost, recogniser.partial, tuple(heard))
                shown, heard = at, []

    def _heard(self, said: Utterance) -> Heard:
        means = meaning(self._words, said.text, self._state, talk=self._talk)
        return Heard(said.text, said.confidence, means, said.lag, said.took, said.early)

    def close(self) -> None:
        """Let go of the microphone."""
        self._microphone.close()


def meaning(words: Grammar, text: str, state: State, *, talk: bool) -> str:
    """What a heard text would do in a moment, in English."""
    meant = understand(words, text, state, talk=talk)
    if isinstance(meant, Unclear):
        return _WHY_NOT[meant.reason]
    if isinstance(meant, Request):
        return meant.value
    fields = (getattr(meant, name) for name in meant.__match_args__ if name != "kind")
    told = " ".join([meant.kind, *(str(getattr(value, "key", value)) for value in fields if value is not None)])
    refusal = None if isinstance(meant, m.Undo) else allowed(state, meant)
    return told if refusal is None else f"{told} (refused now: {refusal.reason})"


def moment(settings: Settings, name: str) -> State:
    """A moment of a game: `NOW`, or a phase by its name with the table of the settings on its second day.

    Raises ValueError for a name that there is not.
    """
    if name == NOW:
        return _under_way(settings) or _made(_table(settings)).state
    if name not in set(Phase):
        known = ", ".join((NOW, *Phase))
        raise MomentError(f"There is no moment {name}{did_you_mean(name, set(Phase))}; there are: {known}.")
    phase, set_up = Phase(name), _table(settings)
    game = _made(set_up)
    if phase is Phase.LOBBY:
        return game.state
    deal = [] if set_up.host is Host.LIGHT else [wiring.deal_cards(game.state)]
    dead = ((set_up.seats or 0, "mafia"),)
    named = () if phase in (Phase.INTRODUCTIONS, Phase.SPEECHES) else (1, 2)
    place = m.Place(phase, 2, phase.is_night, (), () if phase.is_night else dead, named)
    return _made(set_up, *deal, place).state


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [{name: _rounded(part) for name, part in one.items()} for one in value]
    return round(value, 4) if isinstance(value, float) else value


class MomentError(ValueError):
    """A moment that there is not; the message says which there are."""


def _under_way(settings: Settings) -> State | None:
    path = settings.paths.state_dir / CURRENT
    if not path.exists():
        return None
    state = played_back(read(path).entries)[0].state
    return None if state.phase in (Phase.LOBBY, Phase.GAME_OVER) else state


def _table(settings: Settings) -> m.SetUp:
    return wiring.table_of(settings, ruleset(settings.game.rules, settings.rules))


def _made(*moves: Move) -> Game:
    game = Game(first_state())
    for move in moves:
        result = play(game, move, 0.0)
        if not isinstance(result, Played):
            raise MomentError(f"This table has no such moment ({result.reason}); try another.")
        game = result.game
    return game
