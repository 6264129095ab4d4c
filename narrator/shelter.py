"""Where the evening's records can be kept: the state folder, or memory when that cannot be written.

A card that went read-only or full must not end the evening. Then the records go to a folder in memory, which outlives
the program but not the power, and come home at the first start at which the state folder can be written again. Moves
files, reads no game.

Invariant: of two journals of the same evening the one in memory is the newer; it is never left behind or overwritten.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from narrator import archive
from narrator.config import Settings
from narrator.journal import JournalError, Lock

log = logging.getLogger(__name__)
FOLDER_FULL = 64 * 1024
"""Bytes that must fit: more than a whole game's journal."""
VOLATILE = ("tmpfs", "ramfs", "overlay")
"""File systems of memory, or laid over a card that is never written (a read-only root)."""


def sheltered(settings: Settings, tell: Callable[[str], None]) -> Settings:
    """`settings` with a state folder that can be written; `tell` gets one sentence when it is another one.

    Raises JournalError when nothing at all can be written.
    """
    home, memory = settings.paths.state_dir, memory_dir()
    why = why_not_writable(home)
    if not why:
        _bring_home(memory, home)
        if is_volatile(home):
            tell(f"{home} is in memory: a power cut loses the games; set [paths] state to a folder on the card.")
        return settings
    if why_not_writable(memory):
        raise JournalError(why)
    for name in (archive.CURRENT, "beat"):
        if not (memory / name).exists():
            with contextlib.suppress(OSError):  # what cannot be read cannot be gone on with
                shutil.copyfile(home / name, memory / name)
    tell(f"{why} The games are kept in memory until then: a power cut loses them.")
    return settings.model_copy(update={"paths": settings.paths.model_copy(update={"state": str(memory)})})


def memory_dir() -> Path:
    """A folder of ours in memory. systemd's keeps its contents while the service is started again."""
    for variable in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        if os.environ.get(variable):
            return Path(os.environ[variable].split(":")[0]) / "narrator-state"
    return Path(f"/dev/shm/narrator-{os.getuid()}")


def why_not_writable(folder: Path) -> str:
    """An empty string when a journal can be made in `folder`, or one sentence that says why not."""
    probe = folder / f".probe-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.stat().st_uid != os.getuid():
            return f"{folder} belongs to somebody else; set [paths] state to a folder of your own."
        try:
            with probe.open("wb") as file:
                file.write(bytes(FOLDER_FULL))
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        return f"{folder} cannot be written ({reason}); free some space or set [paths] state to another folder."
    return ""


def is_volatile(folder: Path) -> bool:
    """Whether what is written to `folder` is gone after a power cut."""
    return file_system(folder) in VOLATILE


def file_system(folder: Path) -> str:
    """The type of the file system that holds `folder`, "" if it cannot be told."""
    best, kind = "", ""
    place = str(folder.resolve())
    try:
        mounts = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    for line in mounts:
        _, where, type_, *_ = line.split()
        where = where.replace("\\040", " ")
        if (place + "/").startswith(where.rstrip("/") + "/") and len(where) >= len(best):
            best, kind = where, type_
    return kind


def _bring_home(memory: Path, home: Path) -> None:
    """Take what an evening in memory has left to the state folder."""
    if not memory.is_dir() or memory.stat().st_uid != os.getuid():
        return
    with contextlib.closing(Lock(memory)):  # another narrator may be playing there
        current = memory / archive.CURRENT
        if current.exists():
            if (home / archive.CURRENT).exists():
                archive.put_away(home, "older")
            for name in ("beat", archive.CURRENT):
                if (memory / name).exists():
                    _copy_synced(memory / name, home / name)
        for game in archive.kept(memory):
            archive.games_dir(home).mkdir(exist_ok=True)
            _copy_synced(game, archive.games_dir(home) / game.name)
        shutil.rmtree(memory)


def _copy_synced(source: Path, target: Path) -> None:
    new = target.with_name(target.name + ".new")
    with new.open("wb") as file:
        new.chmod(0o600)
        file.write(source.read_bytes())
        file.flush()
        os.fsync(file.fileno())
    new.rename(target)
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
