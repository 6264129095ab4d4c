"""What the pages show, as text: the one place where values become what a browser reads.

Lives on the server's loop. Invariant: the table's and the seats' channels are made from `View` alone, and are told only
when the view has changed, so that they tell nothing by when they speak either.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from narrator.messages import HostView, Story, View
from narrator.ports.web.hub import Hub
from narrator.ports.web.rights import SEATS, Rights

LINES = 200
"""Lines of the evening's journal that are kept for the moderator."""
CARD = 256
"""Bytes of every answer about a card, whatever the card."""


class Desk:
    """The values that the pages show now."""

    def __init__(self, hub: Hub, rights: Rights) -> None:
        self.view: View | None = None
        self.story: Story | None = None
        self._hub, self._rights = hub, rights
        self._cards: tuple[str, ...] = ()
        self._dealt_to: dict[int, str] = {}  # the phones that were there when the cards became known
        self._hosted = True
        self._lines: deque[dict[str, Any]] = deque(maxlen=LINES)
        self._devices: dict[str, str] = {}
        self._levels: dict[str, float] = {}
        self.tell_seats()
        self.tell_story(None)

    # --- what the game sends -------------------------------------------------------------------------------------

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float, since: float) -> None:
        """The state at game time `at`, which was monotonic time `since`."""
        if cards and not self._cards:
            self._dealt_to = self._rights.devices
        self._cards, self._hosted = cards, not cards or bool(host.cards)
        if view != self.view:
            seats_changed = self.view is None or len(view.seats) != len(self.view.seats)
            self.view = view
            self._hub.publish("view", view_text(view, at - since))
            if seats_changed:
                self.tell_seats()
        self._publish("host", asdict(host))

    def line(self, kind: str, text: str, **more: Any) -> None:
        """One more line of the evening's journal."""
        self._lines.append({"at": time.strftime("%H:%M:%S"), "kind": kind, "text": text, **more})
        self._publish("log", list(self._lines))
        if kind == "said":
            self._publish("said", [line["text"] for line in self._lines if line["kind"] == "said"][-4:])

    def device(self, port: str, why: str) -> None:
        """A device works ("") or does not."""
        self._devices[port] = why
        self._publish("devices", self._devices)

    def tell_story(self, story: Story | None) -> None:
        """There is a finished game to look at, or there is none."""
        self.story = story
        self._publish("story", story is not None)

    def level(self, name: str, value: float) -> None:
        """A lamp or the buzzer of the box has another level, 0…1."""
        self._levels[name] = value
        self._publish("box", self._levels)

    def tell_seats(self) -> None:
        """Tell the moderator's pages which seats have a phone, and the codes."""
        count = len(self.view.seats) if self.view is not None else 0
        taken = self._rights.devices
        rows = [{"seat": s, "code": self._rights.code(s), "taken": s in taken} for s in SEATS if s <= count]
        self._publish("seats", rows)

    def _publish(self, name: str, value: Any) -> None:
        text = _json(value)
        self._hub.publish(name, lambda now: text)

    # --- what a player asks --------------------------------------------------------------------------------------

    def card(self, seat: int) -> bytes:
        """A seat's own card, always `CARD` bytes of JSON; "" if the box does not know it.

        With no host whoever has the PIN could free a seat and take it with his own phone: only a phone that had the
        seat when the cards became known is told; another gets "late".
        """
        card = self._cards[seat - 1] if seat <= len(self._cards) else ""
        if card and not self._hosted and self._rights.devices.get(seat) != self._dealt_to.get(seat):
            card = "late"
        return padded({"card": card})


def view_text(view: View, ahead: float) -> Callable[[float], str]:
    """The table's channel: the view, and the seconds left at the moment it is sent. `ahead`: game time minus ours."""
    known = {"view": asdict(replace(view, time=None))}
    time_ = view.time
    if time_ is None:
        text = _json(known | {"time": None})
        return lambda now: text
    fixed: Mapping[str, Any] = {"total": time_.total, "warn": time_.warn, "running": time_.at is not None}

    def told(now: float) -> str:
        left = time_.left if time_.at is None else time_.left - (now + ahead - time_.at)
        return _json(known | {"time": {**fixed, "left": round(left, 2)}})

    return told


def padded(value: Any) -> bytes:
    """JSON of exactly `CARD` bytes."""
    data = json.dumps(value, ensure_ascii=False).encode()
    return data + b" " * (CARD - len(data))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
