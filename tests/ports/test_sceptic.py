"""The second opinion, with a Vosk made by hand: what it tells, and when it has none."""

from __future__ import annotations

import json
import logging

import pytest

from narrator.ports.sceptic import SLOW, Sceptic

TALK, COMMAND = ({"alternatives": [{"result": [{"word": word}]}]} for word in ("[chatter]", "дальше"))
NOTHING: dict[str, list[dict[str, list[object]]]] = {"alternatives": [{"result": []}]}


class Vosk:
    """Ends after every block for which there is a result; `took`: seconds on the clock that a block takes."""

    def __init__(self, clock: list[float], took: float = 0.0, ends: tuple[object, ...] = (), last: object = NOTHING):
        self._clock, self._took, self._ends, self._last = clock, took, list(ends), last

    def AcceptWaveform(self, frames: bytes) -> bool:
        self._clock[0] += self._took
        return bool(self._ends)

    def Result(self) -> str:
        return json.dumps(self._ends.pop(0))

    def FinalResult(self) -> str:
        return json.dumps(self._last)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("narrator.ports.sceptic.time.perf_counter", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("ends", "last", "told"),
    [
        ((), COMMAND, COMMAND),
        ((COMMAND,), NOTHING, COMMAND),  # it had taken it for finished already
        ((COMMAND,), {}, COMMAND),
        ((COMMAND,), TALK, TALK),
        ((), NOTHING, {"alternatives": []}),
        ((), {}, {"alternatives": []}),
    ],
)
def test_what_was_said_last_is_told(
    clock: list[float], ends: tuple[object, ...], last: object, told: dict[str, list[object]]
) -> None:
    sceptic = Sceptic(lambda: Vosk(clock, ends=ends, last=last))
    sceptic.renew()
    sceptic.hear(b"", 0.1)
    assert sceptic.alternatives().result() == told["alternatives"]


def test_what_was_before_is_forgotten(clock: list[float]) -> None:
    made = iter([Vosk(clock, ends=(COMMAND,)), Vosk(clock)])
    sceptic = Sceptic(lambda: next(made))
    sceptic.renew()
    sceptic.hear(b"", 0.1)
    assert sceptic.alternatives().result() == COMMAND["alternatives"]
    sceptic.renew()
    sceptic.hear(b"", 0.1)
    assert sceptic.alternatives().result() == []


@pytest.mark.parametrize(("share", "gives_up"), [(SLOW - 0.05, False), (SLOW + 0.05, True)])
def test_on_a_slow_machine_it_gives_up_once_and_for_all(
    clock: list[float], caplog: pytest.LogCaptureFixture, share: float, gives_up: bool
) -> None:
    sceptic = Sceptic(lambda: Vosk(clock, took=share))
    sceptic.renew()
    with caplog.at_level(logging.WARNING):
        for _ in range(40):
            sceptic.hear(b"", 1.0)
        sceptic.alternatives().result()
    assert sceptic.has_given_up is gives_up
    assert len(caplog.records) == gives_up
    sceptic.renew()
    assert (sceptic.alternatives().result() is None) is gives_up


def test_what_fails_in_its_thread_is_told_when_it_is_asked(clock: list[float]) -> None:
    class Damaged(Vosk):
        def AcceptWaveform(self, frames: bytes) -> bool:
            raise RuntimeError("no memory")

    sceptic = Sceptic(lambda: Damaged(clock))
    sceptic.renew()
    sceptic.hear(b"", 0.1)
    sceptic.renew()
    with pytest.raises(RuntimeError, match="no memory"):
        sceptic.alternatives().result()


def test_what_fails_in_its_thread_is_told_though_it_is_never_asked(clock: list[float]) -> None:
    sceptic = Sceptic(lambda: Vosk(clock, ends=(TALK,)))
    sceptic.hear(b"", 0.1)  # not renewed, so that there is no Vosk
    with pytest.raises(AttributeError):
        for _ in range(100):
            sceptic.hear(b"", 0.1)
