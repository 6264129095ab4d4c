"""Checks of the machine: Python and packages, the state folder and its card, settings, power and heat.

Touches no sound and no pin. Invariant: what is written to the state folder is taken away again.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from narrator import archive
from narrator.config import Settings
from narrator.doctor import Finding, Group, State
from narrator.ports.panel import on_a_pi
from narrator.rules import RulesError, ruleset
from narrator.shelter import file_system, is_volatile, why_not_writable
from narrator.wiring import table_of

SYNCS = 20
SLOW_SYNC = 0.25
"""Seconds a move may wait for the card, in the middle of many, before somebody at the table notices."""
ROOM = 100_000_000
HOT = 75.0
FIRMWARE = Path("/sys/devices/platform")
"""Below it is the firmware's file, in a folder that has another name on a Pi 5 than on the older ones."""
HEAT = Path("/sys/class/thermal/thermal_zone0/temp")


def program(settings: Settings) -> Iterator[Finding]:
    """Python, the packages and the libraries under them."""
    python = platform.python_version()
    new_enough = sys.version_info >= (3, 11)
    todo = "" if new_enough else "install Python 3.11 or later"
    bits = "64" if sys.maxsize > 2**32 else "32"
    yield Finding(
        Group.PROGRAM,
        "Python",
        State.OK if new_enough else State.BAD,
        f"{python}, {bits} bits, {platform.machine()}",
        todo,
    )
    for name in ("vosk", "pyttsx3", "sounddevice", "gpiozero"):
        try:
            yield Finding(Group.PROGRAM, name, State.OK, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Finding(Group.PROGRAM, name, State.BAD, "not installed", f"pip install {name}, or set up again")
    yield _portaudio()
    yield _program_of("espeak-ng", "espeak-ng", "the box cannot render phrases")
    yield _program_of("fstcompile", "libfst-tools", "the compact recogniser cannot be built")
    yield _lgpio()


def _portaudio() -> Finding:
    # In a process of its own: a sound library that hangs must not take the doctor with it.
    script = "import sounddevice as s; print(s.get_portaudio_version()[1])"
    try:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return Finding(
            Group.PROGRAM, "PortAudio", State.BAD, "hangs when it is loaded", "pull sound devices out, try again"
        )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["?"])[-1]
        return Finding(Group.PROGRAM, "PortAudio", State.BAD, why, "sudo apt install libportaudio2")
    return Finding(Group.PROGRAM, "PortAudio", State.OK, done.stdout.strip().split(",")[0])


def _program_of(name: str, package: str, what: str) -> Finding:
    path = shutil.which(name)
    if path:
        return Finding(Group.PROGRAM, name, State.OK, path)
    return Finding(Group.PROGRAM, name, State.BAD, f"not there: {what}", f"sudo apt install {package}")


def _lgpio() -> Finding:
    if not on_a_pi():
        return Finding(Group.PROGRAM, "lgpio", State.SKIPPED, "not a Raspberry Pi")
    from narrator.ports.panel import PinsAbsent, import_lgpio

    try:
        module = import_lgpio()
    except PinsAbsent as error:
        return Finding(
            Group.PROGRAM, "lgpio", State.BAD, str(error), "sudo apt install python3-lgpio, and set up again"
        )
    if not hasattr(module, "gpiochip_open"):
        return Finding(
            Group.PROGRAM,
            "lgpio",
            State.BAD,
            "an empty shell without functions",
            "sudo apt install python3-lgpio, remove .venv and set up again",
        )
    return Finding(Group.PROGRAM, "lgpio", State.OK, "works")


