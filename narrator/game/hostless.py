"""A table with no host: numbers are called by the clock, seat buttons answer, and the day runs by itself.

Only reached when nobody hosts. Invariant: what is called and when depends on what the table knows, never on cards; who
pressed what is read only when the call is over (the Don's and the Sheriff's answer apart, which no sound gives away).
"""

from __future__ import annotations

from dataclasses import replace

from narrator.game import flow, night, order, tally, timing
from narrator.game import moves as m
from narrator.game.events import (
    BallotTaken,
    BestMoveNamed,
    BestMoveTold,
    CountWord,
    MissingVotes,
    Nominated,
    NominationTakenBack,
    NumberCalled,
    PrivateAnswer,
    RoleAgain,
)
from narrator.game.points import points
from narrator.game.roles import Role, Seat
from narrator.game.rulesets import Nominating, Voting
from narrator.game.state import Ballot, Call, Nomination, Phase, State
from narrator.game.turn import Turn

RETRACT = 5.0
"""Seconds in which a nomination by voice can be taken back with one's own button [R]."""
_WRONG_MEETINGS = 3  # wrong answers of one role after which the whole acquaintance begins again
_TRIES = 2  # how often the box asks before it goes on by the rules

_LAMPS = {"yes": "green", "no": "red", "red": "green", "black": "red"}
_LAMPS |= {Role.CIVILIAN: "green", Role.SHERIFF: "yellow", Role.MAFIA: "red", Role.DON: "red", Role.MANIAC: "green"}
"""What the lamp tells the one whose eyes are open; said beforehand to everybody."""


def carry_on(turn: Turn) -> bool:
    """Start what no host starts: calls, counts, the vote. Returns whether anything followed."""
    state = turn.state
    if state.call is not None or state.timer is not None:
        return False
    numbers = _numbers(state)
    if state.phase is Phase.NOMINATIONS and state.rules.nominating is Nominating.BY_VOTING:
        flow.open_vote(turn)
        return True
    if numbers:
        begin_call(turn, Call((*numbers, 0)))
        return True
    if state.phase is Phase.LIFT and state.vote is not None and state.vote.word == 0:
        turn.set(vote=replace(state.vote, word=1, fresh=0, counted=frozenset()))
        turn.emit(CountWord(1))
        turn.start_pause(state.rules.count_step, timing.Kind.COUNT)
        return True
    return False


def _numbers(state: State) -> tuple[int, ...]:
    """The numbers to call in this phase; at night all of them, dead seats too."""
    everybody = tuple(range(1, state.seats + 1))
    match state.phase:
        case Phase.NOMINATIONS:
            return state.living
        case Phase.VOTE if state.rules.voting is Voting.NAMED:
            second = state.vote is not None and state.vote.number > 1
            return state.candidates if second else state.living
        case Phase.VICTIM_VOTE:
            return state.candidates
        case Phase.BEST_MOVE:
            return everybody
        case Phase.NIGHT_SHOOTING | Phase.NIGHT_DON | Phase.NIGHT_SHERIFF | Phase.NIGHT_MANIAC:
            return everybody
    return ()


def begin_call(turn: Turn, call: Call) -> None:
    """Call the first number."""
    turn.set(call=call)
    _up(turn)


def _up(turn: Turn) -> None:
    call = turn.state.call
    assert call is not None
    if call.number:
        turn.emit(NumberCalled(call.number))
    turn.start_pause(turn.state.rules.call_step, timing.Kind.CALL)


def call_on(turn: Turn) -> None:
    """The time of the called number is over: the next one, or what the presses come to."""
    call = turn.state.call
    assert call is not None
    if call.place + 1 < len(call.numbers):
        lamp = call.lamp if call.place + 1 < call.lamp_until else ""
        turn.set(call=replace(call, place=call.place + 1, lamp=lamp))
        _up(turn)
        return
    turn.set(call=None, timer=None)
    _read(turn, call)


