"""What leads from which phase to which, found out by playing: the map of a ruleset, true because it happened.

Random but seeded play of the game itself, with every kind of host; touches no device and no file. Invariant: an edge
stands in the map only if that very move has made that step.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from narrator.game import moves as m
from narrator.game.guards import deadline
from narrator.game.legal import legal
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.night import mafia_count, maniac_count
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role
from narrator.game.rulesets import Ruleset
from narrator.game.state import Game, Phase, State

Edges = dict[tuple[Phase, Phase], frozenset[str]]
"""From, to: the kinds of moves that did it; "answer-remove" and the like is a yes to that question."""

WALKS = 900
LENGTH = 40
_POOL = 60  # positions kept for each phase

_STILL = (m.Pause, m.Order, m.AddTime, m.Adjust, m.NewGame, m.Unwarn)
"""Moves that lead nowhere, and the one that leads from everywhere to the lobby."""
_RARE: dict[type, float] = {m.Warn: 0.3, m.Leave: 0.2, m.Remove: 0.2, m.TellWinner: 0.1, m.Answer: 4, m.Resume: 4}


def explore(rules: Ruleset, seed: int = 1, walks: int = WALKS) -> Edges:
    """The map of `rules`: `walks` short random games, begun where the least has been seen so far."""
    chance = random.Random(f"{rules.key} {seed}")
    found: dict[tuple[Phase, Phase], set[str]] = {}
    pool: dict[Phase, list[tuple[Game, float]]] = {}
    for host in Host:
        for game in _tables(rules, host, chance):
            pool.setdefault(Phase.LOBBY, []).append((game, 0.0))
    walked: Counter[Phase] = Counter()
    for _ in range(walks):
        phase = min((p for p in Phase if p in pool and p is not Phase.GAME_OVER), key=lambda p: walked[p])
        walked[phase] += 1
        game, at = chance.choice(pool[phase])
        for _ in range(LENGTH):
            step = _step(game.state, at, chance)
            if step is None:
                break
            move, at = step
            result = play(game, move, at)
            assert isinstance(result, Played), f"{move} is legal"
            before, after = game.state, result.game.state
            game = result.game
            if before.phase is not after.phase:
                found.setdefault((before.phase, after.phase), set()).add(_label(before, move))
                _keep(pool.setdefault(after.phase, []), (game, at), chance)
    order = list(Phase)
    return {
        edge: frozenset(found[edge]) for edge in sorted(found, key=lambda edge: (order.index(edge[0]), order.index(edge[1])))
    }


def _tables(rules: Ruleset, host: Host, chance: random.Random) -> Iterator[Game]:
    """Lobbies to begin from: with cards dealt, and with cards that the roles will show at night."""
    for seats in sorted({rules.seats_min, rules.seats, rules.seats_max}):
        table = play(Game(first_state()), m.SetUp(seats, rules, host), 0.0)
        assert isinstance(table, Played)
        yield table.game
        dealt = play(table.game, m.Deal(_cards(table.game.state, chance)), 0.0)
        if isinstance(dealt, Played):
            yield dealt.game


def _cards(state: State, chance: random.Random) -> tuple[Role, ...]:
    black = mafia_count(state.rules, state.seats)
    cards = [Role.DON, Role.SHERIFF] + [Role.MAFIA] * (black - 1) + [Role.MANIAC] * maniac_count(state)
    cards += [Role.CIVILIAN] * (state.seats - len(cards))
    chance.shuffle(cards)
    return tuple(cards)


def _step(state: State, at: float, chance: random.Random) -> tuple[Move, float] | None:
    """One of the moves that can be made now, any kind as likely as another; None at the end of a game."""
    if state.phase is Phase.GAME_OVER:
        return (m.Next(), at)
    kinds: dict[type, list[tuple[Move, float]]] = {}
    for move in legal(state):
        if not isinstance(move, _STILL):
            kinds.setdefault(type(move), []).append((move, at))
    timer = state.timer
    due = deadline(state)
    if timer is not None and timer.waiting and not state.paused:
        kinds[m.Ready] = [(m.Ready(), at)]
    elif due is not None:
        kinds[m.TimeUp] = [(m.TimeUp(), max(due, at))]
    if not kinds:
        return None
    names = list(kinds)
    (kind,) = chance.choices(names, [_RARE.get(name, 1.0) for name in names])
    return chance.choice(kinds[kind])


def _label(before: State, move: Move) -> str:
    if isinstance(move, m.Answer) and before.question is not None:
        return f"answer-{before.question.ask}"
    return move.kind


def _keep(pool: list[tuple[Game, float]], place: tuple[Game, float], chance: random.Random) -> None:
    """Positions of a phase, at random once there are enough."""
    if len(pool) < _POOL:
        pool.append(place)
    else:
        pool[chance.randrange(_POOL)] = place
