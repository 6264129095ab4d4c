"""The lamps, the buzzer, the four buttons of the box and the seat buttons, on gpiozero.

One thread owns every pin and all timing: what is asked for and what the contacts do comes to it through one
queue, and each wait ends at the next deadline of a blink, a buzz or a button. It may not know the game, and
never uses the timing of gpiozero, which drifts under load.

Invariant: a lamp's level depends on the scene and the clock alone, so a process that was held up writes the
right level late and never makes up for the blinks it missed; at most one buzzer pattern sounds at a time.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import queue
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from narrator.config import PanelSettings, pins_of
from narrator.messages import Buzz, Control, Lamp, PortFailed, Scene
from narrator.ports import Put
from narrator.ports.buttons import Buttons, Key
from narrator.ports.lamps import BLINK as BLINK
from narrator.ports.lamps import LAMPS, colour_lamps, look
from narrator.ports.lamps import levels as levels
from narrator.ports.urgency import urgent
from narrator.ports.vital import Answers

log = logging.getLogger(__name__)

LENGTHS = {Buzz.SHORT: 0.15, Buzz.LONG: 0.8, Buzz.OVERTIME: 0.15}
"""Seconds each buzzer pattern sounds."""

GAP = 0.15  # seconds of silence between two patterns, so that they can be counted
HISTORY = 10_000


class Written(NamedTuple):
    """One level that was written: monotonic seconds, lamp or "buzzer", level 0…1."""

    at: float
    name: str
    value: float


class GpioPanel:
    """The panel of the box. A pin that cannot be had is reported once as `PortFailed`; the rest works.

    `put` is called from the panel's thread and must return at once. `factory` replaces the gpiozero factory
    that `settings.pins` stands for (other boards, tests). `history` holds the last levels written.
    """

    def __init__(self, settings: PanelSettings, put: Put, *, factory: Any = None) -> None:
        self.history: deque[Written] = deque(maxlen=HISTORY)
        self._put = put
        self._buzzes = frozenset(settings.buzzer_marks if settings.buzzer_enabled else ())
        self._contrast, self._brightness = settings.contrast, settings.brightness
        self._buttons = Buttons(settings.debounce, settings.hold)
        self._inbox: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._stopped = False  # by a driver, which has been told
        self._closing = False
        self._scene, self._since = Scene(), 0.0
        self._patterns: deque[Buzz] = deque()
        self._sounding, self._buzz_edge = False, 0.0
        self._board, failures = _open(settings, factory)
        self._levels = dict.fromkeys(self._board.outputs, 0.0)
        self._watcher: Callable[[Written], None] | None = None
        for failure in failures:
            log.warning("panel: %s", failure)
            put(PortFailed("panel", failure))
        self._board.watch(self._inbox)
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)
        self._thread.start()
        self._answers = Answers(self._thread, self._inbox.put)
        atexit.register(self.close)  # a buzzer left on outlives the process

    @property
    def factory(self) -> Any:
        """The gpiozero factory in use (its pins can be pressed when simulated), or None without pins."""
        return self._board.factory

    @property
    def simulated(self) -> bool:
        """Whether the pins are simulated, so that they can be touched by `touch`."""
        if self._board.factory is None:
            return False
        from gpiozero.pins.mock import MockFactory

        return isinstance(self._board.factory, MockFactory)

    def touch(self, key: Key, down: bool) -> None:
        """Close or open the contact of a simulated button, as a finger would."""
        if self.simulated and key in self._board.inputs:
            pin = self._board.inputs[key].pin
            if down:
                pin.drive_low()  # the contact closes to ground
            else:
                pin.drive_high()

    def watch(self, watcher: Callable[[Written], None]) -> None:
        """Tell `watcher` every level that is written from now on; it is called from the panel's thread."""
        self._watcher = watcher

    def show(self, scene: Scene) -> None:
        """Make lamps agree with the scene; only differences are written."""
        self._inbox.put(scene)

    def buzz(self, pattern: Buzz) -> None:
        """Sound a pattern after those that wait already, unless it is muted."""
        if pattern in self._buzzes:
            self._inbox.put(pattern)

    def ails(self) -> str:
        """See Vital: a panel that stopped by itself is an absent device."""
        return "" if self._stopped else self._answers.ails()

    def close(self) -> None:
        """Everything off and all pins given back. May be called twice and from a signal handler."""
        self._inbox.put(None)  # SimpleQueue.put may interrupt itself
        self._thread.join(1.0)
        if self._thread.is_alive():
            log.error("The panel did not close within a second; lamps or buzzer may still be on.")
        atexit.unregister(self.close)

    def _run(self) -> None:
        urgent()
        try:
            while not self._closing:
                self._take(self._work())
        except Exception as error:  # whatever a driver raises: the game goes on without the panel
            self._stopped = True
            log.exception("The panel stopped.")
            why = f"The panel stopped ({error}); look at its wiring and start the program again."
            self._put(PortFailed("panel", why))
        finally:
            for name in self._board.outputs:
                with contextlib.suppress(Exception):  # a driver that failed once may fail again: try each pin
                    self._write(name, 0.0)
            self._board.close()

    def _work(self) -> float | None:
        """Do all that is due; returns the next deadline, if there is one."""
        now = time.monotonic()
        for signal in self._buttons.tick(now):
            self._put(signal)
        deadlines = [self._buttons.next_deadline, self._paint(now), self._sound(now)]
        return min((due for due in deadlines if due is not None), default=None)

    def _take(self, deadline: float | None) -> None:
        """Wait for something to come or for the deadline, and take all that is there."""
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            item = self._inbox.get(timeout=timeout)
            while True:
                self._accept(item)
                item = self._inbox.get_nowait()
        except queue.Empty:
            return

    def _accept(self, item: _Item) -> None:
        match item:
            case None:
                self._closing = True
            case Scene():
                if look(item, self._contrast) != look(self._scene, self._contrast):
                    self._since = time.monotonic()
                self._scene = item
            case Buzz():
                self._patterns.append(item)
            case _Edge(at, key, down):
                for signal in self._buttons.edge(key, down, at):
                    self._put(signal)
            case _:
                item()

    def _paint(self, now: float) -> float | None:
        lit, wait = levels(self._scene, max(0.0, now - self._since), self._contrast)
        for lamp in LAMPS:
            self._write(lamp, lit.get(lamp, 0.0) * self._brightness)
        return None if wait is None else now + wait

    def _sound(self, now: float) -> float | None:
        if self._sounding and now >= self._buzz_edge:
            self._sounding = False
            self._write("buzzer", 0.0)
            self._buzz_edge = time.monotonic() + GAP
        elif not self._sounding and self._patterns and now >= self._buzz_edge:
            self._sounding = True
            self._write("buzzer", 1.0)
            self._buzz_edge = time.monotonic() + LENGTHS[self._patterns.popleft()]
        return self._buzz_edge if self._sounding or self._patterns else None

    def _write(self, name: str, value: float) -> None:
        if self._levels.get(name, value) != value:
            self._board.outputs[name].value = value
            self._levels[name] = value
            self.history.append(Written(time.monotonic(), name, value))
            if self._watcher is not None:
                self._watcher(self.history[-1])


