"""The box as a service: tells systemd that it is up, and that it is well only while all its parts are.

Speaks systemd's notification protocol (sd_notify(3)): one datagram to the socket named by NOTIFY_SOCKET. That is a few
lines, and the packages that offer it have not been kept up for years. Without systemd it says nothing to nobody, but a
part that has died is still told. Knows parts only as `Vital`; touches no device.

Invariant: after a part has begun to ail, no sign of life leaves this process until it is well again.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterable

from narrator.ports.vital import Vital

log = logging.getLogger(__name__)
LOOK = 3.0
"""Seconds between two looks at the parts when nobody asks for signs of life."""


class Service:
    """The line to systemd, silent where there is none."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        known = dict(os.environ) if environment is None else environment
        self._address = known.get("NOTIFY_SOCKET", "")
        mine = known.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        microseconds = int(known.get("WATCHDOG_USEC") or 0) if mine else 0
        self.every = min(LOOK, microseconds / 3e6) if microseconds else LOOK
        """Seconds between two signs of life: three of them in the time that systemd waits."""

    def tell(self, *lines: str) -> None:
        """Send lines such as «READY=1»; a systemd that does not listen is no reason to stop a game."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
                line.sendto("\n".join(lines).encode(), address)
        except OSError as error:
            log.warning("systemd could not be told %s (%s).", lines[0], error)

    def ready(self, status: str) -> None:
        """The box hosts from now on."""
        self.tell("READY=1", f"STATUS={status}")

    def starting(self, status: str, seconds: float) -> None:
        """Still starting, for good reasons; wait `seconds` more."""
        self.tell(f"EXTEND_TIMEOUT_USEC={round(seconds * 1e6)}", f"STATUS={status}")

    def stopping(self) -> None:
        """Leaving on purpose."""
        self.tell("STOPPING=1")


class Pulse:
    """Called in every round of the game's loop: looks at the parts now and then and passes on a sign of life.

    `on_trouble` is told once, in one sentence, when a part ails, and "" when it is well again.
    """

    def __init__(
        self,
        service: Service,
        parts: Iterable[object],
        on_trouble: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._on_trouble, self._now = service, on_trouble, now
        self._parts = [part for part in parts if isinstance(part, Vital)]
        self._next = now()
        self._told = ""

    def __call__(self) -> float:
        """Seconds until it wants to be called again."""
        now = self._now()
        if now >= self._next:
            self._next = now + self._service.every
            why = next(filter(None, (part.ails() for part in self._parts)), "")
            if not why:
                self._service.tell("WATCHDOG=1")
            if why != self._told:
                self._on_trouble(f"{why} The box starts itself anew if it can; the game is kept." if why else "")
            self._told = why
        return self._next - now
