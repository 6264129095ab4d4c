"""Moves of the day and of the night's choices: next, nominating, voting, choosing a seat."""

from __future__ import annotations

from dataclasses import replace

from narrator.game import flow, hostless, lobby, night, tally
from narrator.game import moves as m
from narrator.game.events import (
    BallotTaken,
    BestMoveNamed,
    BestMoveTold,
    DeathNoted,
    Nominated,
    NumberShown,
    PrivateAnswer,
    Shot,
)
from narrator.game.guards import entered
from narrator.game.points import points
from narrator.game.roles import Host
from narrator.game.state import Ballot, Death, Nomination, Phase, State
from narrator.game.turn import Turn

__all__ = ["entered"]


def go_on(turn: Turn) -> None:
    """«Дальше» where no number is being entered: the obvious next thing of the phase."""
    state = turn.state
    if state.phase is Phase.LOBBY:
        lobby.start(turn, m.Start())
    elif state.phase.has_speaker:
        turn.end_speech()
    elif state.phase is Phase.NOMINATIONS:
        flow.open_vote(turn)
    elif state.phase is Phase.VOTE:
        _close_named(turn)
    elif state.phase in (Phase.BEST_MOVE, Phase.MORNING):
        done(turn, m.Done())
    elif state.phase.is_night:
        flow.end_night_step(turn)
    else:
        lobby.to_lobby(turn)


def end_speech(turn: Turn, move: m.EndSpeech) -> None:
    """The speaker is done."""
    turn.end_speech()


def adjust(turn: Turn, move: m.Adjust) -> None:
    """Plus or Minus on the shown number."""
    number = entry_after(turn.state, move.by)
    turn.set(entry=number)
    turn.emit(NumberShown(number))


def entry_after(state: State, by: int) -> int:
    """The number shown after Plus or Minus: a count goes 0, 1, 2, …; a seat walks over the living."""
    counting = state.phase in (Phase.VOTE, Phase.LIFT)
    choices = tuple(range(len(state.alive) + 1)) if counting else state.living
    if state.entry not in choices:
        if counting:
            return 1 if by > 0 else 0
        return choices[0] if by > 0 else choices[-1]
    return choices[(choices.index(state.entry) + (1 if by > 0 else -1)) % len(choices)]


def nominate(turn: Turn, move: m.Nominate) -> None:
    """«Принято»."""
    state = turn.state
    by = move.by if move.by is not None else state.speaker
    turn.set(nominations=(*state.nominations, Nomination(move.seat, by)), entry=None)
    if by is not None:
        turn.set(named=state.named | {by})
    if state.host is Host.NONE and by is not None:
        turn.set(retract=(by, turn.at + hostless.RETRACT))
    turn.emit(Nominated(move.seat, by))


def open_vote(turn: Turn, move: m.OpenVote) -> None:
    """«Голосование»: closes the last speech and the names; in a named vote, closes the vote."""
    if turn.state.phase is Phase.VOTE:
        _close_named(turn)
    else:
        turn.end_speech()
        turn.set(queue=())
        flow.open_vote(turn)


def _close_named(turn: Turn) -> None:
    vote = turn.state.vote
    assert vote is not None
    flow.result(turn, vote, tally.named_result(turn.state))


def cast_votes(turn: Turn, move: m.CastVotes) -> None:
    """A count told by the moderator."""
    state = turn.state
    if state.phase is Phase.LIFT:
        assert state.vote is not None
        flow.decide_lift(turn, tally.lifted(state, state.vote.candidates, move.count), move.count)
    else:
        flow.close_candidate(turn, move.count)


def raise_hand(turn: Turn, move: m.RaiseHand) -> None:
    """A seat button goes down or up."""
    state = turn.state
    turn.set(hands=state.hands | {move.seat} if move.up else state.hands - {move.seat})
    if state.phase is Phase.VOTE and state.vote is not None and move.up:
        turn.set(vote=replace(state.vote, by_hands=True))


