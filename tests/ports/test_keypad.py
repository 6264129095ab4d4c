"""The number pad and the encoder on devices that are made up: what keys mean, and what if the plug is pulled."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from narrator import config
from narrator.config import ConfigError, KeypadSettings
from narrator.messages import Control, PortBack, PortFailed, Pressed, SeatDown, SeatUp, Signal, Typed
from narrator.ports.keypad import FORGET, Keypad, Keys

ROOT = Path(__file__).parents[2]
NUMBERS = {"KEY_KPENTER": 96, "KEY_ENTER": 28, "KEY_BACKSPACE": 14, "KEY_KPDOT": 83, "KEY_DELETE": 111}
NUMBERS |= {"KEY_PAGEDOWN": 109, "KEY_PAGEUP": 104, "KEY_A": 30, "KEY_B": 48, "BTN_TRIGGER": 288}
NUMBERS |= {"KEY_KPPLUS": 78, "KEY_KPMINUS": 74, "KEY_KPASTERISK": 55, "KEY_F5": 63}
NUMBERS |= {f"KEY_{digit}": code for digit, code in zip((*range(1, 10), 0), range(2, 12), strict=True)}
NUMBERS |= {f"KEY_KP{digit}": code for digit, code in enumerate((82, 79, 80, 81, 75, 76, 77, 71, 72, 73))}
"""The kernel's codes of the keys that are used here."""
SYN, KEY, DROPPED = 0, 1, 3
UNPLUGGED = 99


@dataclass(frozen=True)
class Event:
    type: int
    code: int
    value: int


class Hub:
    """The sockets that devices are plugged into, with the part of evdev's interface that a keypad needs."""

    ecodes = SimpleNamespace(ecodes=NUMBERS, EV_KEY=KEY, EV_SYN=SYN, SYN_DROPPED=DROPPED)

    def __init__(self) -> None:
        self.plugged: dict[str, Plug] = {}
        self.looks = 0

    def list_devices(self) -> list[str]:
        self.looks += 1
        return sorted(self.plugged)

    def InputDevice(self, path: str) -> Device:
        if path not in self.plugged:
            raise FileNotFoundError(path)
        return Device(self.plugged[path])

    def plug(self, name: str = "SIGMACHIP USB Keypad", keys: tuple[str, ...] = tuple(NUMBERS)) -> Plug:
        plug = Plug(self, f"/dev/input/event{len(self.plugged)}", name, keys)
        self.plugged[plug.path] = plug
        return plug


class Plug:
    """One device as a person sees it: keys to press, a plug to pull."""

    def __init__(self, hub: Hub, path: str, name: str, keys: tuple[str, ...]) -> None:
        self.hub, self.path, self.name, self.keys = hub, path, name, keys
        self.reader, self._writer = os.pipe()
        self.grabbed = self.foreign = False

    def event(self, kind: int, code: int, value: int) -> None:
        os.write(self._writer, struct.pack("3i", kind, code, value))

    def press(self, *names: str) -> None:
        for name in names:
            self.event(KEY, NUMBERS[name], 1)
            self.event(KEY, NUMBERS[name], 0)

    def pull(self) -> None:
        del self.hub.plugged[self.path]
        self.event(UNPLUGGED, 0, 0)


class Device:
    """The device as the program sees it."""

    def __init__(self, plug: Plug) -> None:
        self._plug = plug
        self.name = plug.name

    def fileno(self) -> int:
        return self._plug.reader

    def capabilities(self) -> dict[int, list[int]]:
        return {KEY: [NUMBERS[name] for name in self._plug.keys]} if self._plug.keys else {}

    def grab(self) -> None:
        if self._plug.grabbed or self._plug.foreign:
            raise OSError(16, "Device or resource busy")
        self._plug.grabbed = True

    def read(self) -> Iterator[Event]:
        data = os.read(self._plug.reader, 12)
        event = Event(*struct.unpack("3i", data))
        if event.type == UNPLUGGED:
            raise OSError(19, "No such device")
        yield event

    def close(self) -> None:
        self._plug.grabbed = False


Make = Callable[..., list[Signal]]


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def make(hub: Hub) -> Iterator[Make]:
    with contextlib.ExitStack() as stack:

        def new(device: str = "keypad", **seats: int) -> list[Signal]:
            signals: list[Signal] = []
            settings = KeypadSettings(device=device, seats=seats)
            stack.callback(Keypad(settings, signals.append, evdev=hub, retry=0.05).close)
            return signals

        yield new


