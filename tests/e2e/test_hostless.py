"""A whole game with no host on simulated pins and real sound: six seat buttons, three lamps, no microphone.

Seats: 1 Sheriff, 2 Don, 3 mafia. By day 6 is voted out of the game, at night 5 is shot: two black sit with two red.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from narrator.game.roles import Role
from narrator.game.state import Check, Count, Phase
from tests.e2e.box import Box, Event
from tests.e2e.evening import PACE, phrases_of, shared_cache
from tests.e2e.game import last_state
from tests.e2e.room import Room
from tests.lab import Pulse, need_sound_server, read_sound

pytestmark = pytest.mark.slow
SHERIFF, DON, MAFIA, SHOT, OUT, LAST = 1, 2, 3, 5, 6, 6
WORDS = ("один", "два", "три", "четыре", "пять", "шесть")
SEATS = [4, 24, 25, 12, 16, 26]
CONFIG = f"""
[game]
host = "none"
seats = {LAST}
[screen]
enabled = false
[panel]
pins = "simulated"
seats = {SEATS}
[voice]
engine = "pyttsx3"
rate = {PACE}
device = "pulse"
[ears]
enabled = false
[rules]
seats = {LAST}
seats_min = {LAST}
mafia = 2
speech = 20
last_word_voted = 15
meeting_time = 5
look_time = 4
call_step = 0.6
"""
LATE = 0.4
"""Seconds by which a lamp may be late on a busy machine."""


class Table:
    """Six players who listen to the narrator and press; each waits for his cue."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._heard = 0  # phrases that earlier cues have used

    def cue(self, text: str, seconds: float = 60) -> Event:
        """Wait until the narrator begins to say something with `text` in it, after the last cue."""

        def found() -> list[tuple[int, Event]]:
            said = list(enumerate(self.box.told("say"), 1))
            return [(place, event) for place, event in said[self._heard :] if text.lower() in event["text"].lower()]

        event: Event
        self._heard, event = self.box.wait(found, seconds, f"«{text}»")[0]
        return event

    def press(self, *seats: int) -> None:
        """Down and up again."""
        for seat in seats:
            self.box.press(f"seat-{seat}")

    def hold(self, *seats: int) -> None:
        """Hands go up and stay."""
        for seat in seats:
            self.box.hold(f"seat-{seat}", True)

    def let_go(self, *seats: int) -> None:
        """Hands come down."""
        for seat in seats:
            self.box.hold(f"seat-{seat}", False)

    def number(self, number: int) -> Event:
        """Wait until a number is called."""
        return self.cue(f"номер {WORDS[number - 1]}.")

    def first_night(self) -> None:
        """Each called role presses its own button; the mafia first with one finger too many."""
        self.cue("Просыпается мафия")
        self.press(DON, MAFIA, SHOT)
        self.cue("Нажмите ещё раз")
        self.press(MAFIA, DON)
        self.cue("Просыпается Дон")
        self.press(DON)
        self.cue("Просыпается Шериф")
        self.press(SHERIFF)

    def day(self) -> None:
        """All speak; 4 and 6 are named at the called numbers; two hold their hands for 4, one lets go in time."""
        self.cue("Утро")
        for seat in range(1, LAST + 1):
            self.cue(f"Говорит номер {WORDS[seat - 1]}")
            self.press(seat)
        self.cue("Кого выставляете")
        self.number(4)
        self.press(OUT)
        self.number(OUT)
        self.press(SHERIFF)
        self.cue("Голосуем за номер четыре")
        self.hold(5, OUT, MAFIA)
        self.cue("Два")
        self.let_go(MAFIA)
        self.cue("Остальные голоса получает номер шесть")
        self.let_go(5, OUT)
        self.cue("Последнее слово")
        self.press(OUT)

    def night(self) -> None:
        """The mafia shoots, the Don and the Sheriff ask; others press as they like."""
        self.cue("Мафия выходит на охоту")
        self.number(2)
        self.press(4, OUT)
        self.number(SHOT)
        self.press(DON, MAFIA)
        self.cue("Дон ищет Шерифа")
        self.number(SHERIFF)
        self.press(DON)
        self.number(4)
        self.press(4)
        self.cue("Шериф ищет мафию")
        self.number(MAFIA)
        self.press(SHERIFF)
        self.cue("Победила мафия", 90)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[tuple[Box, Room, Path]]:
    """Play it once; the tests look at what is left."""
    need_sound_server()
    home, cache = tmp_path_factory.mktemp("hostless"), shared_cache(pytestconfig)
    with Pulse() as pulse:
        room = Room(pulse, home)
        box = Box(home, cache, CONFIG, env=pulse.env)
        try:
            box.shows("Добрый вечер", 240)  # the very first time everything is rendered
            box.press("next")
            table = Table(box)
            table.first_night()
            table.day()
            table.night()
            last = box.told("say")[-1]["utterance"]
            box.wait(lambda: box.told("signal", kind="SpeechDone", utterance=last), 60, "the end of the last phrase")
        finally:
            box.close()
            room.close()
        yield box, room, cache


