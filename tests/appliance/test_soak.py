"""A long evening: does anything grow? A night of games in short time, and an hour in real time with sound.

On request only (scripts/lab soak). NARRATOR_SOAK_MINUTES shortens the hour. Figures are printed every so often.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from narrator import archive
from narrator.app import App
from narrator.clock import ManualClock
from narrator.game import moves as m
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.journal import Beat, Journal
from narrator.messages import Signal, SpeechDone
from narrator.ports.console import Console
from narrator.ports.ears import TypedEars
from narrator.ports.panel import RecordingPanel
from narrator.ports.voice import SilentVoice
from narrator.speech.director import Director
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.table import Table
from tests.appliance.machine import ROOT
from tests.lab import Pulse, need_sound_server, wait_for
from tests.table import whole_game

pytestmark = pytest.mark.slow

GAMES = int(os.environ.get("NARRATOR_SOAK_GAMES", "60"))
MINUTES = float(os.environ.get("NARRATOR_SOAK_MINUTES", "60"))


@dataclass(frozen=True)
class Figures:
    """What must not grow, of a process and its children: resident bytes, threads, open files, processes."""

    memory: int
    threads: int
    files: int
    processes: int

    def __str__(self) -> str:
        return (
            f"{self.memory / 1e6:7.1f} MB  {self.threads:3} threads  {self.files:3} files  {self.processes} processes"
        )


def figures(pid: int) -> Figures:
    pids = [pid, *_children(pid)]
    memory = threads = files = 0
    for one in pids:
        place = Path(f"/proc/{one}")
        try:
            memory += int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            threads += len(list((place / "task").iterdir()))
            files += len(list((place / "fd").iterdir()))
        except OSError:  # gone meanwhile
            continue
    return Figures(memory, threads, files, len(pids))


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from _children(int(child))


def fall_silent(app: App, inbox: queue.SimpleQueue[Signal]) -> None:
    """Take the ends of what was said, and nothing else: time and moves are those of the game that is played."""
    while not inbox.empty():
        signal = inbox.get()
        assert isinstance(signal, SpeechDone)
        app.stage.ended(signal.utterance)


def asked_for() -> None:
    if os.environ.get("NARRATOR_LAB") != "1":
        pytest.skip("a soak: runs only with NARRATOR_LAB=1, as scripts/lab sets it")


def test_a_night_of_games_in_short_time_leaves_nothing_behind(tmp_path: Path) -> None:
    asked_for()
    inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    voice, ears, panel = SilentVoice(inbox.put), TypedEars(inbox.put), RecordingPanel()
    ports = Ports(voice, ears, panel, Console(inbox.put, (tmp_path / "out").open("w")))
    clock, state = ManualClock(), tmp_path / "state"

    def new_page() -> Journal:
        archive.clear(state, 20)
        return Journal.create(state / archive.CURRENT, "ru")

    table = Table(clock, new_page(), Beat(state / "beat"), on_trouble=pytest.fail, new_page=new_page)
    app = App(ports, table, grammar("ru"), Director("ru"), inbox)
    app.start()
    tables = [(key, host) for key in RULESETS for host in (Host.FULL, Host.LIGHT)]
    moves, seen, chance = 0, list[Figures](), random.Random(1)
    for game in range(GAMES):
        key, host = chance.choice(tables)
        zero = table.at()
        for step in whole_game(key, host, chance.randrange(2)):
            clock.advance(max(zero + step.at - table.at(), 0.0))
            app.play(step.move)
            fall_silent(app, inbox)
            moves += 1
        app.play(m.NewGame())
        if table.state.phase is not Phase.LOBBY:
            app.play(m.Answer(True))
        fall_silent(app, inbox)
        assert table.state.phase is Phase.LOBBY and app.stage.silent
        for twin in (voice.said, panel.history, panel.buzzes, ears.listening):
            twin.clear()
        if game % 10 == 9:
            gc.collect()
            seen.append(figures(os.getpid()))
            print(f"\ngame {game + 1:4}, {moves:6} moves  {seen[-1]}  inbox {inbox.qsize()}", end="")
    app.close()
    first, last = seen[1], seen[-1]
    assert last.memory - first.memory < 8e6
    assert (last.threads, last.files) == (first.threads, first.files)
    assert len(list((state / "games").iterdir())) <= 20


def test_an_hour_with_sound_stays_flat(tmp_path: Path) -> None:
    asked_for()
    need_sound_server()
    config = tmp_path / "config.toml"
    config.write_text(
        '[voice]\ndevice = "pulse"\n[ears]\ndevice = "pulse"\n[screen]\nport = 8765\nopen_browser = false\n'
    )
    with Pulse() as pulse:
        folders = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": os.environ.get(
            "NARRATOR_SOAK_CACHE", str(tmp_path / "cache")), "PYTHONPATH": str(ROOT)}  # fmt: skip
        box = subprocess.Popen(
            [sys.executable, "-m", "tests.appliance.queues", str(tmp_path / "queues"), "play", "--config", str(config),
             "--log", "info"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=pulse.env | folders,
        )  # fmt: skip
        lines: list[str] = []
        threading.Thread(target=_read, args=(box, lines), daemon=True).start()
        try:
            wait_for(lambda: any("начинаем игру" in line for line in lines), 900, "the box greets")
            _play(box, lines, tmp_path / "queues")
        finally:
            box.terminate()
            assert box.wait(20) == 0


def _read(box: subprocess.Popen[str], lines: list[str]) -> None:
    assert box.stdout
    for line in box.stdout:
        lines.append(line)


def _longest(counts: Path, begin: int) -> tuple[int, int]:
    """The most that waited in all queues together from line `begin` on, and the number of lines so far."""
    numbers = [int(line.split()[0]) for line in counts.read_text(encoding="ascii").splitlines()]
    return max(numbers[begin:], default=0), len(numbers)


def _play(box: subprocess.Popen[str], lines: list[str], counts: Path) -> None:
    """Somebody presses the keys that carry an evening on, one every few seconds; pages are looked at meanwhile."""
    keys, chance = ["", "", "", "5", "3", "2", "повтори", "пауза", "продолжить", "b", "да", "дальше"], random.Random(1)
    begun, seen, queued = time.monotonic(), list[Figures](), list[int]()
    pause = threading.Event()
    said, counted = 0, _longest(counts, 0)[1]
    while time.monotonic() - begun < 60 * MINUTES:
        assert box.poll() is None, lines[-5:]
        assert box.stdin
        box.stdin.write(f"{chance.choice(keys)}\n")
        box.stdin.flush()
        with urllib.request.urlopen("http://127.0.0.1:8765/", timeout=10) as page:
            assert page.status == 200
        pause.wait(chance.uniform(1, 5))
        if time.monotonic() - begun > 60 * (len(seen) + 1) * max(MINUTES / 30, 0.25):
            seen.append(figures(box.pid))
            said = sum("«" in line for line in lines)
            most, counted = _longest(counts, counted)
            queued.append(most)
            minutes = (time.monotonic() - begun) / 60
            print(f"\n{minutes:5.1f} min  {seen[-1]}  {said} phrases  at most {most} queued", end="", flush=True)
    troubles = [line for line in lines if "ERROR" in line or "Traceback" in line]
    print("\n" + json.dumps({"phrases": said, "troubles": troubles[:5]}, ensure_ascii=False))
    assert troubles == []
    third = len(seen) // 3
    first, last = seen[third], seen[-1]
    hours = MINUTES / 60 * (len(seen) - third) / len(seen)
    assert (last.memory - first.memory) / hours < 15e6 or last.memory - first.memory < 6e6
    assert last.files - first.files <= 4 and last.processes <= first.processes + 1
    assert last.threads - first.threads <= 6
    assert max(queued[-third:]) <= max(10, *queued[: third + 1]) and _longest(counts, counted - 3)[0] <= 10
