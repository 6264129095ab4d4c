"""What leads from which phase to which, found out by playing: the map of a ruleset, true because it happened.

Random but seeded play of the game itself, with every kind of host; touches no device and no file. Invariant: an edge
stands in the map only if that very move has made that step.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

from narrator.game import moves as m
from narrator.game.guards import TABLE, allowed, deadline
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.night import mafia_count, maniac_count
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role
from narrator.game.rulesets import Ruleset
from narrator.game.state import Game, Phase, State

Edges = dict[tuple[Phase, Phase], frozenset[str]]
"""From, to: the kinds of moves that did it; "answer-remove" and the like is a yes to that question."""

WALKS = 2500
LENGTH = 50
_TRIES = 60  # guesses for one move
_POOL = 60  # positions kept for each phase

STILL = (m.Pause, m.Order, m.AddTime, m.Adjust, m.Unwarn, m.NewGame, m.SetUp, m.Deal, m.Place, m.Propose)
"""Moves that are not tried: they lead to no other phase, belong to the table before a game or to the box itself, or (a
new game) lead from everywhere to the lobby."""

Chance = random.Random


def _seat(state: State, chance: Chance) -> int:
    return chance.randint(1, state.seats)


TRIED: dict[type, Callable[[State, Chance], Move]] = {
    m.Start: lambda state, chance: m.Start(),
    m.Next: lambda state, chance: m.Next(),
    m.Ready: lambda state, chance: m.Ready(),
    m.TimeUp: lambda state, chance: m.TimeUp(),
    m.EndSpeech: lambda state, chance: m.EndSpeech(),
    m.OpenVote: lambda state, chance: m.OpenVote(),
    m.Done: lambda state, chance: m.Done(),
    m.Resume: lambda state, chance: m.Resume(),
    m.ListDeaths: lambda state, chance: m.ListDeaths(),
    m.Answer: lambda state, chance: m.Answer(chance.random() < 0.8),
    m.Lift: lambda state, chance: m.Lift(chance.random() < 0.5),
    m.TellWinner: lambda state, chance: m.TellWinner("town"),
    m.TellDeath: lambda state, chance: m.TellDeath(chance.randint(0, state.seats)),
    m.CastVotes: lambda state, chance: m.CastVotes(
        chance.choice((len(state.alive) // 2, chance.randint(0, len(state.alive))))  # ties are worth seeing
    ),
    m.Choose: lambda state, chance: m.Choose(chance.randint(0, state.seats)),
    m.Nominate: lambda state, chance: m.Nominate(_seat(state, chance)),
    m.RaiseHand: lambda state, chance: m.RaiseHand(_seat(state, chance), chance.random() < 0.6),
    m.VoteFor: lambda state, chance: m.VoteFor(
        _seat(state, chance), chance.choice((None, *(state.candidates or state.living)))
    ),
    m.Warn: lambda state, chance: m.Warn(_seat(state, chance)),
    m.Leave: lambda state, chance: m.Leave(_seat(state, chance)),
    m.Remove: lambda state, chance: m.Remove(_seat(state, chance)),
}
"""One move of each kind, at random; the game says whether it is allowed."""

_OFTEN: dict[type, float] = {m.Ready: 9, m.VoteFor: 6, m.TimeUp: 3, m.Warn: 0.15, m.Leave: 0.05, m.Remove: 0.05}
_OFTEN[m.TellWinner] = 0.05
"""How often a kind is tried beside 1; leaving too often would end every game before it has come far."""


def explore(rules: Ruleset, seed: int = 1, walks: int = WALKS) -> Edges:
    """The map of `rules`: `walks` short random games, begun where the least has been seen so far."""
    found: dict[tuple[Phase, Phase], set[str]] = {}
    for before, move, after in _walk(rules, seed, walks):
        if before.phase is not after.phase:
            found.setdefault((before.phase, after.phase), set()).add(_label(before, move))
    order = list(Phase)
    return {edge: frozenset(found[edge]) for edge in sorted(found, key=lambda e: tuple(map(order.index, e)))}


def moments(rules: Ruleset, seed: int = 1, walks: int = 150) -> Iterator[State]:
    """States met in random games: for each host the first one of each phase, with each kind of question and without."""
    seen = set()
    for state, _, after in _walk(rules, seed, walks):
        for each in (state, after):
            place = (each.host, each.phase, each.question and each.question.ask, each.deaths_told is None, each.seats)
            if place not in seen:
                seen.add(place)
                yield each


def _walk(rules: Ruleset, seed: int, walks: int) -> Iterator[tuple[State, Move, State]]:
    """Every step of `walks` short random games, begun where the least has been seen so far."""
    chance = random.Random(f"{rules.key} {seed}")
    pool = _Pool(chance)
    for host in Host:
        for game in _tables(rules, host, chance):
            pool.add(game, 0.0)
    for _ in range(walks):
        game, at = pool.take()
        for _ in range(LENGTH):
            step = _step(game.state, at, chance)
            if step is None or len(game.state.alive) < 2:
                break  # nobody plays on at an empty table
            move, at = step
            result = play(game, move, at)
            assert isinstance(result, Played), f"{move} is legal"
            before, after = game.state, result.game.state
            game = result.game
            yield before, move, after
            if before.phase is not after.phase:
                pool.add(game, at)


class _Pool:
    """Positions to begin from: a fair sample of those met, for each host, size of table and phase."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._games: dict[tuple[Host, int, Phase], list[tuple[Game, float]]] = {}
        self._met: Counter[tuple[Host, int, Phase]] = Counter()
        self._taken: Counter[tuple[Host, int, Phase]] = Counter()

    def add(self, game: Game, at: float) -> None:
        place = (game.state.host, game.state.seats, game.state.phase)
        games = self._games.setdefault(place, [])
        self._met[place] += 1
        if len(games) < _POOL:
            games.append((game, at))
        elif (spot := self._chance.randrange(self._met[place])) < _POOL:
            games[spot] = (game, at)

    def take(self) -> tuple[Game, float]:
        """A position of the place from which fewest walks have begun."""
        place = min(self._games, key=lambda place: self._taken[place])
        self._taken[place] += 1
        return self._chance.choice(self._games[place])


