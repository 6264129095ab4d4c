"""What is allowed when: the table of phases and moves, and the guards beyond the table.

Reads a state, changes nothing. A missing entry in the table is the illegal move. Invariant: `allowed` returns None
exactly for the moves that `play` will carry out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from narrator.game import moves as m
from narrator.game import night, tally
from narrator.game.moves import Move
from narrator.game.roles import Host, Role
from narrator.game.rulesets import Nominating, Voting, Waker
from narrator.game.state import Phase, State
from narrator.game.timing import Kind

HOLD = 3.0
"""Seconds that two seat buttons are held to pause or go on, with no host [R]."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move was not made; the state is untouched. `offer`: what the box proposes to the moderator instead."""

    reason: str
    seat: int = 0
    seats: tuple[int, ...] = ()
    offer: Move | None = None


_CLOCK = {m.Ready, m.TimeUp, m.Propose}
_ALWAYS = _CLOCK | {m.Next, m.Pause, m.Resume, m.Answer, m.NewGame, m.Adjust, m.Warn, m.Unwarn, m.RaiseHand}
_DAY = _ALWAYS | {m.AddTime, m.Order, m.Leave, m.Remove, m.TellWinner}
_SPEECH = _DAY | {m.EndSpeech}
_NIGHT = _ALWAYS | {m.Choose}

TABLE: dict[Phase, frozenset[type]] = {
    phase: frozenset(moves)
    for phase, moves in {
        Phase.LOBBY: {m.SetUp, m.Deal, m.Start, m.Place, m.Next, m.NewGame},
        Phase.INTRODUCTIONS: _SPEECH,
        Phase.SPEECHES: _SPEECH | {m.Nominate, m.OpenVote, m.VoteFor},
        Phase.NOMINATIONS: _DAY | {m.Nominate, m.OpenVote, m.VoteFor},
        Phase.VOTE: _DAY | {m.CastVotes, m.VoteFor, m.OpenVote},
        Phase.TIE_SPEECH: _SPEECH,
        Phase.LIFT: _DAY | {m.CastVotes, m.Lift},
        Phase.VICTIM_VOTE: _DAY | {m.Choose},
        Phase.LAST_WORD: _SPEECH,
        Phase.BEST_MOVE: _DAY | {m.Choose, m.Done},
        Phase.MORNING: _DAY | {m.TellDeath, m.ListDeaths, m.Done},
        Phase.NIGHT_MEETING: _NIGHT,
        Phase.NIGHT_CONFERENCE: _ALWAYS,
        Phase.NIGHT_SHOOTING: _NIGHT,
        Phase.NIGHT_DON: _NIGHT,
        Phase.NIGHT_SHERIFF: _NIGHT,
        Phase.NIGHT_MANIAC: _NIGHT,
        Phase.GAME_OVER: {m.Next, m.NewGame},
    }.items()
}

_WHILE_ASKED = {m.Ready, m.TimeUp, m.Answer, m.Pause, m.Resume, m.RaiseHand}
"""What goes on while a firm question is open."""


def allowed(state: State, move: Move) -> Refusal | None:
    """None if `move` can be made now, otherwise why not."""
    kind = type(move)
    if kind not in TABLE[state.phase]:
        return Refusal("running" if kind in (m.SetUp, m.Deal) else "not-now")
    if state.question is not None and state.question.firm and kind not in _WHILE_ASKED:
        return None if move == m.Propose(m.Offer.GO_ON) else Refusal("needs-answer")
    guard = _GUARDS.get(kind)
    return guard(state, move) if guard else None


def _deal(state: State, move: m.Deal) -> Refusal | None:
    if state.host is Host.LIGHT:
        return Refusal("light")
    rules = state.rules
    roles = move.roles
    black = sum(role in (Role.MAFIA, Role.DON) for role in roles)
    right = (
        len(roles) == state.seats
        and roles.count(Role.DON) == 1
        and roles.count(Role.SHERIFF) == 1
        and roles.count(Role.MANIAC) <= rules.maniac
        and (black == rules.mafia if rules.mafia else 1 <= black < state.seats / 2)
    )
    return None if right else Refusal("wrong-cards")


