"""Who may do what on the pages: the moderator's PIN, one device for each seat, and how often anybody may guess.

Knows no request and no game. Everything follows from one secret, kept in a file that only this user may read, so that
a restart in the middle of a game asks nobody again; a new evening has a new secret. Invariant: no comparison with a
secret can be tried faster than `Tries` allows.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import logging
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

PIN_DIGITS = 6
CODE_DIGITS = 8
SEATS = range(1, 16)


class TooMany(Exception):
    """Too many wrong guesses; `wait` is how many seconds no guess is looked at."""

    def __init__(self, wait: float) -> None:
        self.wait = wait
        super().__init__(f"Too many wrong guesses; wait {wait:.0f} s.")


class Refused(Exception):
    """`reason`: "wrong" code, "taken" by another device, or "seated" already elsewhere."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Tries:
    """Wrong guesses by address: some are free, then each wait is twice the last."""

    FREE, FIRST, LONGEST, MOST = 5, 30.0, 900.0, 1000

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}  # how many, and until when nothing is looked at

    def check(self, who: str) -> None:
        """Raises TooMany while `who` has to wait."""
        wait = self._wrong.get(who, (0, 0.0))[1] - self._clock()
        if wait > 0:
            raise TooMany(wait)

    def wrong(self, who: str) -> None:
        """One more wrong guess."""
        count = self._wrong.pop(who, (0, 0.0))[0] + 1
        over = count - self.FREE
        wait = min(self.FIRST * 2 ** min(over, 16), self.LONGEST) if over >= 0 else 0.0
        self._wrong[who] = (count, self._clock() + wait)
        while len(self._wrong) > self.MOST:
            del self._wrong[next(iter(self._wrong))]

    def right(self, who: str) -> None:
        """A right guess forgives the wrong ones."""
        self._wrong.pop(who, None)


class Rights:
    """PIN, sessions, seats. `path`: the file that keeps them; `fresh`: a new evening, so a new secret."""

    def __init__(self, path: Path, *, fresh: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        kept = {} if fresh else _read(path)
        self._secret = bytes.fromhex(kept.get("secret") or secrets.token_hex(32))
        self._devices: dict[int, str] = {int(seat): device for seat, device in kept.get("devices", {}).items()}
        self._turns: dict[int, int] = {int(seat): turn for seat, turn in kept.get("turns", {}).items()}
        self._tries = Tries(clock)
        self._tickets: set[str] = set()
        self.pin = self._digits("pin", PIN_DIGITS)
        self._write()

    # --- the moderator -------------------------------------------------------------------------------------------

    def log_in(self, pin: str, who: str) -> str:
        """A session for the right PIN. Raises Refused or TooMany."""
        self._tries.check(who)
        if not hmac.compare_digest(pin.encode(), self.pin.encode()):
            self._tries.wrong(who)
            raise Refused("wrong")
        self._tries.right(who)
        return self._session()

    def ticket(self) -> str:
        """A word that opens one session without the PIN, for the browser that the program itself opens."""
        ticket = secrets.token_urlsafe(24)
        self._tickets.add(ticket)
        return ticket

    def redeem(self, ticket: str) -> str | None:
        """The session that a ticket opens, once."""
        if ticket not in self._tickets:
            return None
        self._tickets.discard(ticket)
        return self._session()

    def is_host(self, session: str) -> bool:
        """Whether this is a moderator's session."""
        name, _, mark = session.partition(".")
        return bool(name) and self._fits(mark, f"host {name}")

    def _session(self) -> str:
        name = secrets.token_hex(16)
        return f"{name}.{self._mark(f'host {name}')}"

    # --- seats ---------------------------------------------------------------------------------------------------

    def code(self, seat: int) -> str:
        """The digits with which a device takes `seat`."""
        return self._digits(f"seat {seat} {self._turns.get(seat, 0)}", CODE_DIGITS)

    @property
    def devices(self) -> dict[int, str]:
        """Which device each taken seat has."""
        return dict(self._devices)

    def join(self, code: str, held: str, who: str) -> str:
        """A pass for the seat of `code`; `held` is the pass that the device has, or "".

        Raises TooMany, or Refused for a wrong code, a seat that another device has, a device that has another seat.
        """
        self._tries.check(who)
        seat = next((seat for seat in SEATS if hmac.compare_digest(code.encode(), self.code(seat).encode())), None)
        if seat is None:
            self._tries.wrong(who)
            raise Refused("wrong")
        self._tries.right(who)
        mine = self.seat(held)
        if mine == seat:
            return held
        if mine is not None:
            raise Refused("seated")
        if seat in self._devices:
            raise Refused("taken")
        device = secrets.token_hex(16)
        self._devices[seat] = device
        self._write()
        return f"{seat}.{device}.{self._mark(f'seat {seat} {device}')}"

    def seat(self, given: str) -> int | None:
        """The seat that a pass is for, None if it is for none (any more)."""
        parts = given.split(".")
        if len(parts) != 3 or parts[0] not in map(str, SEATS):
            return None
        seat, device = int(parts[0]), parts[1]
        fits = self._fits(parts[2], f"seat {seat} {device}") and self._devices.get(seat) == device
        return seat if fits else None

    def release(self, seat: int) -> None:
        """Another device may take the seat, with another code."""
        self._devices.pop(seat, None)
        self._turns[seat] = self._turns.get(seat, 0) + 1
        self._write()

    # --- secrets -------------------------------------------------------------------------------------------------

    def _mark(self, what: str) -> str:
        return hmac.new(self._secret, what.encode(), hashlib.sha256).hexdigest()

    def _fits(self, mark: str, what: str) -> bool:
        return mark.isascii() and hmac.compare_digest(mark, self._mark(what))

    def _digits(self, what: str, count: int) -> str:
        return str(int(self._mark(what), 16) % 10**count).zfill(count)

    def _write(self) -> None:
        data = {"secret": self._secret.hex(), "devices": self._devices, "turns": self._turns}
        new = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                new.unlink()
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump(data, file)
            new.replace(self._path)
        except OSError as error:
            log.warning("%s cannot be written (%s); after a restart everybody enters his code again.", new, error)


def _read(path: Path) -> dict[str, Any]:
    """What was kept, or nothing; a damaged file only means that everybody enters his code again."""
    try:
        kept = json.loads(path.read_text())
        bytes.fromhex(kept["secret"])
        {int(seat): str(device) for seat, device in kept["devices"].items()}
        {int(seat): int(turn) for seat, turn in kept["turns"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.info("%s is not used: %s", path, error)
        return {}
    return dict(kept)
