"""The shelf of journals: the current one and the games of earlier evenings. Moves and deletes files, reads no rules.

Invariant: the journal that has just been put away is never the one that is deleted, whatever the clock says (a Pi
without a network may date a game years back).
"""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path

from narrator import journal
from narrator.game import moves as m
from narrator.journal import JournalError

CURRENT = "current.journal"
STAMP = "%Y-%m-%d-%H%M%S"

log = logging.getLogger(__name__)


def games_dir(state_dir: Path) -> Path:
    """Folder of the games of earlier evenings."""
    return state_dir / "games"


def kept(state_dir: Path) -> tuple[Path, ...]:
    """Their journals, the latest first."""
    return tuple(sorted(games_dir(state_dir).glob("*.journal"), key=lambda path: path.stem, reverse=True))


def clear(state_dir: Path, keep: int) -> None:
    """Make room for a new current journal: a game is kept and the oldest beyond `keep` go; a mere lobby is dropped.

    Raises JournalError.
    """
    current = state_dir / CURRENT
    if not current.exists():
        return
    if not _has_game(current):
        current.unlink()
        return
    path = put_away(state_dir, "journal")
    for old in [other for other in kept(state_dir) if other != path][max(keep - 1, 0) :]:
        try:
            old.unlink()
        except OSError as error:
            log.warning("%s: cannot be deleted (%s); delete it by hand.", old, error.strerror)


def put_away(state_dir: Path, kind: str) -> Path:
    """Move the current journal among the games, as a `kind` of file named by the time. Raises JournalError."""
    folder = games_dir(state_dir)
    stem = datetime.now().strftime(STAMP)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{stem}.{kind}"
        number = 1
        while path.exists():
            number += 1
            path = folder / f"{stem}-{number}.{kind}"
        return (state_dir / CURRENT).rename(path)
    except OSError as error:
        why = f"cannot be written ({error.strerror}); free some space or set [paths] state to another folder."
        raise JournalError(f"{folder}: {why}") from error


def _has_game(path: Path) -> bool:
    """Whether a game was begun; a file that cannot be read is kept as if it were one."""
    try:
        entries = journal.read(path).entries
    except JournalError:
        return True
    return any(isinstance(entry.move, m.Start | m.Next | m.Place) for entry in entries)
