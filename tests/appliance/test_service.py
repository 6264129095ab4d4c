"""Signs of life: systemd hears that the box is up, and hears nothing more as soon as a part has died or hangs."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from narrator.clock import ManualClock
from narrator.ports import vital
from narrator.ports.child import Child
from narrator.service import Pulse, Service
from tests.lab import wait_for


class Systemd:
    """The other end of the line."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.setblocking(False)

    def heard(self) -> list[str]:
        lines: list[str] = []
        while True:
            try:
                lines += self.socket.recv(4096).decode().splitlines()
            except BlockingIOError:
                return lines


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    other = Systemd(tmp_path / "notify")
    yield other
    other.socket.close()


def service(tmp_path: Path, **more: str) -> Service:
    return Service({"NOTIFY_SOCKET": str(tmp_path / "notify"), **more})


class Part:
    def __init__(self) -> None:
        self.trouble = ""

    def ails(self) -> str:
        return self.trouble


def test_systemd_is_told_in_its_own_words(tmp_path: Path, systemd: Systemd) -> None:
    line = service(tmp_path)
    line.starting("rendering", 60)
    line.ready("hosting")
    line.stopping()
    assert systemd.heard() == ["EXTEND_TIMEOUT_USEC=60000000", "STATUS=rendering", "READY=1", "STATUS=hosting",
                               "STOPPING=1"]  # fmt: skip


def test_an_abstract_socket_is_found() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind("\0narrator-test-notify")
        Service({"NOTIFY_SOCKET": "@narrator-test-notify"}).ready("hosting")
        assert other.recv(100) == b"READY=1\nSTATUS=hosting"


def test_without_systemd_nothing_is_said_and_nothing_fails(tmp_path: Path) -> None:
    Service({}).ready("hosting")
    Service({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("hosting")


def test_there_are_three_signs_of_life_in_the_time_that_systemd_waits(tmp_path: Path, systemd: Systemd) -> None:
    clock = ManualClock()
    pulse = Pulse(service(tmp_path, WATCHDOG_USEC="6000000"), [Part()], pytest.fail, clock.now)
    for _ in range(60):
        assert 0 < pulse() <= 2.0
        clock.advance(0.1)
    assert systemd.heard() == ["WATCHDOG=1"] * 3


def test_the_watchdog_of_another_process_is_not_ours(tmp_path: Path) -> None:
    assert service(tmp_path, WATCHDOG_USEC="300000", WATCHDOG_PID="1").every > 1


def test_a_part_that_ails_stops_the_signs_and_is_told_once(tmp_path: Path, systemd: Systemd) -> None:
    clock, part, told = ManualClock(), Part(), list[str]()
    pulse = Pulse(service(tmp_path), [object(), part], told.append, clock.now)
    pulse()
    part.trouble = "The thread panel has died."
    for _ in range(5):
        clock.advance(10)
        pulse()
    assert systemd.heard() == ["WATCHDOG=1"]
    assert len(told) == 1 and "panel has died" in told[0]
    part.trouble = ""
    clock.advance(10)
    pulse()
    assert systemd.heard() == ["WATCHDOG=1"] and told[1:] == [""]


# --- threads that answer -------------------------------------------------------------------------------------


class Worker:
    """A thread that does what is put into its queue."""

    def __init__(self) -> None:
        self.queue: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while self.queue.get()() != "end":
            pass


def test_a_busy_thread_is_well_a_hanging_one_is_not() -> None:
    clock = ManualClock(100.0)
    worker, hold, in_it = Worker(), threading.Event(), threading.Event()
    answers = vital.Answers(worker.thread, worker.queue.put, 5, clock.now)

    def work() -> None:
        in_it.set()
        hold.wait()

    worker.queue.put(work)
    in_it.wait(5)
    assert answers.ails() == ""
    clock.advance(4)
    assert answers.ails() == ""
    clock.advance(2)
    assert "worker has hung" in answers.ails()
    hold.set()
    wait_for(lambda: answers.ails() == "", 5, "the thread answers again")
    worker.queue.put(lambda: "end")
    worker.thread.join(5)
    assert "worker has died" in answers.ails()


def test_those_who_watch_a_child_answer_for_themselves() -> None:
    child = Child("sleeper", _sleep, (), on_message=lambda message: None)
    try:
        wait_for(lambda: child.pid, 20, "a child")
        assert child.ails() == ""
    finally:
        child.close()
    wait_for(lambda: "has died" in child.ails(), 5, "the watcher's end is told")


def _sleep(link: object) -> None:
    threading.Event().wait(30)
