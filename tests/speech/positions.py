"""Named moments of games, for the tables of what is said."""

from __future__ import annotations

from narrator.game import moves as m
from narrator.game.moves import Move
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase, State
from narrator.speech.intents import Meaning, Request, Unclear
from tests.table import lobby, made, placed

ALIVE = (1, 2, 3, 4, 5, 6, 7, 9)


def at(key: str, phase: Phase, *then: Move, host: Host = Host.FULL, candidates: tuple[int, ...] = ()) -> State:
    """Day or night 2 with seats 8 and 10 out, after `then`."""
    game = placed(RULESETS[key], phase, host, alive=ALIVE, died=((10, "mafia"),), candidates=candidates)
    return made(game, *then).state


def position(name: str) -> State:
    """The state of «classic vote», «light morning», …: a ruleset (or a way to host) and a moment."""
    match name.split():
        case ["alone", "speech"]:
            return at("classic", Phase.SPEECHES, host=Host.NONE)
        case ["light", "morning"]:
            return at("classic", Phase.MORNING, host=Host.LIGHT)
        case ["light", "list"]:
            return at("classic", Phase.MORNING, m.ListDeaths(), m.TellDeath(2, more=True), host=Host.LIGHT)
        case [key, "lobby"]:
            return lobby(RULESETS[key]).state
        case [key, "over"]:
            return at(key, Phase.SPEECHES, *[m for seat in (1, 2, 3) for m in removed(seat)])
        case [key, "speech" | "talk"]:
            return at(key, Phase.SPEECHES)
        case [key, "paused"]:
            return at(key, Phase.SPEECHES, m.Pause())
        case [key, "asked"]:
            return at(key, Phase.SPEECHES, m.Remove(6))
        case [key, "warned"]:
            return at(key, Phase.SPEECHES, m.Warn(5))
        case [key, "names"]:
            game = placed(RULESETS[key], Phase.SPEECHES, alive=ALIVE)
            return made(game, *[m.Next()] * len(ALIVE)).state
        case [key, "vote"]:
            return at(key, Phase.VOTE, candidates=(2, 5, 9))
        case [key, "lift"]:
            return at(key, Phase.LIFT, candidates=(2, 5))
        case [key, "victim"]:
            return at(key, Phase.VICTIM_VOTE, candidates=(2, 5))
        case [key, "best"]:
            return at(key, Phase.BEST_MOVE)
        case [key, "night", *_]:
            return at(key, Phase.NIGHT_SHOOTING)
    raise ValueError(f"no position {name}")


def removed(seat: int) -> tuple[Move, ...]:
    """The moves that send a seat away."""
    return m.Remove(seat), m.Answer(True)


def written(meaning: Meaning | Unclear) -> str:
    """A meaning as the table writes it."""
    match meaning:
        case Unclear(reason):
            return f"({reason})"
        case Request():
            return str(meaning)
        case m.SetUp(seats, rules):
            return f"set-up rules={rules.key}" if rules else f"set-up seats={seats}"
        case m.Nominate(seat, by):
            return f"nominate {seat} by {by}" if by is not None else f"nominate {seat}"
        case m.VoteFor(voter, candidate):
            return f"vote-for {voter} {candidate or 'pass'}"
    values = [getattr(meaning, name) for name in meaning.__match_args__ if name != "kind"]
    return " ".join([meaning.kind, *map(str, values)])
