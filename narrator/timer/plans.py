"""How a speech is timed: its length and what happens at which second, as data.

A mark's place is the seconds that are left; below zero it is overtime. Knows no clock and no language.
Invariant: marks go down strictly, and there is always a mark at zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from narrator.game.timing import OVERTIME_STEP
from narrator.messages import Buzz, Lamp

LONGEST = 4 * 3600.0
"""Seconds that one speech may have at most."""


@dataclass(frozen=True, slots=True)
class Mark:
    """At `left` seconds before the end: the lamp from then on, buzzes, strokes of a bell, and blinking."""

    left: float
    lamp: Lamp
    buzzes: tuple[Buzz, ...] = ()
    bells: int = 0
    blink: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to time a speech of `seconds`.

    `lamp`: before the first mark. `aloud`: the end of the time is also said. `beep`: seconds between the beeps of
    overtime, 0 for none. `limit`: seconds over time at which a speech ends when speakers follow by themselves.
    """

    key: str
    seconds: float
    marks: tuple[Mark, ...]
    lamp: Lamp = Lamp.GREEN
    beep: float = OVERTIME_STEP
    limit: float = 0.0
    aloud: bool = False

    def __post_init__(self) -> None:
        places = [mark.left for mark in self.marks]
        assert places == sorted(set(places), reverse=True), f"{self.key}: marks must go down"
        assert 0.0 in places, f"{self.key}: there must be a mark at zero"


class PlanError(ValueError):
    """A plan that does not exist; the text says what does."""


def countdown(seconds: float, warn: float = 10.0) -> Plan:
    """Green, yellow with a short beep at `warn` seconds left, red with a long one at zero, then a beep each 10 s.

    Raises PlanError for a length that nobody speaks.
    """
    if not 1 <= seconds <= LONGEST:
        raise PlanError(f"A speech of {seconds:g} seconds cannot be timed; give 1 to {LONGEST:g}.")
    end = Mark(0.0, Lamp.RED, (Buzz.LONG,), blink=True)
    warning = (Mark(warn, Lamp.YELLOW, (Buzz.SHORT,)),) if 0 < warn < seconds else ()
    return Plan(f"{seconds:g} s", seconds, (*warning, end), aloud=True)


def toastmasters(low: int, high: int) -> Plan:
    """A speech of `low` to `high` minutes: green at the least time, yellow half-way, red at the most.

    Thirty seconds later the red lamp blinks and one long beep says that the speech no longer counts. Nothing sounds
    before: the lights are the signal.
    """
    span = 60.0 * (high - low)
    return Plan(
        f"toastmasters-{low}-{high}",
        60.0 * high,
        (
            Mark(span, Lamp.GREEN),
            Mark(span / 2, Lamp.YELLOW),
            Mark(0.0, Lamp.RED),
            Mark(-30.0, Lamp.RED, (Buzz.LONG,), blink=True),
        ),
        lamp=Lamp.OFF,
        beep=0.0,
        limit=30.0,
    )


def debate(minutes: int) -> Plan:
    """A debater's speech: a bell after the first minute and before the last (between them questions are allowed),
    two at the end, and a long tone a quarter of a minute later, when nobody needs to listen any more."""
    total = 60.0 * minutes
    short = Buzz.SHORT
    return Plan(
        f"debate-{minutes}",
        total,
        (
            Mark(total - 60, Lamp.GREEN, (short,), bells=1),
            Mark(60.0, Lamp.YELLOW, (short,), bells=1),
            Mark(0.0, Lamp.RED, (short, short), bells=2),
            Mark(-15.0, Lamp.RED, (Buzz.LONG,), bells=3, blink=True),
        ),
        lamp=Lamp.GREEN,
        beep=0.0,
        limit=15.0,
    )


PLANS: dict[str, Plan] = {
    "mafia-15": countdown(15),
    "mafia-60": countdown(60),
    "toastmasters-1-2": toastmasters(1, 2),
    "toastmasters-2-3": toastmasters(2, 3),
    "toastmasters-5-7": toastmasters(5, 7),
    "debate-7": debate(7),
}
"""Plans by name."""


def plan_for(text: str, warn: float = 10.0) -> Plan:
    """The plan that is meant by a name of PLANS, by seconds («60»), or by minutes and seconds («1:30»).

    Raises PlanError with the names that exist.
    """
    if text in PLANS:
        return PLANS[text]
    minutes, colon, seconds = text.rpartition(":")
    if seconds.isdecimal() and (not colon or (minutes.isdecimal() and int(seconds) < 60)):
        return countdown(60.0 * int(minutes or 0) + int(seconds), warn)
    known = ", ".join(PLANS)
    raise PlanError(f"«{text}» is no time; give seconds (60), minutes and seconds (1:30), or one of {known}.")
