"""From the order to the first audible sample: a phrase of the voice, cached and not, and its peers, in the same run:
pyttsx3's own say(), espeak-ng piped to aplay, and RHVoice's command piped to aplay where it is installed.

Run: python -m tests.bench.voice [TIMES]   (a private sound server; what its loudspeaker plays is recorded)
The recording's clock is late by its least latency, so both columns are upper bounds by the same amount.
"""

from __future__ import annotations

import itertools
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from narrator.config import load
from narrator.messages import Say, Signal, SpeechDone
from narrator.ports import rhvoice
from narrator.ports.gate import Gate
from narrator.ports.phrases import phrase_cache
from narrator.ports.voice import SpeakerVoice
from narrator.speech.lang import ru
from tests.lab import Pulse, wait_for

TEXT = "Игрок номер десять, ваша речь."
LENGTH = 4.0  # seconds until it is over, with much to spare


def first_sound(pulse: Pulse, speak: Callable[[], None]) -> float:
    """Seconds from the call of `speak` to the first audible sample of its phrase."""
    with pulse.recording() as heard:
        asked = time.monotonic()
        speak()
        time.sleep(max(0.0, LENGTH - (time.monotonic() - asked)))  # say() may return before its sound has ended
    first, _ = heard.sounding()
    assert first > 0, "the phrase before was still sounding"
    return heard.began + first - asked


def voice_times(pulse: Pulse, times: int, cache: Path) -> list[float]:
    """The voice, speaker open, phrase cached."""
    phrases = phrase_cache(load().voice, cache)
    phrases.render(TEXT)
    phrases.close()
    signals: list[Signal] = []
    voice = SpeakerVoice(load(voice={"device": "pulse"}).voice, cache, signals.append, Gate())

    def speak() -> None:
        signals.clear()
        voice.say([Say(1, TEXT)])
        wait_for(lambda: SpeechDone(1) in signals, 20, "the end of the phrase")

    try:
        wait_for(lambda: voice.sound_works, 20, "an open speaker")
        return [first_sound(pulse, speak) for _ in range(times)]
    finally:
        voice.close()


def pyttsx3_times(pulse: Pulse, times: int) -> list[float]:
    """pyttsx3 speaking by itself, engine open and warm."""
    import pyttsx3

    engine = pyttsx3.init("espeak")
    engine.setProperty("voice", "ru")
    engine.setProperty("rate", 150)

    def speak() -> None:
        engine.say(TEXT)
        engine.runAndWait()

    speak()  # the first run returns early
    time.sleep(LENGTH)
    return [first_sound(pulse, speak) for _ in range(times)]


def uncached_times(pulse: Pulse, times: int, cache: Path, engine: str) -> list[float]:
    """The voice, speaker open, synthesiser warm, a phrase that was never rendered."""
    answers: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    settings = load(Path("/dev/null"), voice={"device": "pulse", "engine": engine}).voice
    voice = SpeakerVoice(settings, cache, answers.put, Gate())
    numbers = itertools.count()

    def speak() -> None:
        voice.say([Say(1, f"Игрок номер {ru.cardinal(next(numbers))}, ваша речь.")])
        while answers.get(timeout=20) != SpeechDone(1):
            pass

    try:
        wait_for(lambda: voice.sound_works, 20, "an open speaker")
        speak()
        return [first_sound(pulse, speak) for _ in range(times)]
    finally:
        voice.close()


def shell_times(pulse: Pulse, times: int, command: str) -> list[float]:
    """A command line that speaks TEXT."""

    def speak() -> None:
        subprocess.run(command, shell=True, check=True, stderr=subprocess.DEVNULL, env=os.environ | {"TEXT": TEXT})

    speak()
    return [first_sound(pulse, speak) for _ in range(times)]


def line(name: str, seconds: list[float]) -> str:
    """Median, 95 % and greatest, in milliseconds."""
    ordered = sorted(1000 * s for s in seconds)
    high = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    middle = statistics.median(ordered)
    return f"{name:26} n={len(ordered):3}  median {middle:6.1f}  95 % {high:6.1f}  max {ordered[-1]:6.1f} ms"


def main() -> None:
    """Measure and print."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with Pulse(mic=False) as pulse, tempfile.TemporaryDirectory() as cache:
        os.environ.update(pulse.env)
        print(f"order to first audible sample, {TEXT}, load {os.getloadavg()[0]:.1f}")
        print(line("voice, cached phrase", voice_times(pulse, times, Path(cache))))
        print(line("voice, not cached", uncached_times(pulse, times, Path(cache), "pyttsx3")))
        print(line("pyttsx3 say()", pyttsx3_times(pulse, times)))
        espeak = 'espeak-ng -v ru --stdout "$TEXT" | aplay -q -D pulse'
        print(line("espeak-ng | aplay", shell_times(pulse, times, espeak)))
        if not rhvoice.missing(""):
            print(line("voice, RHVoice, not cached", uncached_times(pulse, times, Path(cache), "rhvoice")))
            command = 'echo "$TEXT" | RHVoice-test -p Elena -o - | aplay -q -D pulse'
            print(line("RHVoice-test | aplay", shell_times(pulse, times, command)))


if __name__ == "__main__":
    main()
