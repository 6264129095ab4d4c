"""Checks of what the box speaks, hears and is touched with, through the same ports that a game uses.

Makes noise and light. Invariant: every port that a check opens is closed by it, and each wait has an end.
"""

from __future__ import annotations

import contextlib
import math
import queue
import time
from collections.abc import Callable, Iterator

from narrator.config import Settings, pins_of
from narrator.doctor import Finding, Group, State
from narrator.journal import JournalError, Lock
from narrator.levels import CLIPPED, QUIET, advice, decibels
from narrator.messages import Buzz, Earcon, Lamp, PortFailed, Pressed, Say, Scene, SeatDown, Signal, SpeechDone
from narrator.naming import commands
from narrator.naming import vocabulary as known_words
from narrator.ports.buttons import Key
from narrator.ports.ears import MicrophoneEars
from narrator.ports.gate import Gate
from narrator.ports.models import RecogniserError, check_model, find_model
from narrator.ports.panel import GpioPanel
from narrator.ports.voice import SpeakerVoice

PHRASE = "Проверка звука."
PATIENCE = 25.0
"""Seconds for a device to come: a child process, a model, a render."""
LISTENING = 4
"""Seconds of room noise that are listened to."""
LIT = 0.7


def hosting(settings: Settings) -> str:
    """Why the devices cannot be looked at now, or an empty string: a box that hosts holds them itself."""
    try:
        Lock(settings.paths.state_dir).close()
    except JournalError as error:
        return str(error)
    return ""


