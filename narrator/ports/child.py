"""A child process for native code that may die: watched, killed when it hangs, started again.

The owner never blocks: `send` queues, answers come on a thread of this class. A child function runs as
`target(link, *args)`; it must call `link.beat()` at least every half second and may `link.send(...)` anything that
pickles. It ends when `link.closed` turns true (parent gone or closing). Must not know what the child does.

Invariant: at most one process of a Child lives at any time, and `close` leaves none.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import queue
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from narrator.ports.urgency import urgent
from narrator.ports.vital import PATIENCE

log = logging.getLogger(__name__)
_BEAT = "beat"
_CONTEXT = multiprocessing.get_context("spawn")  # fork would copy threads, pins and PortAudio


class Link:
    """The child's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.closed = False

    def send(self, message: Any) -> None:
        """Give a message to the owner; a parent that is gone closes the link."""
        try:
            self._pipe.send(message)
        except (BrokenPipeError, OSError):
            self.closed = True

    def beat(self) -> None:
        """Say that this process is well."""
        self.send(_BEAT)

    def receive(self, timeout: float) -> Any:
        """The owner's next message, or None after `timeout` seconds."""
        try:
            if self._pipe.poll(timeout):
                message = self._pipe.recv()
                if message is None:
                    self.closed = True
                return message
        except (EOFError, OSError):
            self.closed = True
        return None


def _run(pipe: Connection, target: Callable[..., None], args: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent closes us in order
    with contextlib.suppress(OSError):  # a kernel short of memory takes the child, which comes back, not the game
        Path("/proc/self/oom_score_adj").write_text("500", "ascii")
    target(Link(pipe), *args)


class Child:
    """Keeps `target` running in its own process.

    `on_message(message)`: everything the child sends, on the watching thread.
    `on_start()`: a new process runs (also after a restart): send it again what it must know.
    `on_death(why)`: it died or hung; it is started again after a back-off.
    `patience`: seconds without a beat after which it counts as hung.
    """

    def __init__(
        self,
        name: str,
        target: Callable[..., None],
        args: tuple[Any, ...],
        *,
        on_message: Callable[[Any], None],
        on_start: Callable[[], None] = lambda: None,
        on_death: Callable[[str], None] = lambda why: None,
        patience: float = 2.0,
        start_patience: float = 15.0,
        back_off: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0),
    ) -> None:
        self.name = name
        self.restarts = 0
        self._target, self._args = target, args
        self._on_message, self._on_start, self._on_death = on_message, on_start, on_death
        self._patience, self._start_patience, self._back_off = patience, start_patience, back_off
        self._outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._seen = time.monotonic()
        self._pipe: Connection | None = None
        self._process: Any = None
        self._threads = [
            threading.Thread(target=self._watch, name=f"{name}-watch", daemon=True),
            threading.Thread(target=self._pump, name=f"{name}-send", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int | None:
        """Process id of the living child, None between lives."""
        process = self._process
        return process.pid if process is not None and process.is_alive() else None

    def send(self, message: Any) -> None:
        """Queue `message` for the child; dropped if it dies before reading (see `on_start`)."""
        self._outbox.put(message)

    def close(self, timeout: float = 1.0) -> None:
        """Ask the child to end, then make it end. Returns with no process left."""
        self._closing.set()
        self._outbox.put(None)
        self._threads[0].join(timeout)
        process = self._process
        if process is not None and process.is_alive():
            process.kill()
            process.join(timeout)

    def ails(self) -> str:
        """See Vital: a child may die as often as it likes, those who watch it may not."""
        dead = [thread.name for thread in self._threads if not thread.is_alive()]
        if dead:
            return f"The thread {dead[0]} has died."
        idle = time.monotonic() - self._seen
        return f"The thread {self.name}-watch has hung for {idle:.0f} s." if idle > PATIENCE else ""

    def _pump(self) -> None:
        urgent()  # a beep passes here
        while True:
            message = self._outbox.get()
            pipe = self._pipe
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError, OSError, ValueError):  # it died: on_start tells the next one
                    pipe.send(message)
            if message is None and self._closing.is_set():
                return

    def _watch(self) -> None:
        lives = 0
        while not self._closing.is_set():
            began = self._seen = time.monotonic()
            why = self._live()
            if self._closing.is_set():
                return
            lives = 0 if time.monotonic() - began > 30 else lives
            self.restarts += 1
            # one line a fault, not one a try: what is wrong the owner tells the table
            log.log(logging.WARNING if lives == 0 else logging.DEBUG, "%s: %s; starting it again", self.name, why)
            self._on_death(why)
            self._closing.wait(self._back_off[min(lives, len(self._back_off) - 1)])
            lives += 1

    def _live(self) -> str:
        """One life of the child; returns why it ended."""
        ours, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_run, args=(theirs, self._target, self._args), name=self.name, daemon=True)
        process.start()
        theirs.close()
        self._process = process
        self._pipe = ours
        last, patience, greeted = time.monotonic(), self._start_patience, False
        try:
            while True:
                try:
                    message = ours.recv() if ours.poll(0.1) else None
                except (EOFError, OSError):
                    process.join(1.0)
                    return f"the process ended ({process.exitcode})"
                now = self._seen = time.monotonic()
                if message is not None:
                    last, patience = now, self._patience
                    if not greeted:
                        greeted = True
                        self._on_start()
                    if message != _BEAT:
                        self._on_message(message)
                elif now - last > patience:
                    return f"the process hung for {patience:g} s"
        finally:
            self._pipe = None
            if process.is_alive():
                if self._closing.is_set():
                    process.join(1.0)
                process.kill()
                process.join(1.0)
            ours.close()