class RecordingPanel:
    """The twin without pins: keeps what it was asked for. `history` holds scenes that differ, and buzzes."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.buzzes: list[Buzz] = []
        self.history: list[Scene | Buzz] = []
        self.closed = False

    def show(self, scene: Scene) -> None:
        """Keep the scene as the one shown."""
        if scene != self.scene:
            self.scene = scene
            self.history.append(scene)

    def buzz(self, pattern: Buzz) -> None:
        """Count a buzz."""
        self.buzzes.append(pattern)
        self.history.append(pattern)

    def close(self) -> None:
        """Lamps off."""
        self.show(Scene())
        self.closed = True


# --- the pins -----------------------------------------------------------------------------------------------


class PinsAbsent(OSError):
    """No pins can be had at all; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class _Edge:
    at: float
    key: Key
    down: bool


_Item = Scene | Buzz | _Edge | Callable[[], None] | None
"""What the panel's thread takes: a level, an edge out, an edge in, a call, or the end."""


@dataclass(slots=True)
class _Board:
    """The gpiozero devices that could be opened, by name."""

    factory: Any = None
    outputs: dict[str, Any] = field(default_factory=dict)
    inputs: dict[Key, Any] = field(default_factory=dict)

    def watch(self, inbox: queue.SimpleQueue[Any]) -> None:
        """Put an `_Edge` for every change of a contact, and one for each that is closed already."""

        def tell(key: Key, contact: Any, down: bool) -> None:
            now = time.monotonic()
            age = contact.active_time if down else contact.inactive_time
            # The kernel's own time of the edge, when its clock is ours (Linux 5.7 and later).
            inbox.put(_Edge(now - age if age is not None and 0 <= age < 60 else now, key, down))

        for key, contact in self.inputs.items():
            contact.when_activated = lambda device, key=key: tell(key, device, True)
            contact.when_deactivated = lambda device, key=key: tell(key, device, False)
            if contact.is_active:
                tell(key, contact, True)

    def close(self) -> None:
        """Give all pins back. Devices go before the factory: gpiozero cannot close them afterwards."""
        parts = [*self.outputs.values(), *self.inputs.values(), self.factory]
        for part in [part for part in parts if part is not None]:
            try:
                part.close()
            except Exception as error:
                log.warning("%r could not be closed: %s", part, error)


