"""A clock one can trust: the wall clock's steps do not exist for it, and a process that was held up is late, once."""

from __future__ import annotations

import ast
import logging
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from narrator.clock import ManualClock
from narrator.game import moves as m
from narrator.game.guards import deadline
from narrator.game.rulesets import RULESETS
from narrator.journal import Beat, Journal
from narrator.table import Table

ROOT = Path(__file__).parents[1]
TIMED = [
    *sorted((ROOT / "narrator" / "timer").glob("*.py")),
    *(ROOT / "narrator" / name for name in ("app.py", "clock.py", "stage.py", "table.py")),
    *(ROOT / "narrator" / "ports" / name for name in ("panel.py", "buttons.py", "voice.py", "sound.py", "child.py")),
]
WALL = {("time", "time"), ("time", "localtime"), ("datetime", "now"), ("datetime", "today"), ("time", "time_ns")}


@pytest.mark.parametrize("path", TIMED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_that_keeps_time_reads_the_wall_clock(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    read = {
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert not read & WALL


CHILD = """
import logging, queue, sys, threading, time
from narrator.clock import MonotonicClock
from narrator.config import load
from narrator.messages import Control, Pressed, Quit
from narrator.ports.ears import TypedEars
from narrator.ports.panel import GpioPanel
from narrator.ports.voice import SilentVoice
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.timer import core
from narrator.timer.app import TimerApp
from narrator.timer.plans import countdown
from narrator.timer.words import Teller
from tests.timer.quiet import QuietScreen

if {jump}:
    real = time.time
    time.time = lambda: real() + 86400 * (1 if int(real() * 10) % 2 else -1)
logging.basicConfig(level="WARNING", format="log %(message)s", stream=sys.stdout)
inbox = queue.SimpleQueue()
panel = GpioPanel(load(panel=dict(pins="simulated")).panel, inbox.put)
ports = Ports(SilentVoice(inbox.put), TypedEars(inbox.put), panel, QuietScreen())
app = TimerApp(ports, MonotonicClock(), core.State(countdown(2.0, 1.0)), grammar("ru"), Teller("ru"), inbox)
app.start()
app.step(Pressed(Control.NEXT))
while app.state.timer.since is None:
    app.step(inbox.get())
print("began", app.state.timer.since + app._zero, flush=True)
threading.Timer({seconds}, lambda: inbox.put(Quit())).start()
app.run()
app.close()
for written in panel.history:
    print("pin", *written)
"""


def meeting(seconds: float, *, jump: bool = False) -> subprocess.Popen[str]:
    """A timer of two seconds with a warning at one, in a process of its own that ends after `seconds`."""
    script = textwrap.dedent(CHILD).replace("{jump}", str(jump)).replace("{seconds}", str(seconds))
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def marks(out: str, began: float) -> list[tuple[str, float]]:
    """Beginnings of buzzes and lamps: (name, seconds after the start)."""
    rows = [line.split() for line in out.splitlines() if line.startswith("pin")]
    return [(name, float(at) - began) for _, at, name, value in rows if float(value) == 1.0]


def begin(process: subprocess.Popen[str]) -> float:
    assert process.stdout
    for line in process.stdout:
        if line.startswith("began"):
            return float(line.split()[1])
    raise AssertionError("the timer did not begin")


def test_a_wall_clock_that_jumps_by_a_day_changes_nothing() -> None:
    with meeting(2.6, jump=True) as process:
        began = begin(process)
        found = marks(process.communicate(timeout=60)[0], began)
    starts = [at for name, at in found if name == "buzzer"]
    assert len(starts) == 2
    assert starts[0] == pytest.approx(1.0, abs=0.3)
    assert starts[1] == pytest.approx(2.0, abs=0.3)


def test_a_suspended_timer_is_late_once_and_says_so() -> None:
    with meeting(5.0) as process:
        began = begin(process)
        process.send_signal(signal.SIGSTOP)
        time.sleep(max(0.0, began + 3.5 - time.monotonic()))
        process.send_signal(signal.SIGCONT)
        out = process.communicate(timeout=60)[0]
    starts = [at for name, at in marks(out, began) if name == "buzzer"]
    assert len(starts) == 1, "ten seconds and the end were missed: one sound"
    assert starts[0] >= 3.4
    assert "late: the machine slept" in out


def test_a_game_that_slept_says_so_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock(50.0)
    journal = Journal.create(tmp_path / "current.journal", "ru")
    table = Table(clock, journal, Beat(tmp_path / "beat"), on_trouble=pytest.fail)
    try:
        table.play(m.SetUp(seats=10, rules=RULESETS["moscow"]))
        table.play(m.Start())
        table.play(m.Ready())
        mark = deadline(table.state)
        assert mark is not None
        clock.advance(mark - table.at() + 7.0)
        with caplog.at_level(logging.WARNING):
            table.play(m.TimeUp())
        assert "A mark came 7.0 s late" in caplog.text
    finally:
        table.close()
