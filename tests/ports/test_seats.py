"""Seat buttons on simulated pins, and the settings that name their pins."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gpiozero import DigitalInputDevice
from gpiozero.pins.mock import MockFactory, MockPWMPin

from narrator import config
from narrator.config import ConfigError, PanelSettings
from narrator.messages import Control, PortFailed, Pressed, SeatDown, SeatUp, Signal
from narrator.ports.panel import GpioPanel

SEATS = [4, 24, 25, 12, 16, 26, 20, 21, 18, 2, 3, 7, 8, 9, 10]
"""Fifteen pins beside those of the four buttons, the lamps and the buzzer."""


def settings(**changes: Any) -> PanelSettings:
    return config.load(Path("/dev/null"), panel={"pins": "simulated", **changes}).panel


def until(condition: Callable[[], object], patience: float = 10.0) -> None:
    """Wait for what another thread does; the time it takes decides nothing."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.001)


def test_fifteen_seats_beside_the_rest_of_the_panel() -> None:
    signals: list[Signal] = []
    panel = GpioPanel(settings(seats=SEATS), signals.append)
    try:
        for seat, pin in enumerate(SEATS, 1):
            panel.factory.pin(pin).drive_low()
            until(lambda seat=seat: signals and signals[-1] == SeatDown(seat))  # type: ignore[misc]
        for pin in reversed(SEATS):
            panel.factory.pin(pin).drive_high()
        until(lambda: len(signals) == 30)
        assert set(signals[15:]) == {SeatUp(seat) for seat in range(1, 16)}
        panel.factory.pin(5).drive_low()
        panel.factory.pin(5).drive_high()
        until(lambda: len(signals) == 31)
        assert signals[-1] == Pressed(Control.NEXT)
    finally:
        panel.close()


def test_a_seat_button_that_bounces_is_one_hand() -> None:
    signals: list[Signal] = []
    panel = GpioPanel(settings(seats=[4]), signals.append)
    try:
        pin = panel.factory.pin(4)
        for _ in range(5):
            pin.drive_low()
            pin.drive_high()
        pin.drive_low()
        until(lambda: signals)
        pin.drive_high()
        until(lambda: len(signals) == 2)
        assert signals == [SeatDown(1), SeatUp(1)]
    finally:
        panel.close()


def test_a_seat_pin_that_is_taken_is_told_and_the_others_work() -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    holder = DigitalInputDevice(24, pin_factory=factory)
    signals: list[Signal] = []
    panel = GpioPanel(settings(seats=[4, 24, 25]), signals.append, factory=factory)
    try:
        (failed,) = signals
        assert isinstance(failed, PortFailed) and "seat 2 = 24" in failed.why
        factory.pin(25).drive_low()
        until(lambda: len(signals) == 2)
        assert signals[1] == SeatDown(3)
    finally:
        holder.close()
        panel.close()


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        ([4, 5], "[panel] seat 2 and next both use pin 5"),
        ([4, 24, 4], "[panel] seat 3 and seat 1 both use pin 4"),
        ([28], "[panel] seats.0 = 28"),
        ([*SEATS, 11], "at most 15"),
    ],
)
def test_pins_that_cannot_be_are_told(seats: list[int], words: str) -> None:
    with pytest.raises(ConfigError) as told:
        settings(seats=seats)
    assert len(told.value.problems) == 1 and words in str(told.value)
