"""What the pages add to the loop: the code read aloud, choices made, and what is shown when a game ends."""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path

import pytest

from narrator.app import App
from narrator.clock import ManualClock
from narrator.game import moves as m
from narrator.game.lobby import first_state
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.journal import Beat, Journal
from narrator.looks import Looks
from narrator.messages import Asked, Heard, HostView, PageOpened, Scene, Signal, Story, View, Wrote
from narrator.ports import Screen
from narrator.ports.ears import TypedEars
from narrator.ports.panel import RecordingPanel
from narrator.ports.screens import Screens
from narrator.ports.voice import SilentVoice
from narrator.speech.director import Director
from narrator.speech.grammar import grammar
from narrator.speech.intents import Request, understand
from narrator.speech.repertoire import repertoire
from narrator.stage import Ports
from narrator.table import Table
from tests.web.pages import STORY


class Seen:
    """A screen that keeps what it was shown."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.hosts: list[HostView] = []
        self.stories: list[Story | None] = []
        self.lines: list[tuple[str, ...]] = []

    def said(self, text: str) -> None:
        self.lines.append(("said", text))

    def private(self, text: str) -> None:
        self.lines.append(("private", text))

    def notice(self, text: str) -> None:
        self.lines.append(("notice", text))

    def show(self, scene: Scene) -> None:
        self.lines.append(("lamp", scene.lamp))

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        self.lines.append(("heard", text, str(confidence), trouble))

    def device(self, port: str, why: str) -> None:
        self.lines.append(("device", port, why))

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        self.views.append(view)
        self.hosts.append(host)

    def story(self, story: Story | None) -> None:
        self.stories.append(story)


class Evening:
    """The loop with twins for devices and `seen` as its screen."""

    def __init__(self, folder: Path, pin: str) -> None:
        self.seen = Seen()
        self.inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.voice = SilentVoice(self.inbox.put)
        ports = Ports(self.voice, TypedEars(self.inbox.put), RecordingPanel(), self.seen)
        journal = Journal.create(folder / "current.journal", "ru")
        table = Table(ManualClock(), journal, Beat(folder / "beat"), on_trouble=self.seen.notice)
        look = Looks(self.seen, "ru", lambda: STORY).refresh
        self.app = App(ports, table, grammar("ru"), Director("ru"), self.inbox, pin=pin, look=look)
        self.app.start(())
        self.settle()

    def give(self, signal: Signal) -> None:
        self.inbox.put(signal)
        self.settle()

    def settle(self) -> None:
        while not self.inbox.empty():
            self.app.step(self.inbox.get())

    def ask(self, action: str) -> None:
        self.give(Asked(action, self.seen.hosts[-1].moment))


@pytest.fixture
def evening(tmp_path: Path) -> Callable[[str], Evening]:
    return lambda pin: Evening(tmp_path, pin)


@pytest.mark.parametrize("words", ["код доступа", "пин код"])
def test_the_code_is_asked_for_in_words(words: str) -> None:
    assert understand(grammar("ru"), words, first_state(), talk=False) is Request.PIN


def test_the_code_is_read_digit_by_digit(evening: Callable[[str], Evening]) -> None:
    played = evening("407195")
    played.give(Wrote("ведущий, код доступа"))
    assert [text.lower().rstrip(".") for text in played.voice.said[-6:]] == [
        "четыре",
        "ноль",
        "семь",
        "один",
        "девять",
        "пять",
    ]


def test_without_pages_there_is_no_code(evening: Callable[[str], Evening]) -> None:
    played = evening("")
    played.give(Wrote("код доступа"))
    assert played.voice.said[-1] == "Экран выключен в настройках."


def test_all_digits_are_rendered_beforehand() -> None:
    ready = set(repertoire("ru", RULESETS["classic"], 10))
    lines = Director("ru").pin("0123456789", first_state())
    assert {line.text for line in lines} <= ready


def test_everybody_hears_when_the_moderators_page_is_opened(evening: Callable[[str], Evening]) -> None:
    played = evening("1")
    played.give(PageOpened())
    assert played.voice.said[-1] == "Открыт пульт ведущего."


def test_a_choice_is_played_once(evening: Callable[[str], Evening]) -> None:
    played = evening("1")
    moment = played.seen.hosts[-1].moment
    played.give(Asked("next", moment))
    assert played.app.state.phase is Phase.NIGHT_MEETING
    played.give(Asked("next", moment))
    assert played.app.refused == "not-now"


def test_what_was_heard_is_shown_with_why_nothing_was_done(evening: Callable[[str], Evening]) -> None:
    played = evening("1")
    epoch = played.app.stage.epoch
    played.give(Heard("начинаем игру", 0.31, epoch))
    assert ("heard", "начинаем игру", "0.31", "low-confidence") in played.seen.lines
    played.give(Heard("шесть семь", 0.9, played.app.stage.epoch))
    assert ("heard", "шесть семь", "0.9", "not-understood") in played.seen.lines


def test_the_story_comes_with_the_end_and_goes_when_it_is_taken_back(evening: Callable[[str], Evening]) -> None:
    played = evening("1")
    played.app.play(m.SetUp(10, RULESETS["classic"], Host.LIGHT))
    played.app.play(m.Place("speeches", 3, False, ()))
    played.app.play(m.TellWinner("town"))
    played.app.step(None)
    assert played.seen.stories == []
    played.app.play(m.Answer(True))
    played.app.step(None)
    assert played.app.state.phase is Phase.GAME_OVER
    assert played.seen.stories == [STORY]
    played.app.play(m.Undo())
    played.app.step(None)
    assert played.seen.stories == [STORY, None]


def test_nothing_is_shown_again_while_nothing_changes(evening: Callable[[str], Evening]) -> None:
    played = evening("1")
    count = len(played.seen.views)
    for _ in range(5):
        played.app.step(None)
    assert len(played.seen.views) == count


def test_several_screens_are_shown_the_same() -> None:
    first, second = Seen(), Seen()
    both: Screen = Screens(first, second)
    both.said("Раз!")
    both.private("Карты")
    both.notice("journal")
    both.show(Scene())
    both.heard("да", 1.0, "")
    both.device("ears", "gone")
    both.story(None)
    assert first.lines == second.lines
    assert len(first.lines) == 6
    assert first.stories == second.stories == [None]
