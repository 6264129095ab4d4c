"""`narrator hear --live` and the doctor's spoken test, with a virtual microphone and synthetic people."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from narrator.config import load
from narrator.doctor import State
from narrator.doctor.spoken import WORDS, spoken
from narrator.levels import Meter, advice
from narrator.live import Glance, Heard, MomentError, meaning, moment
from narrator.live_screen import draw
from narrator.naming import commands
from tests.e2e.room import Room
from tests.lab import Pulse, need_sound_server

SETTINGS = load(Path("/dev/null"), game={"seats": 10, "names": ["Анна", "Борис"]}, paths={"state": "/nowhere"})


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    need_sound_server()
    with Pulse(sink=True) as pulse:
        opened = Room(pulse, tmp_path_factory.mktemp("room"))
        yield opened
        opened.close()


def listen(room: Room, folder: Path, *options: str, say: tuple[str, ...]) -> list[dict[str, Any]]:
    """Run the command, say everything in turn, again if need be, and read its lines until all has been heard."""
    file = folder / "config.toml"
    file.write_text(
        f"""
[ears]
device = "pulse"
[game]
seats = 10
names = ["Анна", "Борис"]
[paths]
state = "{folder}"
""",
        "utf-8",
    )
    command = [sys.executable, "-m", "narrator.cli", "hear", "--live", "--seconds", "180", "--config", str(file)]
    lines: list[dict[str, Any]] = []
    with subprocess.Popen([*command, *options], env=room.pulse.env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines.append(json.loads(process.stdout.readline()))
        over = threading.Event()

        def speak() -> None:
            for text in say:
                while not over.is_set() and text.lower() not in [one["text"] for one in utterances(lines)]:
                    room.say(text, "ru+f3")
                    over.wait(1.5)

        person = threading.Thread(target=speak)
        person.start()
        for line in process.stdout:
            lines.append(json.loads(line))
            if {text.lower() for text in say} <= {one["text"] for one in utterances(lines)}:
                break
        over.set()
        process.terminate()
        person.join(60)
    return lines


def utterances(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Everything heard that is no other talk."""
    return [one for line in lines for one in line.get("heard", ()) if "[unk]" not in one["text"]]


@pytest.mark.slow
def test_what_is_said_is_shown_with_what_it_means(room: Room, tmp_path: Path) -> None:
    lines = listen(room, tmp_path, "--moment", "speeches", say=("ведущий пауза", "ведущий выставляю Анну"))
    assert lines[0]["moment"] == "speeches" and "16000 Hz" in lines[0]["device"] and lines[0]["never_heard"] == []
    heard = utterances(lines)
    assert {"ведущий пауза": "pause", "ведущий выставляю анну": "nominate 1"}.items() <= {
        one["text"]: one["means"] for one in heard
    }.items()
    assert all(0 < one["confidence"] <= 1 and one["took"] > 0 for one in heard)
    last = lines[-1]
    assert last["peak"] > last["floor"] > 0.0002 and last["clipped"] == 0


