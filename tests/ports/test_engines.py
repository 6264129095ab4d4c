"""Real espeak-ng in its child process, and engines that crash, hang or are not there."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from narrator.config import load
from narrator.ports.child import Link
from narrator.ports.engines import (
    EngineError,
    EngineMissing,
    Pyttsx3Engine,
    check_text,
    engine_for,
    serve_pyttsx3,
    wav_complete,
)
from tests.lab import wait_for

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="no espeak-ng; apt install espeak-ng")
LINES = [f"Игрок {name}, ваша речь." for name in ("первый", "второй", "третий", "четвёртый", "пятый", "шестой")]


def seconds(path: Path) -> float:
    with wave.open(str(path)) as file:
        return float(file.getnframes() / file.getframerate())


@needs_espeak
def test_every_file_holds_its_own_text_whole(tmp_path: Path) -> None:
    engine = Pyttsx3Engine("ru", 150)
    try:
        growing = ["Стоп. " * n for n in (1, 2, 4, 8, 6, 3, 1)]
        for i, line in enumerate(growing):
            engine.render(line, tmp_path / f"{i}.wav")
            assert wav_complete(tmp_path / f"{i}.wav")
        pid = engine.pid
        lengths = [seconds(tmp_path / f"{i}.wav") for i in range(len(growing))]
        assert lengths[0] < lengths[1] < lengths[5] < lengths[2] < lengths[4] < lengths[3]
        assert lengths[6] == pytest.approx(lengths[0], rel=0.02)
        long = "Город засыпает, просыпается мафия и выбирает свою жертву. " * 5
        engine.render(long, tmp_path / "long.wav")
        assert seconds(tmp_path / "long.wav") > 12
        assert engine.pid == pid, "one process did it all"
    finally:
        engine.close()
    assert engine.pid is None


@needs_espeak
def test_rate_is_obeyed_and_part_of_the_key(tmp_path: Path) -> None:
    slow, fast = Pyttsx3Engine("ru", 100), Pyttsx3Engine("ru", 250)
    assert slow.key != fast.key
    assert slow.key != Pyttsx3Engine("ru+f3", 100).key
    assert "espeak-ng 1." in slow.key
    assert engine_for(load(voice={"voice": "ru", "rate": 100}).voice).key == slow.key
    try:
        slow.render(LINES[0], tmp_path / "slow.wav")
        fast.render(LINES[0], tmp_path / "fast.wav")
    finally:
        slow.close()
        fast.close()
    assert seconds(tmp_path / "slow.wav") > 1.5 * seconds(tmp_path / "fast.wav")


@needs_espeak
@pytest.mark.parametrize("voice", ["Russian", "zle/ru", "ru+f3"])
def test_a_voice_may_be_named_in_full(voice: str, tmp_path: Path) -> None:
    engine = Pyttsx3Engine(voice, 150)
    try:
        engine.render("Мафия просыпается.", tmp_path / "x.wav")
    finally:
        engine.close()
    assert seconds(tmp_path / "x.wav") > 0.5


@needs_espeak
def test_a_voice_that_is_not_there_is_a_fault_and_not_english(tmp_path: Path) -> None:
    engine = Pyttsx3Engine("russkij", 150)
    with pytest.raises(EngineMissing, match=r"no voice «russkij».*--voices"):
        engine.render("Мафия просыпается.", tmp_path / "x.wav")
    assert engine.pid is None
    assert not (tmp_path / "x.wav").exists()


def test_without_espeak_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says = "This means you probably do not have eSpeak or eSpeak-ng installed!"
    (tmp_path / "pyttsx3.py").write_text(f"def init(name):\n    raise RuntimeError({says!r})\n")
    monkeypatch.syspath_prepend(tmp_path)
    engine = Pyttsx3Engine("ru", 150)
    with pytest.raises(EngineMissing, match="sudo apt install espeak-ng"):
        engine.render("Мафия просыпается.", tmp_path / "x.wav")


@pytest.mark.parametrize("text", ["Игрок 3", "через 10 секунд", "Игрок №٣", "", "…", "а" * 301])
def test_what_may_not_be_spoken_never_reaches_the_synthesiser(text: str, tmp_path: Path) -> None:
    engine = Pyttsx3Engine("ru", 150)
    with pytest.raises(ValueError, match=r"words|nothing to say|split"):
        engine.render(text, tmp_path / "x.wav")
    assert engine.pid is None, "not even a process was started"


def test_words_may_be_spoken() -> None:
    check_text("Игрок номер двадцать один, ваша речь. " * 7)


# --- engines that fail: `voice` carries the file that counts their lives -----------------------------------------


def lives(voice: str) -> int:
    path = Path(voice)
    count = 1 + (int(path.read_text()) if path.exists() else 0)
    path.write_text(str(count))
    return count


def crash_once(link: Link, voice: str, rate: int) -> None:
    if lives(voice) == 1:
        link.beat()
        link.receive(5)
        os.kill(os.getpid(), signal.SIGSEGV)
    serve_pyttsx3(link, "ru", rate)


def hang_once(link: Link, voice: str, rate: int) -> None:
    if lives(voice) == 1:
        link.beat()
        threading.Event().wait(60)
    serve_pyttsx3(link, "ru", rate)


def crash_always(link: Link, voice: str, rate: int) -> None:
    lives(voice)
    link.beat()
    link.receive(5)
    os.kill(os.getpid(), signal.SIGSEGV)


@needs_espeak
@pytest.mark.parametrize("worker", [crash_once, hang_once])
def test_a_crash_or_a_hang_is_tried_again(worker: Callable[..., None], tmp_path: Path) -> None:
    engine = Pyttsx3Engine(str(tmp_path / "lives"), 150, patience=2.0, worker=worker)
    try:
        engine.render(LINES[0], tmp_path / "x.wav")
    finally:
        engine.close()
    assert wav_complete(tmp_path / "x.wav")
    assert (tmp_path / "lives").read_text() == "2"


def test_a_text_that_always_crashes_is_given_up_with_a_sentence(tmp_path: Path) -> None:
    engine = Pyttsx3Engine(str(tmp_path / "lives"), 150, tries=2, worker=crash_always)
    try:
        with pytest.raises(EngineError, match=r"could not say «Игрок первый.*process ended \(-11\)"):
            engine.render(LINES[0], tmp_path / "x.wav")
    finally:
        engine.close()
    assert int((tmp_path / "lives").read_text()) >= 2


@needs_espeak
@pytest.mark.slow
def test_killed_at_any_moment_it_still_renders_every_text(tmp_path: Path) -> None:
    engine = Pyttsx3Engine("ru", 150, tries=8)
    done = threading.Event()
    kills = 0

    def kill() -> None:
        nonlocal kills
        while not done.wait(0.05 + 0.13 * (kills % 3)) and kills < 5:
            pid = wait_for(lambda: engine.pid or done.is_set(), 10, "a process to kill")
            if not done.is_set():
                os.kill(pid, signal.SIGKILL)
                kills += 1
                time.sleep(0.3)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        count = 0
        while kills < 5 or count < 20:
            engine.render(LINES[count % len(LINES)], tmp_path / "x.wav")
            assert wav_complete(tmp_path / "x.wav")
            count += 1
    finally:
        done.set()
        killer.join(10)
        engine.close()
    assert kills == 5


def test_closing_ends_a_text_that_hangs(tmp_path: Path) -> None:
    engine = Pyttsx3Engine(str(tmp_path / "lives"), 150, worker=hang_once)
    faults: list[Exception] = []

    def render() -> None:
        try:
            engine.render(LINES[0], tmp_path / "x.wav")
        except EngineError as error:
            faults.append(error)

    thread = threading.Thread(target=render)
    thread.start()
    wait_for(lambda: (tmp_path / "lives").exists(), 10, "the child's start")
    engine.close()
    thread.join(10)
    assert "was closed" in str(faults[0])


def test_a_half_written_file_is_not_complete(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(bytes(2000))
    whole = path.read_bytes()
    assert wav_complete(path)
    for size in (0, 10, 44, 45, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert not wav_complete(path), size
    assert not wav_complete(tmp_path / "absent.wav")
