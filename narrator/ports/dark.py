"""Lamps and buzzer off, by a program of its own: `python -m narrator.ports.dark [SETTINGS]`.

For the service manager, after every end of the box: a process that was killed leaves its outputs at their last level,
and a buzzer would sound all night. Claims the pins as outputs at low level and lets them go; does nothing where the
pins are simulated. Invariant: it never waits, and never fails because of settings; those of the defaults are taken.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from narrator.config import DEFAULTS, ConfigError, PanelSettings, load
from narrator.ports.panel import PinsAbsent, open_factory

OUTPUTS = ("green", "yellow", "red", "buzzer")


def darken(settings: PanelSettings, factory: Any = None) -> list[str]:
    """Drive every output low; returns one sentence for each that could not be."""
    if settings.pins == "off":
        return []
    try:
        factory = factory or open_factory(settings.pins)
    except PinsAbsent as error:
        return [f"{error}."]
    chip = getattr(factory, "_handle", None)
    if chip is None:  # simulated
        return []
    import lgpio

    troubles = []
    for name in OUTPUTS:
        pin = getattr(settings, name)
        try:
            lgpio.gpio_claim_output(chip, pin, 0)
        except lgpio.error as error:
            troubles.append(f"{name} = {pin} could not be switched off ({error}).")
    return troubles  # the chip closes with the process: closing it here would make inputs of the pins


def _main() -> int:
    try:
        settings = load(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    except ConfigError:
        settings = load(DEFAULTS)
    troubles = darken(settings.panel)
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(_main())
