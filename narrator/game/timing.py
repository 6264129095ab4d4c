"""Time as data: a timer, its marks and the deadline that the loop waits for.

Knows no clock: `at` is seconds of the game's own time, which only grows. Invariant: a mark happens once, however late
it is noticed, and never twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

OVERTIME_STEP = 10.0
"""Seconds between the beeps of overtime."""


TINY = 1e-6
"""Seconds that do not count: what is left after adding floating-point times."""


class Kind(StrEnum):
    """What the timer is for."""

    SPEECH = "speech"  # counts down, goes on into overtime
    PAUSE = "pause"  # silence of a set length; at zero the phase goes on
    COUNT = "count"  # «раз, два, три»
    CALL = "call"  # one called number of the shooting


@dataclass(frozen=True, slots=True)
class Timer:
    """`left` seconds at `since` (None: it stands). `waiting`: it starts when the narrator falls silent.

    `mark` is the value of `left` at which something happens next.
    """

    kind: Kind
    total: float
    left: float
    mark: float
    since: float | None = None
    waiting: bool = True

    def left_at(self, at: float) -> float:
        """Seconds left at `at`; negative in overtime."""
        return self.left if self.since is None else self.left - (at - self.since)

    @property
    def deadline(self) -> float | None:
        """When the next mark comes, None while the timer stands."""
        return None if self.since is None else self.since + self.left - self.mark


def speech(seconds: float, warn_at: float) -> Timer:
    """A speech's timer with a mark `warn_at` seconds before the end, unless it is that short itself."""
    return Timer(Kind.SPEECH, seconds, seconds, warn_at if seconds > warn_at else 0.0)


def pause(seconds: float, kind: Kind = Kind.PAUSE) -> Timer:
    """A silence with one mark, its end."""
    return Timer(kind, seconds, seconds, 0.0)


def started(timer: Timer, at: float) -> Timer:
    """The timer running from `at`."""
    return replace(timer, left=timer.left_at(at), since=at, waiting=False)


def stopped(timer: Timer, at: float) -> Timer:
    """The timer standing, with what was left at `at`."""
    return replace(timer, left=timer.left_at(at), since=None, waiting=False)


def after_mark(timer: Timer, overtime_warning: float) -> Timer:
    """The timer once its mark has happened, pointing at the next one.

    After zero: the overtime warning, then a beep every ten seconds.
    """
    mark = timer.mark
    if mark > 0:
        following = 0.0
    else:
        over = -mark
        beep = OVERTIME_STEP * (over // OVERTIME_STEP + 1)
        following = -min(overtime_warning, beep) if over < overtime_warning else -beep
    return replace(timer, mark=following)


def more(timer: Timer, seconds: float, warn_at: float, at: float) -> Timer:
    """The timer with `seconds` more or less; marks that lie ahead again happen again. Never below zero left."""
    left = max(timer.left_at(at) + seconds, 0.0)
    mark = warn_at if left > warn_at else 0.0
    total = timer.total + left - timer.left_at(at)
    return replace(timer, total=total, left=left, mark=mark, since=None if timer.since is None else at)
