"""Sound devices by name: a part of a name from the settings becomes one device, or one clear sentence.

Must not keep a device's number: numbers change when something is plugged in. Must not import or open a device: the
caller passes the imported `sounddevice` module in; it looks into the folders where the kernel and a sound server show
that they are there.
Invariant: what a name gives is the only device that fits, never a guess.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

Direction = Literal["input", "output"]
_CALLED = {"input": "microphone", "output": "loudspeaker"}
CARDS = Path("/proc/asound")
SETTLED = 3.0
"""Seconds after which a new card has its rights and its mixer."""
_NUMBER = re.compile(r"\(hw:([0-9]+),")


class DeviceError(Exception):
    """A sound device that cannot be used; the text is one sentence that says what to do."""


def find_device(sd: Any, wanted: str, direction: Direction) -> dict[str, Any]:
    """The one device of `direction` whose name contains `wanted` (any case; a whole name beats a part).

    An empty `wanted` is a USB device if there is one and no sound server to choose, else the system's default. Returns
    sounddevice's own description. Raises DeviceError when there is no such device, or more than one, with the names
    that exist.
    """
    called = _CALLED[direction]
    try:
        known = [d for d in sd.query_devices() if d[f"max_{direction}_channels"] > 0]
    except sd.PortAudioError as error:
        raise DeviceError(f"The sound system does not answer ({error}); check the {called}.") from error
    if not known:
        raise DeviceError(f"No {called} is connected; plug one in, it is found by itself.")
    if not wanted:
        default = sd.default.device[0 if direction == "input" else 1]
        usual = next((d for d in known if d["index"] == default), known[0])
        return usual if served() else next(filter(on_usb, known), usual)
    names = ", ".join(f"«{d['name']}»" for d in known)
    whole = [d for d in known if d["name"].casefold() == wanted.casefold()]
    found = whole or [d for d in known if wanted.casefold() in d["name"].casefold()]
    if not found:
        raise DeviceError(f"No {called} has «{wanted}» in its name; plug it in, or name one of: {names}.")
    if len(found) > 1:
        fits = ", ".join(f"«{d['name']}»" for d in found)
        raise DeviceError(f"«{wanted}» fits {len(found)} {called}s ({fits}); give a longer part of one name.")
    return dict(found[0])


def on_usb(device: dict[str, Any]) -> bool:
    """Whether this is a USB sound card, opened without a sound server between."""
    card = _NUMBER.search(device["name"])
    return card is not None and int(card[1]) in usb_cards()


def usb_cards() -> frozenset[int]:
    """ALSA's numbers of the USB sound cards.

    A Pi's HDMI and headphone sockets come before them in ALSA's order, so they and not the speaker that somebody
    bought would be the default; they play to nobody without a word.
    """
    return frozenset(int(path.parent.name[4:]) for path in CARDS.glob("card[0-9]*/usbid"))


def served() -> bool:
    """Whether a sound server is in reach, where a person chooses devices: on a desktop, not in a box."""
    folder = os.environ.get("XDG_RUNTIME_DIR")
    return "PULSE_SERVER" in os.environ or (folder is not None and Path(folder, "pulse", "native").exists())


class Arrivals:
    """True when called after a USB sound card has been plugged in since this was made, and has settled."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known = usb_cards()
        self._came: float | None = None

    def __call__(self) -> bool:
        cards = usb_cards()
        self._known &= cards
        if cards <= self._known:
            self._came = None
            return False
        if self._came is None:
            self._came = self._now()
        return self._now() - self._came >= SETTLED
