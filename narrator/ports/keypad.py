"""Keys of a USB number pad, a presenter or a USB encoder for seat buttons, on evdev.

Digits and Enter are a number entered silently, PageDown and PageUp are next and back, + and - are themselves, * or a
presenter's «start» and «blank» are the menu, mapped keys are seat buttons. The
device is taken for this program alone, so that nothing is typed into a console; may be pulled out and put back at any
time. Knows no game. Invariant: for every seat `SeatDown` and `SeatUp` alternate, also when the plug is pulled.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
import time
from typing import Any

from narrator.config import KeypadSettings, did_you_mean
from narrator.messages import Control, PortBack, PortFailed, Pressed, SeatDown, SeatUp, Signal, Typed
from narrator.ports import Put

log = logging.getLogger(__name__)

PORT = "keypad"
RETRY = 2.0
"""Seconds between two looks for a device that is not there."""
FORGET = 10.0
"""Seconds after which digits without Enter are forgotten: nobody knows any more who typed them."""

_DIGITS = {name: digit for digit in range(10) for name in (f"KEY_KP{digit}", f"KEY_{digit}")}
_ENTER = ("KEY_KPENTER", "KEY_ENTER")
_ERASE = ("KEY_BACKSPACE", "KEY_KPDOT", "KEY_DELETE")
_CONTROLS = {
    "KEY_PAGEDOWN": Control.NEXT,
    "KEY_PAGEUP": Control.BACK,
    "KEY_KPPLUS": Control.PLUS,
    "KEY_KPMINUS": Control.MINUS,
    "KEY_KPASTERISK": Control.MENU,
    "KEY_F5": Control.MENU,  # a presenter's «start»
    "KEY_B": Control.MENU,  # and its «blank»
}
_UP, _DOWN = 0, 1  # 2 is a key that repeats itself


class Keys:
    """What keys mean, as plain arithmetic: names of keys and times in, signals out. `seats`: key names as seats."""

    def __init__(self, seats: dict[str, int]) -> None:
        self._seats = seats
        self._held: dict[str, int] = {}
        self._typed, self._typed_at = "", 0.0

    def key(self, name: str, value: int, at: float) -> list[Signal]:
        """A key went down (1) or up (0) at monotonic time `at`."""
        if name in self._seats:
            return self._seat(name, value)
        if value != _DOWN:
            return []
        if at > self._typed_at + FORGET:
            self._typed = ""
        self._typed_at = at
        if name in _DIGITS:
            self._typed = (self._typed + str(_DIGITS[name]))[-4:]  # two seats of a named vote are the longest
        elif name in _ERASE:
            self._typed = ""
        elif name in _ENTER and self._typed:
            number, self._typed = int(self._typed), ""
            return [Typed(number)]
        elif name in _CONTROLS:
            return [Pressed(_CONTROLS[name])]
        return []

    def let_go(self) -> list[Signal]:
        """The device is gone: whatever was down is up, what was typed is forgotten."""
        seats = sorted(set(self._held.values()))
        self._held, self._typed = {}, ""
        return [SeatUp(seat) for seat in seats]

    def _seat(self, name: str, value: int) -> list[Signal]:
        seat = self._seats[name]
        was = seat in self._held.values()
        if value == _DOWN:
            self._held[name] = seat
        elif value == _UP:
            self._held.pop(name, None)
        down = seat in self._held.values()  # two keys may be one seat
        if down == was:
            return []
        return [SeatDown(seat) if down else SeatUp(seat)]


class Keypad:
    """Every input device whose name holds `settings.device`, watched by a thread of its own.

    `evdev` replaces the library (tests). With no device named there is nothing to do and nothing is loaded.
    A device that is not there, or a mistake in the settings, is told once as `PortFailed`.
    """

    def __init__(self, settings: KeypadSettings, put: Put, *, evdev: Any = None, retry: float = RETRY) -> None:
        self._settings, self._put, self._evdev, self._retry = settings, put, evdev, retry
        self._keys = Keys(settings.seats)
        self._names: dict[int, str] = {}
        self._failed = self._closing = False
        self._wake, self._waker = os.pipe()
        self._thread = threading.Thread(target=self._run, name="keypad", daemon=True)
        if settings.device:
            self._thread.start()

    def close(self) -> None:
        """Give the device back. May be called twice."""
        if self._closing:
            return
        self._closing = True
        os.write(self._waker, b"x")
        if self._thread.ident is not None:
            self._thread.join(2.0)
        os.close(self._waker)
        if not self._thread.is_alive():
            os.close(self._wake)

    def _run(self) -> None:
        why = self._prepare()
        if why:
            self._fail(why)
            return
        while not self._closing:
            with contextlib.ExitStack() as stack:
                devices = self._open(stack)
                if devices:
                    self._works()
                    self._read(devices)
                    self._tell(self._keys.let_go())
            if not self._closing:
                self._fail(f"No keypad “{self._settings.device}” is plugged in{self._seen()}.")
                select.select([self._wake], [], [], self._retry)

    def _prepare(self) -> str:
        """Load the library and the names of the keys. Returns what is wrong, or an empty string."""
        if self._evdev is None:
            try:
                import evdev
            except ImportError as error:
                return f"The keypad needs evdev ({error}); run “.venv/bin/pip install evdev”."
            self._evdev = evdev
        codes: dict[str, int] = self._evdev.ecodes.ecodes
        for name in self._settings.seats:
            if name not in codes:
                return f"[keypad] seats: there is no key {name}{did_you_mean(name, codes)}; mend it and start again."
        wanted = (*self._settings.seats, *_DIGITS, *_ENTER, *_ERASE, *_CONTROLS)
        self._names = {codes[name]: name for name in reversed(wanted)}
        return ""

    def _open(self, stack: contextlib.ExitStack) -> list[Any]:
        """The devices of that name with a key that means something, grabbed."""
        devices = []
        for path in self._evdev.list_devices():
            try:
                device = self._evdev.InputDevice(path)
                stack.callback(device.close)  # closing gives a grabbed device back
                keys = device.capabilities().get(self._evdev.ecodes.EV_KEY, ())
                if self._is_ours(device.name) and self._names.keys() & set(keys):
                    device.grab()
                    devices.append(device)
            except OSError as error:  # unplugged meanwhile, or another program has it
                log.debug("%s: %s", path, error)
        return devices

    def _is_ours(self, name: str) -> bool:
        return self._settings.device.lower() in name.lower()

    def _seen(self) -> str:
        names = []
        for path in self._evdev.list_devices():
            with contextlib.suppress(OSError), contextlib.closing(self._evdev.InputDevice(path)) as device:
                names.append(device.name)
        if not names:
            return "; if one is, add this user to the group input (sudo usermod -aG input $USER) and log in again"
        if any(self._is_ours(name) for name in names):
            return " that has such keys and is free; close the other program that uses it or name another device"
        return f"; there are: {', '.join(sorted(set(names)))}"

    def _read(self, devices: list[Any]) -> None:
        """Signals until a device is gone or the port closes."""
        while not self._closing:
            ready, _, _ = select.select([self._wake, *devices], [], [])
            for device in ready:
                if device == self._wake:
                    return
                try:
                    events = list(device.read())
                except OSError as error:
                    log.debug("The keypad is gone: %s", error)
                    return
                for event in events:
                    self._take(event)

    def _take(self, event: Any) -> None:
        codes = self._evdev.ecodes
        if event.type == codes.EV_KEY and event.code in self._names:
            self._tell(self._keys.key(self._names[event.code], event.value, time.monotonic()))
        elif event.type == codes.EV_SYN and event.code == codes.SYN_DROPPED:
            self._tell(self._keys.let_go())  # the kernel has lost events: nobody knows what is still down

    def _tell(self, signals: list[Signal]) -> None:
        for signal in signals:
            self._put(signal)

    def _fail(self, why: str) -> None:
        if not self._failed:
            self._failed = True
            self._put(PortFailed(PORT, why))

    def _works(self) -> None:
        if self._failed:
            self._failed = False
            self._put(PortBack(PORT))
