"""The only door into the game: a move goes in, a new game and events come out, or a refusal.

What each move does stands in lobby, clockwork, day and order; what is allowed in guards; what follows in flow.
Invariant: a refused move leaves everything as it was; an accepted one ends with all consequences settled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from narrator.game import clockwork, day, hostless, lobby, order, timing
from narrator.game import moves as m
from narrator.game.events import Event, Undone
from narrator.game.guards import Refusal, allowed
from narrator.game.moves import Move
from narrator.game.roles import Host
from narrator.game.settle import settle
from narrator.game.state import Game, State
from narrator.game.turn import Turn


@dataclass(frozen=True, slots=True)
class Played:
    """An accepted move: the new game and what happened, in order."""

    game: Game
    events: tuple[Event, ...]


def play(game: Game, move: Move, at: float) -> Played | Refusal:
    """Carry out `move` at game time `at` (seconds, never less than before), or say why not."""
    if isinstance(move, m.Undo):
        return _undo(game, at)
    state = game.state
    refusal = allowed(state, move)
    if refusal is not None:
        return refusal
    turn = Turn(state, at)
    by_itself = isinstance(move, m.BY_ITSELF)
    if state.question is not None and not state.question.firm and not by_itself and not isinstance(move, m.Answer):
        turn.set(question=None)  # a soft question is dropped by whatever people do instead
    _DO[type(move)](turn, move)
    settle(turn)
    remembered = not by_itself and not isinstance(move, (m.Adjust, m.RaiseHand))
    if isinstance(move, m.RaiseHand):  # a button that only moved a hand is no step to take back
        remembered = turn.state.speaker != state.speaker or turn.state.nominations != state.nominations
    past = Game(_frozen(state, at), game.past) if remembered else game.past
    return Played(Game(turn.state, past), tuple(turn.events))


def _frozen(state: State, at: float) -> State:
    """The state as undo will bring it back: a running timer keeps what was left at `at`."""
    timer = state.timer
    if timer is None or timer.since is None:
        return state
    return replace(state, timer=replace(timer, left=timer.left_at(at), since=at))


def _undo(game: Game, at: float) -> Played | Refusal:
    if game.past is None:
        return Refusal("nothing-to-undo")
    now, past = game.state, game.past.state
    timer = past.timer
    if timer is not None and timer.since is not None:
        timer = replace(timer, since=at)
        same = now.speaker is not None and (now.phase, now.speaker) == (past.phase, past.speaker)
        if same and now.timer is not None and now.timer.total == timer.total:
            timer = timing.started(now.timer, at)  # taking back a warning gives nobody his seconds again
    state = replace(past, timer=timer, hands=now.hands)  # hands are where they are, not where they were
    return Played(Game(state, game.past.past), (Undone(),))


def _next(turn: Turn, move: m.Next) -> None:
    meant = day.entered(turn.state)
    if meant is not None:
        turn.set(entry=None)
        _DO[type(meant)](turn, meant)
    else:
        day.go_on(turn)


def _raise_hand(turn: Turn, move: m.RaiseHand) -> None:
    if turn.state.host is Host.NONE:
        hostless.press(turn, move)
    day.raise_hand(turn, move)


_DO: dict[type, Callable[[Turn, Any], None]] = {
    m.SetUp: lobby.set_up,
    m.Deal: lobby.deal,
    m.Start: lobby.start,
    m.Place: lobby.place,
    m.Next: _next,
    m.EndSpeech: day.end_speech,
    m.Ready: clockwork.ready,
    m.TimeUp: clockwork.time_up,
    m.Pause: clockwork.pause,
    m.Resume: clockwork.resume,
    m.AddTime: clockwork.add_time,
    m.Order: clockwork.call_to_order,
    m.Adjust: day.adjust,
    m.Nominate: day.nominate,
    m.OpenVote: day.open_vote,
    m.CastVotes: day.cast_votes,
    m.RaiseHand: _raise_hand,
    m.VoteFor: day.vote_for,
    m.Lift: day.lift,
    m.Choose: day.choose,
    m.Done: day.done,
    m.TellDeath: day.tell_death,
    m.ListDeaths: day.list_deaths,
    m.TellWinner: order.tell_winner,
    m.Warn: order.warn,
    m.Unwarn: order.unwarn,
    m.Leave: order.leave,
    m.Remove: order.remove,
    m.NewGame: order.new_game,
    m.Answer: order.answer,
    m.Propose: order.propose,
}
