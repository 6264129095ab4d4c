"""Sound devices by name: a part of a name from the settings becomes one device, or one clear sentence.

Must not keep a device's number: numbers change when something is plugged in. Must not import or open
anything: the caller passes the imported `sounddevice` module in.
Invariant: what is returned is the only device that fits, never a guess.
"""

from __future__ import annotations

from typing import Any, Literal

Direction = Literal["input", "output"]
_CALLED = {"input": "microphone", "output": "loudspeaker"}


class DeviceError(Exception):
    """A sound device that cannot be used; the text is one sentence that says what to do."""


def find_device(sd: Any, wanted: str, direction: Direction) -> dict[str, Any]:
    """The one device of `direction` whose name contains `wanted` (any case; a whole name beats a part).

    An empty `wanted` is the system's default. Returns sounddevice's own description. Raises DeviceError when
    there is no such device, or more than one, with the names that exist.
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
        return next((d for d in known if d["index"] == default), known[0])
    names = ", ".join(f"«{d['name']}»" for d in known)
    whole = [d for d in known if d["name"].casefold() == wanted.casefold()]
    found = whole or [d for d in known if wanted.casefold() in d["name"].casefold()]
    if not found:
        raise DeviceError(f"No {called} has «{wanted}» in its name; plug it in, or name one of: {names}.")
    if len(found) > 1:
        fits = ", ".join(f"«{d['name']}»" for d in found)
        raise DeviceError(f"«{wanted}» fits {len(found)} {called}s ({fits}); give a longer part of one name.")
    return dict(found[0])
