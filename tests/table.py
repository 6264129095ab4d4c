"""Games for the tests: tables of every ruleset and host, positions in the middle, and whole games played at random.

Everything is seeded, so every run plays the same games. Uses the game alone, no device and no words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache

from narrator.game import moves as m
from narrator.game.events import Event
from narrator.game.guards import Refusal, allowed, deadline
from narrator.game.legal import legal
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.night import mafia_count
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role, Seat
from narrator.game.rulesets import RULESETS, Ruleset
from narrator.game.state import Game, Phase, State
from narrator.game.timing import Kind, Timer

TABLES = [(key, host) for key in RULESETS for host in Host]
"""Every ruleset under every host."""


NAMES = (
    *("Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна", "Захар", "Ирина", "Кирилл", "Лев", "Мария"),
    *("Нина", "Олег", "Павел"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted move of a played game, with the games before and after it."""

    before: Game
    move: Move
    at: float
    after: Game
    events: tuple[Event, ...]


def cards(rules: Ruleset, seats: int, chance: random.Random | None = None) -> tuple[Role, ...]:
    """A right deal: Don, mafia, Sheriff, a Maniac where there is one, the rest civilians; in this order or shuffled."""
    black = mafia_count(rules, seats)
    deal = [Role.DON, *[Role.MAFIA] * (black - 1), Role.SHERIFF]
    if rules.maniac and seats >= 10:
        deal.append(Role.MANIAC)
    deal += [Role.CIVILIAN] * (seats - len(deal))
    if chance is not None:
        chance.shuffle(deal)
    return tuple(deal)


def made(game: Game, *moves: Move, at: float = 0.0) -> Game:
    """The game after `moves`, all of which must be accepted."""
    for move in moves:
        result = play(game, move, at)
        assert isinstance(result, Played), f"{move} refused: {result}"
        game = result.game
    return game


def lobby(rules: Ruleset, host: Host = Host.FULL, seats: int = 0) -> Game:
    """A table that is set and has not begun."""
    return made(Game(first_state()), m.SetUp(seats or rules.seats, rules, host))


def dealt(rules: Ruleset, host: Host = Host.FULL, seats: int = 0, roles: tuple[Role, ...] | None = None) -> Game:
    """A table whose cards are known, unless the host keeps them to himself."""
    game = lobby(rules, host, seats)
    if host is Host.LIGHT:
        return game
    return made(game, m.Deal(roles or cards(rules, game.state.seats)))


def placed(
    rules: Ruleset,
    phase: Phase,
    host: Host = Host.FULL,
    *,
    day: int = 2,
    alive: tuple[Seat, ...] = (),
    died: tuple[tuple[Seat, str], ...] = (),
    candidates: tuple[Seat, ...] = (),
    roles: tuple[Role, ...] | None = None,
    warnings: dict[int, int] | None = None,
) -> Game:
    """A position in the middle. Without `roles` the Don sits first, then mafia, Sheriff, Maniac and civilians."""
    place = m.Place(phase, day, phase.is_night, alive, died, candidates, warnings or {})
    return made(dealt(rules, host, roles=roles), place)


def clock_moves(state: State, at: float) -> list[tuple[Move, float]]:
    """What the loop would do by itself, with the time at which it would."""
    moves: list[tuple[Move, float]] = []
    if allowed(state, m.Ready()) is None:
        moves.append((m.Ready(), at))
    due = deadline(state)
    if due is not None:
        moves.append((m.TimeUp(), max(due, at)))
    return moves


def brief(state: State) -> str:
    """The state without its rules and without what is as in an empty lobby, for messages."""
    empty = State(state.rules)
    names = [field.name for field in fields(State) if field.name != "rules"]
    told = ", ".join(f"{n}={getattr(state, n)!r}" for n in names if getattr(state, n) != getattr(empty, n))
    return f"{state.rules.key}: {told}"


def quiet(state: State, at: float) -> State:
    """The state as undo may bring it back: a running timer is known by what is left of it at `at` (a count or a pause
    may begin again), and hands are where they are, not where they were."""
    timer = state.timer
    return replace(state, timer=None if timer is None else _settled(timer, at), hands=frozenset())


def _settled(timer: Timer, at: float) -> Timer:
    left = round(timer.left_at(at), 6) if timer.kind is Kind.SPEECH else timer.total
    return replace(timer, left=left, since=None if timer.since is None else 0.0)


# --- whole games -------------------------------------------------------------------------------------------------

