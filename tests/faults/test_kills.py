"""Killed at every write of the journal and between every two things that the table notices, in whole games.

Each kill is a true SIGKILL of a forked process in the middle of a move. Afterwards the journal is read as the next
start would read it. Proved: what anybody has heard or seen is in the journal, and nothing is that was not played.

By default every twentieth move of a game is cut at each moment; with NARRATOR_LAB=1 every move of every game.
"""

from __future__ import annotations

import os
import queue
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from narrator import journal as journal_module
from narrator.app import App
from narrator.clock import ManualClock
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.journal import Beat, Entry, Journal
from narrator.messages import Buzz, Earcon, HostView, Say, Scene, Signal, SpeechDone, Story, View
from narrator.ports.ears import TypedEars
from narrator.speech.director import Director
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.table import Table, played_back
from tests.table import Step, whole_game


class Moments:
    """Counts the moments of a move; at the one that is `fatal` the process is killed, as by the power."""

    def __init__(self) -> None:
        self.fatal = -1
        self.count = 0
        self.pipe = -1

    def __call__(self) -> None:
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def tell(self) -> None:
        if self.fatal >= 0:
            os.write(self.pipe, b"!")
        self()


class Noticed:
    """Every device of the box: whatever reaches it, the table has noticed."""

    def __init__(self, moments: Moments, put: Callable[[Signal], None]) -> None:
        self._moments, self._put = moments, put

    def say(self, phrases: Any) -> None:
        for phrase in phrases:
            assert isinstance(phrase, Say)
            self._moments.tell()
            self._put(SpeechDone(phrase.utterance))

    def earcon(self, earcon: Earcon) -> None:
        self._moments.tell()

    def music(self, on: bool) -> None:
        self._moments.tell()

    def hush(self) -> None:
        self._moments.tell()

    def buzz(self, pattern: Buzz) -> None:
        self._moments.tell()

    def show(self, scene: Scene) -> None:
        self._moments.tell()

    def said(self, text: str) -> None:
        self._moments.tell()

    def private(self, text: str) -> None:
        self._moments.tell()

    def notice(self, text: str) -> None:
        raise AssertionError(text)

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        self._moments.tell()

    def device(self, port: str, why: str) -> None:
        raise AssertionError(why)

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        self._moments.tell()

    def story(self, story: Story | None) -> None:
        self._moments.tell()

    def close(self) -> None:
        pass


class SharpFile:
    """The journal's file with a moment before each write, in the middle of it, and after it, before it is synced."""

    def __init__(self, file: Any, moments: Moments) -> None:
        self._file, self._moments = file, moments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, line: bytes) -> int:
        self._moments()
        self._file.write(line[: len(line) // 2])
        self._moments()
        self._file.write(line[len(line) // 2 :])
        self._moments()
        return len(line)


class Evening:
    """The box with a journal in `folder`, moved step by step through a game that was played before."""

    def __init__(self, folder: Path) -> None:
        self.moments, self.clock = Moments(), ManualClock()
        inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        ports = Noticed(self.moments, inbox.put)
        self.path = folder / "current.journal"
        journal = Journal.create(self.path, "ru")
        journal._file = SharpFile(journal._file, self.moments)  # type: ignore[assignment]
        table = Table(self.clock, journal, Beat(folder / "beat"), on_trouble=pytest.fail)
        devices = Ports(ports, TypedEars(inbox.put), ports, ports)
        self.app = App(devices, table, grammar("ru"), Director("ru"), inbox)

    def play(self, step: Step) -> None:
        self.clock.advance(max(step.at - self.app.table.at(), 0.0))
        self.app.play(step.move)

    def killed(self, step: Step, moment: int) -> tuple[bool, int]:
        """Play `step` in a process that is killed at `moment`: whether it was, and how much had been noticed."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            self.moments.fatal, self.moments.count, self.moments.pipe = moment, 0, writer
            try:
                self.play(step)
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            noticed = len(pipe.read())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, -signal.SIGKILL), "the move failed"
        return code != 0, noticed


def kills(evening: Evening, steps: tuple[Step, ...], each: int) -> Iterator[tuple[int, int, int, tuple[Entry, ...]]]:
    """For every `each`th move and every moment in it: the move, the moment, what was noticed, what was recovered."""
    for number, step in enumerate(steps):
        before = evening.path.read_bytes()
        killed = number % each == 0
        moment = 0
        while killed:
            killed, noticed = evening.killed(step, moment)
            journal, recovered = Journal.reopen(evening.path)
            journal.close()
            yield number, moment, noticed, recovered.entries
            evening.path.write_bytes(before)
            moment += 1
        evening.play(step)


def cut_everywhere(steps: tuple[Step, ...], each: int, folder: Path) -> int:
    """Kill at the moments of every `each`th move and look; returns the number of kills."""
    evening = Evening(folder)
    last = tried = 0
    played = [(step.move, round(step.at, 6)) for step in steps]
    for number, moment, noticed, entries in kills(evening, steps, each):
        found = [(entry.move, round(entry.at, 6)) for entry in entries]
        assert found in (played[:number], played[: number + 1]), f"move {number}, moment {moment}: another game"
        if noticed:
            assert found == played[: number + 1], f"move {number}, moment {moment}: noticed and lost"
        tried, last = tried + 1, max(last, moment)
    assert last >= 4, "there are at least four moments: before, amid and after the write, and when it is told"
    game, _ = played_back(Journal.reopen(evening.path)[1].entries)
    assert game.state == evening.app.state
    return tried


@pytest.mark.parametrize("key", RULESETS)
def test_a_kill_loses_nothing_that_was_noticed_and_invents_nothing(key: str, tmp_path: Path) -> None:
    assert cut_everywhere(whole_game(key, Host.FULL, 0), 20, tmp_path) > 20


@pytest.mark.slow
@pytest.mark.parametrize(("key", "host"), [(key, host) for key in RULESETS for host in Host], ids=str)
def test_a_kill_at_every_moment_of_every_move(key: str, host: Host, tmp_path: Path) -> None:
    if os.environ.get("NARRATOR_LAB") != "1":
        pytest.skip("takes minutes: runs only with NARRATOR_LAB=1")
    steps = whole_game(key, host, 0)
    tried = cut_everywhere(steps, 1, tmp_path)
    print(f"\n{key}, {host}: {len(steps)} moves, {tried} kills, nothing lost, nothing invented")
    assert tried >= 4 * len(steps)


@pytest.mark.parametrize("key", RULESETS)
def test_a_journal_cut_at_any_byte_gives_the_game_up_to_there(key: str, tmp_path: Path) -> None:
    steps = whole_game(key, Host.FULL, 0)
    path = tmp_path / "current.journal"
    journal = Journal.create(path, "ru")
    ends = [path.stat().st_size]
    for step in steps:
        journal.append(step.move, step.at)
        ends.append(path.stat().st_size)
    journal.close()
    data = path.read_bytes()
    for count, end in enumerate(ends):
        assert len(journal_module._read(path, data[:end])[0].entries) == count
    # between two moves nothing depends on what was before: the header and one move stand for all of it
    for begin, middle, end in zip(ends, ends[1:], ends[2:], strict=False):
        known = data[: ends[0]] + data[begin:middle]
        for size in range(end - middle):
            found, good = journal_module._read(path, known + data[middle : middle + size])
            assert (len(found.entries), good, found.trouble) == (1, len(known), ""), f"cut at byte {middle + size}"
