"""Whole games of every ruleset and host, played at random: they end, stay sane, replay exactly and can be undone."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from narrator.game import moves as m
from narrator.game.guards import Refusal
from narrator.game.legal import legal
from narrator.game.lobby import first_state
from narrator.game.outcome import outcome
from narrator.game.reducer import Played, play
from narrator.game.roles import Host
from narrator.game.state import Game, Phase
from narrator.journal import Journal
from narrator.journal import read as read_journal
from tests.game.sane import depth, step_is_sane
from tests.table import TABLES, Step, brief, games, quiet, whole_game

GAMES = pytest.mark.parametrize(("key", "host"), TABLES)


@GAMES
def test_every_game_ends_and_every_state_of_it_is_sane(key: str, host: Host) -> None:
    for seed, game in enumerate(games(key, host)):
        for number, step in enumerate(game):
            try:
                step_is_sane(step)
            except AssertionError as error:
                told = f"seed {seed}, move {number}: {step.move}: {error}\n{brief(step.after.state)}"
                raise AssertionError(told) from error
        assert game[-1].after.state.phase is Phase.GAME_OVER


@GAMES
def test_a_game_goes_on_until_it_is_decided(key: str, host: Host) -> None:
    for game in games(key, host):
        for step in game:
            state = step.after.state
            if state.phase not in (Phase.LOBBY, Phase.GAME_OVER):
                assert outcome(state) is None


@GAMES
def test_the_journal_gives_the_same_game_back(
    key: str, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)  # what is written matters here, not how soon
    steps = whole_game(key, host, 0)
    journal = Journal.create(tmp_path / "current.journal", "ru")
    for step in steps:
        journal.append(step.move, step.at)
    journal.close()
    game = Game(first_state())
    for entry, step in zip(read_journal(journal.path).entries, steps, strict=True):
        assert entry.move == step.move
        result = play(game, entry.move, entry.at)
        assert isinstance(result, Played), f"{entry.move}: {result}"
        assert (result.game.state, result.events) == (step.after.state, step.events)
        game = result.game
    assert depth(game) == depth(steps[-1].after)


@GAMES
def test_undo_right_after_a_move_brings_back_the_moment_before_it(key: str, host: Host) -> None:
    tried = 0
    for game in games(key, host):
        for step in game:
            if isinstance(step.move, (m.Undo, m.Adjust, m.RaiseHand, *m.BY_ITSELF)):
                continue
            undone = play(step.after, m.Undo(), step.at)
            assert isinstance(undone, Played), f"{step.move}: {undone}"
            assert quiet(undone.game.state, step.at) == quiet(step.before.state, step.at), step.move
            assert undone.game.past is step.before.past
            tried += 1
    assert tried > 100


@GAMES
def test_undo_steps_over_what_nobody_did(key: str, host: Host) -> None:
    seen = set()
    for step in whole_game(key, host, 0):
        if isinstance(step.move, m.BY_ITSELF):
            assert step.after.past is step.before.past
            seen.add(type(step.move))
    assert {m.Ready, m.TimeUp} <= seen


@GAMES
def test_a_game_can_be_undone_to_its_very_beginning(key: str, host: Host) -> None:
    steps = whole_game(key, host, 0)
    game, at = steps[-1].after, steps[-1].at
    for _ in range(depth(game)):
        result = play(game, m.Undo(), at)
        assert isinstance(result, Played)
        game = result.game
    assert quiet(game.state, at) == first_state() and game.past is None
    assert play(game, m.Undo(), at) == Refusal("nothing-to-undo")


@GAMES
def test_the_same_moves_always_come_to_the_same(key: str, host: Host) -> None:
    for step in whole_game(key, host, 0):
        again = play(step.before, step.move, step.at)
        assert isinstance(again, Played)
        assert (again.game.state, again.events) == (step.after.state, step.events)


@GAMES
def test_exactly_the_legal_moves_are_accepted(key: str, host: Host) -> None:
    chance = random.Random(key)
    for step in chance.sample(whole_game(key, host, 1), 25):
        check_every_move(step)


def check_every_move(step: Step) -> None:
    """Every move that `legal` lists is accepted, every other one of the same kinds refused, without a trace."""
    game, at = step.after, step.at
    before = repr(game.state)
    may = set(legal(game.state))
    seats = range(-1, game.state.seats + 2)
    others: list[m.Move] = [
        *(
            kind()
            for kind in (
                m.Next,
                m.EndSpeech,
                m.Pause,
                m.Resume,
                m.Order,
                m.OpenVote,
                m.Done,
                m.NewGame,
                m.Start,
            )
        ),
        *(m.CastVotes(count) for count in range(-2, game.state.seats + 3)),
        *(kind(seat) for kind in (m.Choose, m.Nominate, m.Warn, m.Unwarn, m.Leave, m.Remove) for seat in seats),
        *(m.TellDeath(seat) for seat in seats),
        m.TellDeath(0, more=True),
        *(m.RaiseHand(seat, up) for seat in seats for up in (False, True)),
        *(m.VoteFor(voter, seat) for voter in (-1, 0, 1, 2, 99) for seat in (None, *seats)),
        *(m.Nominate(seat, by) for by in (0, 1, 2, 99) for seat in seats),
        *(m.Answer(yes) for yes in (False, True)),
        *(m.Lift(leave) for leave in (False, True)),
        m.ListDeaths(),
    ]
    for move in {*others, *may}:
        result = play(game, move, at)
        accepted = isinstance(result, Played)
        assert accepted == (move in may), f"{move}: {'accepted' if accepted else result}, {brief(game.state)}"
    assert repr(game.state) == before
