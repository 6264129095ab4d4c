"""The program as it is, with a witness: `python -m tests.e2e.observed TRACE play …` runs `narrator play …`.

Nothing of the program is replaced. What crosses its edges (signals, phrases, levels of the pins, journaled moves) is
also written to TRACE, one JSON line each with the monotonic time; and a finger waits at the FIFO TRACE.fifo: a line
«next 0.1» closes that contact of the simulated pins for so many seconds, «seat-3 down» until «seat-3 up».
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from narrator import cli, wiring
from narrator.config import PanelSettings, pins_of
from narrator.game.moves import Move
from narrator.journal import Journal
from narrator.messages import Say, Signal
from narrator.ports.panel import HISTORY, GpioPanel, Written


class Trace:
    """The file; every line is written whole."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, what: str, **more: Any) -> None:
        """One line, stamped now unless `at` is given."""
        record = {"at": time.monotonic(), "what": what, **more}
        os.write(self._file, (json.dumps(record, ensure_ascii=False) + "\n").encode())


class _History(deque[Written]):
    """The panel's history, told as it grows."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(maxlen=HISTORY)
        self._trace = trace

    def append(self, written: Written) -> None:
        """See deque."""
        super().append(written)
        self._trace.note("pin", at=written.at, name=written.name, value=written.value)


def watch(trace: Trace, fifo: Path) -> None:
    """Stand at every edge of the program of this process."""
    open_ports, append = wiring.open_ports, Journal.append

    def watched_ports(settings: Any, put: Any, *more: Any) -> Any:
        def told(signal: Signal) -> None:
            trace.note("signal", kind=type(signal).__name__, **{f: getattr(signal, f) for f in _fields(signal)})
            put(signal)

        ports = open_ports(settings, told, *more)
        say = ports.voice.say

        def said(phrases: Sequence[Say]) -> None:
            for phrase in phrases:
                trace.note("say", utterance=phrase.utterance, text=phrase.text)
            say(phrases)

        patch.object(ports.voice, "say", said).start()
        if isinstance(ports.panel, GpioPanel):
            ports.panel.history = _History(trace)
            finger = threading.Thread(target=_press, args=(ports.panel, settings.panel, fifo), daemon=True)
            finger.start()
        return ports

    def appended(self: Journal, move: Move, at: float, *, wait: bool = True) -> None:
        append(self, move, at, wait=wait)
        trace.note("move", kind=move.kind)

    patch.object(wiring, "open_ports", watched_ports).start()
    patch.object(Journal, "append", appended).start()


def _fields(signal: Signal) -> tuple[str, ...]:
    return tuple(signal.__dataclass_fields__)


def _press(panel: GpioPanel, pins: PanelSettings, fifo: Path) -> None:
    numbers = {name.replace(" ", "-"): pin for name, pin in pins_of(pins)}
    with fifo.open() as orders:
        for line in orders:
            button, how = line.split()
            pin = panel.factory.pin(numbers[button])
            if how != "up":
                pin.drive_low()
            if how not in ("down", "up"):
                time.sleep(float(how))  # as long as a finger stays
            if how != "down":
                pin.drive_high()


def main() -> None:
    """Run the program with the arguments after TRACE."""
    path = Path(sys.argv[1])
    watch(Trace(path), path.with_suffix(".fifo"))
    sys.argv = ["narrator", *sys.argv[2:]]
    cli.main()


if __name__ == "__main__":
    main()
