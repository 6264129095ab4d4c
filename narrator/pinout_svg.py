"""The 40-pin header as a picture (SVG): which part is on which pin, and how each kind of part is connected.

Draws what it is told, decides nothing. Invariant: the picture is complete by itself: no outside font, image or script.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from narrator.pinout import HEADER, Leg

_ROW = 36  # from one row of pins to the next
_TOP = 150
_MIDDLE = 560
_HALF = 26  # from the middle to a column of pins
_WIDTH = 2 * _MIDDLE
_SIDE = 104  # from the middle to where the labels of a side begin

_INK, _QUIET, _PAPER, _BOARD = "#1d2733", "#66717d", "#ffffff", "#14684a"
_KINDS = {
    "green": ("#1f9d55", "#ffffff"),
    "yellow": ("#f2c230", "#1d2733"),
    "blue": ("#2563c9", "#ffffff"),
    "red": ("#d33a35", "#ffffff"),
    "buzzer": ("#6b4fbb", "#ffffff"),
    "button": ("#2767c9", "#ffffff"),
    "seat": ("#0f8b95", "#ffffff"),
}
_POWER = {"GND": ("#566170", "#ffffff"), "5V": ("#f3a6a1", _INK), "3V3": ("#f7cf9b", _INK)}
_SPARE = ("#e4e8ec", _INK)


def as_svg(parts: Iterable[Leg]) -> str:
    """The picture. Every part is drawn at its pin, in its colour, with its name."""
    parts = tuple(parts)
    by_pin = {leg.pin: leg for leg in parts}
    bottom = _TOP + 20 * _ROW
    height = bottom + 334
    above = "The header seen from above, the end with pins 1 and 2 at the SD card."
    shapes = [
        f'<rect width="{_WIDTH}" height="{height}" fill="{_PAPER}"/>',
        _text(_MIDDLE, 52, "Wiring of the box", 28, weight="bold", anchor="middle"),
        _text(_MIDDLE, 82, above, 16, _QUIET, "middle"),
        _text(_MIDDLE, 104, "Switch the Pi off first. No GPIO pin may ever get 5 V.", 16, _QUIET, "middle"),
        _box(_MIDDLE - 70, _TOP - 34, 140, 20 * _ROW + 32, _BOARD, 14),
        _box(_MIDDLE - 50, _TOP - 22, 100, 20 * _ROW + 8, "#0d1117", 8),
    ]
    for pin in HEADER:
        shapes += _pin(pin, by_pin, parts)
    shapes += _recipes(bottom + 40)
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="DejaVu Sans, Verdana, Arial, sans-serif" role="img">\n'
        f"<title>Wiring of the box: the 40-pin header</title>\n{body}\n</svg>\n"
    )


def _pin(pin: int, by_pin: dict[int, Leg], parts: tuple[Leg, ...]) -> list[str]:
    """A pin: its number in a circle, what the board calls it, and what is connected."""
    right = pin % 2 == 0
    side = 1 if right else -1
    x, y = _MIDDLE + side * _HALF, _TOP + (pin - 1) // 2 * _ROW
    leg = by_pin.get(pin)
    fill, ink = _KINDS[leg.kind] if leg else _POWER.get(HEADER[pin], _SPARE)
    anchor = "start" if right else "end"
    edge = _MIDDLE + side * _SIDE
    shapes = [
        f'<circle cx="{x}" cy="{y}" r="13" fill="{fill}"/>' if pin > 1 else _square(x, y, fill),
        _text(x, y + 5, str(pin), 13, ink, "middle"),
        _text(edge - side * 18, y + 5, HEADER[pin], 14, _INK if leg else _QUIET, anchor, "bold" if leg else ""),
    ]
    if leg:
        name = _name(leg)
        width = 26 + 9 * len(name)
        left = edge + side * 66 if right else edge - 66 - width
        shapes += [
            f'<path d="M{edge + side * 48} {y} h{side * 18}" stroke="{fill}" stroke-width="3"/>',
            _box(left, y - 14, width, 28, fill, 14),
            _text(left + width / 2, y + 5, name, 15, ink, "middle"),
        ]
    grounded = _grounded(pin, parts)
    if grounded:
        shapes.append(_text(edge + side * 40, y + 5, grounded, 13, _INK, anchor))
    return shapes


def _square(x: float, y: float, fill: str) -> str:
    """Pin 1 is square on the board, too."""
    return _box(x - 13, y - 13, 26, 26, fill, 3)


def _name(leg: Leg) -> str:
    return f"{leg.part} lamp" if leg.part in ("green", "yellow", "red", "blue") else leg.part


def _grounded(pin: int, parts: tuple[Leg, ...]) -> str:
    """Whose other leg ends here: «next, back, seats 1, 2»; and + of the buzzer at pin 2."""
    if pin == 2:
        return "+ of the buzzer" if any(leg.kind == "buzzer" for leg in parts) else ""
    here = [leg for leg in parts if leg.ground == pin]
    names = [leg.part for leg in here if leg.kind != "seat"]
    seats = [leg.part.removeprefix("seat ") for leg in here if leg.kind == "seat"]
    if seats:
        names.append(f"{'seat' if len(seats) == 1 else 'seats'} {', '.join(seats)}")
    return f"← {', '.join(names)}" if names and pin % 2 == 0 else f"{', '.join(names)} →" if names else ""


# --- how each kind of part is connected --------------------------------------------------------------------------


def _recipes(y: int) -> list[str]:
    width, gap = 330, 25
    left = (_WIDTH - 3 * width - 2 * gap) / 2
    drawn: list[str] = []
    recipes = (("Lamp", _lamp), ("Button, seat button", _button), ("Buzzer, active, 5 V", _buzzer))
    for place, (title, draw) in enumerate(recipes):
        x = left + place * (width + gap)
        drawn += [_box(x, y, width, 264, "#f4f6f8", 12), _text(x + 20, y + 34, title, 17, weight="bold")]
        drawn += draw(x + 20, y + 60)
    return drawn


def _lamp(x: float, y: float) -> list[str]:
    line = y + 40
    return [
        _wire(f"M{x + 40} {line} h36 m56 0 h44 m30 0 h44"),
        _ends(x, line, "pin", x + 250, "GND"),
        _resistor(x + 76, line, "330 Ω"),
        f'<path d="M{x + 176} {line - 15} v30 l30 -15 z" fill="#d33a35"/>',
        _wire(f"M{x + 206} {line - 15} v30"),
        _wire(f"M{x + 186} {line - 24} l12 -12 m-6 0 h6 v6 M{x + 202} {line - 20} l12 -12 m-6 0 h6 v6", 1.5),
        *_lines(x, y + 90, "The long leg of the LED is at the resistor.", "Clear green of the 3 V kind: 100 Ω."),
    ]


def _button(x: float, y: float) -> list[str]:
    line = y + 40
    return [
        _wire(f"M{x + 40} {line} h65 m60 0 h85"),
        _ends(x, line, "pin", x + 250, "GND"),
        f'<circle cx="{x + 110}" cy="{line}" r="5" fill="{_PAPER}" stroke="{_INK}" stroke-width="2"/>',
        f'<circle cx="{x + 160}" cy="{line}" r="5" fill="{_PAPER}" stroke="{_INK}" stroke-width="2"/>',
        _wire(f"M{x + 106} {line - 16} h58 M{x + 135} {line - 16} v-14 M{x + 123} {line - 30} h24"),
        *_lines(
            x,
            y + 90,
            "Normally open, no resistor: the pull-up",
            "is inside the Pi. Many buttons may share",
            "one ground wire. Over about 2 m of cable:",
            "1 kΩ at the pin, 100 nF from pin to GND.",
        ),
    ]


def _buzzer(x: float, y: float) -> list[str]:
    base = y + 62
    return [
        _wire(f"M{x + 40} {base} h26 m56 0 h28 M{x + 150} {base - 22} v44"),
        _text(x, base + 5, "pin", 14, weight="bold"),
        _resistor(x + 66, base, "1 kΩ"),
        _wire(f"M{x + 150} {base - 8} l30 -18 v-18 M{x + 150} {base + 8} l30 18 v14"),
        f'<path d="M{x + 180} {base + 26} l-13 -2 l6 -9 z" fill="{_INK}"/>',
        _text(x + 166, base + 58, "GND", 14, weight="bold"),
        _box(x + 162, base - 72, 62, 28, "#6b4fbb", 6),
        _text(x + 193, base - 53, "− buzz +", 11, "#ffffff", "middle"),
        _wire(f"M{x + 224} {base - 58} h24"),
        _text(x + 252, base - 53, "5V", 14, weight="bold"),
        *_lines(
            x,
            y + 142,
            "NPN: BC337 or 2N2222 (look up its legs).",
            "Diode 1N4148 across the buzzer, its ring",
            "at +. Never straight from the pin.",
        ),
    ]


def _ends(x: float, y: float, left: str, right_x: float, right: str) -> str:
    return _text(x, y + 5, left, 14, weight="bold") + _text(right_x + 4, y + 5, right, 14, weight="bold")


def _resistor(x: float, y: float, value: str) -> str:
    box = f'<rect x="{x}" y="{y - 9}" width="56" height="18" fill="{_PAPER}" stroke="{_INK}" stroke-width="2"/>'
    return box + _text(x + 28, y - 16, value, 13, anchor="middle")


def _lines(x: float, y: float, *lines: str) -> list[str]:
    return [_text(x, y + 22 * number, line, 13.5, _QUIET) for number, line in enumerate(lines)]


def _wire(path: str, width: float = 2) -> str:
    return f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="{width}"/>'


def _box(x: float, y: float, width: float, height: float, fill: str, radius: float) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}"/>'


def _text(x: float, y: float, text: str, size: float, fill: str = _INK, anchor: str = "start", weight: str = "") -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{bold}>{escape(text)}</text>'
