"""What the lamps say when there is no screen: red or yellow blinks the number of what is wrong, green is well.

Opens the lamps alone; the buttons stay free. Invariant: when it ends, whatever the reason, the lamps are dark.
"""

from __future__ import annotations

import threading

from narrator.config import PanelSettings
from narrator.doctor import State
from narrator.ports.panel import PinsAbsent, open_factory

BLINK, GAP = 0.3, 1.5
COLOURS = {State.OK: "green", State.WARN: "yellow", State.BAD: "red"}


def pattern(state: State, number: int) -> tuple[str, list[tuple[bool, float]]]:
    """The lamp, and one round of (lit, seconds). All well: it stays lit."""
    if state is State.OK:
        return "green", [(True, GAP)]
    return COLOURS[state], [(True, BLINK), (False, BLINK)] * number + [(False, GAP)]


def show(settings: PanelSettings, state: State, number: int, stop: threading.Event) -> str:
    """Show a code until `stop` is set; returns at once, with a sentence, where there are no lamps."""
    from gpiozero import LED

    name, steps = pattern(state, number)
    try:
        factory = open_factory(settings.pins)
        lamp = LED(getattr(settings, name), pin_factory=factory)
    except PinsAbsent as error:
        return f"{error}."
    except Exception as error:  # whatever a driver raises
        return f"The {name} lamp cannot be had ({error}); perhaps the box is hosting: sudo systemctl stop narrator."
    try:
        while not stop.is_set():
            for lit, seconds in steps:
                lamp.value = lit
                if stop.wait(seconds):
                    break
    finally:
        lamp.off()
        lamp.close()
        factory.close()
    return ""
