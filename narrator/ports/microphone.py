"""The microphone: chooses a device, a rate and a channel, keeps one stream open, hands out blocks of sound.

Lives in the ears' child process only: PortAudio's list of devices is frozen when it is loaded and its calls
may hang, so a new look needs a new process. `python -m narrator.ports.microphone [NAME]` is that look: it
prints why no microphone can be used and exits with 1, or prints the one that can.

Invariant: the callback only copies bytes; at most `KEPT` seconds wait, and what is lost is counted.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from narrator.ports.devices import DeviceError, find_device
from narrator.ports.route import Route

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 0.025
"""Seconds of sound in one block."""
KEPT = 1.0
"""Seconds of sound that may wait; a longer queue would answer a question asked too long ago."""
RATES = (16000, 48000, 44100)
"""Hz, tried in this order before the device's own: the models' rate, then what USB microphones can do."""
_LOOK_PATIENCE = 8.0


@dataclass(frozen=True, slots=True)
class Source:
    """A device that can be opened like this. `rate` in Hz; `index` is good in this process only."""

    index: int
    name: str
    rate: int
    channels: int


def choose(sd: Any, wanted: str, rates: tuple[int, ...] = RATES) -> Source:
    """The device named by `wanted` with the first rate and number of channels it accepts; mono is preferred.

    Raises DeviceError when there is no such device or it accepts nothing.
    """
    device = find_device(sd, wanted, "input")
    most = int(device["max_input_channels"])
    why = ""
    for channels in dict.fromkeys((1, min(2, most), most)):
        for rate in dict.fromkeys((*rates, int(device["default_samplerate"]))):
            try:
                sd.check_input_settings(device=device["index"], channels=channels, samplerate=rate, dtype="int16")
            except (sd.PortAudioError, ValueError) as error:
                why = str(error)
                continue
            return Source(device["index"], device["name"], rate, channels)
    raise DeviceError(f"The microphone «{device['name']}» cannot be opened ({why}); close other programs that use it.")


def load_sounddevice() -> Any:
    """The sounddevice module. Raises DeviceError naming what to install."""
    try:
        import sounddevice
    except ImportError as error:
        raise DeviceError("sounddevice is not installed; run: pip install sounddevice.") from error
    except OSError as error:
        raise DeviceError(f"PortAudio cannot be loaded ({error}); run: sudo apt install libportaudio2.") from error
    return sounddevice


class Look:
    """A look for a usable microphone in a process of its own, begun at once."""

    def __init__(self, wanted: str) -> None:
        here = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}  # it must find this package as we did
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, wanted],
            env=here,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def result(self, alive: Callable[[], None]) -> str:
        """An empty string when there is a microphone, or why there is none.

        `alive` is called several times a second while it is not known yet.
        """
        deadline = time.monotonic() + _LOOK_PATIENCE
        with self._process as look:
            while time.monotonic() < deadline:
                alive()
                try:
                    said, _ = look.communicate(timeout=0.2)
                except subprocess.TimeoutExpired:
                    continue
                if look.returncode == 0:
                    return ""
                return said.strip() or "The look for a microphone failed; run: narrator doctor."
            look.kill()
        return "The sound system hangs when it is asked for a microphone; replug the microphone."


class Microphone:
    """One open stream of `source`.

    `lost`: blocks that could not wait; `overflows`: times the sound system lost frames before we saw them.
    """

    def __init__(self, sd: Any, source: Source) -> None:
        import numpy

        self._np = numpy
        self.source = source
        self.lost = 0
        self.overflows = 0
        self._blocks: queue.Queue[bytes] = queue.Queue(maxsize=round(KEPT / BLOCK))
        try:
            self._stream = sd.RawInputStream(
                device=source.index,
                samplerate=source.rate,
                channels=source.channels,
                dtype="int16",
                blocksize=round(source.rate * BLOCK),
                latency="high",
                callback=self.take,
            )
            self._stream.start()
        except sd.PortAudioError as error:
            raise DeviceError(
                f"The microphone «{source.name}» cannot be opened ({error}); "
                "close other programs that use it or replug it."
            ) from error
        self._route = Route()

    @property
    def moved(self) -> str:
        """That another microphone is heard than the one that was opened, as the beginning of a sentence, or ""."""
        return self._route.moved

    def take(self, frames: Any, count: int, when: Any, status: Any) -> None:
        """PortAudio's callback."""
        self.overflows += bool(status and status.input_overflow)
        try:
            self._blocks.put_nowait(bytes(frames))
        except queue.Full:
            self.lost += 1

    def read(self, timeout: float) -> NDArray[np.int16] | None:
        """The next block of one channel, or None when none came within `timeout` seconds."""
        try:
            block = self._blocks.get(timeout=timeout)
        except queue.Empty:
            return None
        return self._np.frombuffer(block, self._np.int16)[:: self.source.channels]

    def drop(self) -> None:
        """Forget the sound that waits: it was spoken before now."""
        while not self._blocks.empty():  # only this thread takes from the queue
            self._blocks.get_nowait()

    @property
    def active(self) -> bool:
        """Whether the sound system says the stream runs; a truly unplugged device may still say yes."""
        return bool(self._stream.active)

    def close(self) -> None:
        """Stop and release the device."""
        self._route.close()
        self._stream.close()


def _main() -> int:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        source = choose(load_sounddevice(), wanted)
    except DeviceError as error:
        print(error)
        return 1
    print(f"{source.name}: {source.rate} Hz, {source.channels} channel(s)")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
