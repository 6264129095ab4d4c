"""What else happens to a box in a cupboard: stopped in any phase, two at once, short of memory, its files spoilt."""

from __future__ import annotations

import ast
import json
import os
import queue
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from narrator import unattended
from narrator.app import App
from narrator.clock import ManualClock
from narrator.config import DEFAULTS, load
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.journal import Beat, Entry, Journal, Lock, read
from narrator.messages import Say, Signal, SpeechDone
from narrator.ports.child import Child, Link
from narrator.ports.console import Console
from narrator.ports.ears import TypedEars
from narrator.ports.gate import Gate
from narrator.ports.panel import RecordingPanel
from narrator.ports.voice import SilentVoice, SpeakerVoice
from narrator.speech.director import Director
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.table import Table
from narrator.wiring import leave_on_signals, open_journal
from tests.lab import Pulse, wait_for
from tests.table import whole_game

ROOT = Path(__file__).parents[2]


# --- stopped -----------------------------------------------------------------------------------------------------


def stopped(folder: Path, entries: list[Entry]) -> int:
    """Go on with a game in a process of its own, send it SIGTERM when it has begun; its exit code."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            assert pipe.read(1) == b"r"
        os.kill(child, signal.SIGTERM)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        signal.alarm(120)  # a test that hangs ends; a machine that is busy may take its time
        inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        panel, null = RecordingPanel(), (folder / "console").open("w")
        ports = Ports(SilentVoice(inbox.put), TypedEars(inbox.put), panel, Console(inbox.put, null))
        journal = Journal.reopen(folder / "current.journal")[0]
        table = Table(ManualClock(), journal, Beat(folder / "beat"), on_trouble=pytest.fail)
        app = App(ports, table, grammar("ru"), Director("ru"), inbox)
        app.start(entries)
        leave_on_signals(inbox.put)
        os.write(writer, b"r")
        app.run()
        app.close()
        code = 0 if panel.closed and panel.scene.lamp == "off" else 3
    finally:
        os._exit(code)


@pytest.mark.parametrize("key", RULESETS)
def test_a_stop_in_every_phase_is_orderly_and_loses_nothing(key: str, tmp_path: Path) -> None:
    steps = whole_game(key, Host.FULL, 0)
    journal = Journal.create(tmp_path / "current.journal", "ru")
    seen: set[Phase] = set()
    for number, step in enumerate(steps, 1):
        journal.append(step.move, step.at)
        phase = step.after.state.phase
        if phase in seen or phase in (Phase.LOBBY, Phase.GAME_OVER):
            continue
        seen.add(phase)
        before = journal.path.read_bytes()
        assert stopped(tmp_path, [Entry(s.move, s.at) for s in steps[:number]]) == 0, phase
        after = read(journal.path).entries
        assert [entry.move for entry in after[:number]] == [s.move for s in steps[:number]], phase
        assert all(entry.move.kind in ("propose", "ready") for entry in after[number:]), phase
        journal.path.write_bytes(before)
    assert len(seen) >= 6


# --- two at once -------------------------------------------------------------------------------------------------


def test_a_second_narrator_leaves_with_a_sentence_and_touches_nothing(tmp_path: Path) -> None:
    state = tmp_path / "narrator"
    lock = Lock(state)
    Journal.create(state / "current.journal", "ru").close()
    before = (state / "current.journal").read_bytes()
    folders = {"XDG_STATE_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "narrator.cli", "play"],
        cwd=ROOT, env=os.environ | folders, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and f"process {os.getpid()}" in done.stderr
    assert (state / "current.journal").read_bytes() == before
    lock.close()


# --- short of memory ---------------------------------------------------------------------------------------------


def _hungry(link: Link, marker: str) -> None:
    link.send(int(Path("/proc/self/oom_score_adj").read_text()))
    if Path(marker).exists():
        while not link.closed:
            link.beat()
            link.receive(0.2)
    Path(marker).touch()
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    bytearray(2 << 30)


def test_a_child_that_runs_out_of_memory_comes_back_and_is_the_one_the_kernel_takes(tmp_path: Path) -> None:
    said: list[int] = []
    deaths: list[str] = []
    marker = str(tmp_path / "fed")
    child = Child("hungry", _hungry, (marker,), on_message=said.append, on_death=deaths.append)
    try:
        wait_for(lambda: len(said) == 2, 20, "the child is back")
        assert len(deaths) == 1
        assert said == [500, 500]
        own = int(Path("/proc/self/oom_score_adj").read_text())
        assert own < 500  # the game is spared
        os.kill(wait_for(lambda: child.pid, 5, "a child"), signal.SIGKILL)  # as the kernel does
        wait_for(lambda: len(said) == 3, 20, "and back again")
    finally:
        child.close()


# --- files spoilt ------------------------------------------------------------------------------------------------


def test_phrases_whose_cache_is_deleted_in_play_are_made_again(pulse: Pulse, tmp_path: Path) -> None:
    signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    cache = tmp_path / "cache"
    settings = load(DEFAULTS, voice={"device": "pulse"}).voice
    voice = SpeakerVoice(settings, cache, signals.put, Gate())
    try:
        for number in range(1, 4):
            with pulse.recording() as recording:
                voice.say([Say(number, "Наступает ночь.")])
                assert signals.get(timeout=30) == SpeechDone(number)
            begin, end = recording.sounding()
            assert end - begin > 0.5
            shutil.rmtree(cache)
    finally:
        voice.close()


def test_a_journal_of_another_program_is_put_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    settings = load(DEFAULTS, paths={"state": str(tmp_path)})
    console = Console(lambda signal: None, (tmp_path / "out").open("w"))
    steps = whole_game("classic", Host.FULL, 0)
    journal = Journal.create(tmp_path / "current.journal", "ru")
    for step in (*steps[:4], steps[8]):  # a game that today's rules would refuse
        journal.append(step.move, step.at)
    journal.close()
    fresh, entries = open_journal(settings, console)
    fresh.close()
    assert entries == () and len(list((tmp_path / "games").glob("*.foreign"))) == 1
    assert "was moved to" in (tmp_path / "out").read_text()


def test_settings_that_are_broken_are_passed_over_for_the_last_good_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "config.toml"
    file.write_text('[game]\nrules = "sport"\n')
    assert unattended.settings_for_a_box(file)[1] == ()
    for spoilt in ('[game]\nruels = "moscow"\n', "[game\n", '[game]\nrules = "sport"\nseats = 3\n', "\x00\xff"):
        file.write_text(spoilt)
        settings, problems = unattended.settings_for_a_box(file)
        assert settings.game.rules == "sport" and "had before" in problems[-1] and len(problems) >= 2
    file.unlink()
    assert unattended.settings_for_a_box(file)[0].game.rules == "sport"
    (tmp_path / "narrator" / unattended.LAST_GOOD).write_text("nonsense")
    settings, problems = unattended.settings_for_a_box(file)
    assert settings.game.rules == "classic" and "born with" in problems[-1]


# --- time and network ---------------------------------------------------------------------------------------------


def test_no_part_of_the_game_asks_the_wall_clock() -> None:
    allowed = {"archive.py", "ports/web/desk.py"}  # names of kept games, times of log lines
    asked = []
    for path in sorted((ROOT / "narrator").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = f"{node.value.id}.{node.attr}"
                if name in ("time.time", "datetime.now", "datetime.today", "time.localtime", "time.strftime"):
                    asked.append(path.relative_to(ROOT / "narrator").as_posix())
    assert set(asked) <= allowed, sorted(set(asked) - allowed)


def test_a_whole_game_makes_no_network_call(tmp_path: Path) -> None:
    """Every socket call of whole games through the box, as the interpreter audits them."""
    script = """
import json, sys
calls = []
def audit(event, args):
    if event.startswith("socket.") and event not in ("socket.__new__",):
        calls.append([event, repr(args)])
    if event == "socket.__new__" and args[1] != 1:
        calls.append([event, repr(args[1:])])
    if event == "urllib.Request":
        calls.append([event, args[0]])
sys.addaudithook(audit)
from pathlib import Path
from narrator.transcript import parse, replay
for path in map(Path, sys.argv[1:]):
    wrong, _ = replay(parse(str(path), path.read_text(encoding="utf-8")))
    assert not wrong, wrong
print(json.dumps(calls))
"""
    games = sorted((ROOT / "tests/data/transcripts/sport").glob("draw-*.txt"))
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, games)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert games and json.loads(done.stdout) == []
