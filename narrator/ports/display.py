"""A countdown that is read from across the room: an LED matrix or a row of seven-segment digits on a MAX7219, by luma.

Optional: without a kind in the settings nothing is loaded. One thread owns the device and writes when the second
changes. It may not know the game. Invariant: what is shown is a function of the countdown and the time alone, so a
thread that was held up shows the right second late, and never counts by itself.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from typing import Any

from narrator.config import DisplaySettings
from narrator.messages import Countdown, PortFailed
from narrator.ports import Put

log = logging.getLogger(__name__)

PORT = "display"
_DIGITS = 8  # of the usual module with seven segments
_INSTALL = "run “.venv/bin/pip install 'luma.led_matrix' 'luma.core[spi]'”"
_WIRING = "switch SPI on (raspi-config, Interface Options) and look at its wires"


def reading(left: float) -> str:
    """«1:05», in overtime «-0:12»: whole seconds, so that the end of the time is 0:00 and not a second before."""
    sign, seconds = ("", math.ceil(left - 1e-6)) if left > -1 else ("-", math.floor(1e-6 - left))
    return f"{sign}{max(seconds, 0) // 60}:{max(seconds, 0) % 60:02d}"


class Display:
    """`count` what is to be shown. A device that cannot be had is told once as `PortFailed`; the game goes on.

    `device` replaces the one that the settings stand for (a luma device; tests).
    """

    def __init__(self, settings: DisplaySettings, put: Put, *, device: Any = None) -> None:
        self._settings, self._put, self._device = settings, put, device
        self._inbox: queue.SimpleQueue[tuple[Countdown | None, float] | None] = queue.SimpleQueue()
        self._shown = ""
        self._thread = threading.Thread(target=self._run, name="display", daemon=True)
        if settings.kind:
            self._thread.start()

    def count(self, countdown: Countdown | None, at: float) -> None:
        """Show the seconds left of `countdown`, which is looked at in game time `at`, from now on; None: dark."""
        if self._thread.is_alive():  # nobody would take it out again
            self._inbox.put((countdown, time.monotonic() - at if countdown else 0.0))

    def close(self) -> None:
        """Dark. May be called twice."""
        self._inbox.put(None)
        if self._thread.ident is not None:
            self._thread.join(1.0)

    def _run(self) -> None:
        try:
            if self._device is None:
                self._device = _open(self._settings)
            self._show()
        except ImportError as error:
            self._put(PortFailed(PORT, f"The display needs luma.led_matrix ({error}); {_INSTALL}."))
        except Exception as error:  # luma's own errors, spidev's, and Pillow's have no other parent
            log.info("display", exc_info=True)
            self._put(PortFailed(PORT, f"The display cannot be used ({error}); {_WIRING}."))

    def _show(self) -> None:
        countdown, zero = None, 0.0
        while True:
            wait = self._write(countdown, zero)
            try:
                item = self._inbox.get(timeout=wait)
            except queue.Empty:
                continue
            if item is None:
                self._write(None, 0.0)
                return
            countdown, zero = item

    def _write(self, countdown: Countdown | None, zero: float) -> float | None:
        """Show what is right now; seconds until that changes."""
        if countdown is None:
            text, wait = "", None
        elif countdown.at is None:
            text, wait = reading(countdown.left), None
        else:
            left = countdown.left - (time.monotonic() - zero - countdown.at)
            text, wait = reading(left), left - math.floor(left) + 0.002
        if text != self._shown:
            self._shown = text
            (_digits if self._settings.kind == "digits" else _matrix)(self._device, text)
        return wait


def _matrix(device: Any, text: str) -> None:
    """The text in the middle, in letters that fit."""
    from luma.core.legacy import text as draw_text
    from luma.core.legacy import textsize
    from luma.core.legacy.font import LCD_FONT, TINY_FONT, proportional
    from luma.core.render import canvas

    fonts = [proportional(LCD_FONT), proportional(TINY_FONT)]
    font = next((font for font in fonts if textsize(text, font)[0] <= device.width + 1), fonts[-1])
    with canvas(device) as draw:
        draw_text(draw, (max(0, (device.width + 1 - textsize(text, font)[0]) // 2), 0), text, fill="white", font=font)


def _digits(device: Any, text: str) -> None:
    """The text at the right; a point stands for the colon, which such modules do not have."""
    from luma.core.virtual import sevensegment

    shown = text.replace(":", ".")
    sevensegment(device).text = " " * (_DIGITS - len(shown.replace(".", ""))) + shown


def _open(settings: DisplaySettings) -> Any:
    """The device on the Pi's first SPI bus."""
    from luma.core.interface.serial import noop, spi
    from luma.led_matrix.device import max7219

    serial = spi(port=0, device=settings.chip, gpio=noop())
    blocks = settings.blocks if settings.kind == "matrix" else 1
    turned = 2 if settings.upside_down else 0
    device = max7219(serial, cascaded=blocks, block_orientation=settings.orientation, rotate=turned)
    device.contrast(round(255 * settings.brightness))
    return device
