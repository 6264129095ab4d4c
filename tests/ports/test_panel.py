"""The panel on simulated pins: what lamps, buzzer and buttons do, and what if pins cannot be had."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from narrator import config
from narrator.config import PanelSettings
from narrator.messages import Buzz, Control, Held, Lamp, PortFailed, Pressed, Released, Scene, Signal
from narrator.ports import Panel
from narrator.ports.panel import BLINK, GAP, LENGTHS, GpioPanel, RecordingPanel, Written, levels

ROOT = Path(__file__).parents[2]
GREEN, YELLOW, RED = Scene(Lamp.GREEN), Scene(Lamp.YELLOW), Scene(Lamp.RED)
Make = Callable[..., GpioPanel]
no_pins = pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine has pins")
needs_lgpio = pytest.mark.skipif(find_spec("lgpio") is None, reason="lgpio is not installed")


def settings(**changes: Any) -> PanelSettings:
    return config.load(Path("/dev/null"), panel={"pins": "simulated", **changes}).panel


def until(condition: Callable[[], object], patience: float = 10.0) -> None:
    """Wait for what another thread does; the time it takes decides nothing."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.001)


@pytest.fixture
def signals() -> list[Signal]:
    return []


@pytest.fixture
def make(signals: list[Signal]) -> Iterator[Make]:
    panels: list[GpioPanel] = []

    def new(factory: Any = None, **changes: Any) -> GpioPanel:
        panels.append(GpioPanel(settings(**changes), signals.append, factory=factory))
        return panels[-1]

    yield new
    for panel in panels:
        panel.close()


def writes(panel: GpioPanel, name: str) -> list[Written]:
    return [written for written in panel.history if written.name == name]


def pin_levels(panel: GpioPanel, pin: int) -> list[float]:
    return [float(state.state) for state in panel.factory.pin(pin).states]


# --- lamps --------------------------------------------------------------------------------------------------


def test_lamps_follow_the_scene_and_only_differences_are_written(make: Make) -> None:
    panel: GpioPanel = make()
    for scene, written in ((GREEN, 1), (GREEN, 1), (YELLOW, 3), (RED, 5), (RED, 5), (Scene(), 6)):
        panel.show(scene)
        until(lambda written=written: len(panel.history) >= written)  # type: ignore[misc]
    assert [written[1:] for written in panel.history] == [
        ("green", 1.0),
        ("green", 0.0),
        ("yellow", 1.0),
        ("yellow", 0.0),
        ("red", 1.0),
        ("red", 0.0),
    ]
    assert pin_levels(panel, 17)[-2:] == [1.0, 0.0]
    assert pin_levels(panel, 22)[-2:] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("scene", "phase", "lit", "wait"),
    [
        (Scene(), 7.0, {}, None),
        (Scene(Lamp.YELLOW), 7.0, {Lamp.YELLOW: 1.0}, None),
        (Scene(Lamp.GREEN, listening=True), 7.0, {Lamp.GREEN: 1.0}, None),  # no pulse beside a lit lamp
        (Scene(Lamp.RED, blink=True), 0.0, {Lamp.RED: 1.0}, 0.25),
        (Scene(Lamp.RED, blink=True), 0.3, {Lamp.RED: 0.0}, 0.2),
        (Scene(Lamp.RED, blink=True, listening=True), 0.5, {Lamp.RED: 1.0}, 0.25),
        (Scene(Lamp.RED, blink=True), 3600.375, {Lamp.RED: 0.0}, 0.125),  # after an hour of sleep
        (Scene(blink=True), 0.3, {}, None),
        (Scene(listening=True), 0.0, {Lamp.GREEN: 0.15}, 0.5),
        (Scene(listening=True), 10.75, {Lamp.GREEN: 0.04}, 0.25),
    ],
)
def test_levels_of_a_scene(scene: Scene, phase: float, lit: dict[Lamp, float], wait: float | None) -> None:
    got, until_change = levels(scene, phase)
    assert got == pytest.approx(lit)
    assert until_change == pytest.approx(wait)


def test_overtime_blinks_twice_a_second(make: Make) -> None:
    panel = make()
    panel.show(Scene(Lamp.RED, blink=True))
    until(lambda: len(panel.history) >= 5)
    times = [written.at for written in panel.history][:5]
    assert [written.value for written in panel.history][:5] == [1.0, 0.0, 1.0, 0.0, 1.0]
    for n, at in enumerate(times):
        assert at >= times[0] + n * BLINK - 0.01  # each from the start of the scene: no drift, never early
    panel.show(RED)
    panel.show(Scene(Lamp.RED, listening=True))
    until(lambda: panel.history[-1].value == 1.0)


