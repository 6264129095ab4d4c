"""Every move that people could make now, one by one. The grammar, the buttons and the tests are built on it."""

from __future__ import annotations

from collections.abc import Iterator

from narrator.game import moves as m
from narrator.game.guards import TABLE, allowed
from narrator.game.moves import Move
from narrator.game.state import State


def legal(state: State) -> tuple[Move, ...]:
    """The moves `play` accepts in `state`, set-up, deals and clock moves apart."""
    kinds = TABLE[state.phase]
    return tuple(move for move in _all(state) if type(move) in kinds and allowed(state, move) is None)


def _all(state: State) -> Iterator[Move]:
    seats = range(1, state.seats + 1)
    yield from (
        m.Next(),
        m.EndSpeech(),
        m.Pause(),
        m.Resume(),
        m.Order(),
        m.OpenVote(),
        m.Done(),
        m.NewGame(),
        m.Start(),
    )
    yield from (m.AddTime(10), m.AddTime(-10), m.Adjust(1), m.Adjust(-1), m.Answer(True), m.Answer(False))
    yield from (m.Lift(True), m.Lift(False), m.ListDeaths())
    yield from (m.TellWinner(winner) for winner in ("town", "mafia", "maniac", "draw"))
    yield from (m.TellDeath(seat) for seat in (0, *seats))
    yield from (m.CastVotes(count) for count in range(len(state.alive) + 1))
    yield from (m.Choose(seat) for seat in (0, *seats))
    for seat in seats:
        yield from (m.Nominate(seat), m.Warn(seat), m.Unwarn(seat), m.Leave(seat), m.Remove(seat))
        yield from (m.RaiseHand(seat, True), m.RaiseHand(seat, False), m.VoteFor(seat, None))
        yield from (m.Nominate(seat, by) for by in seats)
        yield from (m.VoteFor(seat, candidate) for candidate in seats)