@pytest.mark.slow
def test_the_doctor_hears_five_words(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in room.pulse.env.items():
        monkeypatch.setenv(name, value)
    settings = load(Path("/dev/null"), ears={"device": "pulse"}, paths={"cache": str(tmp_path), "state": str(tmp_path)})
    asked: list[str] = []
    people: list[threading.Thread] = []

    def say(word: str) -> None:
        while asked[-1] == word:  # a busy machine loses sound: said again, as a person would
            room.say(word, "ru+f3")
            if word == WORDS[-1]:
                break
            threading.Event().wait(1.5)

    def ask(word: str) -> None:
        asked.append(word)
        people.append(threading.Thread(target=say, args=(word,)))
        people[-1].start()

    (found,) = spoken(settings, ask, patience=20)
    for person in people:
        person.join(30)
    assert asked == list(WORDS)
    assert found.state is State.OK and "dB above the noise" in found.found, found.found


@pytest.mark.slow
def test_a_silent_person_is_no_hang(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in room.pulse.env.items():
        monkeypatch.setenv(name, value)
    settings = load(Path("/dev/null"), ears={"device": "pulse"}, paths={"cache": str(tmp_path), "state": str(tmp_path)})
    (found,) = spoken(settings, lambda word: None, patience=0.5)
    assert found.state is State.WARN and "0 of 5" in found.found and "narrator hear --live" in found.todo


# --- without a microphone ---


@pytest.mark.parametrize(
    ("when", "said", "means"),
    [
        ("now", "начинаем игру", "start"),
        ("now", "выставляю анну", "nominate 1 (refused now: not-now)"),
        ("speeches", "ведущий выставляю анну", "nominate 1"),
        ("speeches", "пауза", "nothing: «ведущий» must come first, or the talk button be held (--talk)"),
        ("speeches", "всё прекрасно", "no command"),
        ("vote", "четыре", "cast-votes 4"),
        ("vote", "повтори", "repeat"),
        ("vote", "московские правила", "set-up moscow (refused now: running)"),
        ("night-shooting", "удалить номер пять", "nothing: at night only дальше, пауза, продолжить, повтори, отмена"),
    ],
)
def test_what_would_be_done_is_told(when: str, said: str, means: str) -> None:
    assert meaning(commands(SETTINGS), said, moment(SETTINGS, when), talk=False) == means


def test_a_moment_that_there_is_not() -> None:
    with pytest.raises(MomentError, match=r"no moment speach.*did you mean speeches.*now, lobby, "):
        moment(SETTINGS, "speach")


def test_the_page_shows_level_words_and_meaning() -> None:
    out = Console(file=io.StringIO(), width=160, force_terminal=True)
    glance = Glance(5.0, 0.05, 0.001, 1.0, 7, 0, "веду", ())
    heard = [Heard("ведущий пауза", 0.97, "pause", 0.31, 0.05, True)]
    out.print(draw("usbmic, 16000 Hz; compact", "classic: речи", glance, heard, ["анну"]))
    page = out.file.getvalue()  # type: ignore[attr-defined]
    for part in (
        "-26 dB",
        "noise floor -60 dB",
        "clipped 7",
        "… веду",
        "ведущий пауза",
        "0.97",
        "0.31 s early",
        "анну",
    ):
        assert part in page
    assert "turned up too far" in page


# --- levels ---


def noise(level: float, seconds: float = 1.0) -> Any:
    return (
        (np.random.default_rng(0).normal(0, level, round(16000 * seconds)) * 32768).clip(-32768, 32767).astype(np.int16)
    )


def test_a_meter_tells_the_room_from_the_voice() -> None:
    meter = Meter()
    for level in (0.001, 0.001, 0.1, 0.1, 0.001):
        for block in np.array_split(noise(level), 40):
            meter.add(block, 16000)
    assert meter.floor == pytest.approx(0.001, rel=0.2)
    assert meter.level() == pytest.approx(0.001, rel=0.2) and meter.peak > 0.3
    assert meter.clipped == 0 and advice(meter.peak, meter.floor) == ""


@pytest.mark.parametrize(
    ("level", "todo"), [(0.0, "switched off"), (0.00005, "switched off"), (0.1, "the room is loud"), (0.6, "turned up")]
)
def test_a_badly_set_microphone_is_told(level: float, todo: str) -> None:
    meter = Meter()
    meter.add(noise(level), 16000)
    assert todo in advice(meter.peak, meter.floor)
    assert (meter.clipped > 0) == (level > 0.5)


def test_nothing_is_silence() -> None:
    meter = Meter()
    meter.add(np.zeros(0, np.int16), 16000)
    assert (meter.level(), meter.floor, meter.peak, meter.clipped) == (0.0, 0.0, 0.0, 0)
