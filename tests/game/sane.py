"""What must hold in every state and after every move, whatever the rules: the tests' own idea of a sane table."""

from __future__ import annotations

from narrator.game import moves as m
from narrator.game.roles import Host
from narrator.game.state import Game, Phase, State
from narrator.game.timing import TINY, Kind
from tests.table import Step

IN_A_ROUND = (Phase.VOTE, Phase.TIE_SPEECH, Phase.LIFT, Phase.VICTIM_VOTE)
RESTARTS = (m.Undo, m.NewGame, m.SetUp, m.Place)


def state_is_sane(state: State) -> None:
    """AssertionError if the state contradicts itself."""
    seats = frozenset(range(1, state.seats + 1))
    assert state.alive <= seats and state.hands <= seats
    assert len(state.warnings) == state.seats and min(state.warnings) >= 0
    assert len(state.roles) in (0, state.seats) and len(state.names) in (0, state.seats)
    assert (state.outcome is not None) == (state.phase is Phase.GAME_OVER)
    if state.host is Host.LIGHT and state.phase is not Phase.LOBBY:
        assert not state.roles, "a moderator who keeps the cards to himself has told none"
    _the_dead_do_nothing(state)
    _time_is_sane(state)
    _vote_is_sane(state)
    if state.phase.is_night:
        assert state.night is not None and state.night.steps[state.night.step] is state.phase
    elif state.phase not in (Phase.MORNING, Phase.GAME_OVER):
        assert state.night is None
    if state.question is not None:
        assert state.phase is not Phase.GAME_OVER
        assert state.question.seat == 0 or state.question.seat in seats


def _the_dead_do_nothing(state: State) -> None:
    assert state.muted <= state.alive
    assert {nomination.seat for nomination in state.nominations} <= state.alive
    assert len({nomination.seat for nomination in state.nominations}) == len(state.nominations)
    assert {ballot.voter for ballot in state.ballots} <= state.alive
    assert {ballot.candidate for ballot in state.ballots} <= state.alive | {None}
    assert len({ballot.voter for ballot in state.ballots}) == len(state.ballots)
    assert state.speaker is None or state.speaker in state.alive or state.phase is Phase.LAST_WORD
    if state.phase.has_speaker and state.phase is not Phase.LAST_WORD:  # the only speech that the dead have
        assert set(state.queue) <= state.alive
    assert len(set(state.queue)) == len(state.queue) and state.speaker not in state.queue
    if state.deaths_told is not None:
        assert state.phase is Phase.MORNING and set(state.deaths_told) <= state.alive
    assert not {death.seat for death in state.died} & state.alive


def _vote_is_sane(state: State) -> None:
    vote = state.vote
    assert (vote is not None) == (state.phase in IN_A_ROUND)
    if vote is None:
        return
    assert set(vote.candidates) <= state.alive and len(set(vote.candidates)) == len(vote.candidates)
    assert vote.told <= len(state.alive) and all(count.votes >= 0 for count in vote.counts)
    assert tuple(count.seat for count in vote.counts) == vote.candidates[: len(vote.counts)]
    assert vote.counted <= state.alive
    assert 0 <= vote.word <= 3


def _time_is_sane(state: State) -> None:
    timer = state.timer
    if state.phase in (Phase.LOBBY, Phase.GAME_OVER):
        assert timer is None and state.speaker is None
    if timer is None:
        assert state.phase.has_speaker is False or state.speaker is None
        return
    assert timer.total >= 0
    assert not (timer.waiting and timer.since is not None), "a timer that waits does not run"
    if state.paused:
        assert timer.since is None, "while it is paused nothing runs"
    assert timer.left >= timer.mark - TINY, "the next mark lies ahead"
    if timer.kind is Kind.SPEECH:
        assert state.phase.has_speaker and state.speaker is not None
    else:
        assert state.phase.is_night or state.phase is Phase.VOTE or state.host is Host.NONE


def step_is_sane(step: Step) -> None:
    """AssertionError if the move did what no move may do."""
    before, after = step.before.state, step.after.state
    state_is_sane(after)
    if not isinstance(step.move, RESTARTS) and after.phase is not Phase.LOBBY:
        assert after.alive <= before.alive, "nobody comes back to life"
        assert after.day >= before.day
        assert after.rules == before.rules and after.host is before.host and after.seats == before.seats
    timer = after.timer
    if timer is not None and timer.deadline is not None and not isinstance(step.move, m.Undo):
        assert timer.deadline >= step.at - TINY or before.timer == timer, "marks that are past have happened"


def depth(game: Game) -> int:
    """How many steps can be undone."""
    count = 0
    while game.past is not None:
        game, count = game.past, count + 1
    return count
