"""Runs a meeting on the box: ports from the settings, the loop, the report at the end, also after Ctrl-C.

Invariant: whatever was started is closed again, and a speech that was timed is in the report.
"""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Sequence
from pathlib import Path

from narrator import wiring
from narrator.clock import MonotonicClock
from narrator.config import Settings
from narrator.messages import Control, Held, Signal
from narrator.naming import commands
from narrator.ports.console import Console
from narrator.ports.display import Display
from narrator.rendering import render_texts
from narrator.timer import core, report
from narrator.timer.app import TimerApp
from narrator.timer.plans import Plan
from narrator.timer.words import Teller

HELP = """\
  Enter  next speaker          b  take back        p  pause, go on      + -  ten seconds more, less
  w  this speech again         e  end, report      q  leave, report     t  talk; t again lets go     ?  this help
  Russian words count as heard: дальше, пауза, продолжить, добавь десять секунд, сколько осталось, заново"""
UNKNOWN = 15
"""Speakers whose announcements are rendered when nobody knows how many will come."""


def run(
    settings: Settings, plan: Plan, *, speakers: int = 0, names: Sequence[str] = (), follow: bool = False
) -> tuple[core.Spoken, ...]:
    """Time a meeting until it is over; returns the speeches. Devices that are absent are said to be absent."""
    language = settings.game.language
    teller, words = Teller(language), commands(settings)
    inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    console = Console(inbox.put, help_text=HELP, more_keys={"e": Held(Control.MINUS)})
    if settings.voice.enabled:
        render_texts(settings, teller.everything(plan, speakers or UNKNOWN), console.notice)
    with contextlib.ExitStack() as stack:
        ports = wiring.open_ports(settings, inbox.put, console, words)
        display = Display(settings.display, inbox.put)
        stack.callback(display.close)
        app = TimerApp(
            ports,
            MonotonicClock(),
            core.State(plan, speakers, follow),
            words,
            teller,
            inbox,
            confidence=settings.ears.confidence,
            count=display.count,
        )
        stack.callback(app.close)
        wiring.leave_on_signals(inbox.put)
        console.notice(f"Speech timer: {plan.key}. Keys:\n{HELP}")
        app.start()
        console.listen()
        app.run()
    console.notice("\n" + report.as_table(app.state.spoken, names, language))
    return app.state.spoken


def save(spoken: Sequence[core.Spoken], names: Sequence[str], language: str, path: Path) -> None:
    """Write the report as CSV. Raises OSError when it cannot be written."""
    path.write_text(report.as_csv(spoken, names, language), encoding="utf-8")
