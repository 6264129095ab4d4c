"""From raw contacts to signals: debounce and gestures, as plain arithmetic on times.

Knows no device, thread or clock: edges with their times go in, signals come out. A change of a contact counts
at once; then the contact is deaf for the debounce time, and its level is looked at again when that is over.
So a tap shorter than the debounce time is not lost, and a burst of bounces is one change.

Invariant: for every contact downs and ups alternate; a press of a control gives either `Pressed` or `Held`
and `Released`, a press of a seat `SeatDown` and `SeatUp`, each once, however long it lasts. Plus and Minus down
together are one press of the menu instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from operator import itemgetter

from narrator.messages import Control, Held, PortBack, PortFailed, Pressed, Released, SeatDown, SeatUp, Signal

Key = Control | int
"""A contact: one of the four controls, or the number of a seat."""

_TOGETHER: dict[Control, Key] = {Control.PLUS: Control.MINUS, Control.MINUS: Control.PLUS}

STUCK = 30.0
"""Seconds after which a button counts as jammed."""


@dataclass(slots=True)
class _Contact:
    raw: bool = False  # the level as last reported
    down: bool = False  # the level as believed
    since: float = 0.0  # when `down` last changed
    held: bool = False
    menu: bool = False  # down together with the other one: this press is told already
    stuck: bool = False


class Buttons:
    """Contacts of the box and of the seats.

    `debounce`: seconds a contact is deaf after a change. `hold`: seconds until a press becomes a hold.
    `stuck`: seconds until a button that does not come up is reported and ignored. Times are seconds of one
    monotonic clock; edges may be told late, but for each contact in their order.
    """

    def __init__(self, debounce: float, hold: float, stuck: float = STUCK) -> None:
        self._debounce, self._hold, self._stuck = debounce, hold, stuck
        self._contacts: dict[Key, _Contact] = {}

    @property
    def next_deadline(self) -> float | None:
        """When `tick` has something to do if no edge comes before; None if nothing is waiting."""
        return min((due for due, _ in self._dues(self._contacts)), default=None)

    def edge(self, key: Key, down: bool, at: float) -> list[Signal]:
        """A contact was seen closed (`down`) or open at time `at`; returns what this means for it."""
        contact = self._contacts.setdefault(key, _Contact(since=float("-inf")))
        at = max(at, contact.since)
        signals = self._advance(at, [key])
        contact.raw = down
        if down != contact.down and at >= contact.since + self._debounce:
            signals += self._change(key, contact, at)
        return signals

    def tick(self, at: float) -> list[Signal]:
        """Everything that falls due up to time `at`, in the order of time, however late the call comes."""
        return self._advance(at, self._contacts)

    def _advance(self, at: float, keys: Collection[Key]) -> list[Signal]:
        signals: list[Signal] = []
        while (first := min(self._dues(keys), default=None, key=itemgetter(0))) and first[0] <= at:
            signals += self._fall_due(first[1], first[0])
        return signals

    def _dues(self, keys: Iterable[Key]) -> list[tuple[float, Key]]:
        dues: list[tuple[float, Key]] = []
        for key in keys:
            contact = self._contacts[key]
            if contact.raw != contact.down:
                dues.append((contact.since + self._debounce, key))
            if contact.down and not contact.stuck:
                hold_waits = isinstance(key, Control) and not contact.held and not contact.menu
                dues.append((contact.since + (self._hold if hold_waits else self._stuck), key))
        return dues

    def _fall_due(self, key: Key, when: float) -> list[Signal]:
        contact = self._contacts[key]
        if contact.raw != contact.down and when >= contact.since + self._debounce:
            return self._change(key, contact, when)
        if isinstance(key, Control) and not contact.held and not contact.menu:
            contact.held = True
            return [Held(key)]
        contact.stuck = True
        name = _name(key)
        why = f"The {name} has been down for {self._stuck:g} s and is ignored until it comes up; free it."
        ended: list[Signal] = [Released(key) if isinstance(key, Control) else SeatUp(key)]
        return [*([] if contact.menu else ended), PortFailed(name, why)]

    def _change(self, key: Key, contact: _Contact, when: float) -> list[Signal]:
        held, stuck, menu = contact.held, contact.stuck, contact.menu
        contact.down = not contact.down
        contact.since = when
        contact.held = contact.stuck = contact.menu = False
        if contact.down:
            if not isinstance(key, Control):
                return [SeatDown(key)]
            other = self._contacts.get(_TOGETHER[key]) if key in _TOGETHER else None
            if other is None or not other.down or other.held or other.stuck or other.menu:
                return []
            contact.menu = other.menu = True
            return [Pressed(Control.MENU)]
        if stuck:
            return [PortBack(_name(key))]
        if not isinstance(key, Control):
            return [SeatUp(key)]
        return [] if menu else [Released(key) if held else Pressed(key)]


def _name(key: Key) -> str:
    return f"{key} button" if isinstance(key, Control) else f"button of seat {key}"