def until(condition: Callable[[], object], patience: float = 10.0) -> None:
    """Wait for what another thread does; the time it takes decides nothing."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.001)


# --- what keys mean ---------------------------------------------------------------------------------------------


def typed(keys: Keys, *names: str, at: float = 1.0) -> list[Signal]:
    return [signal for name in names for value in (1, 0) for signal in keys.key(name, value, at)]


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("KEY_KP5", "KEY_KPENTER"), [Typed(5)]),
        (("KEY_KP1", "KEY_KP0", "KEY_KPENTER"), [Typed(10)]),
        (("KEY_1", "KEY_5", "KEY_ENTER"), [Typed(15)]),  # the row above the letters
        (("KEY_KP0", "KEY_KPENTER"), [Typed(0)]),  # a miss
        (("KEY_KPENTER",), []),
        (("KEY_KP7", "KEY_BACKSPACE", "KEY_KP4", "KEY_KPENTER"), [Typed(4)]),
        (("KEY_KP7", "KEY_KPDOT", "KEY_KPENTER"), []),
        (("KEY_KP1", "KEY_KP2", "KEY_KP0", "KEY_KP5", "KEY_KPENTER"), [Typed(1205)]),  # twelve votes for five
        (("KEY_KP9",) * 5 + ("KEY_KPENTER",), [Typed(9999)]),  # refused by the game, not lost
        (("KEY_PAGEDOWN",), [Pressed(Control.NEXT)]),
        (("KEY_PAGEUP",), [Pressed(Control.BACK)]),
        (("KEY_KP5", "KEY_PAGEDOWN", "KEY_KPENTER"), [Pressed(Control.NEXT), Typed(5)]),
        (("KEY_KPPLUS", "KEY_KPMINUS"), [Pressed(Control.PLUS), Pressed(Control.MINUS)]),
        (("KEY_KPASTERISK", "KEY_B", "KEY_F5"), [Pressed(Control.MENU)] * 3),  # a presenter's «blank» and «start»
        (("KEY_A",), []),
    ],
)
def test_keys_of_a_number_pad(names: tuple[str, ...], meant: list[Signal]) -> None:
    assert typed(Keys({}), *names) == meant


def test_digits_without_enter_are_forgotten() -> None:
    keys = Keys({})
    assert typed(keys, "KEY_KP1", at=1.0) == []
    assert typed(keys, "KEY_KP2", "KEY_KPENTER", at=1.1 + FORGET) == [Typed(2)]


def test_a_held_digit_is_typed_once() -> None:
    keys = Keys({})
    assert [keys.key("KEY_KP4", value, 1.0) for value in (1, 2, 2, 2, 0)] == [[]] * 5
    assert typed(keys, "KEY_KPENTER") == [Typed(4)]


def test_mapped_keys_are_seat_buttons_before_anything_else() -> None:
    keys = Keys({"KEY_A": 1, "KEY_KP5": 12})
    assert keys.key("KEY_A", 1, 1.0) == [SeatDown(1)]
    assert keys.key("KEY_A", 2, 1.0) == []
    assert keys.key("KEY_KP5", 1, 1.0) == [SeatDown(12)]
    assert keys.key("KEY_A", 0, 1.0) == [SeatUp(1)]
    assert keys.let_go() == [SeatUp(12)]
    assert keys.key("KEY_KP5", 0, 1.0) == []


def test_two_keys_of_one_seat_are_one_hand() -> None:
    keys = Keys({"KEY_A": 3, "KEY_B": 3})
    signals = [keys.key(name, value, 1.0) for name, value in (("KEY_A", 1), ("KEY_B", 1), ("KEY_A", 0), ("KEY_B", 0))]
    assert signals == [[SeatDown(3)], [], [], [SeatUp(3)]]


# --- devices ----------------------------------------------------------------------------------------------------


def test_a_pad_is_taken_read_and_given_back(hub: Hub) -> None:
    pad, signals = hub.plug(), list[Signal]()
    keypad = Keypad(KeypadSettings(device="usb keypad", seats={}), signals.append, evdev=hub)
    pad.press("KEY_KP1", "KEY_KP2", "KEY_KPENTER", "KEY_PAGEDOWN")
    until(lambda: len(signals) == 2)
    assert signals == [Typed(12), Pressed(Control.NEXT)]
    assert pad.grabbed
    keypad.close()
    keypad.close()
    assert not pad.grabbed


def test_only_devices_of_that_name_with_such_keys_are_taken(hub: Hub, make: Make) -> None:
    keyboard, mouse, pad = hub.plug("Keyboard"), hub.plug("Receiver Mouse", ()), hub.plug("Receiver")
    signals = make("receiver")
    keyboard.press("KEY_KP1", "KEY_KPENTER")
    pad.press("KEY_KP2", "KEY_KPENTER")
    until(lambda: signals)
    assert signals == [Typed(2)]
    assert (keyboard.grabbed, mouse.grabbed, pad.grabbed) == (False, False, True)


def test_a_pulled_plug_is_told_once_and_healed(hub: Hub, make: Make) -> None:
    pad = hub.plug()
    signals = make(BTN_TRIGGER=7)
    pad.event(KEY, NUMBERS["BTN_TRIGGER"], 1)
    until(lambda: signals == [SeatDown(7)])
    pad.press("KEY_KP1")
    pad.pull()
    until(lambda: len(signals) == 3)
    assert signals[1] == SeatUp(7), "a hand does not stay up without a plug"
    failed = signals[2]
    assert isinstance(failed, PortFailed) and failed.port == "keypad" and "“keypad”" in failed.why
    seen = hub.looks
    until(lambda: hub.looks > seen + 6)
    assert len(signals) == 3, "told once"
    again = hub.plug()
    until(lambda: signals[3:] == [PortBack("keypad")])
    again.press("KEY_KP4", "KEY_KPENTER")
    until(lambda: signals[4:] == [Typed(4)])


def test_lost_events_leave_no_hand_up(hub: Hub, make: Make) -> None:
    pad = hub.plug()
    signals = make(KEY_A=2)
    pad.event(KEY, NUMBERS["KEY_A"], 1)
    pad.event(SYN, DROPPED, 0)
    pad.press("KEY_A")
    until(lambda: len(signals) == 4)
    assert signals == [SeatDown(2), SeatUp(2), SeatDown(2), SeatUp(2)]


@pytest.mark.parametrize(
    ("names", "busy", "words"),
    [
        ((), False, "group input"),
        (("Keyboard", "Mouse"), False, "there are: Keyboard, Mouse"),
        (("My Keypad",), True, "close the other program"),
    ],
)
def test_a_device_that_cannot_be_had_is_told_with_what_to_do(
    hub: Hub, make: Make, names: tuple[str, ...], busy: bool, words: str
) -> None:
    for name in names:
        hub.plug(name).foreign = busy
    signals = make()
    until(lambda: hub.looks > 4)
    (failed,) = signals
    assert isinstance(failed, PortFailed) and words in failed.why and failed.why.endswith((".", "again."))


def test_a_device_that_comes_later_works(hub: Hub, make: Make) -> None:
    signals = make()
    until(lambda: signals)
    hub.plug().press("KEY_KP3", "KEY_KPENTER")
    until(lambda: len(signals) == 3)
    assert signals[1:] == [PortBack("keypad"), Typed(3)]


def test_a_misspelt_key_is_told_with_the_right_one(hub: Hub, make: Make) -> None:
    hub.plug()
    signals = make(BTN_TRIGER=1)
    until(lambda: signals)
    (failed,) = signals
    assert isinstance(failed, PortFailed) and "BTN_TRIGER (did you mean BTN_TRIGGER?)" in failed.why


def test_with_no_device_named_nothing_is_loaded_and_nothing_is_said() -> None:
    script = textwrap.dedent("""
        import sys, threading
        from narrator.config import KeypadSettings
        from narrator.ports.keypad import Keypad
        signals = []
        keypad = Keypad(KeypadSettings(device="", seats={"KEY_A": 1}), signals.append)
        print(signals, "evdev" in sys.modules, threading.active_count())
        keypad.close()
    """)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["[]", "False", "1"], done.stderr


def test_a_machine_without_evdev_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evdev", None)
    signals: list[Signal] = []
    keypad = Keypad(KeypadSettings(device="keypad", seats={}), signals.append)
    until(lambda: signals)
    keypad.close()
    (failed,) = signals
    assert isinstance(failed, PortFailed) and "pip install evdev" in failed.why


def test_the_names_of_keys_are_those_of_evdev() -> None:
    evdev: Any = pytest.importorskip("evdev", reason="evdev is not installed; pip install evdev")
    assert {name: evdev.ecodes.ecodes[name] for name in NUMBERS} == NUMBERS


# --- settings ---------------------------------------------------------------------------------------------------


def test_settings_of_the_keypad() -> None:
    keypad = config.load(Path("/dev/null"), keypad={"device": "Pad", "seats": {"KEY_A": 1}}).keypad
    assert (keypad.device, keypad.seats) == ("Pad", {"KEY_A": 1})
    assert config.load(Path("/dev/null")).keypad == KeypadSettings(device="", seats={})


def test_a_seat_beyond_the_table_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"\[keypad\] seats\.KEY_A = 16"):
        config.load(Path("/dev/null"), keypad={"seats": {"KEY_A": 16}})