def _set_up(state: State, move: m.SetUp) -> Refusal | None:
    rules = move.rules or state.rules
    if move.seats is not None and not rules.seats_min <= move.seats <= rules.seats_max:
        return Refusal("wrong-seats", seats=(rules.seats_min, rules.seats_max))
    return None


def _next(state: State, move: m.Next) -> Refusal | None:
    if state.entry is not None:
        from_entry = entered(state)
        if from_entry is not None:
            return allowed(state, from_entry)
    if state.host is Host.NONE and (state.call is not None or state.phase.is_night):
        return Refusal("by-the-clock")
    match state.phase:
        case Phase.VOTE if state.rules.voting is Voting.NAMED:
            return _open_vote(state, move)
        case Phase.MORNING:
            return None if state.deaths_told else Refusal("needs-answer")
        case Phase.VOTE | Phase.LIFT | Phase.VICTIM_VOTE:
            return Refusal("needs-answer")
        case Phase.NIGHT_MEETING if night.cards_wanted(state) > 0:
            return Refusal("needs-answer")
    return None


def entered(state: State) -> Move | None:
    """What the number shown by Plus and Minus means when Next confirms it."""
    number = state.entry
    if number is None:
        return None
    if state.phase in (Phase.VOTE, Phase.LIFT):
        return m.CastVotes(number)
    if state.phase in (Phase.SPEECHES, Phase.NOMINATIONS):
        return m.Nominate(number)
    if state.phase is Phase.MORNING:
        return death_told(state, number)
    if state.phase.is_night:
        # where nobody chooses, the number is for a warning and must not stand in the way of «дальше»
        wanted = any(_choose(state, m.Choose(seat)) is None for seat in state.living)
        return m.Choose(number) if wanted else None
    return m.Choose(number) if state.phase in (Phase.VICTIM_VOTE, Phase.BEST_MOVE) else None


def death_told(state: State, seat: int) -> m.TellDeath:
    """A number entered in the morning of light hosting: the list goes on while more could have died that night."""
    most = 2 if night.maniac_count(state) else 1
    told = len(state.deaths_told or ())
    return m.TellDeath(seat, more=bool(seat) and told + 1 < most)


def _ready(state: State, move: m.Ready) -> Refusal | None:
    timer = state.timer
    return None if timer is not None and timer.waiting and not state.paused else Refusal("no-timer")


def _time_up(state: State, move: m.TimeUp) -> Refusal | None:
    """Whether the deadline has come is for the loop to know: the guard has no time."""
    return None if deadline(state) is not None else Refusal("no-timer")


def deadline(state: State) -> float | None:
    """Game time of what the clock does next: the timer's mark, or two buttons held long enough."""
    mark = state.timer.deadline if state.timer is not None else None
    if state.held_since is None:
        return mark
    held = state.held_since + HOLD
    return held if mark is None else min(mark, held)


def _pause(state: State, move: m.Pause) -> Refusal | None:
    return Refusal("paused") if state.paused else None


def _resume(state: State, move: m.Resume) -> Refusal | None:
    return None if state.paused else Refusal("not-paused")


def _add_time(state: State, move: m.AddTime) -> Refusal | None:
    timer = state.timer
    return None if timer is not None and timer.kind is Kind.SPEECH else Refusal("no-timer")


def _adjust(state: State, move: m.Adjust) -> Refusal | None:
    if state.phase in (Phase.VOTE, Phase.LIFT):
        return None if state.rules.voting is Voting.HANDS or state.phase is Phase.LIFT else Refusal("not-now")
    if state.phase is Phase.SPEECHES:
        return None if state.paused else Refusal("not-now")
    choosing = (Phase.NOMINATIONS, Phase.VICTIM_VOTE, Phase.BEST_MOVE, Phase.MORNING)
    return None if state.phase in choosing or state.phase.is_night else Refusal("not-now")


