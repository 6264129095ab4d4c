"""The journal: every accepted move, synced to disk before anybody hears or sees its effect.

One JSON line a move with a checksum; the first line is a header. Reading drops a torn tail; a file that is damaged in
the middle is kept aside and its good beginning used; a file that is no journal of ours is refused. Knows moves, but
neither plays them nor decides anything.

Beside it a beat file holds the game's time, once a second, so that a restart knows how much of a speech was left.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import threading
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from narrator import __version__
from narrator.game.moves import Move
from narrator.game.rulesets import RULESETS

FORMAT = 1
_MOVES: TypeAdapter[Move] = TypeAdapter(Annotated[Move, Field(discriminator="kind")])


class JournalError(Exception):
    """A journal that cannot be used or written; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A move and the game time, in seconds, at which it was made."""

    move: Move
    at: float


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a journal held. `trouble`: one sentence about what was dropped or set aside, or empty."""

    entries: tuple[Entry, ...]
    language: str
    trouble: str = ""


class Journal:
    """An open journal at `path`; writes are complete when `append` returns, and synced unless told not to wait."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file
        self._end = file.seek(0, os.SEEK_END)

    @classmethod
    def create(cls, path: Path, language: str) -> Journal:
        """A new, empty journal in place of `path`. Raises JournalError if the folder cannot be written."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)  # roles are inside
            journal = cls(path, os.fdopen(descriptor, "r+b", buffering=0))
            journal._write({"narrator": FORMAT, "version": __version__, "language": language})
            _sync_folder(path.parent)
            return journal
        except OSError as error:
            raise JournalError(_cannot_write(path, error)) from error

    @classmethod
    def reopen(cls, path: Path) -> tuple[Journal, Recovered]:
        """An existing journal and what it holds, ready to go on. Raises JournalError if it is not one of ours."""
        try:
            file = path.open("r+b", buffering=0)
            data = path.read_bytes()
        except OSError as error:
            raise JournalError(_cannot_write(path, error)) from error
        recovered, good = _read(path, data)
        if good < len(data):
            if recovered.trouble:
                path.with_suffix(".damaged").write_bytes(data)
            file.truncate(good)
            os.fsync(file.fileno())
        return cls(path, file), recovered

    def append(self, move: Move, at: float, *, wait: bool = True) -> None:
        """Write a move and wait until it is on the disk. Raises JournalError; the file then ends as before.

        Without `wait` only a power cut can lose it; the next append syncs it, too.
        """
        try:
            self._write({"at": at, "move": _MOVES.dump_python(move, mode="json")}, wait=wait)
        except OSError as error:
            with contextlib.suppress(OSError):  # the next start drops a torn tail anyway
                self._file.truncate(self._end)
                self._file.seek(self._end)
            raise JournalError(_cannot_write(self.path, error)) from error

    def _write(self, record: dict[str, Any], *, wait: bool = True) -> None:
        body = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        line = f"{zlib.crc32(body.encode()):08x} {body}\n".encode()
        self._file.seek(self._end)
        written = self._file.write(line)
        if written != len(line):
            raise OSError(28, "No space left on device")
        if wait:
            os.fdatasync(self._file.fileno())
        self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(path: Path) -> Recovered:
    """What a journal holds, without touching it. Raises JournalError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(f"{path}: cannot be read ({error.strerror}).") from error
    return _read(path, data)[0]


def _read(path: Path, data: bytes) -> tuple[Recovered, int]:
    """The entries and the number of good bytes."""
    lines = data.split(b"\n")
    header = _record(lines[0])
    if header is None or header.get("narrator") != FORMAT or len(lines) == 1:  # a torn header ends no line
        what = "is empty" if not data else "is not a journal of this program, or of another version"
        raise JournalError(f"{path}: {what}; it is left as it is, move it away to start afresh.")
    entries: list[Entry] = []
    good = len(lines[0]) + 1
    broken = False
    for line in lines[1:-1]:
        entry = _entry(line)
        if entry is None:
            broken = True
            break
        entries.append(entry)
        good += len(line) + 1
    later = data[good:].split(b"\n")[1:]
    trouble = ""
    if broken and any(_record(line) is not None for line in later):
        trouble = f"{path}: damaged after {len(entries)} moves; the whole file is kept as {path.stem}.damaged."
    return Recovered(tuple(entries), str(header.get("language", "ru")), trouble), min(good, len(data))


def _record(line: bytes) -> dict[str, Any] | None:
    checksum, _, body = line.partition(b" ")
    try:
        if int(checksum, 16) != zlib.crc32(body):
            return None
        record = json.loads(body)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _entry(line: bytes) -> Entry | None:
    record = _record(line)
    if record is None:
        return None
    try:
        return Entry(_MOVES.validate_python(_of_today(record["move"])), float(record["at"]))
    except (AttributeError, KeyError, TypeError, ValueError, ValidationError):
        return None


def _of_today(move: dict[str, Any]) -> dict[str, Any]:
    """A move as it is written today: a ruleset from before an upgrade has the new fields as its row has them."""
    rules = move.get("rules")
    if not isinstance(rules, dict) or rules.get("key") not in RULESETS:
        return move
    return {**move, "rules": {**asdict(RULESETS[str(rules["key"])]), **rules}}


class Beat:
    """The game's time on disk, about once a second, without waiting for the disk."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._sync, name="beat", daemon=True)
        self._thread.start()

    def read(self) -> float:
        """The last time written, 0 if none."""
        try:
            at = float(os.pread(self._descriptor, 32, 0).decode() or 0)
        except ValueError:
            return 0.0
        return at if math.isfinite(at) else 0.0

    def mark(self, at: float) -> None:
        """Note the game time; synced by a thread of its own."""
        with contextlib.suppress(OSError):  # a full disk is told by the journal; a beat less is a second less
            os.pwrite(self._descriptor, f"{at:<31.3f}\n".encode(), 0)
        self._wake.set()

    def _sync(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._closing:
                return
            with contextlib.suppress(OSError):  # see mark
                os.fdatasync(self._descriptor)

    def ails(self) -> str:
        """Whether the thread has died, in one sentence; see ports.vital."""
        return "" if self._thread.is_alive() else "The thread beat has died."

    def close(self) -> None:
        """Stop the thread, close the file."""
        self._closing = True
        self._wake.set()
        self._thread.join(2)
        os.close(self._descriptor)


class Lock:
    """One program for one state folder. Raises JournalError when another one holds it."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = (folder / "lock").open("a+")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.seek(0)
            holder = self._file.read().strip()
            raise JournalError(f"Another narrator is running (process {holder}); close it first.") from error
        except OSError as error:
            raise JournalError(_cannot_write(folder, error)) from error
        with contextlib.suppress(OSError):  # the number only helps whoever looks for the holder
            os.ftruncate(self._file.fileno(), 0)
            os.pwrite(self._file.fileno(), str(os.getpid()).encode(), 0)

    def close(self) -> None:
        """Let another program in."""
        self._file.close()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot_write(path: Path, error: OSError) -> str:
    return f"{path}: cannot be written ({error.strerror}); free some space or set [paths] state to another folder."
