"""A running `narrator play` in its own folders, with its console on pipes: what it said, lit, heard and wrote down.

Knows the program from outside only; `observed` is its witness. Invariant: `close` leaves no process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from narrator.game.moves import BY_ITSELF, Move, SetUp
from narrator.journal import JournalError, read
from tests.lab import wait_for

ROOT = Path(__file__).parents[2]
Event = dict[str, Any]


class Box:
    """The program, started in `home` with the settings `config` (TOML). `env`: its environment besides the folders;
    `words`: options of `narrator play`; `under`: a command that runs it.
    """

    def __init__(
        self,
        home: Path,
        cache: Path,
        config: str,
        *,
        env: Mapping[str, str] | None = None,
        observed: bool = True,
        words: tuple[str, ...] = (),
        under: tuple[str, ...] = (),
    ) -> None:
        self.home = home
        self.lines: list[str] = []
        self._trace = home / "box.trace"
        self._events: list[Event] = []
        self._read_to = 0
        self.settings = home / "config" / "narrator" / "config.toml"
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(config)
        folders = {
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(cache),
            "PYTHONPATH": str(ROOT),
        }
        program = ["-m", "narrator.cli"]
        if observed:
            self._trace.unlink(missing_ok=True)
            self._fifo = self._trace.with_suffix(".fifo")
            self._fifo.unlink(missing_ok=True)
            os.mkfifo(self._fifo)
            self._finger = os.open(self._fifo, os.O_RDWR)
            program = ["-m", "tests.e2e.observed", str(self._trace)]
        self.process = subprocess.Popen(
            [*under, sys.executable, *program, "play", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
            cwd=home,
            env={**os.environ, **(env or {}), **folders},
        )
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    # --- hands -----------------------------------------------------------------------------------------------------

    def type(self, line: object) -> None:
        """A line on the keyboard; a number is the silent number pad."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")

    def press(self, control: str, seconds: float = 0.1) -> None:
        """A finger on a button of the box."""
        os.write(self._finger, f"{control} {seconds}\n".encode())

    def hold(self, control: str, down: bool) -> None:
        """A finger comes down on a button and stays, or lifts."""
        os.write(self._finger, f"{control} {'down' if down else 'up'}\n".encode())

    # --- eyes ------------------------------------------------------------------------------------------------------

    @property
    def console(self) -> str:
        """Everything on the console so far."""
        return "\n".join(self.lines)

    def shows(self, text: str, seconds: float = 30, times: int = 1) -> None:
        """Wait until the console has shown `text`, in capitals or not; fails with all that it did show."""
        wanted = text.casefold()
        self.wait(lambda: self.console.casefold().count(wanted) >= times, seconds, f"«{text}» on the console")

    @property
    def events(self) -> list[Event]:
        """The witness's record so far."""
        if self._trace.exists():
            with self._trace.open("rb") as file:
                file.seek(self._read_to)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._read_to += len(whole)
            self._events += [json.loads(line) for line in whole.splitlines()]
        return self._events

    def told(self, what: str, **fields: Any) -> list[Event]:
        """The records of a kind whose fields are as given."""
        return [e for e in self.events if e["what"] == what and all(e.get(k) == v for k, v in fields.items())]

    @property
    def journal(self) -> Path:
        """The journal of the game that runs."""
        return self.home / "state" / "narrator" / "current.journal"

    def moves(self) -> list[Move]:
        """What people did, in order, as the journal has it; the set-up of the table and the clock's own left out."""
        try:
            entries = read(self.journal).entries
        except JournalError:  # not there yet
            return []
        return [entry.move for entry in entries if not isinstance(entry.move, (*BY_ITSELF, SetUp))]

    def lit(self) -> dict[str, float]:
        """The levels of lamps and buzzer now."""
        return {e["name"]: e["value"] for e in self.told("pin")}

    # --- ends ------------------------------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], Any], seconds: float, what: str) -> Any:
        """The first true value of `condition`; fails with the whole story."""

        def over() -> Any:
            return condition() or self.process.poll() is not None

        try:
            wait_for(over, seconds, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.story()}") from None
        value = condition()
        assert value, f"the program ended ({self.process.poll()}) before: {what}\n{self.story()}"
        return value

    def story(self) -> str:
        """What happened, for a message: console, what was heard, moves."""
        heard = [f"{e['at']:.2f} {e.get('text')} {e.get('confidence')}" for e in self.told("signal", kind="Heard")]
        made = [str(move) for move in self.moves()]
        parts = {"console": self.lines, "heard": heard, "moves": made}
        return "\n".join(f"--- {name}\n" + "\n".join(lines[-60:]) for name, lines in parts.items())

    def kill(self) -> None:
        """The power goes: no process of the program lives on, and none could say goodbye."""
        children = descendants(self.process.pid)
        for pid in (self.process.pid, *children):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(10)

    def read_all(self) -> None:
        """Wait for the last line of a program that has ended."""
        self._reader.join(10)

    def close(self) -> None:
        """Leave as a person does, by «q»; kill what does not."""
        if self.process.poll() is None:
            children = descendants(self.process.pid)
            self.type("q")
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError(f"«q» did not end the program\n{self.story()}") from None
            wait_for(lambda: not any(alive(pid) for pid in children), 10, "the end of the program's children")


def descendants(pid: int) -> list[int]:
    """Processes that a process has started, and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def now() -> float:
    """Seconds on the clock that the witness uses."""
    return time.monotonic()
