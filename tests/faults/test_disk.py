"""A disk that is full, read-only or slow to come back: the table plays on, somebody is told, the journal has no gap."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from narrator import shelter
from narrator.archive import CURRENT
from narrator.clock import ManualClock
from narrator.config import DEFAULTS, Settings, load
from narrator.game import moves as m
from narrator.game.roles import Host
from narrator.game.state import Phase
from narrator.journal import Beat, Journal, JournalError, Lock, read
from narrator.table import Table, played_back
from tests.table import whole_game

STEPS = whole_game("classic", Host.FULL, 0)


class Disk:
    """A journal's file on a disk that can fail. `left`: bytes that still fit; `trouble`: what writing more gives."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.left: int | None = None
        self.trouble = errno.ENOSPC

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, line: bytes) -> int:
        if self.left is None:
            return int(self._file.write(line))
        fits = min(self.left, len(line))
        self.left -= fits
        if fits == 0:
            raise OSError(self.trouble, os.strerror(self.trouble))
        return int(self._file.write(line[:fits]))  # a full disk takes what fits


def table(folder: Path, told: list[str]) -> tuple[Table, Disk, ManualClock]:
    journal = Journal.create(folder / CURRENT, "ru")
    disk = Disk(journal._file)
    journal._file = disk  # type: ignore[assignment]
    clock = ManualClock()
    return Table(clock, journal, Beat(folder / "beat"), on_trouble=told.append), disk, clock


def play(table: Table, clock: ManualClock, begin: int, end: int) -> None:
    for step in STEPS[begin:end]:
        clock.advance(max(step.at - table.at(), 0.0))
        table.play(step.move)


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("fits", [0, 1, 40, 100])
def test_the_journal_is_a_beginning_of_the_game_while_the_disk_fails_and_all_of_it_after(
    fault: int, fits: int, tmp_path: Path
) -> None:
    told: list[str] = []
    playing, disk, clock = table(tmp_path, told)
    play(playing, clock, 0, 10)
    disk.left, disk.trouble = fits, fault
    play(playing, clock, 10, 20)
    assert playing.state == STEPS[19].after.state  # the table plays on
    assert len(told) == 1 and "power cut" in told[0]  # and was told, once
    kept = [entry.move for entry in read(tmp_path / CURRENT).entries]
    assert 10 <= len(kept) < 20 and kept == [step.move for step in STEPS[: len(kept)]]
    disk.left = None
    play(playing, clock, 20, len(STEPS))
    assert told[1:] == [""]
    assert played_back(read(tmp_path / CURRENT).entries)[0].state == STEPS[-1].after.state


def test_a_new_game_on_a_full_disk_is_played_and_written_as_soon_as_there_is_room(tmp_path: Path) -> None:
    told: list[str] = []
    clock, full = ManualClock(), [True]

    def new_page() -> Journal:
        if full[0]:
            raise JournalError("no room.")
        return Journal.create(tmp_path / "second", "ru")

    first = Journal.create(tmp_path / "first", "ru")
    playing = Table(clock, first, Beat(tmp_path / "beat"), on_trouble=told.append, new_page=new_page)
    play(playing, clock, 0, len(STEPS))
    playing.play(m.NewGame())
    assert playing.state.phase is Phase.LOBBY and len(told) == 1
    playing.play(m.Start())
    full[0] = False
    playing.play(m.Pause())
    entries = read(tmp_path / "second").entries
    assert [entry.move.kind for entry in entries][:2] == ["set-up", "start"] and len(told) == 2
    assert played_back(entries)[0].state == playing.state
    assert [entry.move for entry in read(tmp_path / "first").entries] == [*(s.move for s in STEPS), m.NewGame()]


# --- no state folder at all ---------------------------------------------------------------------------------------


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    return tmp_path / "run" / "narrator-state"


def settings(home: Path) -> Settings:
    return load(DEFAULTS, paths={"state": str(home)})


def fail(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `home` fail as a read-only card does; root may write everywhere, so rights would not do."""
    honest = shelter.why_not_writable

    def why(folder: Path) -> str:
        return f"{folder} cannot be written (Read-only file system)." if folder == home else honest(folder)

    monkeypatch.setattr(shelter, "why_not_writable", why)


def written(folder: Path, moves: int) -> None:
    journal = Journal.create(folder / CURRENT, "ru")
    for step in STEPS[:moves]:
        journal.append(step.move, step.at)
    journal.close()


def test_a_folder_that_can_be_written_is_used_as_it_is(tmp_path: Path, memory: Path) -> None:
    told: list[str] = []
    chosen = settings(tmp_path / "home")
    assert shelter.sheltered(chosen, told.append) == chosen and not memory.exists()


def test_an_evening_on_a_read_only_card_goes_on_in_memory_and_comes_home(
    tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, told = tmp_path / "home", list[str]()
    written(home, 5)
    with monkeypatch.context() as broken:
        fail(home, broken)
        assert shelter.sheltered(settings(home), told.append).paths.state_dir == memory
        assert "Read-only" in told[0] and "power cut" in told[0]
        assert len(read(memory / CURRENT).entries) == 5  # the interrupted game is there
        written(memory, 9)
        shelter.sheltered(settings(home), told.append)  # started again, still read-only
        assert len(read(memory / CURRENT).entries) == 9
    shelter.sheltered(settings(home), told.append)
    assert len(read(home / CURRENT).entries) == 9 and not memory.exists()
    assert [len(read(path).entries) for path in (home / "games").glob("*.older")] == [5]


def test_what_another_narrator_plays_in_memory_is_not_taken_away(tmp_path: Path, memory: Path) -> None:
    written(memory, 3)
    lock = Lock(memory)
    with pytest.raises(JournalError, match="Another narrator"):
        shelter.sheltered(settings(tmp_path / "home"), lambda why: None)
    lock.close()
    assert len(read(memory / CURRENT).entries) == 3


def test_when_nothing_can_be_written_the_reason_is_told(
    tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelter, "why_not_writable", lambda folder: f"{folder} cannot be written.")
    with pytest.raises(JournalError, match="home cannot be written"):
        shelter.sheltered(settings(tmp_path / "home"), lambda why: None)


def test_file_systems_in_memory_are_known() -> None:
    assert shelter.is_volatile(Path("/dev/shm"))
    assert shelter.file_system(Path("/proc")) == "proc"
