"""How `narrator hear --live` looks: a page that moves on a terminal, JSON lines for a program.

Draws and decides nothing. Invariant: every utterance is shown, however quickly they come.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections import deque
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.live import Live as Screen
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from narrator.config import Settings
from narrator.levels import CLIPPED, QUIET, advice, decibels
from narrator.live import Glance, Heard, Live, moment
from narrator.ports.devices import DeviceError
from narrator.speech.lang import load

_LINES = 10
_LEAST, _WIDTH = -80.0, 50  # dB at the left end of the bar, columns of it
_SETTLED = 2.0  # seconds of sound before anything is said about the microphone


class LiveError(RuntimeError):
    """There is no sound to listen to; the message says what to do."""


def show(settings: Settings, when: str, *, talk: bool, seconds: float, console: Console | None = None) -> None:
    """Listen and show, until Ctrl-C or for so many seconds of sound.

    Raises MomentError, LiveError or RecogniserError with one sentence.
    """
    state = moment(settings, when)
    console = console or Console(highlight=False)
    phase = load(settings.game.language).IN_PRINT.PHASES[state.phase]
    try:
        with contextlib.closing(Live(settings, state, talk=talk)) as live, contextlib.suppress(KeyboardInterrupt):
            if console.is_terminal:
                _page(live, live.glances(seconds), f"{state.rules.key}: {phase} ({state.phase})", console)
            else:
                _lines(live, live.glances(seconds), state.phase.value)
    except DeviceError as error:
        raise LiveError(str(error)) from error


def _lines(live: Live, glances: Iterable[Glance], phase: str) -> None:
    """A line for each utterance, and one a second."""
    _tell({"device": live.device, "moment": phase, "never_heard": list(live.unheard)})
    told = 0.0
    for glance in glances:
        if glance.heard or glance.at - told >= 1.0:
            told = glance.at
            _tell(glance.as_dict())


def _tell(line: dict[str, object]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def _page(live: Live, glances: Iterable[Glance], title: str, console: Console) -> None:
    heard: deque[Heard] = deque(maxlen=_LINES)
    with Screen(console=console, refresh_per_second=10) as screen:
        for glance in glances:
            heard.extend(glance.heard)
            screen.update(draw(live.device, title, glance, heard, live.unheard))


def draw(device: str, title: str, glance: Glance, heard: Iterable[Heard], unheard: Iterable[str]) -> RenderableType:
    """The page at one instant."""
    levels = Text.assemble(
        "level ", _bar(glance), f" {decibels(glance.level)}\n",
        f"noise floor {decibels(glance.floor)}   loudest {decibels(glance.peak)}   ",
        (f"clipped {glance.clipped} samples", "red" if glance.clipped else ""), "   ",
        (f"lost {glance.lost}", "red" if glance.lost else ""),
    )  # fmt: skip
    todo = advice(glance.peak, glance.floor) if glance.at > _SETTLED else "listening to the room …"
    table = Table("heard", "means now", "sure", "after", "computed", box=None, pad_edge=False)
    for one in heard:
        sure = f"{one.confidence:.2f}"
        after = f"{one.lag:.2f} s{' early' if one.early else ''}"
        table.add_row(escape(one.text), escape(one.means), sure, after, f"{one.took:.2f} s")
    parts: list[RenderableType] = [
        Text(f"{device}\n{title}", style="dim"), levels,
        Text(f"→ {todo}" if todo else "the microphone is well set", style="yellow" if todo else "green"),
        Text(f"… {glance.partial}" if glance.partial else "", style="italic"), table,
    ]  # fmt: skip
    if words := ", ".join(unheard):
        parts.append(Text(f"never heard by this model: {words}", style="red"))
    return Group(*parts)


def _bar(glance: Glance) -> Text:
    """The level as a bar, with the noise floor marked in it."""
    filled, floor = _column(glance.level), _column(glance.floor)
    colour = "red" if glance.clipped or glance.peak > CLIPPED else "green" if glance.level > QUIET else "yellow"
    bar = "".join("▏" if at == floor else "█" if at < filled else "·" for at in range(_WIDTH))
    return Text(bar, style=colour)


def _column(level: float) -> int:
    """Where a level stands in the bar."""
    share = 1 - (20 * math.log10(level) if level > 0 else _LEAST) / _LEAST
    return round(max(0.0, min(1.0, share)) * (_WIDTH - 1))
