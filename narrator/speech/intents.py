"""From what was heard or pressed to a move: attention, meaning, and the grammar of the moment.

Knows states and moves, no device. Invariant: a text that is not a whole command, or comes without the address while
players talk, never becomes a move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from narrator.game import moves as m
from narrator.game.guards import TABLE, allowed, death_told
from narrator.game.legal import legal
from narrator.game.moves import Move
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase, State
from narrator.game.timing import Kind
from narrator.messages import Control, Form, Held, Named, Pressed, Released, SeatDown, SeatUp, Signal, Typed
from narrator.speech.grammar import Grammar, Reading, reading


class Request(StrEnum):
    """What is asked of the narrator and not of the game."""

    REPEAT = "repeat"
    HUSH = "hush"
    TIME_LEFT = "time-left"
    STATUS = "status"
    RULES = "rules"
    PIN = "pin"


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing is done: not a command ("not-understood"), not addressed to the box ("not-addressed"), not at night
    ("night"), or more than one meaning ("two-readings")."""

    reason: str
    commands: tuple[str, ...] = ()
    """Of two readings: how to say each so that it cannot be mistaken."""


class Attention(StrEnum):
    """How much must be said for a command to count."""

    OPEN = "open"  # quiet moments: taken as said
    ADDRESSED = "addressed"  # players talk: after «ведущий», or with the talk button held
    NIGHT = "night"  # only what carries the night on


Meaning = Move | Request
NIGHT_INTENTS = frozenset({"next", "pause", "resume", "repeat", "undo", "hush"})

UNHURRIED = frozenset(
    {
        *("undo", "yes", "no"),  # cannot be taken back, or are the answer that makes a step final
        *("remove", "leave", "new-game", "town-won", "mafia-won", "maniac-won", "nobody-won"),  # are asked back
        "killed",  # nothing hurries it, and «убили пятого, значит…» sounds like it
        "end-speech",  # the one command that players say without the address: «спасибо» may go on
    }
)
"""What is never done before it is clear that no more is said."""
_LOSES_LITTLE = (Request, m.Order, m.Pause, m.Resume, m.Leave, m.Remove, m.TellWinner)
_HARMLESS = 4 / 3
"""How much doubt is allowed where hardly anything is lost, as a share of that for any step."""


def night_intents(state: State) -> frozenset[str]:
    """What can be said at night: what carries it on, and the answer to a question that waits for one."""
    asked = state.question is not None and state.question.firm
    return NIGHT_INTENTS | {"yes", "no"} if asked else NIGHT_INTENTS


def attention(state: State) -> Attention:
    """How the moment listens."""
    if state.phase.is_night:
        return Attention.NIGHT
    if state.question is not None and state.question.firm:
        return Attention.OPEN
    return Attention.ADDRESSED if state.phase.has_speaker else Attention.OPEN


# --- meaning -----------------------------------------------------------------------------------------------------


def _seat(kind: Callable[[int], Move]) -> Callable[[Reading], Meaning]:
    return lambda said: kind(said.get("seat") or 0)


