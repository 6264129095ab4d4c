"""Where journals lie and which of them is asked for. Reads files; changes none.

Invariant: a file that cannot be used is one clear sentence, never a half-told game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from narrator import journal
from narrator.archive import CURRENT, STAMP, games_dir, kept
from narrator.journal import JournalError
from narrator.protocol.build import protocols
from narrator.protocol.text import result
from narrator.protocol.values import Protocol, ProtocolError
from narrator.speech.lang import load


@dataclass(frozen=True, slots=True)
class Found:
    """A journal's last game. `trouble`: one sentence about what could not be read, or empty."""

    path: Path
    protocol: Protocol
    language: str
    trouble: str


def read(path: Path) -> Found:
    """The last game of a journal. Raises JournalError or ProtocolError."""
    recovered = journal.read(path)
    try:
        games = protocols(recovered.entries, _last_move(path))
    except ProtocolError as error:
        raise ProtocolError(f"{path}: {error}") from error
    if not games:
        raise ProtocolError(f"{path}: no game was begun in this journal.")
    return Found(path, games[-1], recovered.language, recovered.trouble)


def _last_move(path: Path) -> datetime:
    """When the journal was last written; a copy's newer date gives way to the one in a kept journal's name."""
    written = datetime.fromtimestamp(path.stat().st_mtime)
    try:
        return min(written, datetime.strptime(path.stem[:17], STAMP))
    except ValueError:
        return written


def journals(state_dir: Path) -> tuple[Path, ...]:
    """The journals of a state folder, the latest first."""
    current = state_dir / CURRENT
    return (current, *kept(state_dir)) if current.exists() else kept(state_dir)


def named(state_dir: Path, name: str) -> Path:
    """A journal by its path, or by its name among the kept games."""
    given = Path(name)
    on_shelf = games_dir(state_dir) / f"{given.name.removesuffix('.journal')}.journal"
    return on_shelf if not given.exists() and on_shelf.exists() else given


def latest(state_dir: Path) -> Found:
    """The last finished game, else the one that goes on, else the last that was broken off. Raises ProtocolError."""
    best: Found | None = None
    for path in journals(state_dir):
        try:
            found = read(path)
        except (JournalError, ProtocolError):
            continue  # `--list` shows it; one bad file must not hide the others
        if found.protocol.state == "over":
            return found
        if best is None or (best.protocol.state, found.protocol.state) == ("abandoned", "running"):
            best = found
    if best is None:
        raise ProtocolError(f"{state_dir}: no game was played here yet; name a journal, or set [paths] state.")
    return best


def listing(state_dir: Path, language: str) -> Iterator[str]:
    """One line for each journal: its name, when, the rules, the result."""
    words = load(language)
    labels = words.IN_PRINT.PROTOCOL
    paths = journals(state_dir)
    if not paths:
        yield labels["list-none"]
    for path in paths:
        when = _last_move(path)
        try:
            protocol = read(path).protocol
        except ProtocolError:
            what = labels["list-empty"]
        except JournalError:
            what = labels["list-unreadable"]
        else:
            when = protocol.started or when
            rules = words.RULES_NAMES.get(protocol.rules.script, protocol.rules.key)
            what = f"{rules}, {result(protocol, words)}"
        yield f"{path.stem:<20} {when:%d.%m.%Y %H:%M}  {what}"
