"""The process dies after any move of a whole game: the next start finds it as it was, and it can be finished."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest

from narrator.game import moves as m
from narrator.game.guards import deadline
from narrator.game.moves import Move
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Ask, Phase, Question, State
from narrator.game.timing import stopped
from narrator.messages import Wrote
from narrator.transcript import Player, parse
from tests.table import TABLES, cards, tables_moves


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk has its own tests."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)


def as_found_after_a_crash(state: State, at: float) -> State:
    """What the next start must find: the same, standing, with the question whether to go on."""
    if state.phase in (Phase.LOBBY, Phase.GAME_OVER):
        return state
    timer = stopped(state.timer, at) if state.timer is not None else None
    return replace(state, timer=timer, paused=True, question=Question(Ask.GO_ON))


def same(found: State, wanted: State) -> bool:
    """Equal, with a second's grace on what was left of a speech."""
    if found.timer is None or wanted.timer is None:
        return found == wanted
    close = abs(found.timer.left - wanted.timer.left) <= 1.0
    return close and replace(found, timer=None) == replace(wanted, timer=None)


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_a_crash_after_every_few_moves_of_a_whole_game(key: str, host: Host, tmp_path: Path) -> None:
    chance = random.Random(f"{key} {host}")
    rules = RULESETS[key]
    dealt = (
        ""
        if host is Host.LIGHT
        else "roles " + " ".join(f"{seat}={role}" for seat, role in enumerate(cards(rules, rules.seats, chance), 1))
    )
    player = Player(parse("test", f"rules {key}\nhost {host}\n{dealt}"), tmp_path)
    crashes = 0
    seldom = 25 if host is Host.NONE else 4  # with no host the clock makes a thousand moves a game
    for number in range(3000):
        move = a_move(player, chance)
        player.app.play(move)
        player.settle()
        if number % seldom == 0 or player.state.phase is Phase.GAME_OVER:
            player.wait(chance.choice((0.0, 0.4, 2.0)))
            before, at = player.state, player.app.table.at()
            player.crash()
            assert same(player.state, as_found_after_a_crash(before, at)), f"{move}: {before.phase}"
            if before.timer is not None:
                assert player.app.table.at() == pytest.approx(at, abs=1.0)
            crashes += 1
            if player.state.phase is Phase.GAME_OVER:
                break
            if player.state.question is not None:
                assert "Продолжать игру?" in player.voice.said[-1]
                player.app.step(Wrote("да"))
                player.settle()
                assert not player.state.paused and player.state.question is None
    else:
        pytest.fail(f"the game never ended: {player.state.phase}")
    assert crashes >= 6


def a_move(player: Player, chance: random.Random) -> Move:
    """Something legal that carries the game on; the clock is moved when it is its turn."""
    state, at = player.state, player.app.table.at()
    kinds = tables_moves(state, at)
    if m.RaiseHand in kinds and chance.random() < 0.8:
        del kinds[m.RaiseHand]
    rare = (
        m.NewGame,
        m.Adjust,
        m.Pause,
        m.Order,
        m.Undo,
        m.AddTime,
        m.Unwarn,
        m.Leave,
        m.TellWinner,
        m.Ready,
    )
    if len(state.alive) <= 3 and m.TellWinner in kinds:
        return m.TellWinner("town")
    if len(state.alive) > 2 and chance.random() < 0.06 and m.Remove in kinds:
        return chance.choice(kinds[m.Remove])[0]
    usual = [kind for kind in kinds if kind not in (*rare, m.Remove, m.Warn)] or list(kinds)
    kind = m.Next if m.Next in usual and chance.random() < 0.4 else chance.choice(usual)
    move = chance.choice(kinds[kind])[0]
    due = deadline(state)
    if kind is m.TimeUp and due is not None:
        player.clock.advance(max(due - at, 0.0))
    return move