def test_a_change_that_cannot_be_seen_does_not_restart_the_blink(make: Make) -> None:
    panel = make()
    panel.show(Scene(Lamp.RED, blink=True))
    until(lambda: len(panel.history) == 2)
    panel.show(Scene(Lamp.RED, blink=True, listening=True))
    until(lambda: len(panel.history) == 4)
    first, *_, last = panel.history
    assert last.at - first.at >= 3 * BLINK - 0.01
    assert [written.value for written in panel.history] == [1.0, 0.0, 1.0, 0.0]


def test_listening_pulses_dimly_on_green(make: Make) -> None:
    panel = make()
    panel.show(Scene(listening=True))
    until(lambda: len(panel.history) == 3)
    assert [written[1:] for written in panel.history] == [("green", 0.15), ("green", 0.04), ("green", 0.15)]
    assert panel.factory.pin(17).state == pytest.approx(0.15)


# --- buzzer -------------------------------------------------------------------------------------------------


def test_patterns_keep_their_length_and_never_overlap(make: Make) -> None:
    panel = make()
    for pattern in (Buzz.SHORT, Buzz.LONG, Buzz.SHORT):
        panel.buzz(pattern)
    until(lambda: len(writes(panel, "buzzer")) == 6)
    durations = [state.timestamp for state in panel.factory.pin(23).states]  # each of the level before it
    states = [bool(state.state) for state in panel.factory.pin(23).states]
    assert states[-6:] == [True, False, True, False, True, False]
    _, short, gap, long, second_gap, last = durations[-6:]
    for measured, wanted in ((short, 0.15), (long, 0.8), (last, 0.15), (gap, GAP), (second_gap, GAP)):
        assert wanted - 0.005 <= measured < wanted + 0.25  # late on a busy machine, never early
    assert LENGTHS == {Buzz.SHORT: 0.15, Buzz.LONG: 0.8, Buzz.OVERTIME: 0.15}


def test_the_buzzer_can_be_switched_off(make: Make) -> None:
    panel = make(buzzer_enabled=False)
    panel.buzz(Buzz.LONG)
    panel.show(GREEN)
    until(lambda: panel.history)
    assert [written.name for written in panel.history] == ["green"]


# --- buttons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pin", "control"), [(5, "next"), (6, "back"), (13, "plus"), (19, "minus")])
def test_five_bounces_are_one_press(make: Make, signals: list[Signal], pin: int, control: str) -> None:
    contact = make().factory.pin(pin)
    for _ in range(5):
        contact.drive_low()
        time.sleep(0.002)
        contact.drive_high()
        time.sleep(0.002)
    until(lambda: signals)
    contact.drive_low()
    time.sleep(0.06)  # longer than the debounce time: a press of its own
    contact.drive_high()
    until(lambda: len(signals) == 2)
    assert signals == [Pressed(Control(control))] * 2


def test_a_hold_is_reported_while_the_button_is_down(make: Make, signals: list[Signal]) -> None:
    contact = make(hold=0.2).factory.pin(5)
    contact.drive_low()
    until(lambda: signals)
    assert signals == [Held(Control.NEXT)]
    contact.drive_high()
    until(lambda: len(signals) == 2)
    assert signals[1] == Released(Control.NEXT)


def test_a_button_that_is_down_at_the_start_counts(make: Make, signals: list[Signal]) -> None:
    class Pushed(MockPWMPin):  # type: ignore[misc]
        def drive_high(self) -> None:  # the pull-up cannot win against the finger
            self.drive_low()

    factory = MockFactory(pin_class=MockPWMPin)
    factory.pin(5, pin_class=Pushed)
    make(factory, hold=0.2)
    until(lambda: signals)
    assert signals == [Held(Control.NEXT)]


def test_an_edge_counts_from_when_the_kernel_saw_it(make: Make, signals: list[Signal]) -> None:
    class Late(MockFactory):  # type: ignore[misc]
        """Tells of each edge five seconds after it happened."""

        @staticmethod
        def ticks() -> float:
            return time.monotonic() + 5.0

    contact = make(Late(pin_class=MockPWMPin), hold=3).factory.pin(5)
    pressed = time.monotonic()
    contact.drive_low()
    until(lambda: signals)
    assert signals == [Held(Control.NEXT)]
    assert time.monotonic() - pressed < 3  # the hold time was over before the edge was told


# --- closing ------------------------------------------------------------------------------------------------


