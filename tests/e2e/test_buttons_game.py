"""The same game with no microphone: four buttons of the box and a number pad bring it to the same end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.box import Box, Event, now
from tests.e2e.evening import CONFIG, phrases_of, shared_cache
from tests.e2e.game import BY_HAND, GAME, WINNER, Step, check_end, last_state
from tests.e2e.moderator import Moderator
from tests.e2e.room import Room
from tests.lab import Pulse, need_sound_server, read_sound

pytestmark = pytest.mark.slow
NO_EARS = '[ears]\ndevice = "headset that nobody has"'
LOST = "Я не слышу микрофон"


def test_a_game_by_hand_alone(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    need_sound_server()
    with Pulse() as pulse:
        room = Room(pulse, tmp_path)
        config = CONFIG.replace('[ears]\ndevice = "pulse"', NO_EARS)
        box = Box(tmp_path, shared_cache(pytestconfig), config, env=pulse.env)
        try:
            moderator = Moderator(box, room)
            box.shows("«Добрый вечер", 240)
            box.shows("ears: No microphone", 30)
            box.wait(lambda: lost(box), 10, f"«{LOST}»")
            moderator.silence(lost(box)[0]["at"])
            for step in GAME:
                moderator.cue(step.after)
                by_hand(box, step)
            moderator.cue(WINNER)
            moderator.silence()
        finally:
            box.close()
            room.close()
    assert tuple(box.moves()) == BY_HAND
    check_end(last_state(box.journal))
    assert sum(line.startswith("* ears: ") for line in box.lines) == 1, box.story()
    (said,) = lost(box)
    (done,) = box.told("signal", kind="SpeechDone", utterance=said["utterance"])
    phrase = phrases_of(box, shared_cache(pytestconfig)).get(said["text"])
    assert phrase is not None
    assert room.ear.find_between(read_sound(phrase), said["at"], done["at"] + 0.5).share > 0.6
    assert not any(box.lit().values()), "something stayed lit"


def lost(box: Box) -> list[Event]:
    """Every time the narrator said that he has no microphone."""
    return [e for e in box.told("say") if LOST in e["text"]]


def by_hand(box: Box, step: Step) -> None:
    """One step by buttons and number pad. The first press of Next may only end an announcement: press again."""
    for touch, move in zip(step.hand.split(), step.made_by_hand, strict=True):
        before = len(box.moves())
        if not touched(box, touch, before):
            touched(box, touch, before)
        made = box.moves()[before:]
        assert made == [move], f"meant {move} by «{touch}», but {made} was made\n{box.story()}"


def touched(box: Box, touch: str, before: int) -> bool:
    """One touch and what it leads to: a move (True), or an announcement that is cut off."""
    pressed = len(presses(box))
    speaking = {e["utterance"] for e in box.told("say")} - ended(box)
    if touch.isdigit():
        box.type(touch)
    else:
        control, _, held = touch.partition("-")
        box.press(control, 0.8 if held else 0.1)
        box.wait(lambda: len(presses(box)) > pressed, 10, f"the signal of «{touch}»")
    if speaking:
        box.wait(lambda: moved(box, before) or speaking <= ended(box), 60, f"an answer to «{touch}»")
    until = now() + (0.5 if speaking else 5)
    box.wait(lambda: moved(box, before) or now() > until, 10, f"a move by «{touch}»")
    return moved(box, before)


def presses(box: Box) -> list[Event]:
    """What the contacts have told so far."""
    return box.told("signal", kind="Pressed") + box.told("signal", kind="Held")


def ended(box: Box) -> set[int]:
    """Utterances that are over."""
    return {e["utterance"] for e in box.told("signal", kind="SpeechDone")}


def moved(box: Box, before: int) -> bool:
    """Whether there are more moves than `before`."""
    return len(box.moves()) > before