def _read(turn: Turn, call: Call) -> None:
    """What the presses of a finished call come to."""
    state = turn.state
    match state.phase:
        case Phase.NOMINATIONS:
            flow.open_vote(turn)
        case Phase.VOTE:
            _read_ballots(turn, call)
        case Phase.VICTIM_VOTE:
            _read_victim(turn, call)
        case Phase.BEST_MOVE:
            best = state.best_move
            assert best is not None
            turn.set(best_move=replace(best, points=points(state, best)), phase=Phase.LAST_WORD)
            turn.emit(BestMoveTold(best.by, best.seats))
        case Phase.NIGHT_SHOOTING:
            assert state.night is not None
            turn.set(night=replace(state.night, shot=_shot(state, call)))
            flow.end_night_step(turn)
        case Phase.NIGHT_MANIAC:
            assert state.night is not None
            chosen = [call.of(seat) for seat in state.holders(Role.MANIAC)]
            victim = chosen[0][0] if chosen and len(chosen[0]) == 1 and chosen[0][0] in state.alive else 0
            turn.set(night=replace(state.night, maniac=victim))
            flow.end_night_step(turn)
        case _:
            flow.end_night_step(turn)


def _shot(state: State, call: Call) -> int:
    """All living mafia on one and the same number, each on no other; otherwise a miss [A, B, C]."""
    mafia = state.holders(Role.MAFIA, Role.DON)
    shots = {call.of(seat) for seat in mafia}
    if len(shots) != 1:
        return 0
    (numbers,) = shots
    if len(numbers) != 1 or numbers[0] not in state.alive:
        return 0
    own = state.role(numbers[0]) in (Role.MAFIA, Role.DON)
    return 0 if own and not state.rules.self_shots else numbers[0]


def _read_ballots(turn: Turn, call: Call) -> None:
    """Each voter's last allowed press; who pressed nothing passes, or in a second round is asked once more [C]."""
    state = turn.state
    vote = state.vote
    assert vote is not None
    for seat in state.living:
        numbers = tuple(n for n in call.of(seat) if n in state.alive)[: state.rules.changes + 1]
        if numbers or vote.number == 1:
            kept = tuple(b for b in turn.state.ballots if b.voter != seat)
            ballot = Ballot(seat, numbers[-1] if numbers else None, max(len(numbers) - 1, 0))
            turn.set(ballots=(*kept, ballot))
            turn.emit(BallotTaken(seat, ballot.candidate, True))
    missing = tally.voters_missing(turn.state)
    if missing and call.tries < _TRIES:
        turn.emit(MissingVotes(missing))
        begin_call(turn, Call(call.numbers, tries=call.tries + 1))
        return
    flow.result(turn, vote, tally.named_result(turn.state))


def _read_victim(turn: Turn, call: Call) -> None:
    victim = night.last_victim(turn.state)
    chosen = call.of(victim) if victim is not None else ()
    if chosen and chosen[0] in turn.state.candidates:
        flow.voted_out(turn, (chosen[0],))
    elif call.tries < _TRIES:
        begin_call(turn, Call(call.numbers, tries=call.tries + 1))
    else:
        flow.nobody_out(turn)


# --- seat buttons ------------------------------------------------------------------------------------------------


def press(turn: Turn, move: m.RaiseHand) -> None:
    """A seat button went down or came up."""
    state = turn.state
    hands = state.hands | {move.seat} if move.up else state.hands - {move.seat}
    together = len(hands & (state.alive | {state.speaker})) > 1 and state.phase.has_speaker
    # only buttons that go down begin a pause: the hands of a vote come up one by one in the last word
    since = state.held_since if state.held_since is not None or not move.up else turn.at
    turn.set(hands=hands, held_since=since if together else None)
    if not move.up:
        return
    if state.phase.has_speaker and move.seat == state.speaker:
        _own_button(turn, move.seat)
    elif state.phase is Phase.NIGHT_MEETING:
        _show_oneself(turn, move.seat)
    elif state.call is not None and state.call.number:
        _answer_call(turn, state.call, move.seat)


