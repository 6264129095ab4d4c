"""Events of the timer to words and sounds, and what is heard or pressed to its moves. Pure, like `speech`.

While somebody speaks only what follows the address, or is said with the talk button held, counts; before the first
speaker everything does. Invariant: a text that is not a whole command never becomes a move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from narrator.messages import Buzz, Control, Earcon, Held, Pressed, SeatDown, Signal
from narrator.speech.grammar import Grammar, reading
from narrator.speech.intents import Listening, both
from narrator.speech.script import Line, Script, script_for
from narrator.timer import core as c
from narrator.timer.plans import PLANS, Plan

STEP = 10.0
"""Seconds that one command adds or takes."""
_ROUGH = 10
"""Above a minute what is left is said in steps of so many seconds; nobody needs it closer."""

Cue = Line | Buzz | Earcon
_BELLS = {1: Earcon.BELL, 2: Earcon.BELLS, 3: Earcon.BELLS}


class Request(StrEnum):
    """What is asked of the box and changes no time."""

    REPEAT = "repeat"
    TIME_LEFT = "time-left"
    HUSH = "hush"
    UNDO = "undo"


Meaning = c.Move | Request

_MEANINGS: dict[str, Meaning] = {
    "next": c.Next(),
    "start": c.Next(),
    "end-speech": c.Next(),
    "pause": c.Pause(),
    "resume": c.Pause(),
    "restart": c.Restart(),
    "more-time": c.AddTime(STEP),
    "less-time": c.AddTime(-STEP),
    **{request.value: request for request in Request},
}
_PRESSES: dict[Signal, Meaning] = {
    Pressed(Control.NEXT): c.Next(),
    Pressed(Control.BACK): Request.UNDO,
    Held(Control.BACK): c.Pause(),
    Pressed(Control.PLUS): c.AddTime(STEP),
    Pressed(Control.MINUS): c.AddTime(-STEP),
    Held(Control.PLUS): c.Restart(),
    Held(Control.MINUS): c.Finish(),
    Pressed(Control.MENU): Request.TIME_LEFT,
}


# --- in ----------------------------------------------------------------------------------------------------------


def understand(grammar: Grammar, text: str, state: c.State, *, talk: bool) -> Meaning | None:
    """What a heard or typed text means now; None for talk and for what makes no sense now."""
    bare, addressed = grammar.address(grammar.normal(text))
    if state.speaker and not (addressed or talk):
        return None
    for said in grammar.read(bare):
        if said.intent in _MEANINGS and said.intent != ("pause" if state.paused else "resume"):
            return _MEANINGS[said.intent]
    return None


def pressed(signal: Signal, state: c.State) -> Meaning | None:
    """What a button means; a speaker's own seat button ends his speech."""
    if isinstance(signal, SeatDown):
        return c.Next() if signal.seat == state.speaker else None
    return _PRESSES.get(signal)


def listening(grammar: Grammar, state: c.State, *, talk: bool) -> Listening:
    """What the recogniser may hear now."""
    if state.over:
        return (), ()
    live = [reading(intent) for intent in _MEANINGS]
    return both(grammar, live, bare=talk or not state.speaker, addressed=True)


# --- out ---------------------------------------------------------------------------------------------------------


class Teller:
    """The timer's words in one language."""

    def __init__(self, language: str) -> None:
        self._say: Script = script_for(language, "timer")

    def opening(self, plan: Plan) -> tuple[Line, ...]:
        """The greeting."""
        return self._say("timer-open", plan=self._plan_name(plan))

    def tell(self, events: Sequence[c.Event], state: c.State) -> tuple[Cue, ...]:
        """What is said and sounded about `events`, in order."""
        return tuple(cue for event in events for cue in self._tell(event, state))

    def _tell(self, event: c.Event, state: c.State) -> Iterator[Cue]:
        say = self._say
        match event:
            case c.SpeakerUp(speaker, again):
                yield from say("timer-restart" if again else "timer-speaker", seat=speaker, pause=0.2)
            case c.Sounded(buzzes, bells, ended):
                yield from buzzes
                if bells:
                    yield _BELLS[bells]
                if ended and state.plan.aloud:
                    yield from say("time-over")
            case c.Paused():
                yield from say("paused")
            case c.Resumed():
                yield from say("resumed")
            case c.TimeChanged(seconds):
                if abs(seconds) == STEP:  # less was left than was to be taken: the lamps say the rest
                    yield from say("more-time" if seconds > 0 else "less-time", seconds=STEP)
            case c.Finished():
                yield from say("timer-over")

    def undone(self, state: c.State, at: float) -> tuple[Line, ...]:
        """A step was taken back, and where we are now."""
        return (*self._say("undone"), *self.now(state, at))

    def now(self, state: c.State, at: float) -> tuple[Line, ...]:
        """Who speaks and how long yet."""
        if state.timer is None:
            return self.opening(state.plan)
        left = state.timer.left_at(at)
        key = "now-speech" if left > 0 else "now-overtime"
        return self._say(key, seat=state.speaker, seconds=_rough(max(left, 0.0)))

    def time_left(self, state: c.State, at: float) -> tuple[Line, ...]:
        """How long yet."""
        if state.timer is None:
            return self._say("no-timer")
        left = state.timer.left_at(at)
        return self._say("time-left", seconds=_rough(left)) if left > 0 else self._say("time-over")

    def everything(self, plan: Plan, speakers: int) -> tuple[str, ...]:
        """Every segment that can be said in a meeting, each once, so that all of it is rendered before."""
        fixed = [self._say(key) for key in ("paused", "resumed", "undone", "time-over", "no-timer", "timer-over")]
        fixed += [self._say(key, seconds=STEP) for key in ("more-time", "less-time")]
        seats = [
            self._say(key, seat=seat, seconds=1.0)
            for seat in range(1, speakers + 1)
            for key in ("timer-speaker", "timer-restart", "now-speech", "now-overtime")
        ]
        left = {_rough(float(second)) for second in range(int(plan.seconds) + 31)}
        times = [self._say("time-left", seconds=seconds) for seconds in sorted(left)]
        return _texts([self.opening(plan), *fixed, *seats, *times])

    def _plan_name(self, plan: Plan) -> str:
        words = self._say.words
        names: dict[str, str] = words.AT_TIMER.PLANS
        key = plan.key if plan.key in names and plan.key in PLANS else "countdown"
        return names[key].format(time=words.duration(plan.seconds))


def _texts(phrases: Iterable[Sequence[Line]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.text for phrase in phrases for line in phrase))


def _rough(seconds: float) -> float:
    whole = round(seconds)
    return float(whole if whole <= 60 else round(whole / _ROUGH) * _ROUGH)