_MEANINGS: dict[str, Callable[[Reading], Meaning]] = {
    "next": lambda said: m.Next(),
    "pause": lambda said: m.Pause(),
    "resume": lambda said: m.Resume(),
    "floor": lambda said: m.Next(),
    "undo": lambda said: m.Undo(),
    "yes": lambda said: m.Answer(True),
    "no": lambda said: m.Answer(False),
    "more-time": lambda said: m.AddTime(10),
    "less-time": lambda said: m.AddTime(-10),
    "end-speech": lambda said: m.EndSpeech(),
    "new-game": lambda said: m.NewGame(),
    "start": lambda said: m.Start(),
    "seats": lambda said: m.SetUp(seats=said.get("table")),
    "nominate": lambda said: m.Nominate(said.get("seat") or 0, said.get("by")),
    "ritual": lambda said: m.Nominate(said.get("seat") or 0),
    "open-vote": lambda said: m.OpenVote(),
    "count": lambda said: m.CastVotes(said.get("count") or 0),
    "vote-for": lambda said: m.VoteFor(said.get("by") or 0, said.get("seat")),
    "lift": lambda said: m.Lift(True),
    "spare": lambda said: m.Lift(False),
    "choose": _seat(m.Choose),
    "best-move": _seat(m.Choose),
    "done": lambda said: m.Done(),
    "warn": _seat(m.Warn),
    "unwarn": _seat(m.Unwarn),
    "leave": _seat(m.Leave),
    "remove": _seat(m.Remove),
    "killed": _seat(m.TellDeath),
    "killed-list": lambda said: m.ListDeaths(),
    "killed-none": lambda said: m.TellDeath(0),
    "town-won": lambda said: m.TellWinner("town"),
    "mafia-won": lambda said: m.TellWinner("mafia"),
    "maniac-won": lambda said: m.TellWinner("maniac"),
    "nobody-won": lambda said: m.TellWinner("draw"),
    "order": lambda said: m.Order(),
    **{f"rules-{key}": lambda said, key=key: m.SetUp(rules=RULESETS[key]) for key in RULESETS},  # type: ignore[misc]
    **{request.value: lambda said, request=request: request for request in Request},  # type: ignore[misc]
}


def understand(grammar: Grammar, text: str, state: State, *, talk: bool) -> Meaning | Unclear:
    """What a heard text means now. `talk`: the talk button was held, or the moderator typed it.

    A text with several meanings counts as the one that is legal now; two legal meanings are unclear.
    """
    grammar = grammar.named(state.names)
    bare, addressed = grammar.address(grammar.normal(text))
    readings = [said for said in grammar.read(bare) if said.intent in _MEANINGS]
    if not readings:
        return Unclear("not-understood")
    mode = attention(state)
    if mode is Attention.NIGHT:
        readings = [said for said in readings if said.intent in night_intents(state)]
        if not readings:
            return Unclear("night")
    thanks = state.rules.thanks_ends_speech
    if not thanks:
        readings = [said for said in readings if said.intent != "end-speech"] or readings
    # «Анна, минута» is «дальше» said with care: only to whom it would bring to speak
    readings = [said for said in readings if said.intent != "floor" or said.get("seat") == next_speaker(state)]
    meanings = list(dict.fromkeys(_meaning(said, state) for said in readings))
    if mode is Attention.ADDRESSED and not (addressed or talk):
        ritual = state.host is Host.NONE and any(said.intent == "ritual" for said in readings)
        unasked = (m.EndSpeech,) * thanks + (m.Nominate,) * ritual
        meanings = [meaning for meaning in meanings if isinstance(meaning, unasked)]
        if not meanings:
            return Unclear("not-addressed")
    if not meanings or (not thanks and all(isinstance(meaning, m.EndSpeech) for meaning in meanings)):
        return Unclear("not-now")
    legal_now = [x for x in meanings if isinstance(x, (Request, m.Undo)) or allowed(state, x) is None]
    if len(legal_now) > 1:
        plain = {_meaning(said, state): grammar.plain(said) for said in readings}
        return Unclear("two-readings", tuple(plain[meaning] for meaning in legal_now if plain[meaning]))
    fitting = [x for x in meanings if type(x) in TABLE[state.phase]]  # its refusal says more than «not now»
    return (legal_now or fitting or meanings)[0]


def _meaning(said: Reading, state: State) -> Meaning:
    """What a reading means; a bare seat, or one more dead, goes on with the list that is being told."""
    if state.deaths_told is not None and said.intent in ("choose", "killed"):
        return m.TellDeath(said.get("seat") or 0, more=True)
    return _MEANINGS[said.intent](said)


def surety(meaning: Meaning, least: float) -> float:
    """How sure 0…1 a meaning must be to be acted on, where `least` is enough for a step of the game.

    A third more doubt is allowed where hardly anything is lost: a pause, what makes the narrator speak or be silent,
    what is asked back with the number in any case.
    """
    return 1 - (1 - least) * (_HARMLESS if isinstance(meaning, _LOSES_LITTLE) else 1)