def _own_button(turn: Turn, seat: Seat) -> None:
    """The speaker takes back what he has just named, or is done."""
    state = turn.state
    if state.retract is not None and state.retract[0] == seat and turn.at <= state.retract[1]:
        turn.set(nominations=state.nominations[:-1], named=state.named - {seat}, retract=None)
        turn.emit(NominationTakenBack(seat))
    else:
        turn.set(retract=None)
        turn.end_speech()


def _show_oneself(turn: Turn, seat: Seat) -> None:
    """A called role presses its own button in the first night; nothing is heard or seen of it."""
    at_night = turn.state.night
    assert at_night is not None
    if seat not in at_night.told and night.cards_unknown(turn.state):
        turn.set(night=replace(at_night, told=(*at_night.told, seat)))


def meeting_over(turn: Turn) -> None:
    """The right number of seats has pressed: their cards are known. Otherwise the same role is asked again."""
    state = turn.state
    at_night = state.night
    assert at_night is not None
    if night.cards_unknown(state) and not night.shown_rightly(state):
        again = at_night.tries + 1 >= _WRONG_MEETINGS  # somebody pressed for a role that is not his: begin again
        turn.emit(RoleAgain(night.waker(state), again))
        if again:
            turn.set(roles=(), night=replace(at_night, step=-1, told=(), tries=0))
            night.next_step(turn)
        else:
            turn.set(night=replace(at_night, told=(), tries=at_night.tries + 1))
            turn.start_pause(state.rules.look_time)
    else:
        flow.end_night_step(turn)


def _answer_call(turn: Turn, call: Call, seat: Seat) -> None:
    """A press at a called number."""
    state = turn.state
    number = call.number
    if number in call.of(seat):
        return
    call = replace(call, presses=(*call.presses, (seat, number)))
    turn.set(call=call)
    if state.phase in (Phase.NIGHT_DON, Phase.NIGHT_SHERIFF):
        _check(turn, call, seat)
    elif state.phase is Phase.NOMINATIONS:
        taken = seat in state.named and state.rules.one_nomination
        if {seat, number} <= state.alive and not taken and number not in state.candidates:
            turn.set(nominations=(*state.nominations, Nomination(number, seat)), named=state.named | {seat})
            turn.emit(Nominated(number, seat))
    elif state.phase is Phase.BEST_MOVE and state.best_move is not None and seat == state.best_move.by:
        best = state.best_move
        if len(best.seats) < 3 and number != seat:
            turn.set(best_move=replace(best, seats=(*best.seats, number)))
            turn.emit(BestMoveNamed(number))


def _check(turn: Turn, call: Call, seat: Seat) -> None:
    """The first press of the one who checks is answered by the lamp at once, and once a night."""
    state = turn.state
    assert state.night is not None
    owner = Role.DON if state.phase is Phase.NIGHT_DON else Role.SHERIFF
    if seat not in state.holders(owner) or len(call.of(seat)) > 1:
        return
    check = night.answer(state, call.number)
    lit = replace(call, lamp=_LAMPS[check.answer], lamp_until=call.place + 2)
    turn.set(call=lit, check=check, night=replace(state.night, checks=(*state.night.checks, check)))
    turn.emit(PrivateAnswer(check))


def count_lift(turn: Turn) -> None:
    """«Три»: the hands that are up are for the lift."""
    state = turn.state
    vote = state.vote
    assert vote is not None
    if vote.word < 3:
        word = vote.word + 1
        fresh = len(state.hands & state.alive) if word == 3 else vote.fresh
        turn.set(vote=replace(vote, word=word, fresh=fresh))
        turn.emit(CountWord(word))
        turn.set(timer=timing.started(timing.pause(state.rules.count_step, timing.Kind.COUNT), turn.at))
    else:
        turn.set(timer=None)
        flow.decide_lift(turn, tally.lifted(state, vote.candidates, vote.fresh), vote.fresh)


def overtime(turn: Turn) -> None:
    """With no host the warning is given, and the word goes on."""
    speaker = turn.state.speaker
    assert speaker is not None
    alive = speaker in turn.state.alive
    turn.end_speech()
    if alive:
        order.warn(turn, m.Warn(speaker))
