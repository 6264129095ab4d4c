"""Any table, any order of moves: what hypothesis finds must leave a sane state, and shrinks to the shortest game."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Phases
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from narrator.game import moves as m
from narrator.game.guards import Refusal, deadline
from narrator.game.lobby import first_state
from narrator.game.moves import Move, Offer
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS
from narrator.game.state import Game, Phase
from tests.game.sane import state_is_sane, step_is_sane
from tests.table import TABLES, Step, brief, cards, quiet, tables_moves

numbers = st.integers(-2, 17)
seats = st.none() | numbers
ANY_MOVE: st.SearchStrategy[Move] = st.one_of(
    *(st.just(kind()) for kind in (m.Start, m.Next, m.EndSpeech, m.Ready, m.TimeUp, m.Pause, m.Resume, m.Order)),
    *(st.just(kind()) for kind in (m.OpenVote, m.Done, m.ListDeaths, m.NewGame, m.Undo)),
    *(st.builds(kind, numbers) for kind in (m.CastVotes, m.Choose, m.Warn, m.Unwarn, m.Leave, m.Remove)),
    *(st.builds(kind, st.booleans()) for kind in (m.Lift, m.Answer)),
    st.builds(m.AddTime, st.floats(-100, 100)),
    st.builds(m.Adjust, st.sampled_from((-1, 1))),
    st.builds(m.Nominate, numbers, seats),
    st.builds(m.RaiseHand, numbers, st.booleans()),
    st.builds(m.VoteFor, numbers, seats),
    st.builds(m.TellDeath, numbers),
    st.builds(m.TellWinner, st.sampled_from(("town", "mafia", "maniac", "draw"))),
    st.builds(m.Propose, st.sampled_from(Offer), st.integers(1, 7)),
    st.builds(m.SetUp, seats),
    st.builds(m.SetUp, st.none(), st.sampled_from(tuple(RULESETS.values())), st.sampled_from(Host)),
    st.builds(m.Deal, st.lists(st.sampled_from(Role), max_size=16).map(tuple)),
)


class Evening(RuleBasedStateMachine):
    """A table of one ruleset and host, from any start."""

    key: str
    host: Host

    def __init__(self) -> None:
        super().__init__()
        self.game = Game(first_state())
        self.at = 0.0

    def make(self, move: Move) -> None:
        """Carry out `move`, which is legal, and check everything that must hold after it."""
        step = self.game, move, self.at
        result = play(*step)
        assert isinstance(result, Played), f"{move.kind}: {result}; {brief(self.game.state)}"
        self.game = result.game
        step_is_sane(Step(step[0], move, self.at, result.game, result.events))

    @initialize(data=st.data())
    def sit_down(self, data: Any) -> None:
        """The table is set; the cards are dealt, or told at night, or nobody's business."""
        rules = RULESETS[self.key]
        number = data.draw(st.integers(rules.seats_min, rules.seats_max), "seats")
        self.make(m.SetUp(number, rules, self.host))
        middle = data.draw(st.booleans(), "middle")
        told_at_night = not middle and not rules.conference and data.draw(st.booleans(), "told at night")
        if self.host is not Host.LIGHT and not told_at_night:
            self.make(m.Deal(tuple(data.draw(st.permutations(cards(rules, number)), "cards"))))
        if middle:
            self.begin_in_the_middle(data)
        else:
            self.make(m.Start())

    def begin_in_the_middle(self, data: Any) -> None:
        """A few players are left."""
        state = self.game.state
        alive = data.draw(st.sets(st.integers(1, state.seats), min_size=4, max_size=7).map(sorted), "alive")
        phase = data.draw(st.sampled_from(("speeches", "vote", "night-shooting", "tie-speech")), "phase")
        candidates = () if phase in ("speeches", "night-shooting") else tuple(alive[:2])
        self.make(m.Place(phase, data.draw(st.integers(1, 3), "day"), "night" in phase, tuple(alive), (), candidates))

    @precondition(lambda self: self.game.state.phase is not Phase.GAME_OVER)
    @rule(data=st.data(), seconds=st.sampled_from((0.0, 0.25, 9.0)))
    def go_on(self, data: Any, seconds: float) -> None:
        """Something legal happens, people before the next mark, the clock at it."""
        kinds = tables_moves(self.game.state, self.at)
        kind = data.draw(st.sampled_from(sorted(kinds, key=lambda kind: kind.__name__)), "kind")
        move, at = data.draw(st.sampled_from(kinds[kind]), "move")
        due = deadline(self.game.state)
        self.at = at if kind in m.BY_ITSELF else at + seconds if due is None else max(at, min(at + seconds, due))
        before = self.game
        self.make(move)
        if kind not in (m.Adjust, m.RaiseHand, *m.BY_ITSELF):
            undone = play(self.game, m.Undo(), self.at)
            assert isinstance(undone, Played)
            assert quiet(undone.game.state, self.at) == quiet(before.state, self.at)

    @rule()
    def take_back(self) -> None:
        """«Отмена»."""
        if self.game.past is not None:
            self.make(m.Undo())

    @rule(move=ANY_MOVE)
    def try_anything(self, move: Move) -> None:
        """A refused move changes nothing; an accepted one leads to a sane state, and is not played on."""
        game = self.game
        before = repr(game.state)
        result = play(game, move, self.at)
        assert repr(game.state) == before
        assert result == play(game, move, self.at)
        if isinstance(result, Refusal):
            assert result.reason
        elif not isinstance(move, m.TimeUp):  # before its time only a fault of the loop could make it
            state_is_sane(result.game.state)


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_any_table_stays_sane(key: str, host: Host) -> None:
    machine = type("Evening", (Evening,), {"key": key, "host": host})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=35,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phases.generate, Phases.shrink),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