def on_a_pi() -> bool:
    """Whether this machine is a Raspberry Pi."""
    try:
        return b"Raspberry Pi" in Path("/proc/device-tree/model").read_bytes()
    except OSError:
        return False


def _open(settings: PanelSettings, factory: Any) -> tuple[_Board, list[str]]:
    """The devices that can be had, and one sentence for what cannot."""
    if settings.pins == "off" and factory is None:
        return _Board(), []
    try:
        factory = factory or open_factory(settings.pins)
    except PinsAbsent as error:
        return _Board(), [f"{error}; the game goes on without lamps, buzzer and buttons."]
    from gpiozero import LED, PWMLED, RGBLED, Buzzer, DigitalInputDevice

    board = _Board(factory)
    # Software PWM costs a thread and may flicker, so a lamp that is never dim does without.
    bright = LED if settings.brightness == 1 else PWMLED
    kinds: dict[str, Any] = {Lamp.GREEN: PWMLED, Lamp.YELLOW: bright, Lamp.RED: bright, "buzzer": Buzzer}
    refused: list[str] = []
    if settings.lamps == "rgb":
        pins = (settings.red, settings.green, settings.yellow)
        try:
            board.outputs |= colour_lamps(RGBLED(*pins, pin_factory=factory), settings.contrast)
        except Exception as error:
            refused.append(f"red, green, yellow (its blue) = {', '.join(map(str, pins))} ({error})")
    keys: dict[str, Key] = {name: Control(name) for name in Control}
    keys |= {f"seat {seat}": seat for seat in range(1, len(settings.seats) + 1)}
    for name, pin in pins_of(settings):
        if name in LAMPS and settings.lamps != "three":
            continue
        try:
            if name in keys:
                board.inputs[keys[name]] = DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
            else:
                board.outputs[name] = kinds[name](pin, pin_factory=factory)
        except Exception as error:  # lgpio.error and the many of gpiozero have no other parent
            refused.append(f"{name} = {pin} ({_holder(factory, pin) or error})")
    if not refused:
        return board, []
    what = f"[panel] {', '.join(refused)} cannot be used"
    return board, [
        f"{what}; stop the other program that holds it (perhaps a second narrator) or choose another pin; "
        "the game goes on with the rest of the panel."
    ]


def _holder(factory: Any, pin: int) -> str:
    """Who holds a pin of a real chip, as the kernel tells it, or an empty string."""
    chip = getattr(factory, "_handle", None)
    if chip is None:
        return ""
    import lgpio

    with contextlib.suppress(lgpio.error):
        _, _, _, _, user = lgpio.gpio_get_line_info(chip, pin)
        return f"held by “{user}”" if user else ""
    return ""


def open_factory(pins: str) -> Any:
    """The factory for real or simulated pins, never a silent fall-back from one to the other."""
    if os.environ.get("GPIOZERO_PIN_FACTORY") == "mock" or pins == "simulated":
        return _simulated()
    if pins == "auto" and not on_a_pi():
        log.warning("This is not a Raspberry Pi: lamps, buzzer and buttons are simulated.")
        return _simulated()
    lgpio = import_lgpio()
    if not hasattr(lgpio, "gpiochip_open"):
        raise PinsAbsent(
            "The installed package lgpio is an empty shell; run “sudo apt install python3-lgpio”, remove the "
            "folder .venv and start again"
        )
    from gpiozero.exc import PinUnknownPi
    from gpiozero.pins.lgpio import LGPIOFactory

    try:
        return LGPIOFactory()
    except PinUnknownPi as error:
        raise PinsAbsent('This is not a Raspberry Pi; set [panel] pins = "simulated" or "off"') from error
    except lgpio.error as error:
        why = f"The pins cannot be opened ({error}); add this user to the group gpio if /dev/gpiochip0 exists"
        raise PinsAbsent(why) from error


def _simulated() -> Any:
    from gpiozero.pins.mock import MockFactory, MockPWMPin

    return MockFactory(pin_class=MockPWMPin)


def import_lgpio() -> Any:
    """lgpio, imported where it may write: it makes a FIFO in its folder and may leave the process there."""
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.chdir(Path.cwd()))
            if "LG_WD" not in os.environ:  # the open FIFO outlives its folder
                os.chdir(stack.enter_context(tempfile.TemporaryDirectory(prefix="narrator-")))
            import lgpio

            return lgpio
    except ImportError as error:
        raise PinsAbsent(f"lgpio is missing ({error}); run “.venv/bin/pip install lgpio”") from error
    except OSError as error:
        raise PinsAbsent(f"lgpio has no folder to work in ({error}); set LG_WD to a writable one") from error