def _nominate(state: State, move: m.Nominate) -> Refusal | None:
    rules = state.rules
    if rules.nominating is Nominating.BY_VOTING:
        return Refusal("by-voting")
    if rules.nominating is Nominating.IN_SPEECH:
        if state.phase is not Phase.SPEECHES or state.speaker is None:
            return Refusal("only-in-speech")
        if move.by is not None and move.by != state.speaker:
            if move.by not in state.alive:
                return Refusal("not-alive", move.by)
            return Refusal("out-of-turn", move.by, offer=m.Propose(m.Offer.WARN, move.by))
        if rules.one_nomination and state.speaker in state.named:
            return Refusal("one-nomination", state.speaker)
    elif state.phase is not Phase.NOMINATIONS:
        return Refusal("after-speeches")
    if move.by is not None and move.by not in state.alive:
        return Refusal("not-alive", move.by)
    if move.seat not in state.alive:
        return Refusal("not-alive", move.seat)
    if move.seat in state.candidates:
        return Refusal("already-nominated", move.seat)
    return None


def _open_vote(state: State, move: Any) -> Refusal | None:
    if state.phase is Phase.VOTE:
        if state.rules.voting is not Voting.NAMED:
            return Refusal("needs-answer")
        missing = tally.voters_missing(state)
        return Refusal("votes-missing", seats=missing) if missing else None
    if state.phase is Phase.SPEECHES and state.queue:
        everybody = state.rules.voting is Voting.NAMED and not tally.voters_missing(state)
        return None if everybody else Refusal("speeches-not-over")
    return None


def _cast_votes(state: State, move: m.CastVotes) -> Refusal | None:
    if move.count < 0:
        return Refusal("too-few-votes")
    if state.phase is Phase.LIFT:
        return Refusal("too-many-votes") if move.count > len(state.alive) else None
    vote = state.vote
    if vote is None or vote.up is None or state.rules.voting is Voting.NAMED:
        return Refusal("not-now")
    return Refusal("too-many-votes") if move.count > len(state.alive) - vote.told else None


def _raise_hand(state: State, move: m.RaiseHand) -> Refusal | None:
    """With a host, hands are for votes. With none, everybody's button counts, and the dead one's who is asked."""
    if state.host is not Host.NONE and state.phase not in (Phase.NOMINATIONS, Phase.VOTE, Phase.LIFT):
        return Refusal("not-now")
    asked = state.best_move.by if state.phase is Phase.BEST_MOVE and state.best_move else state.speaker
    if state.phase is Phase.VICTIM_VOTE:
        asked = night.last_victim(state)
    if move.up and move.seat not in state.alive and move.seat != asked:
        return Refusal("not-alive", move.seat)
    return Refusal("no-change") if (move.seat in state.hands) == move.up else None


def _vote_for(state: State, move: m.VoteFor) -> Refusal | None:
    if state.rules.voting is not Voting.NAMED:
        return Refusal("not-now")
    for seat in (move.voter, move.candidate):
        if seat is not None and seat not in state.alive:
            return Refusal("not-alive", seat)
    if state.vote is not None and state.vote.number > 1:
        if move.candidate is None:
            return Refusal("no-pass")
        if move.candidate not in state.vote.candidates:
            return Refusal("not-candidate", move.candidate)
    old = next((b for b in state.ballots if b.voter == move.voter), None)
    if old is not None:
        if old.changes >= state.rules.changes:
            return Refusal("vote-final", move.voter)
        if old.candidate == move.candidate:
            return Refusal("no-change", move.voter)
    return None


def _choose(state: State, move: m.Choose) -> Refusal | None:
    seat = move.seat
    if state.phase in (Phase.NIGHT_SHOOTING, Phase.NIGHT_MANIAC) and seat == 0:
        return _night_choice(state, move)
    if state.phase is Phase.BEST_MOVE:
        best = state.best_move
        known = 1 <= seat <= state.seats and best is not None and seat not in best.seats and seat != best.by
        return None if known else Refusal("not-alive", seat)
    if state.phase is Phase.VICTIM_VOTE:
        return None if seat in state.candidates else Refusal("not-candidate", seat)
    if seat not in state.alive:
        return Refusal("not-alive", seat)
    return _night_choice(state, move)


