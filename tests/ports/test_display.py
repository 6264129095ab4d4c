"""The countdown on luma's own dummy device: what its pixels show, when they change, and a display that is not there."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from narrator.config import ConfigError, DisplaySettings, load
from narrator.messages import Countdown, PortFailed, Signal
from narrator.ports.display import Display, reading
from tests.appliance.queues import Counted, waiting
from tests.lab import wait_for


def settings(**more: Any) -> DisplaySettings:
    return load(Path("/dev/null"), display=more).display


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        (60.0, "1:00"), (59.999, "1:00"), (59.0, "0:59"), (58.5, "0:59"), (0.4, "0:01"), (0.0, "0:00"),
        (-0.9, "0:00"), (-1.0, "-0:01"), (-12.3, "-0:12"), (-75.0, "-1:15"), (605.0, "10:05"),
    ],
)  # fmt: skip
def test_seconds_are_whole_and_zero_is_the_end(left: float, shown: str) -> None:
    assert reading(left) == shown


def dummy(width: int) -> Any:
    device = pytest.importorskip("luma.core.device", reason="no luma; pip install luma.led_matrix")
    return device.dummy(width=width, height=8, mode="1")


def pixels(device: Any) -> bytes:
    return bytes(device.image.convert("L").tobytes()) if device.image else b""  # nothing was drawn yet


def lit(device: Any) -> int:
    return sum(1 for level in pixels(device) if level)


def drawn(kind: str, make: Callable[[], Any], left: float) -> bytes:
    """What a fresh display shows of a standing countdown."""
    device = make()
    display = Display(settings(kind=kind), print, device=device)
    display.count(Countdown(60.0, left, 10.0), 0.0)
    wait_for(lambda: lit(device), 10, "something to read")
    shown = pixels(device)
    display.close()
    assert not lit(device), "dark when it is closed"
    return shown


def matrix() -> Any:
    return dummy(32)


def digits() -> Any:
    device = dummy(8)
    from luma.led_matrix.segment_mapper import dot_muncher

    device.segment_mapper = dot_muncher
    return device


@pytest.mark.parametrize(("kind", "make"), [("matrix", matrix), ("digits", digits)])
def test_every_second_looks_different_and_the_same_second_the_same(kind: str, make: Callable[[], Any]) -> None:
    shown = [drawn(kind, make, left) for left in (60.0, 59.0, 9.0, 0.0, -12.0, 905.0)]
    assert len(set(shown)) == len(shown)
    assert drawn(kind, make, 58.7) == shown[1]


def test_it_counts_while_time_runs_stands_in_a_pause_and_goes_dark() -> None:
    device, at = matrix(), 500.0  # game time and the clock differ
    display = Display(settings(kind="matrix"), print, device=device)
    display.count(Countdown(60.0, 3.2, 10.0, at), at)
    expected = [drawn("matrix", matrix, left) for left in (3.0, 2.0, 1.0)]
    wait_for(lambda: pixels(device) in expected, 20, "a second less without being told")
    display.count(Countdown(60.0, 9.0, 10.0), at)
    nine = drawn("matrix", matrix, 9.0)
    wait_for(lambda: pixels(device) == nine, 10, "the seconds of a pause")
    display.count(None, at)
    wait_for(lambda: not lit(device), 10, "darkness")
    display.close()


def test_without_the_package_the_line_to_type_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("luma.core.interface.serial", "luma.led_matrix.device"):
        monkeypatch.setitem(sys.modules, name, None)
    told: list[Signal] = []
    display = Display(settings(kind="matrix"), told.append)
    wait_for(lambda: told, 10, "a word about it")
    display.count(Countdown(60.0, 60.0, 10.0), 0.0)
    display.close()
    assert isinstance(told[0], PortFailed) and "pip install" in told[0].why and len(told) == 1


def test_a_device_that_fails_is_told_once_and_nobody_waits_for_it() -> None:
    class Broken:
        width = 32

        def __getattr__(self, name: str) -> Any:
            raise OSError("no such bus")

    told: list[Signal] = []
    pytest.importorskip("luma.core", reason="no luma; pip install luma.led_matrix")
    display = Display(settings(kind="matrix"), told.append, device=Broken())
    for left in (60.0, 30.0):
        display.count(Countdown(60.0, left, 10.0), 0.0)
    wait_for(lambda: told, 10, "a word about it")
    display.close()
    assert len(told) == 1 and isinstance(told[0], PortFailed) and "SPI" in told[0].why


def test_with_no_kind_nothing_is_loaded_and_nothing_piles_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "SimpleQueue", Counted)
    display = Display(settings(), print)
    for _ in range(3):
        display.count(Countdown(60.0, 60.0, 10.0), 0.0)
    assert not [thread for thread in threading.enumerate() if thread.name == "display"]
    assert waiting() == 0
    display.close()


def test_pins_of_the_bus_are_its_own() -> None:
    with pytest.raises(ConfigError, match="seat 1 and the display both use pin 10"):
        load(Path("/dev/null"), display={"kind": "matrix"}, panel={"seats": [10]})
    load(Path("/dev/null"), panel={"seats": [10]})
