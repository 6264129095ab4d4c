"""The gate is counted: the microphone opens only when the last holder has let go."""

import threading

import pytest

from narrator.ports.gate import Gate


def test_only_the_first_hold_closes_and_only_the_last_release_opens() -> None:
    told: list[str] = []
    gate = Gate(lambda: told.append("close"), lambda: told.append("open"))
    gate.hold()
    gate.hold()
    gate.release()
    assert gate.held
    assert told == ["close"]
    gate.release()
    assert not gate.held
    assert told == ["close", "open"]


def test_a_release_too_many_is_refused_and_the_gate_still_works() -> None:
    gate = Gate()
    with pytest.raises(RuntimeError, match="more often"):
        gate.release()
    gate.hold()
    assert gate.held
    gate.release()
    assert not gate.held


def test_the_callbacks_may_be_given_later() -> None:
    told: list[str] = []
    gate = Gate()
    gate.on_close = lambda: told.append("close")
    gate.hold()
    assert told == ["close"]


def test_many_threads_leave_it_open_and_never_close_it_twice_in_a_row() -> None:
    told: list[str] = []
    gate = Gate(lambda: told.append("close"), lambda: told.append("open"))

    def use() -> None:
        for _ in range(500):
            gate.hold()
            gate.release()

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not gate.held
    assert told == ["close", "open"] * (len(told) // 2)
    assert told
