"""Keeping order: warnings, leaving, removal, and the questions that are asked back."""

from __future__ import annotations

from dataclasses import replace

from narrator.game import clockwork, flow, lobby
from narrator.game import moves as m
from narrator.game.events import Asked, Declined, LeftTable, Unwarned, Warned
from narrator.game.moves import Move, Offer
from narrator.game.outcome import outcome
from narrator.game.roles import Host, Seat
from narrator.game.rulesets import Leaving, WarningEffect
from narrator.game.state import Ask, Outcome, Phase, Question, Termination
from narrator.game.turn import Turn


def warn(turn: Turn, move: m.Warn) -> None:
    """A warning; at the limit the player is out [A, F] or the host is asked [B, C]."""
    state = turn.state
    rules = state.rules
    seat = move.seat
    count = state.warned(seat) + 1
    muted = count == rules.mute_at
    turn.set(warnings=_with(state.warnings, seat, count), entry=None)
    if muted:
        turn.set(muted=state.muted | {seat})
    turn.emit(Warned(seat, count, rules.warning_limit, muted))
    if count >= rules.warning_limit:
        if rules.warning_effect is WarningEffect.PROPOSE and state.host is not Host.NONE:
            ask(turn, Ask.REMOVE, seat, m.Remove(seat))
        else:
            _go(turn, seat, "warnings")


def unwarn(turn: Turn, move: m.Unwarn) -> None:
    """The last warning is taken back, and the lost speech with it."""
    count = turn.state.warned(move.seat) - 1
    turn.set(warnings=_with(turn.state.warnings, move.seat, count), entry=None)
    if count == turn.state.rules.mute_at - 1:
        turn.set(muted=turn.state.muted - {move.seat})
    turn.emit(Unwarned(move.seat, count))


def _with(counts: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    return (*counts[: seat - 1], count, *counts[seat:])


def leave(turn: Turn, move: m.Leave) -> None:
    """Asked back first."""
    ask(turn, Ask.LEAVE, move.seat, move)


def remove(turn: Turn, move: m.Remove) -> None:
    """Asked back first."""
    ask(turn, Ask.REMOVE, move.seat, move)


def new_game(turn: Turn, move: m.NewGame) -> None:
    """Back to the lobby; over a running game only after a yes."""
    if turn.state.phase in (Phase.LOBBY, Phase.GAME_OVER):
        lobby.to_lobby(turn)
    else:
        ask(turn, Ask.NEW_GAME, 0, move)


def tell_winner(turn: Turn, move: m.TellWinner) -> None:
    """Asked back first."""
    turn.set(question=Question(Ask.WINNER, 0, move))
    turn.emit(Asked(Ask.WINNER, 0, move.winner))


def _go(turn: Turn, seat: Seat, how: str) -> None:
    """`seat` leaves the table: by policy with the other of two candidates, or with an effect on the vote."""
    state = turn.state
    pair = state.candidates
    standing = state.phase in (Phase.NOMINATIONS, Phase.VOTE, Phase.TIE_SPEECH, Phase.VICTIM_VOTE)
    takes_along = state.rules.leaving is Leaving.TAKES_THE_OTHER and how != "removed"
    if takes_along and standing and len(pair) == 2 and seat in pair:
        turn.emit(LeftTable((seat,), how))
        turn.end_speech()
        flow.voted_out(turn, pair)
        return
    turn.depart((seat,), how)
    if state.night is not None:
        turn.set(night=replace(state.night, removed=state.night.removed | {seat}))
    if outcome(turn.state) is None and not (takes_along and how == "left"):
        flow.cancel_vote(turn)


def ask(turn: Turn, about: Ask, seat: Seat, then: Move | None = None) -> None:
    """Open a question."""
    turn.set(question=Question(about, seat, then))
    turn.emit(Asked(about, seat))


def propose(turn: Turn, move: m.Propose) -> None:
    """The box's own question: a warning, or, after an interruption, whether to go on (everything stands)."""
    if move.offer is Offer.WARN:
        ask(turn, Ask.WARN, move.seat, m.Warn(move.seat))
    else:
        clockwork.stand(turn)
        ask(turn, Ask.GO_ON, 0)


def answer(turn: Turn, move: m.Answer) -> None:
    """Yes does what was asked about; no drops it."""
    question = turn.state.question
    assert question is not None
    turn.set(question=None)
    if not move.yes:
        turn.emit(Declined(question.ask, question.seat))
        return
    match question.ask:
        case Ask.REMOVE:
            _go(turn, question.seat, "removed")
        case Ask.LEAVE:
            _go(turn, question.seat, "left")
        case Ask.NEW_GAME:
            lobby.to_lobby(turn)
        case Ask.GO_ON:
            clockwork.resume(turn, move)
        case Ask.WINNER:
            assert isinstance(question.then, m.TellWinner)
            turn.end_speech()
            flow.end_game(turn, Outcome(question.then.winner, Termination.TOLD))
        case Ask.WARN:
            warn(turn, m.Warn(question.seat))