def storage(settings: Settings) -> Iterator[Finding]:
    """The state folder: written, kept, quick enough, with room, and what lies in it."""
    folder = settings.paths.state_dir
    why = why_not_writable(folder)
    if why:
        yield Finding(Group.STORAGE, "state folder", State.BAD, why, "until then games are kept in memory only")
        return
    kind = file_system(folder)
    if is_volatile(folder):
        yield Finding(
            Group.STORAGE,
            "state folder",
            State.WARN,
            f"{folder} is in memory ({kind})",
            "set [paths] state to a folder on the card; a read-only root wants overlayroot=tmpfs:recurse=0",
        )
    else:
        yield Finding(Group.STORAGE, "state folder", State.OK, f"{folder} ({kind})")
    yield _sync_time(folder)
    free = shutil.disk_usage(folder).free
    state = State.OK if free > ROOM else State.WARN
    yield Finding(Group.STORAGE, "free space", state, f"{free / 1e6:.0f} MB", "" if free > ROOM else "free some space")
    games = len(archive.kept(folder))
    yield Finding(Group.STORAGE, "games kept", State.OK, f"{games} of at most {settings.paths.keep_games}")


def _sync_time(folder: Path) -> Finding:
    probe = folder / f".sync-{os.getpid()}"
    times = []
    try:
        with probe.open("wb", buffering=0) as file:
            for _ in range(SYNCS):
                begun = time.monotonic()
                file.write(bytes(200))
                os.fdatasync(file.fileno())
                times.append(time.monotonic() - begun)
    finally:
        probe.unlink(missing_ok=True)
    middle, worst = statistics.median(times), max(times)
    found = f"{1000 * middle:.1f} ms, at worst {1000 * worst:.0f} ms of {SYNCS}"
    if middle > SLOW_SYNC:
        return Finding(
            Group.STORAGE, "time to write a move", State.WARN, found, "the card is slow or worn; try another one"
        )
    return Finding(Group.STORAGE, "time to write a move", State.OK, found)


def rules(settings: Settings) -> Iterator[Finding]:
    """Whether the settings describe a table that can be played."""
    game = settings.game
    try:
        table = table_of(settings, ruleset(game.rules, settings.rules))
    except RulesError as error:
        yield Finding(Group.SETTINGS, "rules", State.BAD, " ".join(error.problems), "mend [game] and [rules]")
        return
    yield Finding(Group.SETTINGS, "rules", State.OK, f"{game.rules}, {table.seats} seats, hosting {game.host}")


def power(settings: Settings) -> Iterator[Finding]:
    """Under-voltage, throttling and temperature, as far as the machine tells them."""
    yield _throttling()
    try:
        heat = int(HEAT.read_text()) / 1000
    except (OSError, ValueError):
        yield Finding(Group.POWER, "temperature", State.SKIPPED, "this machine does not tell it")
        return
    hot = heat >= HOT
    todo = "give the box air, or the Pi a heat sink" if hot else ""
    yield Finding(Group.POWER, "temperature", State.WARN if hot else State.OK, f"{heat:.0f} °C", todo)


def _throttling() -> Finding:
    bits = _throttled_bits()
    if bits is None:
        return Finding(Group.POWER, "power supply", State.SKIPPED, "this machine does not tell it")
    todo = "use the supply made for this Pi and a short thick cable; unplug what draws much"
    if bits & 0x1:
        return Finding(Group.POWER, "power supply", State.BAD, f"too weak right now (0x{bits:x})", todo)
    if bits & 0x10000:
        return Finding(Group.POWER, "power supply", State.WARN, f"was too weak since the start (0x{bits:x})", todo)
    if bits:
        return Finding(
            Group.POWER, "power supply", State.WARN, f"slowed down for heat (0x{bits:x})", "give the box air"
        )
    return Finding(Group.POWER, "power supply", State.OK, "enough since the start (0x0)")


def _throttled_bits() -> int | None:
    """What the Pi's firmware says: bit 0 too little voltage now, 1 to 3 slowed down, from 16 on since the start."""
    for path in sorted(FIRMWARE.glob("*/*firmware/get_throttled")):
        try:
            return int(path.read_text().strip(), 16)
        except (OSError, ValueError):
            continue
    tool = shutil.which("vcgencmd")
    if tool:
        done = subprocess.run([tool, "get_throttled"], capture_output=True, text=True, timeout=10)
        if done.returncode == 0 and "=" in done.stdout:
            return int(done.stdout.strip().split("=")[1], 16)
    return None