WEIGHTS: dict[type, float] = {
    m.Next: 6,
    m.EndSpeech: 2,
    m.Start: 6,
    m.OpenVote: 2,
    m.CastVotes: 6,
    m.Choose: 10,
    m.VoteFor: 12,
    m.Nominate: 4,
    m.Lift: 3,
    m.TellDeath: 8,
    m.Done: 3,
    m.Answer: 9,
    m.Resume: 9,
    m.Ready: 20,
    m.TimeUp: 5,
    m.NewGame: 0,
}
"""How eagerly a random table does what carries the game on; anything else is rare (`STRAY`)."""
STRAY = 0.12


def tables_moves(state: State, at: float) -> dict[type, list[tuple[Move, float]]]:
    """Everything that can happen now, by kind of move."""
    kinds: dict[type, list[tuple[Move, float]]] = {}
    for move, when in [*((move, at) for move in legal(state)), *clock_moves(state, at)]:
        kinds.setdefault(type(move), []).append((move, when))
    return kinds


def _likely(kind: type, state: State) -> float:
    if kind is m.TellWinner:  # nobody knows better than the moderator, but not while the table is full
        return STRAY if len(state.alive) > 2 else 20
    if kind is m.Next and state.phase.is_night:
        return 2
    if kind is m.RaiseHand and state.host is Host.NONE:
        return 3
    return WEIGHTS.get(kind, STRAY)


def opening(rules: Ruleset, host: Host, chance: random.Random, *, told: bool = False) -> list[Move]:
    """The moves that bring a table to the start; with `told` the cards are told at night instead of dealt."""
    seats = chance.randint(rules.seats_min, rules.seats_max)
    moves: list[Move] = [m.SetUp(seats, rules, host, names=dict(enumerate(NAMES[:seats], 1)))]
    if host is not Host.LIGHT and not (told and host is Host.FULL and not rules.conference):
        moves.append(m.Deal(cards(rules, seats, chance)))
    return [*moves, m.Start()]


def steps(rules: Ruleset, host: Host, seed: int, limit: int = 4000) -> Iterator[Step]:
    """A game played at random until it is over. AssertionError if it is not after `limit` moves."""
    chance = random.Random(f"{rules.key} {host} {seed}")
    game = Game(first_state())
    at = 0.0
    planned = opening(rules, host, chance, told=seed % 2 == 1)
    for _ in range(limit):
        planned = planned or _shots(game.state, chance)
        if planned:
            move = planned.pop(0)
        else:
            kinds = tables_moves(game.state, at)
            if game.past is not None:
                kinds[m.Undo] = [(m.Undo(), at)]
            names = list(kinds)
            weights = [_likely(kind, game.state) for kind in names]
            assert sum(weights), f"the table is stuck in {brief(game.state)}"
            move, at = chance.choice(kinds[chance.choices(names, weights)[0]])
        at = _later(game.state, move, at, chance.choice((0.0, 0.0, 0.3, 1.7)))
        result = play(game, move, at)
        assert isinstance(result, Played), f"{move} is legal and was refused: {result}"
        yield Step(game, move, at, result.game, result.events)
        game = result.game
        if game.state.phase is Phase.GAME_OVER:
            return
    raise AssertionError(f"{rules.key}, {host}, seed {seed}: not over after {limit} moves; {brief(game.state)}")


def _shots(state: State, chance: random.Random) -> list[Move]:
    """With no host the mafia must press together to hit anybody; at random they never would."""
    if state.host is not Host.NONE or state.phase is not Phase.NIGHT_SHOOTING or state.call is None:
        return []
    black = sorted(state.holders(Role.MAFIA, Role.DON) - state.hands)
    target = min(state.alive - state.holders(Role.MAFIA, Role.DON), default=0)
    if state.call.number != target or any(press[1] == target for press in state.call.presses) or chance.random() < 0.1:
        return []
    return [m.RaiseHand(seat, up) for seat in black for up in (True, False)]


def _later(state: State, move: Move, at: float, seconds: float) -> float:
    """People act before the next mark, as the loop does what time asks for first; the clock itself may be late."""
    due = deadline(state)
    return at + seconds if due is None or isinstance(move, m.TimeUp) else max(at, min(at + seconds, due))


def games(key: str, host: Host) -> Iterator[tuple[Step, ...]]:
    """A few whole games; those without a host are long, since the clock calls every number."""
    for seed in range(2 if host is Host.NONE else 4):
        yield whole_game(key, host, seed)


@cache
def whole_game(key: str, host: Host, seed: int) -> tuple[Step, ...]:
    """`steps` to the end, played once for all tests."""
    return tuple(steps(RULESETS[key], host, seed))


def refused(game: Game, move: Move, at: float = 0.0) -> Refusal:
    """Why `move` cannot be made; AssertionError if it can."""
    result = play(game, move, at)
    assert isinstance(result, Refusal), f"{move} was accepted"
    return result
