"""The journal under every kind of damage: what was acknowledged is there, nothing is ever invented."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings

from narrator import archive
from narrator.game import moves as m
from narrator.game.moves import Move
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS
from narrator.journal import Beat, Entry, Journal, JournalError, Lock, read
from tests.game.test_machine import ANY_MOVE

MOVES: tuple[Move, ...] = (
    m.SetUp(10, RULESETS["moscow"], Host.FULL, {1: "Анна", 2: "Ёжик"}),
    m.Deal((Role.DON, Role.MAFIA, Role.SHERIFF, Role.CIVILIAN)),
    m.Start(),
    m.Nominate(5, None),
    m.VoteFor(3, None),
    m.Place("vote", 2, False, (1, 2, 3), ((4, "mafia"),), (1, 2), {3: 1}),
    m.AddTime(-10),
    m.Undo(),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal of a test lies."""
    return tmp_path / "state" / "current.journal"


def written(path: Path, moves: tuple[Move, ...] = MOVES) -> bytes:
    """A journal with `moves` at odd times; returns its bytes."""
    journal = Journal.create(path, "ru")
    for number, move in enumerate(moves):
        journal.append(move, number / 7)
    journal.close()
    return path.read_bytes()


ENTRIES = tuple(Entry(move, number / 7) for number, move in enumerate(MOVES))


def test_what_was_written_is_read_to_the_last_digit(path: Path) -> None:
    written(path)
    recovered = read(path)
    assert recovered.entries == ENTRIES
    assert (recovered.language, recovered.trouble) == ("ru", "")


@given(move=ANY_MOVE)
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_every_move_survives_the_disk(move: Move, tmp_path: Path) -> None:
    path = tmp_path / "j"
    written(path, (move, m.Start()))
    assert [entry.move for entry in read(path).entries] == [move, m.Start()]


def test_the_moves_of_this_file_and_of_the_machine_are_all_there_are() -> None:
    tags = [kind.__dataclass_fields__["kind"].default for kind in get_args(Move)]
    assert len(set(tags)) == len(tags)


def test_a_reopened_journal_goes_on(path: Path) -> None:
    written(path)
    journal, recovered = Journal.reopen(path)
    assert recovered.entries == ENTRIES
    journal.append(m.Next(), 99.5)
    journal.close()
    assert read(path).entries == (*ENTRIES, Entry(m.Next(), 99.5))


def test_it_is_for_the_owner_alone(path: Path) -> None:
    written(path)
    assert path.stat().st_mode & 0o077 == 0


# --- damage ------------------------------------------------------------------------------------------------------


def test_cut_off_at_every_byte_it_keeps_the_whole_moves_before_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for sync in ("fsync", "fdatasync"):  # thousands of them; here it is the bytes that matter
        monkeypatch.setattr(os, sync, lambda descriptor: None)
    data = written(path)
    header = data.index(b"\n") + 1
    for length in range(len(data)):
        path.write_bytes(data[:length])
        if length < header:
            with pytest.raises(JournalError, match="move it away"):
                read(path)
            continue
        whole = data[:length].count(b"\n") - 1
        journal, recovered = Journal.reopen(path)
        assert recovered.entries == ENTRIES[:whole] and not recovered.trouble
        journal.append(m.Next(), 50.0)
        journal.close()
        assert read(path).entries == (*ENTRIES[:whole], Entry(m.Next(), 50.0))


def test_with_any_byte_changed_nothing_is_invented(path: Path) -> None:
    data = written(path, MOVES[1:5])
    entries = tuple(Entry(move, number / 7) for number, move in enumerate(MOVES[1:5]))
    header = data.index(b"\n")
    for place in range(len(data)):
        for flip in (0x01, 0x20, 0x80):
            path.write_bytes(data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :])
            try:
                found = read(path).entries
            except JournalError:
                assert place <= header
                continue
            assert found == entries[: len(found)]
            line = data[:place].count(b"\n") - 1
            assert len(found) >= min(line, len(entries)), "what stands before the damage is good"


@pytest.mark.parametrize("noise", [b"\0" * 512, b"\xff\xfe", b"garbage\n", b"00000000 {}\n", b"\n\n\n"])
def test_noise_at_the_end_is_dropped(path: Path, noise: bytes) -> None:
    written(path)
    with path.open("ab") as file:
        file.write(noise)
    journal, recovered = Journal.reopen(path)
    assert recovered.entries == ENTRIES
    journal.append(m.Next(), 60.0)
    journal.close()
    assert read(path).entries[-1] == Entry(m.Next(), 60.0)


def test_damage_in_the_middle_is_told_and_the_file_kept(path: Path) -> None:
    data = written(path)
    lines = data.split(b"\n")
    lines[3] = lines[3].replace(b"start", b"stark")
    path.write_bytes(b"\n".join(lines))
    journal, recovered = Journal.reopen(path)
    journal.close()
    assert recovered.entries == ENTRIES[:2]
    assert "damaged after 2 moves" in recovered.trouble
    assert path.with_suffix(".damaged").read_bytes() == b"\n".join(lines)
    assert not read(path).trouble


