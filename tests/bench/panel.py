"""How far lamps and buzzer are from their schedule on a busy machine: the panel, a loop of sleeps, gpiozero.

Run: python tests/bench/panel.py [SECONDS]   (simulated pins; every core gets two busy processes)
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from gpiozero import LED
from gpiozero.pins.mock import MockFactory, MockPWMPin

from narrator import config
from narrator.messages import Buzz, Lamp, Scene
from narrator.ports.panel import BLINK, LENGTHS, GpioPanel


def burn() -> None:
    """Keep a core busy."""
    while True:
        sum(range(10_000))


@contextmanager
def load() -> Iterator[None]:
    """Two busy processes for each core."""
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(2 * (os.cpu_count() or 1))]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def line(name: str, errors: Iterable[float]) -> str:
    """Median, 99 % and greatest of errors in seconds, as milliseconds."""
    sizes = sorted(abs(error) * 1000 for error in errors)
    high = sizes[min(len(sizes) - 1, int(len(sizes) * 0.99))]
    median = statistics.median(sizes)
    return f"{name:26} n={len(sizes):4}  median {median:7.2f}  99 % {high:7.2f}  max {sizes[-1]:7.2f} ms"


def off_schedule(times: list[float]) -> list[float]:
    """Distance of each change from where a blink that began with the first should be."""
    return [at - times[0] - n * BLINK for n, at in enumerate(times)]


def new_panel() -> GpioPanel:
    """A panel on simulated pins."""
    return GpioPanel(config.load(Path("/dev/null"), panel={"pins": "simulated"}).panel, print)


def panel_blinks(seconds: float) -> list[float]:
    """Times of the panel's blinks."""
    panel = new_panel()
    panel.show(Scene(Lamp.RED, blink=True))
    time.sleep(seconds)
    times = [written.at for written in panel.history]
    panel.close()
    return times


def sleep_blinks(seconds: float) -> list[float]:
    """Times of a blink by a thread that writes and sleeps in turn."""
    times: list[float] = []
    lamp = LED(22, pin_factory=MockFactory(pin_class=MockPWMPin))
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            lamp.toggle()
            times.append(time.monotonic())
            time.sleep(BLINK)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(seconds)
    stop.set()
    thread.join()
    lamp.close()
    return times


def gpiozero_blinks(seconds: float) -> list[float]:
    """Times of gpiozero's own blink, from the history of the simulated pin."""
    lamp = LED(22, pin_factory=MockFactory(pin_class=MockPWMPin))
    lamp.pin.clear_states()
    lamp.blink(BLINK, BLINK)
    time.sleep(seconds)
    states: list[Any] = lamp.pin.states[1:]
    lamp.close()
    at, times = 0.0, []
    for state in states:
        at += state.timestamp
        times.append(at)
    return times


def panel_buzzes(seconds: float) -> tuple[list[float], list[float]]:
    """Delay from the request to the sound, and error of its length."""
    panel = new_panel()
    asked: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        asked.append(time.monotonic())
        panel.buzz(Buzz.SHORT)
        time.sleep(LENGTHS[Buzz.SHORT] + 0.35)
    written = list(panel.history)
    panel.close()
    delays = [on.at - at for at, on in zip(asked, written[::2], strict=False)]
    return delays, [off.at - on.at - LENGTHS[Buzz.SHORT] for on, off in list(pairwise(written))[::2]]


def main() -> None:
    """Print one line for each way."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    with load():
        print(line("panel: blink", off_schedule(panel_blinks(seconds))))
        print(line("loop of sleeps: blink", off_schedule(sleep_blinks(seconds))))
        print(line("gpiozero blink()", off_schedule(gpiozero_blinks(seconds))))
        delays, lengths = panel_buzzes(seconds)
        print(line("panel: request to buzz", delays))
        print(line("panel: length of a buzz", lengths))


if __name__ == "__main__":
    main()