def _night_choice(state: State, move: m.Choose) -> Refusal | None:
    at_night = state.night
    assert at_night is not None
    if state.host is not Host.FULL:
        return Refusal("not-now")
    if state.phase is Phase.NIGHT_MEETING:
        if night.cards_wanted(state) <= 0:
            return Refusal("not-now")
        role = state.role(move.seat) if state.roles else None
        if night.waker(state) == Waker.DON:
            return None if role is Role.MAFIA else Refusal("not-mafia", move.seat)
        return None if role is None and move.seat not in at_night.told else Refusal("has-card", move.seat)
    if not night.owner_alive(state):
        return Refusal("nobody-there")
    if state.phase is Phase.NIGHT_SHOOTING:
        own = state.role(move.seat) in (Role.MAFIA, Role.DON) if move.seat else False
        return Refusal("own-people", move.seat) if own and not state.rules.self_shots else None
    if state.phase is Phase.NIGHT_MANIAC:
        return None
    by = "don" if state.phase is Phase.NIGHT_DON else "sheriff"
    if any(check.by == by for check in at_night.checks):
        return Refusal("already-checked")
    return Refusal("no-cards") if state.role(move.seat) is None else None


def _tell_death(state: State, move: m.TellDeath) -> Refusal | None:
    if state.host is not Host.LIGHT:
        return Refusal("not-now")
    if move.seat == 0:
        return Refusal("not-now") if state.deaths_told or move.more else None
    if move.seat not in state.alive or move.seat in (state.deaths_told or ()):
        return Refusal("not-alive", move.seat)
    return None


def _list_deaths(state: State, move: m.ListDeaths) -> Refusal | None:
    return None if state.host is Host.LIGHT and state.deaths_told is None else Refusal("not-now")


def _done(state: State, move: m.Done) -> Refusal | None:
    if state.phase is Phase.MORNING:
        return None if state.deaths_told else Refusal("needs-answer")
    return None


def _tell_winner(state: State, move: m.TellWinner) -> Refusal | None:
    """Only a moderator who keeps the cards to himself says who has won."""
    return None if state.host is Host.LIGHT else Refusal("not-now")


def _living(state: State, move: Any) -> Refusal | None:
    return None if move.seat in state.alive else Refusal("not-alive", move.seat)


def _unwarn(state: State, move: m.Unwarn) -> Refusal | None:
    if not 1 <= move.seat <= state.seats or not state.warned(move.seat):
        return Refusal("no-warnings", move.seat)
    return _living(state, move)


def _answer(state: State, move: m.Answer) -> Refusal | None:
    return None if state.question is not None else Refusal("no-question")


def _end_speech(state: State, move: m.EndSpeech) -> Refusal | None:
    return None if state.speaker is not None else Refusal("not-now")


_GUARDS: dict[type, Callable[[State, Any], Refusal | None]] = {
    m.Deal: _deal,
    m.SetUp: _set_up,
    m.Next: _next,
    m.Ready: _ready,
    m.TimeUp: _time_up,
    m.Pause: _pause,
    m.Resume: _resume,
    m.AddTime: _add_time,
    m.Adjust: _adjust,
    m.Nominate: _nominate,
    m.OpenVote: _open_vote,
    m.CastVotes: _cast_votes,
    m.RaiseHand: _raise_hand,
    m.VoteFor: _vote_for,
    m.Choose: _choose,
    m.TellDeath: _tell_death,
    m.ListDeaths: _list_deaths,
    m.Done: _done,
    m.TellWinner: _tell_winner,
    m.Warn: _living,
    m.Unwarn: _unwarn,
    m.Leave: _living,
    m.Remove: _living,
    m.Answer: _answer,
    m.EndSpeech: _end_speech,
}
