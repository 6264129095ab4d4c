"""What a scene looks like on three lamps or on one of three colours: levels as a function of the scene and the time.

Knows no pin and no thread. Invariant: with `contrast` every lamp differs from every other in its rhythm or its place
as well as in its colour, so that nobody needs to tell red from green.
"""

from __future__ import annotations

import math
from typing import Any

from narrator.messages import Lamp, Scene

BLINK = 0.25  # seconds lit and seconds dark: 2 Hz
STANDING = 1.0  # the same of a lamp whose time stands: nobody takes it for the blink
PULSE = ((0.5, 0.15), (0.5, 0.04))  # (seconds, level): never quite dark, so that one glance is enough
WINK = ((0.6, 1.0), (0.12, 0.0), (0.16, 1.0), (0.12, 0.0))  # ten seconds left, for whoever cannot see yellow
LAMPS = tuple(lamp for lamp in Lamp if lamp is not Lamp.OFF)

COLOURS = {Lamp.GREEN: (0.0, 1.0, 0.0), Lamp.YELLOW: (1.0, 0.55, 0.0), Lamp.RED: (1.0, 0.0, 0.0)}
CONTRAST = {**COLOURS, Lamp.GREEN: (0.0, 0.25, 1.0)}
"""Red, green and blue of one lamp of three colours; blue beside red is told apart by everybody."""


Steps = tuple[tuple[float, float], ...]
"""Seconds and the level for so long, over and over; none: a level that does not change."""


def look(scene: Scene, contrast: bool = False) -> tuple[Lamp, Steps]:
    """What of a scene can be seen: the lamp and how it moves."""
    if scene.lamp is Lamp.OFF:
        return (Lamp.GREEN, PULSE) if scene.listening else (Lamp.OFF, ())
    if scene.standing:
        return scene.lamp, ((STANDING, 1.0), (STANDING, 0.0))
    if scene.blink:
        return scene.lamp, ((BLINK, 1.0), (BLINK, 0.0))
    return scene.lamp, WINK if contrast and scene.lamp is Lamp.YELLOW else ()


def levels(scene: Scene, phase: float, contrast: bool = False) -> tuple[dict[Lamp, float], float | None]:
    """Lamps that are not dark `phase` seconds after the scene began, and seconds until that changes."""
    lamp, steps = look(scene, contrast)
    if not steps:
        return ({} if lamp is Lamp.OFF else {lamp: 1.0}), None
    rest = math.fmod(phase, sum(seconds for seconds, _ in steps))
    for seconds, level in steps:
        if rest < seconds:
            return {lamp: level}, seconds - rest
        rest -= seconds
    return {lamp: steps[0][1]}, steps[0][0]


class ColourLamp:
    """One lamp's share of an RGB lamp; `value` is its level, as of a lamp of its own. Shares add up."""

    def __init__(
        self, device: Any, shares: dict[Lamp, float], lamp: Lamp, colours: dict[Lamp, tuple[float, float, float]]
    ) -> None:
        self._device, self._shares, self._lamp, self._colours = device, shares, lamp, colours

    @property
    def value(self) -> float:
        """The level, 0…1."""
        return self._shares.get(self._lamp, 0.0)

    @value.setter
    def value(self, level: float) -> None:
        self._shares[self._lamp] = level
        lit = [(share, self._colours[lamp]) for lamp, share in self._shares.items()]
        self._device.value = tuple(min(1.0, sum(share * colour[part] for share, colour in lit)) for part in range(3))

    def close(self) -> None:
        """Give the pins back; the device is closed by whichever share comes first."""
        self._device.close()


def colour_lamps(device: Any, contrast: bool) -> dict[str, Any]:
    """The three lamps that one RGB device stands for, by name."""
    shares: dict[Lamp, float] = {}
    colours = CONTRAST if contrast else COLOURS
    return {lamp: ColourLamp(device, shares, lamp, colours) for lamp in LAMPS}
