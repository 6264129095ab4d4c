"""The console: what the narrator says in lines, the lamps in words, and a keyboard for voice and buttons.

It is the twin of every device and the moderator's own screen, so it may show what is private, but only on a terminal
or a pipe that somebody opened on purpose. Knows messages, never the game.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import threading
from collections import deque
from collections.abc import Mapping
from typing import TextIO

from narrator.messages import (
    Control,
    Held,
    HostView,
    Pressed,
    Quit,
    Released,
    Scene,
    SeatDown,
    SeatUp,
    Signal,
    Story,
    Typed,
    View,
    Wrote,
)
from narrator.ports import Put

HELP = """\
  Enter  next (дальше)         b  back (отмена, нет)     + -  more, less
  p      pause, go on          t  talk: the microphone obeys without «ведущий»; t again lets go
  5      a seat or a count, silently       * 5  seat button five
  m      the menu: what else there is; m again or + - for the next, Enter takes it
  Russian words are heard as if spoken: начинаем игру, выставляю номер пять, голосование, отмена …
  q      leave (the game is kept)           ?  this help"""

_WHY = {
    "not-understood": "is no command; ? shows the keys.",
    "night": "is no command of the night: Enter goes on, numbers are entered, b takes back, p pauses.",
}
_LINES = 20  # more may be typed, or read from a file, before the first is answered
_NUMBER = re.compile(r"(\* +)?([0-9]{1,4})")
_KEYS: dict[str, Signal] = {
    "": Pressed(Control.NEXT),
    "b": Pressed(Control.BACK),
    "+": Pressed(Control.PLUS),
    "-": Pressed(Control.MINUS),
    "p": Held(Control.BACK),
    "w": Held(Control.PLUS),
    "m": Pressed(Control.MENU),
    "q": Quit(),
}


class Console:
    """A Screen on a text terminal, and the keyboard that answers it.

    `help_text` tells the keys; `more_keys`: those that only this program has.
    """

    def __init__(
        self,
        put: Put,
        out: TextIO | None = None,
        keys: TextIO | None = None,
        *,
        help_text: str = HELP,
        more_keys: Mapping[str, Signal] | None = None,
    ) -> None:
        self._put = put
        self._help = help_text
        self._meanings = _KEYS | dict(more_keys or {})
        self._out = out or sys.stdout
        self._keys = keys or sys.stdin
        self._lamp = ""
        self._talking = False
        self._unanswered: deque[str] = deque(maxlen=_LINES)
        self._lock = threading.Lock()

    def listen(self) -> None:
        """Read lines on a thread of its own until the end of input."""
        threading.Thread(target=self._read, name="console", daemon=True).start()

    # --- screen --------------------------------------------------------------------------------------------------

    def said(self, text: str) -> None:
        """See Screen."""
        self._print(f"  «{text}»")

    def private(self, text: str) -> None:
        """See Screen."""
        self._print(f"  [moderator only] {text}")

    def notice(self, text: str) -> None:
        """See Screen."""
        self._print(f"* {text}")

    def show(self, scene: Scene) -> None:
        """See Screen; one line when the lamp changes."""
        lamp = f"{scene.lamp}{', time stands' if scene.standing else ', blinking' if scene.blink else ''}"
        if lamp != self._lamp:
            if self._lamp or lamp != "off":
                self._print(f"  ({lamp} lamp)" if lamp != "off" else "  (lamps off)")
            self._lamp = lamp

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        """See Screen; only of what was typed here: at night nothing is said aloud, and nobody should wonder."""
        if text not in self._unanswered:
            return
        self._unanswered.remove(text)
        if trouble in _WHY:
            self.notice(f"«{text}» {_WHY[trouble]}")

    def device(self, port: str, why: str) -> None:
        """See Screen."""
        self.notice(f"{port}: {why or 'works.'}")

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        """See Screen; a console has no room for levels, its lines tell what happens."""

    def story(self, story: Story | None) -> None:
        """See Screen; `narrator protocol` prints it."""

    def _print(self, line: str) -> None:
        with self._lock:
            print(line, file=self._out, flush=True)

    # --- keyboard ------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        for line in self._keys:
            self.enter(line)
        if _somebody_closed(self._keys):
            self._put(Quit())

    def enter(self, line: str) -> None:
        """One line from the keyboard."""
        line = line.strip()
        signals = self.meant(line)
        if signals is None:
            self._print(self._help if line == "?" else f"* «{line}» means nothing here; ? shows the keys.")
            return
        for signal in signals:
            self._put(signal)

    def meant(self, line: str) -> list[Signal] | None:
        """The signals a line stands for, None if it is not understood."""
        if line in self._meanings:
            return [self._meanings[line]]
        if line == "t":
            self._talking = not self._talking
            return [Held(Control.NEXT) if self._talking else Released(Control.NEXT)]
        number = _NUMBER.fullmatch(line)
        if number:
            seat = int(number[2])
            return [SeatDown(seat), SeatUp(seat)] if number[1] else [Typed(seat)]
        if any("а" <= c <= "я" or c == "ё" for c in line.lower()):
            self._unanswered.append(line)
            return [Wrote(line)]
        return None


def _somebody_closed(keys: TextIO) -> bool:
    """Whether the end of input means that somebody wants to leave: a terminal or a pipe, not /dev/null of a service."""
    try:
        mode = os.fstat(keys.fileno()).st_mode
    except (OSError, ValueError):
        return True
    return keys.isatty() or stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