def wait_for_signal(signals: queue.SimpleQueue[Signal], seconds: float, *kinds: type) -> Signal | None:
    """The first signal of one of `kinds` (none given: any), None when there is none in time."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        with contextlib.suppress(queue.Empty):
            found = signals.get(timeout=left)
            if not kinds or isinstance(found, kinds):
                return found
    return None


def speaker(settings: Settings) -> Iterator[Finding]:
    """A tone and a phrase."""
    if not settings.voice.enabled:
        yield Finding(Group.SPEAKER, "speaker", State.SKIPPED, "switched off in the settings, [voice]")
        return
    signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    voice = SpeakerVoice(settings.voice, settings.paths.cache_dir, signals.put, Gate(), paced=False)
    try:
        voice.say([Say(1, PHRASE)])
        end = wait_for_signal(signals, PATIENCE, PortFailed, SpeechDone)
        if isinstance(end, SpeechDone):
            voice.earcon(Earcon.HEARD)
            time.sleep(0.5)
            yield Finding(
                Group.SPEAKER,
                "speaker",
                State.OK,
                f"{voice.device}: played «{PHRASE}» and a short sound; did you hear them?",
                "if not: plug, volume (alsamixer), [voice] device",
            )
        elif not isinstance(end, PortFailed):
            yield Finding(
                Group.SPEAKER, "speaker", State.BAD, f"did nothing for {PATIENCE:.0f} s", "replug it, try again"
            )
        else:
            yield Finding(
                Group.SPEAKER, end.port, State.BAD, end.why, "aplay -l lists the cards; [voice] device names one"
            )
    finally:
        voice.close()


def microphone(settings: Settings) -> Iterator[Finding]:
    """The model and its words, then the microphone: rate, level, noise."""
    if not settings.ears.enabled:
        yield Finding(Group.MICROPHONE, "microphone", State.SKIPPED, "switched off in the settings, [ears]")
        return
    yield from vocabulary(settings)
    signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    ears = MicrophoneEars(settings.ears, settings.paths.cache_dir, _words(settings), signals.put)
    try:
        ends = time.monotonic() + PATIENCE
        while ears.health is None and time.monotonic() < ends:
            failed = wait_for_signal(signals, 0.2, PortFailed)
            if isinstance(failed, PortFailed):
                yield Finding(
                    Group.MICROPHONE,
                    "microphone",
                    State.BAD,
                    failed.why,
                    "arecord -l lists them; [ears] device names one; all of a game can be played by buttons",
                )
                return
        loudest, noise, clipped, health = 0.0, math.inf, 0, ears.health
        for _ in range(LISTENING):
            time.sleep(1.0)
            health = ears.health or health
            if health is not None:
                loudest, noise = max(loudest, health.peak), min(noise, health.rms)
                clipped += health.peak > CLIPPED
        if health is None:
            yield Finding(Group.MICROPHONE, "microphone", State.BAD, "gives no sound", "replug it, try again")
            return
        state, todo = judged(loudest, noise)
        yield Finding(
            Group.MICROPHONE,
            "microphone",
            state,
            f"{health.device}, {health.rate} Hz, noise floor {decibels(noise)}, loudest {decibels(loudest)}, "
            f"clipped in {clipped} of {LISTENING} s",
            todo,
        )
        lost = health.overflows + health.lost
        if lost:
            yield Finding(
                Group.MICROPHONE,
                "lost sound",
                State.WARN,
                f"{lost} pieces in {LISTENING} s",
                "the machine is too busy or its power too weak",
            )
    finally:
        ears.close()


def judged(loudest: float, noise: float) -> tuple[State, str]:
    """A microphone with this peak and this noise floor, and what to do about it."""
    todo = advice(loudest, noise)
    return (State.BAD if noise < QUIET else State.WARN if todo else State.OK), todo


def _words(settings: Settings) -> tuple[str, ...]:
    return known_words(settings, commands(settings), tuple(settings.game.names))


def vocabulary(settings: Settings) -> Iterator[Finding]:
    """The model, and whether it knows every word of the commands."""
    words = _words(settings)
    try:
        model = check_model(find_model(settings.ears, settings.paths.cache_dir, words))
    except RecogniserError as error:
        yield Finding(Group.MICROPHONE, "model", State.BAD, str(error), "until then: buttons")
        return
    yield Finding(Group.MICROPHONE, "model", State.OK, f"{model.folder.name}, {model.size / 1e6:.0f} MB")
    missing = model.missing_words(words)
    if missing:
        yield Finding(
            Group.MICROPHONE,
            "vocabulary",
            State.WARN,
            f"never heard: {', '.join(missing)}",
            "use another model, or other words in the language file",
        )
    else:
        yield Finding(Group.MICROPHONE, "vocabulary", State.OK, f"all {len(words)} words of the commands are known")
    if not model.unknown:
        yield Finding(
            Group.MICROPHONE,
            "other talk",
            State.WARN,
            "this model takes all talk for commands",
            "use another model",
        )


def lamps(settings: Settings) -> Iterator[Finding]:
    """Each lamp and the buzzer in turn."""
    if settings.panel.pins == "off":
        yield Finding(Group.PINS, "pins", State.SKIPPED, "switched off in the settings, [panel]")
        return
    signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    panel = GpioPanel(settings.panel, signals.put)
    try:
        failed = None
        with contextlib.suppress(queue.Empty):
            failed = signals.get_nowait()
        if isinstance(failed, PortFailed):
            yield Finding(Group.PINS, "pins", State.BAD, failed.why, "see the wiring: narrator wiring")
        if panel.simulated:
            yield Finding(Group.PINS, "pins", State.SKIPPED, "simulated: this is not a Raspberry Pi")
            return
        for lamp in (Lamp.GREEN, Lamp.YELLOW, Lamp.RED):
            panel.show(Scene(lamp))
            time.sleep(LIT)
        panel.show(Scene())
        panel.buzz(Buzz.SHORT)
        time.sleep(LIT)
        if not isinstance(failed, PortFailed):
            yield Finding(
                Group.PINS,
                "lamps and buzzer",
                State.OK,
                "green, yellow, red were lit, then the buzzer; did you see them?",
                "if one stayed dark: turn the LED round, check its pin (narrator wiring)",
            )
    finally:
        panel.close()


def buttons(settings: Settings, ask: Callable[[str], None], patience: float = 15.0) -> Iterator[Finding]:
    """Ask for each button in turn and wait for it."""
    signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    panel = GpioPanel(settings.panel, signals.put)
    try:
        for name, key in _keys(settings):
            ask(name)
            pressed = wait_for_signal(signals, patience, Pressed, SeatDown)
            found = getattr(pressed, "control", getattr(pressed, "seat", None))
            if pressed is None:
                yield Finding(
                    Group.PINS, name, State.BAD, f"no press in {patience:.0f} s", "check the wire and the pin"
                )
            elif found != key:
                yield Finding(Group.PINS, name, State.BAD, f"{found} came instead", "two wires are swapped")
            else:
                yield Finding(Group.PINS, name, State.OK, "pressed")
            while wait_for_signal(signals, 0.7) is not None:  # let it come up
                continue
    finally:
        panel.close()


def _keys(settings: Settings) -> Iterator[tuple[str, Key]]:
    from narrator.messages import Control

    for name, _ in pins_of(settings.panel):
        if name in list(Control):
            yield name, Control(name)
        elif name.startswith("seat "):
            yield name, int(name.split()[1])