def test_close_puts_everything_off_and_may_be_called_twice(make: Make) -> None:
    panel = make()
    pins = {number: panel.factory.pin(number) for number in (17, 23)}
    panel.show(GREEN)
    panel.buzz(Buzz.LONG)
    until(lambda: len(panel.history) == 2)
    panel.close()
    panel.close()
    panel.show(RED)
    panel.buzz(Buzz.SHORT)
    assert {written.name: written.value for written in panel.history} == {"green": 0.0, "buzzer": 0.0}
    assert all(not pin.state or pin.function == "input" for pin in pins.values())


CHILD = """
import signal, sys, time
from pathlib import Path
from narrator import config
from narrator.messages import Buzz, Lamp, Scene
from narrator.ports.panel import GpioPanel

panel = GpioPanel(config.load(Path("/dev/null"), panel={"pins": "simulated"}).panel, print)

def leave(*_):
    panel.close()
    for written in panel.history:
        print(*written)
    sys.exit(0)

signal.signal(signal.SIGTERM, leave)
panel.buzz(Buzz.LONG)
panel.show(Scene(Lamp.RED, blink=True))
while len(panel.history) < 2:
    time.sleep(0.001)
print("ready", flush=True)
while True:
    panel.show(Scene(Lamp.RED, blink=True))  # the signal may come in the middle of a call
"""


