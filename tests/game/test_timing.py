"""Time as data: marks happen once, late ones are one sound, what stands keeps its seconds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrator.game import moves as m
from narrator.game import timing
from narrator.game.events import Asked, Event, MarkPassed, SpeechEnded
from narrator.game.reducer import Played, play
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Ask, Game, Phase
from tests.table import made, placed, refused

FIVE_LIVING = (1, 4, 5, 6, 7)


def speaking(key: str = "classic", host: Host = Host.FULL) -> Game:
    """Seat 1's speech, running since 0."""
    return made(placed(RULESETS[key], Phase.SPEECHES, host, alive=FIVE_LIVING), m.Ready())


def run(game: Game, until: float, late: float = 0.0) -> Iterator[tuple[float, Event]]:
    """What the clock brings until `until`, with every wake-up `late` by so many seconds."""
    for _ in range(200):
        timer = game.state.timer
        assert timer is not None and timer.deadline is not None
        at = timer.deadline + late
        if at > until:
            return
        result = play(game, m.TimeUp(), at)
        assert isinstance(result, Played)
        yield from ((at, event) for event in result.events)
        game = result.game
    raise AssertionError("the clock never comes to an end")


def left(game: Game, at: float) -> float:
    timer = game.state.timer
    assert timer is not None
    return timer.left_at(at)


def test_a_speech_waits_for_the_narrator_to_fall_silent() -> None:
    game = placed(RULESETS["classic"], Phase.SPEECHES, alive=FIVE_LIVING)
    timer = game.state.timer
    assert timer is not None and timer.waiting and timer.deadline is None
    assert left(game, 500) == 60
    game = made(game, m.Ready(), at=500)
    assert left(game, 510) == 50
    assert refused(game, m.Ready(), 510).reason == "no-timer"


def test_ten_seconds_zero_overtime_and_then_a_beep_every_ten_seconds() -> None:
    told = [(at, e.left if isinstance(e, MarkPassed) else e) for at, e in run(speaking(), 85)]
    assert told == [(50, 10), (60, 0), (65, Asked(Ask.WARN, 1)), (70, -10), (80, -20)]


@pytest.mark.parametrize("late", [0.001, 0.4, 3.0])
def test_a_late_wake_up_brings_every_mark_once(late: float) -> None:
    marks = [event.left for _, event in run(speaking(), 95, late) if isinstance(event, MarkPassed)]
    assert marks == [10, 0, -10, -20, -30][: len(marks)] and len(marks) >= 4


def test_a_process_that_slept_long_hears_one_sound_and_it_is_the_end() -> None:
    result = play(speaking(), m.TimeUp(), 83.0)
    assert isinstance(result, Played)
    assert result.events == (MarkPassed(0.0), Asked(Ask.WARN, 1))
    timer = result.game.state.timer
    assert timer is not None and timer.deadline == 90.0


def test_pause_keeps_the_seconds_and_resume_goes_on_with_them() -> None:
    game = made(speaking(), m.Pause(), at=23)
    assert left(game, 1000) == 37 and game.state.paused
    game = made(game, m.Resume(), at=2000)
    assert left(game, 2007) == 30 and not game.state.paused
    assert [(at, e.left) for at, e in run(game, 2037) if isinstance(e, MarkPassed)] == [(2027, 10), (2037, 0)]


def test_pausing_does_not_bring_a_mark_again() -> None:
    game = made(speaking(), m.TimeUp(), at=50)
    game = made(game, m.Pause(), at=52)
    game = made(game, m.Resume(), at=80)
    assert [(at, e.left) for at, e in run(game, 88) if isinstance(e, MarkPassed)] == [(88, 0)]


def test_a_pause_before_the_narrator_is_silent_holds_the_whole_speech() -> None:
    game = made(placed(RULESETS["classic"], Phase.SPEECHES, alive=FIVE_LIVING), m.Pause(), at=1)
    assert refused(game, m.Ready(), 2).reason == "no-timer"
    assert left(made(game, m.Resume(), at=9), 10) == 59


def test_order_stands_until_it_is_quiet() -> None:
    game = made(speaking(), m.Order(), at=20)
    assert game.state.paused and left(game, 99) == 40
    assert left(made(game, m.Resume(), at=100), 101) == 39


def test_more_time_moves_the_marks_and_less_never_goes_below_zero() -> None:
    game = made(made(speaking(), m.TimeUp(), at=50), m.AddTime(10), at=52)
    assert left(game, 52) == 18
    assert [(at, e.left) for at, e in run(game, 70) if isinstance(e, MarkPassed)] == [(60, 10), (70, 0)]
    game = made(speaking(), m.AddTime(-10), at=55)
    assert left(game, 55) == 0
    assert [(at, e.left) for at, e in run(game, 56) if isinstance(e, MarkPassed)] == [(55, 0)]


def test_the_end_of_a_speech_tells_what_was_used_and_what_was_too_much() -> None:
    game = speaking()
    for at in (50, 60, 65):
        game = made(game, m.TimeUp(), at=at)
    game = made(game, m.Answer(False), at=66)
    result = play(game, m.Next(), 67)
    assert isinstance(result, Played)
    assert SpeechEnded(Phase.SPEECHES, 1, 67, 7) in result.events


def test_the_warning_for_overtime_is_only_proposed() -> None:
    game = speaking()
    for at in (50, 60, 65):
        game = made(game, m.TimeUp(), at=at)
    assert game.state.question is not None and not game.state.question.firm
    assert made(game, m.Answer(True), at=66).state.warned(1) == 1
    assert made(game, m.Answer(False), at=66).state.warned(1) == 0
    passed_over = made(game, m.Next(), at=66).state
    assert passed_over.question is None and passed_over.warned(1) == 0


def test_with_no_host_the_warning_is_given_after_its_own_limit() -> None:
    game = speaking(host=Host.NONE)
    for at in (50, 60):
        game = made(game, m.TimeUp(), at=at)
    assert game.state.timer is not None and game.state.timer.deadline == 70
    assert made(game, m.TimeUp(), at=70).state.warned(1) == 1


@given(
    total=st.floats(1, 200),
    warn_at=st.floats(0, 30),
    limit=st.floats(0.5, 25),
    looks=st.lists(st.floats(0.01, 40), max_size=12),
)
def test_marks_only_go_down_and_lie_ahead(total: float, warn_at: float, limit: float, looks: list[float]) -> None:
    timer = timing.started(timing.speech(total, warn_at), 0.0)
    at = 0.0
    seen = [total + 1]
    for look in looks:
        at += look
        while timer.mark >= timer.left_at(at) - timing.TINY:
            seen.append(timer.mark)
            timer = timing.after_mark(timer, limit)
        timer = timing.started(timing.stopped(timer, at), at)
        assert timer.deadline is not None and timer.deadline >= at - timing.TINY
        assert timer.left_at(at) == pytest.approx(total - at, abs=1e-6)
    assert all(earlier > later for earlier, later in pairwise(seen))