def next_speaker(state: State) -> int | None:
    """Whom «дальше» brings to speak now, None if nobody."""
    return state.queue[0] if state.phase.has_speaker and state.queue else None


def pressed(signal: Signal, state: State) -> Meaning | None:
    """What a button, a seat button or the number pad means now; None if nothing.

    Next answers a firm question with yes, Back with no; Plus and Minus are seconds while a speech runs, seats before
    the game, otherwise the shown number; held, a warning for the shown or the speaking seat. The menu is not here.
    """
    match signal:
        case Pressed(Control.NEXT):
            firm = state.question is not None and state.question.firm
            return m.Answer(True) if firm else m.Next()
        case Pressed(Control.BACK):
            return m.Answer(False) if state.question is not None else m.Undo()
        case Pressed(Control.PLUS):
            return _step(state, 1)
        case Pressed(Control.MINUS):
            return _step(state, -1)
        case Held(Control.BACK):
            return m.Resume() if state.paused else m.Pause()
        case Held(Control.PLUS):
            return _for_shown(state, m.Warn)
        case Held(Control.MINUS):
            return _for_shown(state, m.Unwarn)
        case Typed(number):
            return typed(number, state)
        case Named(names):
            return m.SetUp(names=dict(enumerate(names, 1)))
        case SeatDown(seat):
            return m.RaiseHand(seat, True)
        case SeatUp(seat):
            return m.RaiseHand(seat, False)
    return None


def is_talk(signal: Signal) -> bool | None:
    """True when the talk button goes down, False when it comes up, None for anything else."""
    if signal == Held(Control.NEXT):
        return True
    return False if signal == Released(Control.NEXT) else None


def _step(state: State, by: int) -> Move:
    timer = state.timer
    if timer is not None and timer.kind is Kind.SPEECH and not state.paused:
        return m.AddTime(10 * by)
    return m.SetUp(seats=state.seats + by) if state.phase is Phase.LOBBY else m.Adjust(by)


def concerned(state: State) -> int | None:
    """The seat that a button without a number is about: the shown one, else who speaks."""
    counting = state.phase in (Phase.VOTE, Phase.LIFT)
    return state.entry if state.entry is not None and not counting else state.speaker


def _for_shown(state: State, kind: Callable[[int], Move]) -> Move | None:
    seat = concerned(state)
    return kind(seat) if seat else None


def typed(number: int, state: State) -> Meaning:
    """A silently entered number: what the moment asks for. In a named vote 305 is three for five, 300 three's pass."""
    if state.phase is Phase.LOBBY:
        return m.SetUp(seats=number)
    if number >= 100 and m.VoteFor in TABLE[state.phase]:
        voter, candidate = divmod(number, 100)
        return m.VoteFor(voter, candidate or None)
    if state.phase in (Phase.VOTE, Phase.LIFT):
        return m.CastVotes(number)
    if state.phase in (Phase.SPEECHES, Phase.NOMINATIONS):
        return m.Nominate(number)
    if state.phase is Phase.MORNING:
        return death_told(state, number)
    return m.Choose(number)


# --- the grammar of the moment -----------------------------------------------------------------------------------


Listening = tuple[tuple[str, ...], tuple[Form, ...]]
"""Phrases for the recogniser, and all forms of what may be said; see `Grammar.phrases` and `Grammar.forms`."""


def listening(grammar: Grammar, state: State, *, talk: bool, can_undo: bool) -> Listening:
    """What the recogniser may hear now."""
    grammar = grammar.named(state.names)
    live = list(live_readings(state, can_undo))
    if not state.rules.thanks_ends_speech:
        live = [said for said in live if said.intent != "end-speech"]
    if attention(state) is not Attention.ADDRESSED or talk:
        return both(grammar, live, bare=True, addressed=True)
    unasked = [said for said in live if said.intent in ("end-speech", "ritual")]
    called = [said for said in live if said.intent != "ritual"]
    (phrases, forms), (more, and_more) = (
        both(grammar, unasked, bare=True, addressed=False),
        both(grammar, called, bare=False, addressed=True),
    )
    return phrases + more, forms + and_more


