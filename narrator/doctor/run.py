"""The verb `doctor`: which checks are made, and how the page is shown. Returns an exit code, decides nothing else."""

from __future__ import annotations

import json
import signal
import sys
import threading
from functools import partial

from rich.console import Console

from narrator.config import Settings
from narrator.doctor import Check, Finding, Group, State, as_json, code, codes, devices, examine, line, machine
from narrator.doctor.licences import data_licences, licences
from narrator.doctor.spoken import spoken

GIVEN_UP = Finding(
    Group.PROGRAM,
    "service",
    State.BAD,
    "it could not be kept running, and it is not known why",
    "journalctl -u narrator",
)


def run(
    settings: Settings,
    problems: tuple[str, ...],
    *,
    quick: bool = False,
    json_page: bool = False,
    lamps: bool = False,
    buttons: bool = False,
    given_up: bool = False,
) -> int:
    """Look at everything and show it; `problems` is what is wrong with the settings' file. 1 when anything is red.

    `given_up`: systemd could not keep the box running; if nothing else is red, that is.
    """
    screen = Console(stderr=json_page, highlight=False)

    def tell(finding: Finding) -> None:
        if not json_page:
            screen.print(line(finding))

    somebody = sys.stdin.isatty() and screen.is_terminal and not (json_page or lamps or given_up)
    checks = _checks(settings, problems, quick=quick, buttons=buttons, asked=somebody)
    findings = examine(settings, checks, tell)
    if given_up and code(findings)[0] is not State.BAD:
        findings.append(GIVEN_UP)
        tell(GIVEN_UP)
    state, number = code(findings)
    if json_page:
        print(json.dumps(as_json(findings), ensure_ascii=False, indent=1))
    elif state is State.OK:
        screen.print("All is well.")
    else:
        screen.print(f"Lamp code: {codes.COLOURS[state]} blinks {number} × ({list(Group)[number - 1]}).")
    if lamps:
        stop = threading.Event()
        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, lambda *_: stop.set())
        why = codes.show(settings.panel, state, number, stop)
        if why:
            screen.print(why)
    return 1 if state is State.BAD else 0


def _checks(settings: Settings, problems: tuple[str, ...], *, quick: bool, buttons: bool, asked: bool) -> list[Check]:
    def settings_file(_: Settings) -> list[Finding]:
        if not problems:
            return [Finding(Group.SETTINGS, "settings", State.OK, "every line is understood")]
        return [Finding(Group.SETTINGS, "settings", State.BAD, " ".join(problems), "mend the file and start again")]

    checks: list[Check] = [machine.program, machine.storage, settings_file, machine.rules]
    busy = devices.hosting(settings)
    if busy:
        checks.append(lambda _: [Finding(Group.PINS, "devices", State.SKIPPED, busy, "sudo systemctl stop narrator")])
    elif quick:
        checks.append(devices.vocabulary)
    else:
        checks += [devices.speaker, devices.microphone]
        if asked:
            checks.append(partial(spoken, ask=lambda word: print(f"  say «{word}» …", flush=True)))
        checks.append(devices.lamps)
        if buttons:
            checks.append(partial(devices.buttons, ask=lambda name: print(f"  press {name} …", flush=True)))
    return [*checks, machine.power]


def print_licences() -> None:
    """A table of everything with its licence, then the data's own text."""
    for item in licences():
        print(f"{item.name:24} {item.version:16} {item.licence}{f'  ({item.note})' if item.note else ''}")
    print(f"\n{data_licences()}")