def test_the_game_came_to_its_end(evening: tuple[Box, Room, Path]) -> None:
    box, _, _ = evening
    state = last_state(box.journal)
    assert state.phase is Phase.GAME_OVER and state.outcome is not None and state.outcome.winner == "mafia"
    assert state.roles == (Role.SHERIFF, Role.DON, Role.MAFIA, *(Role.CIVILIAN,) * 3)
    assert state.living == (SHERIFF, DON, MAFIA, 4)
    assert state.last_counts == (Count(4, 2), Count(OUT, 4))
    assert state.check == Check("sheriff", MAFIA, "black")
    assert not any(state.warnings)


def test_nobody_reads_a_secret(evening: tuple[Box, Room, Path]) -> None:
    box, _, _ = evening
    assert "moderator" not in box.console
    before_the_end = box.console[: box.console.index("Победила")]
    assert "Шериф: " not in before_the_end and "Карты: " not in before_the_end


def test_the_lamp_answers_at_once_and_goes_out_with_the_next_number(evening: tuple[Box, Room, Path]) -> None:
    box, _, _ = evening
    for opening, number, lamp in (("Дон ищет", SHERIFF, "green"), ("Шериф ищет", MAFIA, "red")):
        begin = next(e["at"] for e in box.told("say") if opening in e["text"])
        called = [e["at"] for e in box.told("say") if e["at"] > begin and e["text"].lower().startswith("номер")][:LAST]
        seat = DON if lamp == "green" else SHERIFF
        pressed = next(e["at"] for e in box.told("signal", kind="SeatDown", seat=seat) if e["at"] > called[number - 1])
        lit = [(e["at"], e["value"]) for e in box.told("pin", name=lamp) if e["at"] > begin]
        on = next(at for at, value in lit if value == 1)
        off = next(at for at, value in lit if at > on and value < 1)
        assert 0 <= on - pressed < LATE
        assert abs(off - called[number + 1]) < LATE


def test_calls_sound_alike_whoever_presses(evening: tuple[Box, Room, Path]) -> None:
    """Three calls of the night: the same numbers at the same distances, as they were heard in the room."""
    box, room, cache = evening
    phrases = phrases_of(box, cache)
    distances = []
    for opening in ("Мафия выходит", "Дон ищет", "Шериф ищет"):
        begin = next(e["at"] for e in box.told("say") if opening in e["text"])
        said = [e for e in box.told("say") if e["at"] > begin and e["text"].lower().startswith("номер")][:LAST]
        assert [e["text"].lower() for e in said] == [f"номер {word}." for word in WORDS]
        heard = []
        for event in said:
            path = phrases.get(event["text"])
            assert path is not None
            (done,) = box.told("signal", kind="SpeechDone", utterance=event["utterance"])
            found = room.ear.find_between(read_sound(path), done["at"] - 3, done["at"] + 0.5)
            assert found.share > 0.6, f"«{event['text']}» was heard to {found.share:.0%}"
            heard.append(found.begin)
        distances.append([later - sooner for sooner, later in pairwise(heard)])
    for one, *others in zip(*distances, strict=True):
        assert others == [pytest.approx(one, abs=LATE)] * 2


def test_the_buzzer_and_the_lamps_are_still_at_night(evening: tuple[Box, Room, Path]) -> None:
    box, _, _ = evening
    begin = next(e["at"] for e in box.told("say") if "Мафия выходит" in e["text"])
    end = next(e["at"] for e in box.told("say") if "Дон ищет" in e["text"])
    assert not [e for name in ("yellow", "red", "buzzer") for e in box.told("pin", name=name) if begin < e["at"] < end]
    assert max((e["value"] for e in box.told("pin", name="green") if begin < e["at"] < end), default=0) < 0.5
    assert not any(box.lit().values()), "something stayed lit"