def both(grammar: Grammar, live: Iterable[Reading], *, bare: bool, addressed: bool) -> Listening:
    """What the recogniser may hear when `live` may be said, `bare` or after «ведущий»."""
    said = tuple(live)
    phrases = grammar.phrases(said, bare=bare, addressed=addressed, joined=True)
    return phrases, grammar.forms(said, UNHURRIED, bare=bare, addressed=addressed)


def listen_for(grammar: Grammar, state: State, *, talk: bool, can_undo: bool) -> tuple[str, ...]:
    """The phrases of `listening`."""
    return listening(grammar, state, talk=talk, can_undo=can_undo)[0]


def live_readings(state: State, can_undo: bool) -> Iterator[Reading]:
    """What may be said now, whatever must stand before it; at night only what carries it on."""
    by_day = not state.phase.is_night
    return (said for said in _said_now(state, can_undo) if by_day or said.intent in night_intents(state))


def _said_now(state: State, can_undo: bool) -> Iterator[Reading]:
    for request in (Request.REPEAT, Request.STATUS, Request.RULES, Request.HUSH, Request.PIN):
        yield reading(request)
    if state.timer is not None and state.timer.kind is Kind.SPEECH:
        yield reading(Request.TIME_LEFT)
    if can_undo:
        yield reading("undo")
    if state.phase is Phase.LOBBY:
        yield from (reading("seats", table=n) for n in range(state.rules.seats_min, state.rules.seats_max + 1))
        yield from (reading(f"rules-{key}") for key in RULESETS)
    for move in legal(state):
        yield from _said_as(move, state)


def _said_as(move: Move, state: State) -> Iterator[Reading]:
    match move:
        case m.Next():
            yield reading("next")
            if next_speaker(state) is not None:
                yield reading("floor", seat=next_speaker(state))
        case m.Pause():
            yield reading("pause")
        case m.Resume():
            yield reading("resume")
        case m.Start():
            yield reading("start")
        case m.NewGame():
            yield reading("new-game")
        case m.Order():
            yield reading("order")
        case m.OpenVote():
            yield reading("open-vote")
        case m.EndSpeech():
            yield reading("end-speech")
        case m.Done():
            yield reading("done")
        case m.Answer(yes):
            yield reading("yes" if yes else "no")
        case m.AddTime(seconds):
            yield reading("more-time" if seconds > 0 else "less-time")
        case m.Lift(leave):
            yield reading("lift" if leave else "spare")
        case m.CastVotes(count):
            yield reading("count", count=count)
            if count == 0:
                yield reading("count")
        case m.Nominate(seat, by):
            yield reading("nominate", seat=seat, by=by)
            if by is None and state.host is Host.NONE and state.phase is Phase.SPEECHES:
                yield reading("ritual", seat=seat)
        case m.VoteFor(voter, candidate):
            yield reading("vote-for", by=voter, seat=candidate)
        case m.Choose(seat) if seat:
            yield reading("best-move" if state.phase is Phase.BEST_MOVE else "choose", seat=seat)
            yield reading("choose", seat=seat)
        case m.TellDeath(seat):
            yield reading("killed", seat=seat) if seat else reading("killed-none")
            if seat and state.deaths_told is not None:
                yield reading("choose", seat=seat)
        case m.ListDeaths():
            yield reading("killed-list")
        case m.TellWinner(winner):
            yield reading("nobody-won" if winner == "draw" else f"{winner}-won")
        case m.Warn(seat):
            yield reading("warn", seat=seat)
        case m.Unwarn(seat):
            yield reading("unwarn", seat=seat)
        case m.Leave(seat):
            yield reading("leave", seat=seat)
        case m.Remove(seat):
            yield reading("remove", seat=seat)
