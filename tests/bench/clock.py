"""How far the marks of timed speeches are from where they should be, while everything else is busy.

    python -m tests.bench.clock [SECONDS] [--burn]

Five meetings run at once on simulated pins for SECONDS (60 if not said; at least 15): speeches of 15, 30 and 60 s and,
for many marks, two of two seconds. Meanwhile the recogniser decodes without a pause in its own process and the
synthesiser renders phrase after phrase; --burn adds two busy processes for each core. A mark's error is the moment
its buzz was written to the pin, against the start of the speech as the timer took it. Beeps are also recorded from a
loudspeaker: their spacing, since the way to the loudspeaker takes its own constant time.
Peers in the same run: a thread that sleeps from mark to mark, and gpiozero's blink() with a period of one second.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import multiprocessing
import os
import queue
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from narrator.clock import MonotonicClock
from narrator.config import load
from narrator.messages import Buzz, Control, Earcon, Pressed, Quit, Signal
from narrator.ports.ears import TypedEars
from narrator.ports.gate import Gate
from narrator.ports.panel import GpioPanel
from narrator.ports.phrases import PhraseCache, phrase_cache
from narrator.ports.urgency import urgent
from narrator.ports.voice import SilentVoice, SpeakerVoice
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.timer import core
from narrator.timer.app import TimerApp
from narrator.timer.plans import countdown
from narrator.timer.words import Teller
from tests.bench.panel import gpiozero_blinks, line
from tests.bench.panel import load as burning
from tests.lab import RATE, Pulse, wait_for
from tests.timer.quiet import QuietScreen


def decode(model: str, words: list[str]) -> None:
    """A process that recognises without a pause."""
    import json

    import vosk

    vosk.SetLogLevel(-1)
    recogniser = vosk.KaldiRecognizer(vosk.Model(model_path=model), 16000, json.dumps(words, ensure_ascii=False))
    noise = (np.random.default_rng(1).normal(0, 2000, 16000)).astype(np.int16).tobytes()
    while True:
        recogniser.AcceptWaveform(noise)


@contextlib.contextmanager
def busy(folder: Path, burn: bool) -> Iterator[str]:
    """Recogniser and renderer at work during the block; says what ran."""
    work = ["renderer"]
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(Exception):  # no compact model here: said in the first line
            from narrator.compact.build import cached_model

            words = [word for word in grammar("ru").words() if word.isalpha()]
            model = cached_model(folder / "models", words)
            process = multiprocessing.Process(target=decode, args=(str(model), words), daemon=True)
            process.start()
            stack.callback(process.kill)
            work.append("recogniser")
        done = threading.Event()
        phrases = phrase_cache(load(Path("/dev/null"), voice={"engine": "pyttsx3"}).voice, folder / "render")
        renderer = threading.Thread(target=render, args=(phrases, done), daemon=True)
        renderer.start()
        stack.callback(renderer.join, 10)
        stack.callback(done.set)
        if burn:
            stack.enter_context(burning())
            work.append("two burners a core")
        yield ", ".join(work)


def render(phrases: PhraseCache, done: threading.Event) -> None:
    """Render a new phrase after each other."""
    letters = itertools.product("бвгдзклмнпрст", "аоуиэ", repeat=3)
    while not done.is_set():
        phrases.render("Говорит " + "".join(next(letters)) + ", минута.")
    phrases.close()


class Meeting(threading.Thread):
    """A timer that runs by itself; `errors` are those of its marks, in seconds."""

    def __init__(self, seconds: float, warn: float, wait: float, voice: Any = None) -> None:
        super().__init__(daemon=True)
        inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.panel = GpioPanel(load(Path("/dev/null"), panel={"pins": "simulated"}).panel, inbox.put)
        ports = Ports(voice or SilentVoice(inbox.put), TypedEars(inbox.put), self.panel, QuietScreen(), bool(voice))
        state = core.State(countdown(seconds, warn), follow=True)
        self.app = TimerApp(ports, MonotonicClock(), state, grammar("ru"), Teller("ru"), inbox)
        self.warn, self.seconds = warn, seconds
        self.starts: list[float] = []
        self.due: list[tuple[float, Buzz]] = []
        self.inbox = inbox
        self._wait = wait

    def run(self) -> None:
        """The loop as in the product, with the starts of the speeches noted."""
        app = self.app
        urgent()  # as TimerApp.run and App.run do
        app.start()
        app.step(Pressed(Control.NEXT))
        end = time.monotonic() + self._wait
        while time.monotonic() < end:
            deadline = app.deadline()
            with contextlib.suppress(queue.Empty):
                app.step(self.inbox.get(timeout=None if deadline is None else max(deadline - app.at(), 0.0)))
            if app.deadline() is not None:
                app.step(None)
            timer = app.state.timer
            if timer is not None and timer.since is not None:
                start = app._zero + timer.since
                if not self.starts or start > self.starts[-1] + 0.01:
                    self.starts.append(start)

    def close(self) -> list[float]:
        """Everything off; returns the errors of all marks that have come."""
        self.inbox.put(Quit())
        self.join(10)
        self.app.close()
        written = [w.at for w in self.panel.history if w.name == "buzzer" and w.value]
        due = sorted(start + offset for start in self.starts for offset in (self.seconds - self.warn, self.seconds))
        return [min(abs(at - mark) for mark in due) for at in written]


def sleeps(seconds: float) -> list[float]:
    """Errors of a thread that sleeps half a second from mark to mark."""
    began, times = time.monotonic(), []
    while time.monotonic() < began + seconds:
        time.sleep(0.5)
        times.append(time.monotonic())
    return [at - began - 0.5 * n for n, at in enumerate(times, 1)]


def beeps(pulse: Pulse, folder: Path, seconds: float) -> list[float]:
    """Errors of the spacing of beeps in the recorded sound, one a second and a half."""
    settings = load(Path("/dev/null"), voice={"device": "pulse", "engine": "pyttsx3"}).voice
    answers: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    voice = SpeakerVoice(settings, folder / "voice", answers.put, Gate())
    try:
        wait_for(lambda: voice.sound_works, 20, "an open speaker")
        began, asked = time.monotonic(), []
        with pulse.recording() as heard:
            for n in range(1, int(seconds / 0.5)):
                time.sleep(max(0.0, began + 0.5 * n - time.monotonic()))
                asked.append(time.monotonic())
                voice.earcon(Earcon.BEEP)
            time.sleep(0.5)
    finally:
        voice.close()
    loud = np.flatnonzero(np.abs(heard.samples) > 0.02)
    starts = np.array([loud[0], *loud[1:][np.diff(loud) > 0.2 * RATE]]) / RATE
    print(f"{len(starts)} of {len(asked)} beeps were recorded")
    ways = heard.began + starts - np.array([max(at for at in asked if at <= heard.began + start) for start in starts])
    return list(ways - np.median(ways))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", nargs="?", type=float, default=60.0)
    parser.add_argument("--burn", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, Pulse(mic=False) as pulse:
        folder = Path(temporary)
        os.environ.update(pulse.env)
        with busy(folder, given.burn) as work:
            print(f"busy: {work}; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", flush=True)
            plans = {f"{seconds:g} s": (seconds, 10.0) for seconds in (15.0, 30.0, 60.0)}
            plans |= {"2 s": (2.0, 1.0), "2 s again": (2.0, 1.0)}
            running = {name: Meeting(*plan, given.seconds + 0.3) for name, plan in plans.items()}
            for meeting in running.values():
                meeting.start()
            time.sleep(given.seconds + 1)
            everything = []
            for name, meeting in running.items():
                errors = meeting.close()
                everything += errors
                if errors:
                    print(line(f"narrator: {name}", errors))
            print(line("narrator: all marks", everything))
            print(line("narrator: recorded beeps", beeps(pulse, folder, min(given.seconds, 30))))
            print(line("sleep loop, 0.5 s", sleeps(min(given.seconds, 30))))
            blinks = gpiozero_blinks(min(given.seconds, 30))
            print(line("gpiozero blink(), 0.25 s", [at - blinks[0] - n * 0.25 for n, at in enumerate(blinks)]))


if __name__ == "__main__":
    main()
