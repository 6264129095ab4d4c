"""The whole program in a running game when its devices and files go: the game goes on, somebody is told, and what comes
back is used again.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from narrator.game import moves as m
from tests.e2e.box import Box, descendants
from tests.e2e.evening import CONFIG, need_everything, shared_cache
from tests.e2e.room import Listener
from tests.e2e.test_console import NO_SOUND
from tests.lab import Pulse, wait_for

pytestmark = pytest.mark.slow


def say_until(box: Box, pulse: Pulse, text: str, move: type[m.Move], folder: Path) -> None:
    """Speak into the microphone, again if need be, until the box makes that move."""
    sound, before = folder / "said.wav", len(box.moves())
    subprocess.run(["espeak-ng", "-v", "ru+m3", "-s", "165", "-w", str(sound), text], check=True)
    for _ in range(8):
        pulse.play_into_mic(sound)
        try:
            wait_for(lambda: any(isinstance(made, move) for made in box.moves()[before:]), 4, text)
        except AssertionError:
            continue
        return
    pytest.fail(f"«{text}» was never obeyed\n{box.story()}")


def heard_in_the_room(box: Box, pulse: Pulse) -> None:
    """What the box says is sound again."""
    ear = Listener(pulse.env, "spk.monitor")
    try:
        box.type("повтори")
        box.wait(lambda: ear.loud_at, 20, "sound from the loudspeaker")
    finally:
        ear.stop()


def test_a_game_goes_on_without_sound_and_with_it_again(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    need_everything()
    with Pulse() as pulse:
        box = Box(tmp_path, shared_cache(pytestconfig), CONFIG, env=pulse.env, observed=False)
        try:
            box.shows("Добрый вечер", 240)
            box.type("начинаем игру")
            pulse.stop()  # both plugs are pulled
            box.shows("voice: ")
            box.shows("ears: ")
            for line in ("2", "5", "9", "", "5", "", "7", ""):
                box.type(line)
            box.shows("Говорит номер один")
            made = box.moves()
            pulse.start()
            box.shows("voice: works")
            box.shows("ears: works")
            heard_in_the_room(box, pulse)
            box.type("")  # the announcement is over
            box.shows("(green lamp)")
            say_until(box, pulse, "ведущий, пауза", m.Pause, tmp_path)
        finally:
            box.close()
    assert box.process.returncode == 0 and "Traceback" not in box.console
    assert box.moves()[: len(made)] == made


def test_the_cache_goes_and_every_child_dies_while_it_plays(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    need_everything()
    cache = tmp_path / "cache"
    shutil.copytree(shared_cache(pytestconfig), cache)
    with Pulse() as pulse:
        box = Box(tmp_path, cache, CONFIG, env=pulse.env, observed=False)
        try:
            box.shows("Добрый вечер", 240)
            shutil.rmtree(cache)  # phrases and the recogniser's model
            children = descendants(box.process.pid)
            assert len(children) >= 2
            for pid in children:
                os.kill(pid, signal.SIGKILL)
            say_until(box, pulse, "начинаем игру", m.Start, tmp_path)
            heard_in_the_room(box, pulse)
        finally:
            box.close()
    assert box.process.returncode == 0 and "Traceback" not in box.console


def test_settings_spoilt_in_a_game_change_nothing_until_the_next_start_which_tells_them(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    cache = shared_cache(pytestconfig)
    config = CONFIG + "seats = [1, 1]\n"

    box = Box(tmp_path, cache, CONFIG, env=NO_SOUND, observed=False, words=("--box",))
    box.shows("Добрый вечер", 240)
    box.type("начинаем игру")
    box.wait(lambda: any(isinstance(made, m.Start) for made in box.moves()), 20, "the game")
    made = box.moves()
    box.settings.write_text(config)
    box.type("2")
    box.wait(lambda: len(box.moves()) > len(made), 20, "a move after the file was spoilt")
    made = box.moves()
    box.kill()

    box = Box(tmp_path, cache, config, env=NO_SOUND, observed=False, words=("--box",))
    try:
        box.shows("Продолжать игру?", 60)
        box.shows("settings: ")
        box.shows("had before")
        box.type("да")
        box.wait(lambda: len(box.moves()) > len(made), 20, "the answer")
        assert box.moves()[: len(made)] == made
    finally:
        box.close()
    assert box.process.returncode == 0
