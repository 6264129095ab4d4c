"""Meetings as a host would write them down, driven through the timer's loop with twins and a hand-moved clock.

`>` heard (typed), `!` a button, `*` a seat button, `+` seconds pass, `<` said since the last `<`, `=` what is so.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import replace

import pytest

from narrator.clock import ManualClock
from narrator.messages import Buzz, Control, Earcon, Heard, Held, Pressed, Released, SeatDown, Signal, Wrote
from narrator.ports.ears import TypedEars
from narrator.ports.panel import RecordingPanel
from narrator.ports.voice import SilentVoice
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.timer import core, report
from narrator.timer.app import TimerApp
from narrator.timer.plans import PLANS, Plan, PlanError, countdown, plan_for
from narrator.timer.words import Teller
from tests.timer.quiet import QuietScreen


class Meeting:
    """The loop with twins; `play` runs a script."""

    def __init__(self, plan: Plan, speakers: int = 0, *, follow: bool = False) -> None:
        self.clock, self.inbox = ManualClock(1000.0), queue.SimpleQueue[Signal]()
        self.voice, self.panel = SilentVoice(self.inbox.put), RecordingPanel()
        ports = Ports(self.voice, TypedEars(self.inbox.put), self.panel, QuietScreen())
        state = core.State(plan, speakers, follow)
        self.app = TimerApp(ports, self.clock, state, grammar("ru"), Teller("ru"), self.inbox)
        self.app.start()
        self.heard_until = 0
        self.settle()

    def settle(self) -> None:
        while not self.inbox.empty():
            self.app.step(self.inbox.get())

    def give(self, signal: Signal) -> None:
        self.app.step(signal)
        self.settle()

    def wait(self, seconds: float) -> None:
        """Time passes and the loop wakes when it asked to."""
        end = self.clock.now() + seconds
        while (deadline := self.app.deadline()) is not None and (due := deadline - self.app.at()) >= 0:
            if self.clock.now() + due > end:
                break
            self.clock.advance(due)
            self.app.step(None)
            self.settle()
        self.clock.advance(max(end - self.clock.now(), 0.0))

    def said(self) -> str:
        words = " ".join(self.voice.said[self.heard_until :])
        self.heard_until = len(self.voice.said)
        return words

    def play(self, script: str) -> None:
        for number, line in enumerate(script.strip().splitlines(), 1):
            mark, _, rest = line.strip().partition(" ")
            rest = rest.partition("#")[0].strip()
            self.line(mark, rest, f"line {number}: {line.strip()}")

    def line(self, mark: str, rest: str, where: str) -> None:
        match mark:
            case ">":
                self.give(Wrote(rest))
            case "~":
                self.give(Heard(rest, 0.99, self.app.stage.epoch))
            case "!":
                control, _, how = rest.partition(" ")
                kinds: dict[str, Callable[[Control], Signal]] = {"": Pressed, "hold": Held, "release": Released}
                self.give(kinds[how](Control(control)))
            case "*":
                self.give(SeatDown(int(rest)))
            case "+":
                self.wait(float(rest))
            case "<":
                words = self.said()
                assert rest in words, f"{where}: said was «{words}»"
            case "=":
                self.check(rest, where)
            case _:
                raise AssertionError(f"{where}: unknown mark")

    def check(self, rest: str, where: str) -> None:
        what, _, value = rest.partition(" ")
        state, scene = self.app.state, self.panel.scene
        now = {
            "lamp": scene.lamp + (" standing" if scene.standing else " blinking" if scene.blink else ""),
            "buzzes": "".join("-" if buzz is Buzz.LONG else "." for buzz in self.panel.buzzes) or "none",
            "bells": str(sum({Earcon.BELL: 1, Earcon.BELLS: 2}.get(sound, 0) for sound in self.voice.earcons)),
            "speaker": str(state.speaker),
            "left": f"{state.timer.left_at(self.app.at()):g}" if state.timer else "none",
            "used": " ".join(f"{one.speaker}:{one.used:g}" for one in state.spoken) or "none",
            "over": " ".join(f"{one.speaker}:{one.over:g}" for one in state.spoken) or "none",
            "done": "yes" if self.app.quitting else "no",
        }[what]
        assert now == value, f"{where}: {what} is {now}"


def test_ten_people_speak_a_minute_each() -> None:
    meeting = Meeting(countdown(60), 2)
    meeting.play("""
        < Таймер готов. Речь: одна минута.
        = lamp off
        ! next
        < Говорит номер один.
        = lamp green
        + 49.9
        = lamp green
        = buzzes none
        + 0.2
        = lamp yellow
        = buzzes .
        + 10
        < Время вышло.
        = lamp red blinking
        = buzzes .-
        + 10
        = buzzes .-.
        + 10
        = buzzes .-..
        ! next
        < Говорит номер два.
        = used 1:80.1
        = over 1:20.1
        = lamp green
        + 12
        ! next
        < Речи закончены.
        = used 1:80.1 2:12
        = over 1:20.1 2:0
        = lamp off
        = done yes
    """)


def test_pause_more_time_less_time_and_from_the_beginning() -> None:
    Meeting(countdown(60)).play("""
        > начинаем
        + 20
        ! back hold
        < Время остановлено.
        + 100
        = left 40
        ! back hold
        < Время пошло.
        + 5
        = left 35
        ! plus
        < Добавлено десять секунд.
        = left 45
        ! minus
        ! minus
        = left 25
        ! plus hold
        < Речь начинается заново. Номер один.
        = left 60
        + 65
        = lamp red blinking
        = buzzes .-
        ! plus          # overtime: five seconds are left of the ten
        = left 5
        = lamp yellow
        + 5
        = buzzes .--
        ! minus         # nothing is left to take
        = left 0
    """)


def test_voice_commands_are_addressed_while_somebody_speaks() -> None:
    meeting = Meeting(countdown(60))
    meeting.play("""
        ~ начинаем
        = speaker 1
        + 30
        ~ пауза                      # a word of the speech
        = left 30
        + 1
        = left 29
        ~ ведущий пауза
        + 50
        = left 29
        ~ ведущий продолжить
        ~ ведущий сколько осталось
        < Осталось: двадцать девять секунд.
        ! next hold
        ~ дальше                     # the talk button makes it a command
        = speaker 2
        ! next release
        ~ дальше
        = speaker 2
        ~ ведущий отмена
        < Шаг отменён. Говорит номер один.
        = speaker 1
        = left 29
        ~ ведущий речь заново
        = left 60
    """)
    assert meeting.voice.earcons.count(Earcon.AGAIN) == 0


def test_what_is_not_sure_is_asked_for_again() -> None:
    meeting = Meeting(countdown(60))
    meeting.give(Heard("начинаем", 0.3, meeting.app.stage.epoch))
    assert meeting.voice.earcons == [Earcon.AGAIN]
    meeting.give(Heard("начинаем", 0.9, meeting.app.stage.epoch - 1))
    meeting.play("= speaker 0")


def test_toastmasters_lights_without_a_sound_until_it_no_longer_counts() -> None:
    Meeting(PLANS["toastmasters-5-7"]).play("""
        < Речь: от пяти до семи минут.
        ! next
        = lamp off
        + 299
        = lamp off
        + 1
        = lamp green
        + 60
        = lamp yellow
        + 60
        = lamp red
        = buzzes none
        + 30
        = lamp red blinking
        = buzzes -
        + 60
        = buzzes -
    """)


def test_a_debater_hears_bells_at_one_six_and_seven_minutes() -> None:
    Meeting(PLANS["debate-7"]).play("""
        ! next
        + 59
        = bells 0
        + 1
        = bells 1
        + 300
        = bells 2
        = lamp yellow
        + 60
        = bells 4
        = lamp red
        + 15
        = buzzes ....-
        = lamp red blinking
    """)


def test_speakers_follow_by_themselves() -> None:
    Meeting(countdown(15), 3, follow=True).play("""
        ! next
        + 15
        < Время вышло. Говорит номер два.
        = used 1:15
        + 15
        = speaker 3
        + 5
        * 2             # not his turn
        = speaker 3
        * 3             # his own button
        = used 1:15 2:15 3:5
        = done yes
    """)


def test_toastmasters_follow_when_their_grace_is_over() -> None:
    Meeting(PLANS["toastmasters-1-2"], 2, follow=True).play("""
        ! next
        + 149
        = speaker 1
        + 1
        = speaker 2
        = over 1:30
    """)


def test_a_machine_that_slept_makes_one_sound_of_what_it_missed(caplog: pytest.LogCaptureFixture) -> None:
    meeting = Meeting(countdown(60))
    meeting.give(Pressed(Control.NEXT))
    meeting.clock.advance(95)
    meeting.app.step(None)
    meeting.play("""
        = buzzes -
        = lamp red blinking
        = left -35
        + 5
        = buzzes -.
    """)
    assert "45.0 s late" in caplog.text


def test_the_end_may_come_at_any_time_and_the_running_speech_counts() -> None:
    meeting = Meeting(countdown(60), 5)
    meeting.play("""
        ! next
        + 20
        ! minus hold
        < Речи закончены.
        = used 1:20
        = done yes
    """)
    other = Meeting(countdown(60), 5)
    other.play("! next\n+ 7")
    other.app.close()
    other.play("= used 1:7")


def test_the_announcement_is_not_part_of_the_time() -> None:
    meeting = Meeting(countdown(60))
    answers: list[Signal] = []
    meeting.voice._put = answers.append
    meeting.give(Pressed(Control.NEXT))
    meeting.play("+ 3\n= left 60\n= lamp off")
    for answer in answers:
        meeting.give(answer)
    meeting.play("= lamp green\n+ 1\n= left 59")


def test_everything_said_is_known_before() -> None:
    for plan in (*PLANS.values(), countdown(90)):
        meeting = Meeting(plan, 3)
        known = set(Teller("ru").everything(plan, 3))
        meeting.play("! next\n+ 2\n! plus\n! minus\n! back hold\n! back hold\n! plus hold\n+ 5\n> сколько осталось")
        meeting.play("> повтори\n+ 1000\n> повтори\n! next\n+ 1\n! back\n! minus hold")
        assert [text for text in meeting.voice.said if text not in known] == []


# --- plans and reports ---


def test_times_are_understood() -> None:
    assert plan_for("60").seconds == 60
    assert plan_for("1:30").seconds == 90
    assert plan_for("90", warn=15).marks[0].left == 15
    assert plan_for("5").marks == (countdown(5).marks[-1],)
    assert plan_for("debate-7") is PLANS["debate-7"]
    for wrong in ("sixty", "1:75", "-5", "", "0", "99999"):
        with pytest.raises(PlanError, match=r"mafia-60|cannot be timed"):
            plan_for(wrong)


def test_the_report_as_table_and_csv() -> None:
    spoken = (core.Spoken(1, 61.26, 60.0), core.Spoken(2, 12.0, 70.0))
    assert report.as_csv(spoken, ["Анна"], "ru") == (
        "номер,имя,время,дано,сверх\n1,Анна,61.3,60.0,1.3\n2,,12.0,70.0,0.0\n"
    )
    assert report.as_table(spoken, ["Анна"], "ru").splitlines() == [
        "номер  имя   время  дано  сверх",
        "1      Анна   1:01  1:00   0:01",
        "2             0:12  1:10",
        "всего         1:13  2:10   0:01",
    ]
    assert "имя" not in report.as_table(spoken, [], "ru")
    assert report.as_table((), [], "ru") == "Речей не было."


def test_a_move_that_makes_no_sense_changes_nothing() -> None:
    fresh = core.State(countdown(60), 2)
    running = core.apply(fresh, core.Next(), 0.0)
    assert running is not None
    over = replace(fresh, over=True)
    for state, move in (
        (fresh, core.Pause()),
        (fresh, core.AddTime(10)),
        (fresh, core.Ready()),
        (fresh, core.TimeUp()),
        (fresh, core.Restart()),
        (running[0], core.Pause()),
        (running[0], core.TimeUp()),
        (over, core.Next()),
        (over, core.Finish()),
    ):
        assert core.apply(state, move, 1.0) is None
