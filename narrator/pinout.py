"""What goes to which pin of the 40-pin header: a table from the settings, and free pins for seat buttons.

Reads settings, touches no pin. Invariant: every GPIO of the header has at most one part, and a proposal never takes a
pin that a part, the board or somebody's HAT needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from narrator.config import MOST_SEATS, PARTS, PanelSettings, pins_of

_ROWS = (
    ("3V3", "5V"),
    ("GPIO2", "5V"),
    ("GPIO3", "GND"),
    ("GPIO4", "GPIO14"),
    ("GND", "GPIO15"),
    ("GPIO17", "GPIO18"),
    ("GPIO27", "GND"),
    ("GPIO22", "GPIO23"),
    ("3V3", "GPIO24"),
    ("GPIO10", "GND"),
    ("GPIO9", "GPIO25"),
    ("GPIO11", "GPIO8"),
    ("GND", "GPIO7"),
    ("GPIO0", "GPIO1"),
    ("GPIO5", "GND"),
    ("GPIO6", "GPIO12"),
    ("GPIO13", "GND"),
    ("GPIO19", "GPIO16"),
    ("GPIO26", "GPIO20"),
    ("GND", "GPIO21"),
)
HEADER = dict(enumerate((name for row in _ROWS for name in row), 1))
"""What is on pins 1…40, the same on every Pi with 40 pins."""

GROUNDS = tuple(pin for pin, name in HEADER.items() if name == "GND")
SPI, I2C, SERIAL, HAT = (7, 8, 9, 10, 11), (2, 3), (14, 15), (0, 1)
_LAMPS, _CONTROLS = PARTS[:3], PARTS[4:]
_TAKEN_LAST = (*SPI, *I2C, *SERIAL)
_WHY = {
    SPI: "is free while SPI is off (raspi-config, Interface Options)",
    I2C: "is free while I2C is off; it has a pull-up of 1.8 kΩ on the board, which does a button no harm",
    SERIAL: "is free while the serial port and its console are off (raspi-config, Interface Options)",
    HAT: "belongs to the memory of HATs; better choose another",
}


class BudgetError(ValueError):
    """There are not enough pins, or too many wishes; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One part and how it is connected. `pin`: on the header, 1…40; `ground`: where its other leg ends."""

    part: str
    bcm: int
    pin: int
    ground: int
    resistor: str
    other: str

    @property
    def kind(self) -> str:
        """Lamp colour ("blue" of an RGB lamp alone), "buzzer", "button" or "seat"."""
        if self.part in _CONTROLS:
            return "button"
        return "seat" if self.part.startswith("seat") else self.part


def legs(panel: PanelSettings) -> tuple[Leg, ...]:
    """Every part of the panel in the order of the settings, seat buttons last; an RGB lamp has a leg of each colour."""
    parts = [(part, bcm) for part, bcm in pins_of(panel) if panel.lamps != "off" or part not in _LAMPS]
    rgb = panel.lamps == "rgb"
    return tuple(_leg("blue" if rgb and part == "yellow" else part, bcm, rgb) for part, bcm in parts)


def _leg(part: str, bcm: int, rgb: bool) -> Leg:
    pin = header_pin(bcm)
    ground = min(GROUNDS, key=lambda other: (_distance(pin, other), other))
    if rgb and part in (*_LAMPS, "blue"):
        which = f"{part} leg of the RGB lamp" + (", which stands as yellow in the settings" if part == "blue" else "")
        rest = f"resistor, {which}; the common leg (cathode) to GND (pin {GROUNDS[1]})"
        return Leg(part, bcm, pin, GROUNDS[1], "330 Ω", rest)
    if part in _LAMPS:
        return Leg(part, bcm, pin, ground, "330 Ω", f"resistor, LED with its long leg first, GND (pin {ground})")
    if part == "buzzer":
        rest = "collector to − of the buzzer, its + to 5V (pin 2)"
        return Leg(part, bcm, pin, ground, "1 kΩ", f"resistor, base of an NPN; emitter to GND (pin {ground}), {rest}")
    pull_up = "none (1.8 kΩ on the board)" if bcm in I2C else "none (inside the Pi)"
    return Leg(part, bcm, pin, ground, pull_up, f"button, GND (pin {ground})")


def header_pin(bcm: int) -> int:
    """The pin of the header that a BCM number is on."""
    return next(pin for pin, name in HEADER.items() if name == f"GPIO{bcm}")


def _distance(pin: int, other: int) -> float:
    (row, side), (other_row, other_side) = divmod(pin - 1, 2), divmod(other - 1, 2)
    return abs(row - other_row) + abs(side - other_side) / 2


def propose(panel: PanelSettings, seats: int, keep: Collection[int] = ()) -> list[int]:
    """BCM pins for `seats` seat buttons beside the rest of the panel, in the order of the header.

    `keep`: pins that something else needs. Pins with a second purpose are taken last. Raises BudgetError.
    """
    if not 1 <= seats <= MOST_SEATS:
        raise BudgetError(f"{seats} seat buttons: a table has 1 to {MOST_SEATS} seats.")
    used = {getattr(panel, part): part for part in PARTS}
    for bcm in keep:
        if bcm in used:
            raise BudgetError(f"Pin {bcm} is to be kept free, but [panel] {used[bcm]} uses it; move it to another pin.")
    free = [bcm for bcm in range(28) if bcm not in used and bcm not in keep and bcm not in HAT]
    if len(free) < seats:
        raise BudgetError(
            f"{seats} seat buttons need {seats} pins and {len(free)} are free; "
            "use a USB encoder ([keypad] seats) or the players' phones for the others."
        )
    free.sort(key=lambda bcm: (_TAKEN_LAST.index(bcm) + 1 if bcm in _TAKEN_LAST else 0, header_pin(bcm)))
    return sorted(free[:seats], key=header_pin)


def notes(parts: Iterable[Leg]) -> tuple[str, ...]:
    """What must be known about pins with a second purpose, one sentence for each group in use."""
    bcms = [leg.bcm for leg in parts]
    told = []
    for group, why in _WHY.items():
        found = sorted(set(group) & set(bcms))
        if found:
            told.append(f"GPIO {', '.join(map(str, found))} {why}.")
    return tuple(told)


def as_text(parts: Iterable[Leg]) -> str:
    """The table for a terminal."""
    parts = tuple(parts)
    rows = [("part", "BCM", "header", "resistor", "from the pin")]
    rows += [(leg.part, str(leg.bcm), f"pin {leg.pin}", leg.resistor, leg.other) for leg in parts]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    rows.insert(1, ("-" * widths[0], "-" * widths[1], "-" * widths[2], "-" * widths[3], "-" * len(rows[0][4])))
    lines = ["  ".join([*map(str.ljust, row[:4], widths), row[4]]) for row in rows]
    return "\n".join([*lines, "", *notes(parts)]).rstrip()