def _tables(rules: Ruleset, host: Host, chance: Chance) -> Iterator[Game]:
    """Lobbies to begin from: with cards dealt, and with cards that the roles will show at night."""
    for seats in sorted({rules.seats_min, rules.seats, rules.seats_max}):
        table = play(Game(first_state()), m.SetUp(seats, rules, host), 0.0)
        assert isinstance(table, Played)
        yield table.game
        dealt = play(table.game, m.Deal(_cards(table.game.state, chance)), 0.0)
        if isinstance(dealt, Played):
            yield dealt.game


def _cards(state: State, chance: Chance) -> tuple[Role, ...]:
    black = mafia_count(state.rules, state.seats)
    cards = [Role.DON, Role.SHERIFF] + [Role.MAFIA] * (black - 1) + [Role.MANIAC] * maniac_count(state)
    cards += [Role.CIVILIAN] * (state.seats - len(cards))
    chance.shuffle(cards)
    return tuple(cards)


def _step(state: State, at: float, chance: Chance) -> tuple[Move, float] | None:
    """One of the moves that can be made now; None if none is found by guessing."""
    kinds = [kind for kind in TRIED if kind in TABLE[state.phase]]
    weights = [_OFTEN.get(kind, 1.0) for kind in kinds]
    for _ in range(_TRIES):
        (kind,) = chance.choices(kinds, weights)
        move = TRIED[kind](state, chance)
        if allowed(state, move) is None:
            due = deadline(state)
            return move, max(due, at) if kind is m.TimeUp and due is not None else at
    return None


def _label(before: State, move: Move) -> str:
    if isinstance(move, m.Answer) and before.question is not None:
        return f"answer-{before.question.ask}"
    return move.kind
