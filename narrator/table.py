"""The game being played: its state, its time and its journal, kept in step.

Owns the only mutable variable of the game. Invariant: a move is on the disk before `play` returns what happened, so
before anybody hears or sees it; and the game's time goes on after a restart where it stood. A mark of a speech alone,
a lamp and a beep that follow from the time, is written and not waited for: a card may take longer than a beep may.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from narrator.clock import Clock
from narrator.game import moves as m
from narrator.game.events import MarkPassed
from narrator.game.guards import Refusal, deadline
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.reducer import Played, play
from narrator.game.state import Game, Phase, State
from narrator.game.timing import TINY
from narrator.journal import Beat, Entry, Journal, JournalError

BEAT = 1.0
"""Seconds between two notes of the game's time while a timer runs."""


LATE = 0.5
"""Seconds after which a mark counts as late and the log says so."""

log = logging.getLogger(__name__)


class Table:
    """One evening's games. `on_trouble` is told in one sentence that the journal fails, and "" when it works again.

    What could not be written is owed, and written before anything later: the journal is at any time a beginning of
    the game, never a game with a gap.
    """

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        beat: Beat,
        *,
        on_trouble: Callable[[str], None],
        new_page: Callable[[], Journal] | None = None,
    ) -> None:
        self.game = Game(first_state())
        self._clock, self._journal, self._beat = clock, journal, beat
        self._on_trouble, self._new_page = on_trouble, new_page
        self._owed: list[tuple[Move, float]] = []
        self._page_wanted = False
        self._troubled = False
        self._zero = clock.now()
        self._last_beat = 0.0

    @property
    def state(self) -> State:
        """The state of the game."""
        return self.game.state

    def at(self) -> float:
        """The game's own time, in seconds."""
        return self._clock.now() - self._zero

    def deadline(self) -> float | None:
        """Game time of the next thing to do by the clock, None if there is none."""
        mark = deadline(self.state)
        return None if mark is None else min(mark, self._last_beat + BEAT)

    def overdue(self) -> bool:
        """Whether the game's next mark has come."""
        due = deadline(self.state)
        return due is not None and due <= self.at() + TINY

    def beat(self) -> None:
        """Note the time now and then, so that a restart knows how much of a speech was left."""
        if self.state.timer is not None and self.at() >= self._last_beat + BEAT - TINY:
            self._last_beat = self.at()
            self._beat.mark(self._last_beat)

    def recover(self, entries: Iterable[Entry]) -> None:
        """Take up what the journal holds. Raises JournalError for a move that does not fit."""
        self.game, last = played_back(entries)
        self._zero = self._clock.now() - (0.0 if last is None else max(last, self._beat.read()))
        self._last_beat = self.at()
        self._beat.mark(self._last_beat)

    def play(self, move: Move) -> Played | Refusal:
        """Carry out a move and write it down, or say why not."""
        at = self.at()
        result = play(self.game, move, at)
        if isinstance(result, Refusal):
            return result
        due = deadline(self.state)
        if isinstance(move, m.TimeUp) and due is not None and at > due + LATE:
            log.warning("A mark came %.1f s late: the machine slept or was too busy.", at - due)
        before = self.state.phase
        self._write(move, at, wait=[type(event) for event in result.events] != [MarkPassed])
        self.game = result.game
        if self.state.phase is Phase.LOBBY and before is not Phase.LOBBY and self._new_page is not None:
            self._turn_the_page()
        return result

    def _write(self, move: Move, at: float, *, wait: bool = True) -> None:
        self._owed.append((move, at))
        try:
            if self._page_wanted and self._new_page is not None:
                self._journal = self._new_page()
                self._page_wanted = False
            while self._owed:
                self._journal.append(*self._owed[0], wait=wait)
                del self._owed[0]
        except JournalError as error:
            # the table plays on; somebody must know that a power cut would now lose the game
            if not self._troubled:
                self._on_trouble(f"{error} Until then a power cut would lose the game.")
            self._troubled = True
            return
        if self._troubled:
            self._troubled = False
            self._on_trouble("")

    def _turn_the_page(self) -> None:
        """Another game: its own journal; what is over cannot be taken back."""
        state = self.state
        self._journal.close()
        self._owed.clear()
        self._page_wanted = True
        self.game = Game(state)
        names = dict(enumerate(state.names, 1)) if state.names else None
        self._write(m.SetUp(state.seats, state.rules, state.host, names), self.at())

    def ails(self) -> str:
        """Whether a part of it has died, in one sentence; see ports.vital."""
        return self._beat.ails()

    def close(self) -> None:
        """Close the files."""
        self._beat.close()
        self._journal.close()


def played_back(entries: Iterable[Entry]) -> tuple[Game, float | None]:
    """The game that a journal's moves lead to, and the time of the last one. Raises JournalError."""
    game, last = Game(first_state()), None
    for number, entry in enumerate(entries, 1):
        result = play(game, entry.move, entry.at)
        if isinstance(result, Refusal):
            why = f"move {number} ({entry.move.kind}) does not fit the game: {result.reason}"
            raise JournalError(f"The journal cannot be gone on with: {why}; move it away to start afresh.")
        game, last = result.game, entry.at
    return game, last