def vote_for(turn: Turn, move: m.VoteFor) -> None:
    """A named vote, or its one change."""
    state = turn.state
    old = next((b for b in state.ballots if b.voter == move.voter), None)
    new = Ballot(move.voter, move.candidate, 0 if old is None else old.changes + 1)
    turn.set(ballots=(*(b for b in state.ballots if b.voter != move.voter), new))
    turn.emit(BallotTaken(move.voter, move.candidate, new.changes >= state.rules.changes))


def lift(turn: Turn, move: m.Lift) -> None:
    """The table's will told without a count."""
    state = turn.state
    assert state.vote is not None
    everybody = tally.lifted(state, state.vote.candidates, len(state.alive))
    flow.decide_lift(turn, move.leave and everybody, None)


def choose(turn: Turn, move: m.Choose) -> None:
    """A seat for whoever is asked: last night's victim, the best move, or somebody in the night."""
    state = turn.state
    seat = move.seat
    turn.set(entry=None)
    if state.phase is Phase.VICTIM_VOTE:
        flow.voted_out(turn, (seat,))
    elif state.phase is Phase.BEST_MOVE:
        _best_move_name(turn, seat)
    else:
        _night_choice(turn, seat)


def _night_choice(turn: Turn, seat: int) -> None:
    state = turn.state
    at_night = state.night
    assert at_night is not None
    if state.phase is Phase.NIGHT_MEETING:
        turn.set(night=replace(at_night, told=(*at_night.told, seat)))
        turn.emit(Shot("met", seat))
    elif state.phase is Phase.NIGHT_SHOOTING:
        turn.set(night=replace(at_night, shot=seat))
        turn.emit(Shot("mafia", seat))
    elif state.phase is Phase.NIGHT_MANIAC:
        turn.set(night=replace(at_night, maniac=seat))
        turn.emit(Shot("maniac", seat))
    else:
        check = night.answer(state, seat)
        turn.set(night=replace(at_night, checks=(*at_night.checks, check)), check=check)
        turn.emit(PrivateAnswer(check))


def _best_move_name(turn: Turn, seat: int) -> None:
    best = turn.state.best_move
    assert best is not None
    best = replace(best, seats=(*best.seats, seat))
    turn.set(best_move=best)
    turn.emit(BestMoveNamed(seat))
    if len(best.seats) == 3:
        _best_move_over(turn)


def done(turn: Turn, move: m.Done) -> None:
    """«Готово»: the best move, or the list of the night's dead, is complete."""
    if turn.state.phase is Phase.MORNING:
        _deaths_complete(turn)
    else:
        _best_move_over(turn)


def list_deaths(turn: Turn, move: m.ListDeaths) -> None:
    """«Убиты»: the seats follow one by one."""
    turn.set(deaths_told=())


def tell_death(turn: Turn, move: m.TellDeath) -> None:
    """Light hosting: one of the night's dead, or nobody."""
    told = turn.state.deaths_told
    seats = (*(told or ()), *((move.seat,) if move.seat else ()))
    turn.set(deaths_told=seats)
    if move.more or (told is not None and move.seat):
        turn.emit(DeathNoted(move.seat))
    if not move.more:
        _deaths_complete(turn)


def _deaths_complete(turn: Turn) -> None:
    """Who killed whom nobody has told; the first told counts as the mafia's victim, the last acts last."""
    seats = turn.state.deaths_told or ()
    turn.set(deaths_told=None, entry=None)
    flow.tell_deaths(turn, tuple(Death(seat, "mafia" if place == 0 else "") for place, seat in enumerate(seats)))


def _best_move_over(turn: Turn) -> None:
    state = turn.state
    best = state.best_move
    assert best is not None
    turn.set(best_move=replace(best, points=points(state, best)), phase=Phase.LAST_WORD)
    turn.emit(BestMoveTold(best.by, best.seats))