def child(script: str, cwd: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    """A Python process with the project in its path and no settings of gpiozero or lgpio of its own."""
    clean = {key: value for key, value in os.environ.items() if key not in ("GPIOZERO_PIN_FACTORY", "LG_WD")}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=cwd,
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def history(output: str) -> list[Written]:
    rows = [line.split() for line in output.splitlines()]
    return [Written(float(at), name, float(value)) for at, name, value in rows]


def test_sigterm_in_a_long_buzz_is_silence_within_200_ms() -> None:
    with child(CHILD) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        asked = time.monotonic()  # one clock for all processes of the machine
        process.send_signal(signal.SIGTERM)
        written = history(process.communicate(timeout=20)[0])
    assert process.returncode == 0
    last = {entry.name: entry for entry in written}
    assert last["buzzer"].value == last["red"].value == 0.0
    assert last["buzzer"].at - asked < 0.2
    assert last["buzzer"].at - written[0].at < LENGTHS[Buzz.LONG]  # cut off, not waited for


def test_a_suspended_process_does_not_make_up_for_missed_blinks() -> None:
    with child(CHILD) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(6 * BLINK)
        process.send_signal(signal.SIGCONT)
        resumed = time.monotonic()
        time.sleep(2 * BLINK)
        process.send_signal(signal.SIGTERM)
        written = history(process.communicate(timeout=20)[0])
    after = [entry for entry in written if entry.name == "red" and entry.at >= resumed]
    awake = written[-1].at - resumed
    assert 1 <= len(after) <= awake / BLINK + 3  # one that was late, those that were due, and off
    assert len([entry for entry in written if entry.name == "buzzer"]) == 2


# --- pins that cannot be had --------------------------------------------------------------------------------


class Refusing(MockFactory):  # type: ignore[misc]
    """Pins of a chip some of which somebody else holds."""

    def __init__(self, *busy: int) -> None:
        super().__init__(pin_class=MockPWMPin)
        self.busy = busy

    def pin(self, name: Any, **options: Any) -> Any:
        if name in self.busy:
            raise RuntimeError("GPIO busy")
        return super().pin(name, **options)


def test_busy_pins_are_named_once_and_the_rest_works(make: Make, signals: list[Signal]) -> None:
    panel = make(Refusing(23, 5))
    (failed,) = signals
    assert isinstance(failed, PortFailed) and failed.port == "panel"
    assert "buzzer = 23 (GPIO busy), next = 5 (GPIO busy)" in failed.why
    assert "another pin" in failed.why
    panel.buzz(Buzz.SHORT)
    panel.show(GREEN)
    until(lambda: panel.history)
    panel.factory.pin(6).drive_low()
    panel.factory.pin(6).drive_high()
    until(lambda: len(signals) == 2)
    assert signals[1] == Pressed(Control.BACK)
    assert [written.name for written in panel.history] == ["green"]


def test_the_kernel_tells_who_holds_a_busy_pin(
    make: Make, signals: list[Signal], monkeypatch: pytest.MonkeyPatch
) -> None:
    lgpio = ModuleType("lgpio")
    lgpio.error = OSError  # type: ignore[attr-defined]
    lgpio.gpio_get_line_info = lambda handle, pin: [0, pin, 1, "GPIO23", "spi0 CS0"]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    factory = Refusing(23)
    factory._handle = 0
    make(factory)
    (failed,) = signals
    assert isinstance(failed, PortFailed) and "buzzer = 23 (held by “spi0 CS0”)" in failed.why


def test_a_driver_that_fails_later_is_reported_and_all_goes_off(make: Make, signals: list[Signal]) -> None:
    class Broken(MockPWMPin):  # type: ignore[misc]
        def _set_state(self, value: float) -> None:
            if value and self.info.name == "GPIO22":
                raise OSError("the chip is gone")
            super()._set_state(value)

    panel = make(MockFactory(pin_class=Broken))
    panel.show(GREEN)
    until(lambda: panel.history)
    panel.buzz(Buzz.LONG)
    until(lambda: len(panel.history) == 2)
    panel.show(RED)
    until(lambda: signals)
    (failed,) = signals
    assert isinstance(failed, PortFailed) and "the chip is gone" in failed.why
    panel.close()
    assert {written.name: written.value for written in panel.history} == {"green": 0.0, "buzzer": 0.0}


REAL = """
import os
from pathlib import Path
import gpiozero.pins.local
from narrator import config
from narrator.messages import Lamp, Scene
from narrator.ports.panel import GpioPanel

if os.environ.get("PRETEND"):
    gpiozero.pins.local.get_pi_revision = lambda: 0xA02082
before = os.getcwd()
settings = config.load(Path("/dev/null"), panel={"pins": "real"}).panel
panel = GpioPanel(settings, lambda failed: print(failed.why))
panel.show(Scene(Lamp.GREEN))
panel.close()
print(panel.factory, len(panel.history), os.getcwd() == before)
"""


def real(cwd: Path, **environment: str) -> list[str]:
    with child(REAL, cwd, **environment) as process:
        output = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    return output.splitlines()


@needs_lgpio
def test_real_pins_without_a_pi_are_absent(tmp_path: Path) -> None:
    why, rest = real(tmp_path)
    assert why.startswith("This is not a Raspberry Pi; set [panel] pins")
    assert rest == "None 0 True"


@needs_lgpio
@no_pins
@pytest.mark.parametrize("own_folder", [True, False])
def test_without_a_chip_the_game_goes_on_and_no_folder_is_touched(tmp_path: Path, own_folder: bool) -> None:
    """Also in a folder that cannot be written, as for a service: lgpio makes its FIFO elsewhere."""
    environment = {"LG_WD": str(tmp_path)} if own_folder else {}
    for cwd in (Path("/proc"), ROOT):
        why, rest = real(cwd, PRETEND="yes", **environment)
        assert "cannot be opened" in why and "the game goes on without" in why
        assert rest == "None 0 True"
    assert not list(ROOT.glob(".lgd-nfy*"))


def test_the_empty_lgpio_package_is_told_from_the_real_one(tmp_path: Path) -> None:
    (tmp_path / "lgpio.py").write_text("")
    why, rest = real(tmp_path, PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert "apt install python3-lgpio" in why
    assert rest == "None 0 True"


def test_a_missing_lgpio_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "lgpio.py").write_text("raise ImportError('no such package')")
    why, _ = real(tmp_path, PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert "pip install lgpio" in why


def test_the_environment_may_ask_for_mock_pins(tmp_path: Path) -> None:
    (rest,) = real(tmp_path, GPIOZERO_PIN_FACTORY="mock")
    assert "MockFactory" in rest


@no_pins
def test_off_a_pi_the_pins_are_simulated_and_it_is_said(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    panel = make(pins="auto")
    assert isinstance(panel.factory, MockFactory)
    assert [record.getMessage() for record in caplog.records] == [
        "This is not a Raspberry Pi: lamps, buzzer and buttons are simulated."
    ]


def test_pins_off_is_a_panel_that_does_nothing(make: Make, signals: list[Signal]) -> None:
    panel = make(pins="off")
    panel.show(GREEN)
    panel.buzz(Buzz.SHORT)
    panel.close()
    assert panel.factory is None
    assert not panel.history and not signals


# --- the twin -----------------------------------------------------------------------------------------------


def test_the_twin_keeps_scene_buzzes_and_their_order() -> None:
    twin = RecordingPanel()
    panel: Panel = twin
    panel.show(GREEN)
    panel.show(GREEN)
    panel.buzz(Buzz.SHORT)
    panel.show(RED)
    assert (twin.scene, twin.buzzes) == (RED, [Buzz.SHORT])
    assert twin.history == [GREEN, Buzz.SHORT, RED]
    panel.close()
    assert twin.scene == Scene() and twin.closed
