"""The program as anybody starts it, on a machine without a single device: typed lines, a power cut, a second copy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from narrator.speech.lang.ru import duration, seat_name
from tests.e2e.box import Box, now
from tests.e2e.evening import PACE, shared_cache
from tests.e2e.game import BLACK, SHERIFF, last_state

pytestmark = pytest.mark.slow
CONFIG = f"[screen]\nopen_browser = false\n[voice]\nengine = 'pyttsx3'\nrate = {PACE}\n"
NO_SOUND = {"PULSE_SERVER": "unix:/nonexistent", "ALSA_CONFIG_PATH": "/dev/null", "AUDIODEV": "none"}


def test_a_typed_game_survives_a_power_cut(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    cache = shared_cache(pytestconfig)

    def start() -> Box:
        return Box(tmp_path, cache, CONFIG, env=NO_SOUND, observed=False)

    box = start()
    box.shows("«Добрый вечер", 240)
    box.shows("voice: ")
    box.shows("ears: ")
    for line in ("начинаем игру", *BLACK, "", BLACK[0], "", SHERIFF, ""):
        box.type(line)
    box.shows("Говорит номер один")
    box.type("")  # the announcement is over
    box.shows("(green lamp)")
    green = now()
    box.wait(lambda: now() - green > 4, 10, "four seconds of the speech")
    box.kill()
    left = 60 - (now() - green)

    box = start()
    try:
        box.shows("Продолжать игру?")
        told = [seconds for seconds in range(1, 61) if duration(seconds) in box.console.lower()]
        assert told and min(abs(left - seconds) for seconds in told) <= 1.5, f"{left:.1f} s left, told {told}"
        asked = last_state(box.journal)
        assert asked.paused and asked.question is not None and asked.speaker == 1
        box.type("да")
        box.shows("Время пошло")
        refuse_a_second(start())
        for seat in (1, 2, 6, 7):
            box.type(f"удалить {seat_name(seat)}")
            box.type("да")
        box.shows("Победила мафия")
    finally:
        box.close()
    assert box.process.returncode == 0, box.story()
    assert last_state(box.journal).living == (3, 4, 5, 8, 9, 10)
    assert "Traceback" not in box.console


def refuse_a_second(second: Box) -> None:
    """A second copy on the same journals says so in one sentence and leaves."""
    second.process.wait(30)
    assert second.process.returncode == 2
    second.read_all()
    assert len(second.lines) == 1, second.console
    assert re.fullmatch(r"Another narrator is running \(process \d+\); close it first\.", second.lines[0])
