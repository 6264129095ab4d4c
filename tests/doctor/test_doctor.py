"""The page of green and red: what it finds in a healthy room and in a broken one, and what the lamps make of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from narrator.cli import app
from narrator.config import DEFAULTS, Settings, load
from narrator.doctor import Finding, Group, State, code, codes, devices, examine, line, machine
from narrator.doctor.licences import UNKNOWN, data_licences, licences
from narrator.doctor.run import run
from narrator.journal import Lock
from tests.lab import Pulse, use


def settings(tmp_path: Path, **sections: dict[str, object]) -> Settings:
    folders = {"state": str(tmp_path / "state"), "cache": str(tmp_path / "cache")}
    return load(DEFAULTS, paths=folders, **sections)


def page(findings: Iterable[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


# --- the page ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        ([(Group.PROGRAM, State.OK)], (State.OK, 0)),
        ([(Group.PINS, State.WARN), (Group.POWER, State.OK)], (State.WARN, 6)),
        ([(Group.STORAGE, State.WARN), (Group.POWER, State.BAD), (Group.SPEAKER, State.BAD)], (State.BAD, 4)),
        ([(Group.PINS, State.SKIPPED)], (State.OK, 0)),
    ],
)
def test_the_code_is_the_first_group_with_the_worst_state(
    states: list[tuple[Group, State]], shown: tuple[State, int]
) -> None:
    assert code(Finding(group, "x", state, "y") for group, state in states) == shown


def test_a_check_that_falls_over_does_not_hide_the_others(tmp_path: Path) -> None:
    def falls(_: Settings) -> list[Finding]:
        raise OSError("broken library")

    def works(_: Settings) -> list[Finding]:
        return [Finding(Group.PINS, "x", State.OK, "y")]

    told: list[Finding] = []
    found = examine(settings(tmp_path), [falls, works], told.append)
    assert [finding.state for finding in found] == [State.BAD, State.OK] and told == found
    assert "broken library" in found[0].found


def test_every_red_line_says_what_to_do() -> None:
    assert "→ plug it in" in line(Finding(Group.SPEAKER, "speaker", State.BAD, "gone [usb]", "plug it in"))


# --- the machine -----------------------------------------------------------------------------------------------


def test_a_writable_folder_is_timed_and_left_clean(tmp_path: Path) -> None:
    found = page(machine.storage(settings(tmp_path)))
    assert "ms" in found["time to write a move"].found
    assert list((tmp_path / "state").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_red(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in its place")
    (found,) = machine.storage(settings(tmp_path))
    assert found.state is State.BAD and found.todo


def test_a_state_folder_in_memory_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "is_volatile", lambda folder: True)
    assert page(machine.storage(settings(tmp_path)))["state folder"].state is State.WARN


@pytest.mark.parametrize(
    ("text", "state", "word"),
    [
        ("0", State.OK, "enough"),
        ("50005", State.BAD, "right now"),
        ("50000", State.WARN, "since the start"),
        ("80000", State.WARN, "heat"),
    ],
)
def test_the_power_supply_is_read_from_the_firmware(
    text: str, state: State, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "soc@107c000000" / "soc@107c000000:firmware" / "get_throttled"
    told.parent.mkdir(parents=True)
    told.write_text(f"{text}\n")
    monkeypatch.setattr(machine, "FIRMWARE", tmp_path)
    found = page(machine.power(settings(tmp_path)))["power supply"]
    assert found.state is state and word in found.found


def test_a_stub_lgpio_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lgpio.py").write_text("__version__ = '0.0.0.2'\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "lgpio", raising=False)
    monkeypatch.setattr(machine, "on_a_pi", lambda: True)
    found = page(machine.program(settings(tmp_path)))["lgpio"]
    assert found.state is State.BAD and "empty shell" in found.found and "python3-lgpio" in found.todo


def test_rules_that_cannot_be_played_are_red(tmp_path: Path) -> None:
    (found,) = machine.rules(settings(tmp_path, game={"rules": "sport", "seats": 4}))
    assert found.state is State.BAD and "4 seats" in found.found


# --- the devices -----------------------------------------------------------------------------------------------


def test_a_tone_and_a_phrase_are_heard(pulse: Pulse, tmp_path: Path) -> None:
    with pulse.recording() as recording:
        (found,) = devices.speaker(settings(tmp_path, voice={"device": "pulse"}))
    assert found.state is State.OK and found.found.startswith("pulse, ")
    begin, end = recording.sounding()
    assert end - begin > 0.8


def test_without_a_speaker_the_next_step_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Pulse(start=False) as nothing:
        use(nothing, monkeypatch)
        (found,) = devices.speaker(settings(tmp_path))
    assert found.state is State.BAD and "aplay -l" in found.todo


def test_a_dead_microphone_and_a_loud_room_are_told() -> None:
    assert devices.judged(0.0, 0.0)[0] is State.BAD
    assert devices.judged(1.0, 0.01)[0] is State.WARN
    assert devices.judged(0.5, 0.2)[0] is State.WARN
    assert devices.judged(0.5, 0.005) == (State.OK, "")


def test_a_box_that_hosts_is_not_disturbed(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    assert devices.hosting(chosen) == ""
    lock = Lock(chosen.paths.state_dir)
    assert "Another narrator is running" in devices.hosting(chosen)
    lock.close()


def test_the_lamps_blink_the_number_and_end_dark() -> None:
    lamp, steps = codes.pattern(State.BAD, 4)
    assert lamp == "red" and [lit for lit, _ in steps].count(True) == 4
    assert codes.pattern(State.OK, 0) == ("green", [(True, codes.GAP)])
    stop = threading.Event()
    stop.set()
    panel = load(DEFAULTS, panel={"pins": "simulated"}).panel
    assert codes.show(panel, State.BAD, 4, stop) == ""


# --- the verb --------------------------------------------------------------------------------------------------


def test_the_page_for_programs_is_json_and_its_exit_code_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    bad = tmp_path / "bad.toml"
    bad.write_text('[game]\nruels = "sport"\n[ears]\nenabled = false\n')
    done = CliRunner().invoke(app, ["doctor", "--quick", "--json", "--config", str(bad)])
    told = json.loads(done.stdout)
    assert done.exit_code == 1 and told["state"] == "bad"
    (mistake,) = [finding for finding in told["findings"] if finding["name"] == "settings"]
    assert "did you mean rules" in mistake["found"] and mistake["todo"]


def test_what_was_given_up_for_no_known_reason_is_a_fault_of_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    well = Finding(Group.PINS, "x", State.OK, "y")
    monkeypatch.setattr("narrator.doctor.run.examine", lambda settings, checks, tell: [well])
    assert run(settings(tmp_path), (), quick=True) == 0
    assert run(settings(tmp_path), (), quick=True, given_up=True) == 1
    assert "red blinks 1" in capsys.readouterr().out


def test_everything_the_box_is_made_of_has_a_licence() -> None:
    listed = licences()
    assert {"vosk", "pyttsx3", "pydantic", "espeak-ng"} <= {item.name for item in listed}
    assert [item.name for item in listed if item.licence == UNKNOWN] == []
    assert "acoustic.npz" in data_licences()
