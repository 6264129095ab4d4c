"""The timer as a function on values: `apply(state, move, at)` gives the next state and what happened.

Knows no clock, device or language; `at` is seconds of the meeting's own time. Invariant: every speech that began is
in `spoken` exactly once when the meeting is over, and a mark happens once, however late it is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from narrator.game import timing
from narrator.game.timing import TINY, Timer
from narrator.messages import Buzz, Countdown, Lamp, Scene
from narrator.timer.plans import Mark, Plan


@dataclass(frozen=True, slots=True)
class Spoken:
    """A speech that is over: whose, seconds used, seconds it was allowed in the end."""

    speaker: int
    used: float
    allowed: float

    @property
    def over(self) -> float:
        """Seconds over time."""
        return max(self.used - self.allowed, 0.0)


@dataclass(frozen=True, slots=True)
class State:
    """A meeting. `speakers`: how many, 0 when nobody knows. `speaker`: who is up, 0 before the first.

    `timer` waits (`waiting`) until the announcement has been spoken. `follow`: at the end of a speech the next
    speaker is called without being asked for.
    """

    plan: Plan
    speakers: int = 0
    follow: bool = False
    speaker: int = 0
    timer: Timer | None = None
    paused: bool = False
    spoken: tuple[Spoken, ...] = ()
    over: bool = False


# --- moves ---


@dataclass(frozen=True, slots=True)
class Next:
    """The speech is over, the next speaker is up."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The announcement has been heard: time runs."""


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The next mark is reached."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Time stands; a second one lets it run again."""


@dataclass(frozen=True, slots=True)
class AddTime:
    """More or less time for this speech."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Restart:
    """This speech from its beginning."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The meeting is over."""


Move = Next | Ready | TimeUp | Pause | AddTime | Restart | Finish

# --- events ---


@dataclass(frozen=True, slots=True)
class SpeakerUp:
    """`speaker` is up; `again`: with a speech that begins anew."""

    speaker: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class Sounded:
    """A mark with its sounds; `ended`: it is the end of the time."""

    buzzes: tuple[Buzz, ...]
    bells: int
    ended: bool


@dataclass(frozen=True, slots=True)
class Paused:
    """Time stands."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Time runs again."""


@dataclass(frozen=True, slots=True)
class TimeChanged:
    """So many seconds more (or less, below zero)."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Finished:
    """Everybody has spoken, or the meeting was ended."""


Event = SpeakerUp | Sounded | Paused | Resumed | TimeChanged | Finished

Outcome = tuple[State, tuple[Event, ...]]


def apply(state: State, move: Move, at: float) -> Outcome | None:
    """The next state and what happened; None when the move makes no sense now, and nothing has changed."""
    timer = state.timer
    match move:
        case Next():
            return None if state.over else _next(state, at)
        case Finish():
            return None if state.over else _finish(state, at)
        case Ready() if timer is not None and timer.waiting and not state.paused:
            return replace(state, timer=timing.started(timer, at)), ()
        case TimeUp() if timer is not None and timer.deadline is not None and timer.deadline <= at + TINY:
            return _mark(state, timer, at)
        case Pause() if timer is not None and not timer.waiting:
            if state.paused:
                return replace(state, paused=False, timer=timing.started(timer, at)), (Resumed(),)
            return replace(state, paused=True, timer=timing.stopped(timer, at)), (Paused(),)
        case AddTime(seconds) if timer is not None:
            return _add(state, timer, seconds, at)
        case Restart() if timer is not None:
            return _call(state, state.speaker, again=True)
    return None


def deadline(state: State) -> float | None:
    """When the next mark comes; None while no time runs."""
    return None if state.timer is None else state.timer.deadline


def scene(state: State, at: float, *, listening: bool = False) -> Scene:
    """What the lamps show; a function of the state alone."""
    timer = state.timer
    if timer is None or timer.waiting:
        return Scene(Lamp.OFF, listening=listening)
    passed = [mark for mark in state.plan.marks if mark.left > timer.mark + TINY]
    lamp, blink = (passed[-1].lamp, passed[-1].blink) if passed else (state.plan.lamp, False)
    return Scene(lamp, blink, standing=state.paused, listening=listening)


def countdown(state: State) -> Countdown | None:
    """The running or standing time for a display; None when nobody speaks."""
    timer = state.timer
    if timer is None or timer.waiting or state.over:
        return None
    return Countdown(timer.total, timer.left, 0.0, timer.since)


# --- inside ---


def _next(state: State, at: float) -> Outcome:
    state = _closed(state, at)
    if state.speakers and state.speaker == state.speakers:
        return replace(state, over=True), (Finished(),)
    return _call(state, state.speaker + 1)


def _finish(state: State, at: float) -> Outcome:
    return replace(_closed(state, at), over=True), (Finished(),)


def _closed(state: State, at: float) -> State:
    """The state with the running speech written down."""
    timer = state.timer
    if timer is None:
        return state
    used = max(timer.total - timer.left_at(at), 0.0)
    spoken = Spoken(state.speaker, used, timer.total)
    return replace(state, timer=None, paused=False, spoken=(*state.spoken, spoken))


def _call(state: State, speaker: int, *, again: bool = False) -> Outcome:
    plan = state.plan
    timer = Timer(timing.Kind.SPEECH, plan.seconds, plan.seconds, _mark_below(plan, plan.seconds))
    return replace(state, speaker=speaker, timer=timer, paused=False), (SpeakerUp(speaker, again),)


def _mark_below(plan: Plan, left: float) -> float:
    """The place of the first mark that lies below `left` seconds: one of the plan's, or a beep of overtime."""
    for mark in plan.marks:
        if mark.left < left - TINY:
            return mark.left
    if not plan.beep:
        return float("-inf")
    return -plan.beep * (int((TINY - left) // plan.beep) + 1)


def _mark(state: State, timer: Timer, at: float) -> Outcome:
    """All marks up to now: a process that slept makes one sound of them, the end of time before all others."""
    plan = state.plan
    marks = {mark.left: mark for mark in plan.marks}
    passed: list[Mark] = []
    while timer.mark >= timer.left_at(at) - TINY:
        passed.append(marks.get(timer.mark, Mark(timer.mark, Lamp.RED, (Buzz.OVERTIME,))))
        timer = replace(timer, mark=_mark_below(plan, timer.mark))
    state = replace(state, timer=timer)
    told = next((mark for mark in passed if mark.left == 0), passed[-1])
    events: tuple[Event, ...] = (Sounded(told.buzzes, told.bells, told.left == 0),)
    if state.follow and timer.left_at(at) <= TINY - plan.limit:
        state, more = _next(state, at)
        events = (*events, *more)
    return state, events


def _add(state: State, timer: Timer, seconds: float, at: float) -> Outcome | None:
    before = timer.left_at(at)
    left = max(before + seconds, 0.0)
    if seconds < 0 and left >= before:
        return None  # time is over already; there is nothing to take
    since = None if timer.since is None else at
    changed = replace(
        timer, total=timer.total + left - before, left=left, since=since, mark=_mark_below(state.plan, left + 2 * TINY)
    )
    return replace(state, timer=changed), (TimeChanged(left - before),)
