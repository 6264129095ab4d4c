"""Three lamps or one of three colours, dimmed, muted, and told apart without telling red from green."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from narrator import config
from narrator.messages import Buzz, Lamp, PortFailed, Scene, Signal
from narrator.ports.lamps import BLINK, CONTRAST, LAMPS, STANDING, WINK, levels, look
from narrator.ports.panel import GpioPanel

PINS = config.load(Path("/dev/null")).panel
GREEN, YELLOW, RED, OVERTIME = Scene(Lamp.GREEN), Scene(Lamp.YELLOW), Scene(Lamp.RED), Scene(Lamp.RED, blink=True)


@pytest.fixture
def signals() -> list[Signal]:
    return []


@pytest.fixture
def make(signals: list[Signal]) -> Iterator[Callable[..., GpioPanel]]:
    panels: list[GpioPanel] = []

    def new(**changes: Any) -> GpioPanel:
        settings = config.load(Path("/dev/null"), panel={"pins": "simulated", **changes}).panel
        panels.append(GpioPanel(settings, signals.append, factory=MockFactory(pin_class=MockPWMPin)))
        return panels[-1]

    yield new
    for panel in panels:
        panel.close()


def shows(panel: GpioPanel, wanted: tuple[float, ...]) -> None:
    """Wait until the pins of red, green and yellow (an RGB lamp's blue) have these levels."""
    pins = [panel.factory.pin(pin) for pin in (PINS.red, PINS.green, PINS.yellow)]
    end = time.monotonic() + 10
    while (now := tuple(round(float(pin.state), 3) for pin in pins)) != wanted:
        assert time.monotonic() < end, f"{now} instead of {wanted}"
        time.sleep(0.002)


def test_one_lamp_of_three_colours(make: Callable[..., GpioPanel]) -> None:
    panel = make(lamps="rgb")
    for scene, colour in (
        (GREEN, (0, 1, 0)),
        (YELLOW, (1, 0.55, 0)),
        (RED, (1, 0, 0)),
        (GREEN, (0, 1, 0)),
        (Scene(), (0, 0, 0)),
    ):
        panel.show(scene)
        shows(panel, colour)


def test_time_is_blue_for_those_who_do_not_see_red_from_green(make: Callable[..., GpioPanel]) -> None:
    panel = make(lamps="rgb", contrast=True)
    panel.show(GREEN)
    shows(panel, (0, 0.25, 1))
    panel.show(RED)
    shows(panel, (1, 0, 0))


def test_dimmed(make: Callable[..., GpioPanel]) -> None:
    panel = make(brightness=0.3)
    for scene, lit in ((GREEN, (0, 0.3, 0)), (YELLOW, (0, 0, 0.3)), (RED, (0.3, 0, 0))):
        panel.show(scene)
        shows(panel, lit)
    panel = make(brightness=0.5, lamps="rgb", contrast=True)
    panel.show(GREEN)
    shows(panel, (0, 0.125, 0.5))


def test_without_lamps_their_pins_are_free_and_the_rest_works(make: Callable[..., GpioPanel]) -> None:
    panel = make(lamps="off")
    panel.show(RED)
    panel.buzz(Buzz.LONG)
    end = time.monotonic() + 10
    while not panel.history:
        assert time.monotonic() < end
        time.sleep(0.002)
    assert {written.name for written in panel.history} == {"buzzer"}
    assert PINS.red not in panel.factory.pins


def test_an_rgb_lamp_whose_pins_are_taken_is_said_to_be_absent(signals: list[Signal]) -> None:
    from gpiozero import LED

    factory = MockFactory(pin_class=MockPWMPin)
    other = LED(PINS.green, pin_factory=factory)
    settings = config.load(Path("/dev/null"), panel={"pins": "simulated", "lamps": "rgb"}).panel
    panel = GpioPanel(settings, signals.append, factory=factory)
    try:
        (failure,) = signals
        assert isinstance(failure, PortFailed)
        assert "red, green, yellow (its blue) = 22, 17, 27" in failure.why
    finally:
        panel.close()
        other.close()


@pytest.mark.parametrize("muted", list(Buzz))
def test_each_pattern_can_be_muted(make: Callable[..., GpioPanel], muted: Buzz) -> None:
    left = [pattern for pattern in Buzz if pattern is not muted]
    panel = make(buzzer_marks=[pattern.value for pattern in left])
    for pattern in (muted, *left):
        panel.buzz(pattern)
    end = time.monotonic() + 10
    while len(panel.history) < 2 * len(left):
        assert time.monotonic() < end
        time.sleep(0.002)
    panel.close()
    assert len(panel.history) == 2 * len(left)


def rhythm(scene: Scene, contrast: bool) -> tuple[tuple[float, float], ...]:
    """The first second and a half as (seconds, brightness of anything), forgetting all colours and places."""
    steps, at = [], 0.0
    while at < 1.5:
        lit, wait = levels(scene, at + 1e-9, contrast)
        wait = 1.5 if wait is None else wait
        steps.append((round(wait, 3), max(lit.values(), default=0.0)))
        at += wait
    return tuple(steps)


def test_with_contrast_ten_seconds_time_over_and_overtime_have_rhythms_of_their_own() -> None:
    scenes = (YELLOW, RED, OVERTIME)
    for one, other in combinations(scenes, 2):
        assert rhythm(one, contrast=True) != rhythm(other, contrast=True)
    assert rhythm(GREEN, contrast=True) == rhythm(RED, contrast=True), "but they are blue and red, or two places"
    assert CONTRAST[Lamp.GREEN][2] > 0.5 > CONTRAST[Lamp.RED][2]
    assert rhythm(YELLOW, contrast=False) == ((1.5, 1.0),)


@pytest.mark.parametrize("lamp", LAMPS)
def test_a_lamp_whose_time_stands_goes_slowly_on_and_off_in_its_own_colour(lamp: Lamp) -> None:
    scene = Scene(lamp, blink=lamp is Lamp.RED, standing=True)
    for contrast in (False, True):
        assert levels(scene, 0.0, contrast) == ({lamp: 1.0}, STANDING)
        assert levels(scene, 1.5, contrast) == ({lamp: 0.0}, 0.5)
    assert STANDING >= 4 * BLINK and look(Scene(standing=True)) == look(Scene()), "nobody's time stands: dark"


def test_the_wink_is_not_taken_for_the_blink() -> None:
    dark = [seconds for seconds, level in WINK if not level]
    assert max(dark) < BLINK / 2
    lit, wait = levels(YELLOW, 0.65, contrast=True)
    assert lit == {Lamp.YELLOW: 0.0}
    assert wait == pytest.approx(0.07)
