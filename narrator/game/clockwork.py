"""Moves about time: the narrator is ready, a mark is reached, pause, resume, more or less time.

Knows no clock; the turn's `at` is all the time there is.
"""

from __future__ import annotations

from narrator.game import flow, hostless, order, timing
from narrator.game import moves as m
from narrator.game.events import MarkPassed, OrderCalled, Paused, Resumed, TimeChanged
from narrator.game.guards import HOLD
from narrator.game.roles import Host
from narrator.game.state import Ask, Phase
from narrator.game.turn import Turn


def ready(turn: Turn, move: m.Ready) -> None:
    """The narrator is silent: the waiting timer starts."""
    timer = turn.state.timer
    assert timer is not None
    turn.set(timer=timing.started(timer, turn.at))


def time_up(turn: Turn, move: m.TimeUp) -> None:
    """The next mark of the running timer is reached."""
    state = turn.state
    timer = state.timer
    if state.held_since is not None and turn.at >= state.held_since + HOLD - timing.TINY:
        turn.set(held_since=None)
        resume(turn, m.Resume()) if state.paused else pause(turn, m.Pause())
    elif timer is None or timer.since is None:
        return
    elif timer.kind is timing.Kind.COUNT:
        if state.phase is Phase.LIFT:
            hostless.count_lift(turn)
        else:
            flow.count_word(turn)
    elif timer.kind is timing.Kind.CALL:
        hostless.call_on(turn)
    elif timer.kind is timing.Kind.SPEECH:
        _speech_mark(turn, timer)
    else:
        turn.set(timer=None)
        if state.host is Host.NONE and state.phase is Phase.NIGHT_MEETING:
            hostless.meeting_over(turn)
        else:
            flow.end_night_step(turn)


def _speech_mark(turn: Turn, timer: timing.Timer) -> None:
    """Ten seconds left, zero, overtime beeps; overtime is an offence that the box proposes to warn for [A].

    A process that slept may be late for several marks: they are one sound, the end of time before all others.
    """
    state = turn.state
    alone = state.host is Host.NONE
    limit = state.rules.overtime_limit if alone else state.rules.overtime_warning
    passed = []
    while timer.mark >= timer.left_at(turn.at) - timing.TINY:
        passed.append(timer.mark)
        timer = timing.after_mark(timer, limit)
    turn.set(timer=timer)
    beeps = [mark for mark in passed if mark >= 0 or mark % timing.OVERTIME_STEP == 0]
    if beeps:
        turn.emit(MarkPassed(0.0 if 0.0 in beeps else beeps[-1]))
    speaker = state.speaker
    if alone and -limit in passed:
        hostless.overtime(turn)
        return
    late = -limit in passed and state.question is None
    if late and speaker is not None and speaker in state.alive:
        order.ask(turn, Ask.WARN, speaker, m.Warn(speaker))


def stand(turn: Turn) -> None:
    """All timers stand."""
    timer = turn.state.timer
    if timer is not None:
        turn.set(timer=timing.stopped(timer, turn.at))
    turn.set(paused=True)


def pause(turn: Turn, move: m.Pause) -> None:
    """Timers stand until resume."""
    stand(turn)
    turn.emit(Paused())


def resume(turn: Turn, move: m.Resume | m.Answer) -> None:
    """Timers run again from where they stood."""
    question = turn.state.question
    if question is not None and question.ask is Ask.GO_ON:
        turn.set(question=None)
    timer = turn.state.timer
    if timer is not None:
        turn.set(timer=timing.started(timer, turn.at))
    turn.set(paused=False, entry=None)
    turn.emit(Resumed())


def call_to_order(turn: Turn, move: m.Order) -> None:
    """«Прошу тишины»: the timer stands until it is quiet (resume) or «дальше»."""
    if not turn.state.paused:
        stand(turn)
    turn.emit(OrderCalled())


def add_time(turn: Turn, move: m.AddTime) -> None:
    """The speaker gets more or less time."""
    timer = turn.state.timer
    assert timer is not None
    turn.set(timer=timing.more(timer, move.seconds, turn.state.rules.warn_at, turn.at))
    turn.emit(TimeChanged(move.seconds))