def checked(record: object) -> bytes:
    """A line with a right checksum."""
    body = json.dumps(record).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


@pytest.mark.parametrize(
    "record",
    [
        {"at": 1.0, "move": {"kind": "no-such-move"}},
        {"at": 1.0, "move": {"kind": "warn"}},
        {"at": "soon", "move": {"kind": "next"}},
        {"move": {"kind": "next"}},
        {"at": 1.0},
        ["next"],
        "next",
    ],
)
def test_a_line_that_is_no_move_is_none(path: Path, record: object) -> None:
    written(path)
    with path.open("ab") as file:
        file.write(checked(record))
    assert read(path).entries == ENTRIES


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"Dear diary\n", "not a journal of this program, or of another version"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "not a journal of this program"),
        (checked({"narrator": 99, "version": "9.0", "language": "ru"}), "of another version"),
        (checked({"something": "else"}), "not a journal of this program"),
        (checked([1]), "not a journal of this program"),
    ],
)
def test_a_foreign_file_is_refused_and_left_as_it_is(path: Path, content: bytes, why: str) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    for opened in (read, Journal.reopen):
        with pytest.raises(JournalError, match=why) as error:
            opened(path)
        assert str(path) in str(error.value) and str(error.value).endswith(".")
    assert path.read_bytes() == content


# --- a disk that does not take it --------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A file system of 32 kB, or a skip where it cannot be mounted."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no right to mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_is_told_and_room_makes_it_go_on(tiny: Path) -> None:
    path = tiny / "current.journal"
    journal = Journal.create(path, "ru")
    ballast = tiny / "ballast"
    ballast.write_bytes(bytes(12_288))
    kept = 0
    with pytest.raises(JournalError, match="free some space"):
        for kept in range(1000):
            journal.append(m.Warn(kept % 9 + 1), float(kept))
    assert kept > 10
    with pytest.raises(JournalError, match="cannot be written"):
        journal.append(m.Warn(1), float(kept))
    ballast.unlink()
    journal.append(m.Next(), float(kept))
    journal.close()
    found = read(path).entries
    assert [entry.at for entry in found] == [float(number) for number in range(kept + 1)]
    assert found[-1].move == m.Next() and not read(path).trouble


def test_a_failed_sync_takes_the_line_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path)
    journal, _ = Journal.reopen(path)
    before = path.read_bytes()

    def fails(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fails)
        with pytest.raises(JournalError, match="Input/output error"):
            journal.append(m.Next(), 1.0)
    assert path.read_bytes() == before
    journal.append(m.Undo(), 2.0)
    journal.close()
    assert read(path).entries == (*ENTRIES, Entry(m.Undo(), 2.0))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here already")
    with pytest.raises(JournalError, match=r"cannot be written .*\[paths\] state"):
        Journal.create(tmp_path / "file" / "current.journal", "ru")
    with pytest.raises(JournalError, match="cannot be written"):
        Lock(tmp_path / "file" / "state")
    with pytest.raises(JournalError, match="cannot be"):
        read(tmp_path / "nowhere.journal")
    with pytest.raises(JournalError, match="cannot be"):
        Journal.reopen(tmp_path)


# --- two programs, a killed one ----------------------------------------------------------------------------------


def test_two_programs_cannot_have_one_folder(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "state")
    script = (
        "import sys; from pathlib import Path; from narrator.journal import *\n"
        "try: Lock(Path(sys.argv[1]))\n"
        "except JournalError as error: print(error)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "state")]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == f"Another narrator is running (process {os.getpid()}); close it first."
    lock.close()
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout == ""
    Lock(tmp_path / "state").close()


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed", str(tmp_path), "120", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("120 cycles")


# --- the beat ----------------------------------------------------------------------------------------------------


def test_the_beat_remembers_the_last_time(tmp_path: Path) -> None:
    beat = Beat(tmp_path / "beat")
    assert beat.read() == 0.0
    for at in (1.0, 99.5, 12345.678, 3.25):
        beat.mark(at)
        assert beat.read() == at
    beat.close()
    again = Beat(tmp_path / "beat")
    assert again.read() == 3.25
    again.close()


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 32, b"\xff" * 32, b"never\n", b"12.5.1\n", b"nan", b"inf", b"-inf", b"-5"]
)
def test_a_damaged_beat_is_no_beat(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "beat").write_bytes(content)
    beat = Beat(tmp_path / "beat")
    found = beat.read()
    beat.close()
    assert found <= 0 and math.isfinite(found)


# --- the shelf of games ------------------------------------------------------------------------------------------


def test_a_game_is_kept_and_a_mere_lobby_is_not(tmp_path: Path) -> None:
    path = tmp_path / archive.CURRENT
    written(path, (MOVES[0],))
    archive.clear(tmp_path, 5)
    assert not path.exists() and archive.kept(tmp_path) == ()
    for number in range(4):
        written(path, (m.Start(), m.Warn(number + 1)))
        archive.clear(tmp_path, 3)
        assert not path.exists()
        assert len(archive.kept(tmp_path)) == min(number + 1, 3)
        assert {entry.move for game in archive.kept(tmp_path) for entry in read(game).entries} >= {m.Warn(number + 1)}
