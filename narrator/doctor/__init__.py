"""`narrator doctor`: one page of green and red about the box, each red with the next step.

May import everything below it; changes nothing but makes noise and light. A check that cannot be made here (no Pi, the
box is hosting) says so instead of guessing. Invariant: a check never raises; what it trips over is its finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from narrator.config import Settings


class Group(StrEnum):
    """What a check is about, in the order of the lamp codes: the first is shown by one blink."""

    PROGRAM = "program"
    STORAGE = "storage"
    SETTINGS = "settings"
    SPEAKER = "speaker"
    MICROPHONE = "microphone"
    PINS = "pins"
    POWER = "power"


class State(StrEnum):
    """How a thing is: well, usable but worth a look, broken, or not looked at."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the page. `todo` is the next step, empty when there is none to take."""

    group: Group
    name: str
    state: State
    found: str
    todo: str = ""


Check = Callable[[Settings], Iterable[Finding]]


def examine(settings: Settings, checks: Iterable[Check], tell: Callable[[Finding], None]) -> list[Finding]:
    """Make the checks, telling each finding as it comes."""
    findings: list[Finding] = []
    for check in checks:
        try:
            for finding in check(settings):
                findings.append(finding)
                tell(finding)
        except Exception as error:  # a broken library must not hide what comes after it
            finding = Finding(
                Group.PROGRAM,
                check.__name__,
                State.BAD,
                f"the check itself failed: {error!r}",
                "report this, please",
            )
            findings.append(finding)
            tell(finding)
    return findings


def code(findings: Iterable[Finding]) -> tuple[State, int]:
    """What the lamps show: the worst state, and the number of the first group that has it (0: all is well)."""
    findings = list(findings)
    for state in (State.BAD, State.WARN):
        groups = [finding.group for finding in findings if finding.state is state]
        if groups:
            return state, min(list(Group).index(group) for group in groups) + 1
    return State.OK, 0


def as_json(findings: Iterable[Finding]) -> dict[str, Any]:
    """The page for programs."""
    findings = list(findings)
    state, number = code(findings)
    return {"state": state.value, "code": number, "findings": [asdict(finding) for finding in findings]}


MARKS = {State.OK: "[green]✓[/]", State.WARN: "[yellow]![/]", State.BAD: "[red]✗[/]", State.SKIPPED: "[dim]–[/]"}


def line(finding: Finding) -> str:
    """One line for people, with rich's marks for colour."""
    from rich.markup import escape

    text = f"{MARKS[finding.state]} {finding.name}: {escape(finding.found)}"
    return f"{text}\n    → {escape(finding.todo)}" if finding.todo else text
