"""Settings for a box that nobody watches: it hosts at power-on, whatever somebody has done to its file.

A file that cannot be used is told and passed over, for the one that last could be, or else for the defaults. Reads and
writes settings only; starts nothing. Invariant: settings that come from here have passed every check that `play` makes.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from narrator.config import DEFAULTS, ConfigError, Settings, default_path, load
from narrator.naming import commands
from narrator.rules import RulesError, ruleset
from narrator.wiring import table_of

log = logging.getLogger(__name__)
LAST_GOOD = "settings.good.toml"


def settings_for_a_box(path: Path | None) -> tuple[Settings, tuple[str, ...]]:
    """Settings that can be played with, and what is wrong with the file at `path` (None: the user's), a sentence for
    each mistake.
    """
    try:
        settings = _sound(path)
    except (ConfigError, RulesError) as error:
        problems = tuple(error.problems)
    else:
        source = path or default_path()
        if source.is_file():
            _keep(source, settings.paths.state_dir / LAST_GOOD)
        return settings, ()
    good = load(DEFAULTS).paths.state_dir / LAST_GOOD
    try:
        return _sound(good), (*problems, "Until it is mended the box plays with the settings that it had before.")
    except (ConfigError, RulesError):
        return load(DEFAULTS), (*problems, "Until it is mended the box plays with the settings that it was born with.")


def _sound(path: Path | None) -> Settings:
    settings = load(path)
    table_of(settings, ruleset(settings.game.rules, settings.rules))
    commands(settings)
    return settings


def _keep(path: Path, good: Path) -> None:
    try:
        text = path.read_bytes()
        if good.is_file() and good.read_bytes() == text:
            return
        new = good.with_suffix(".new")
        new.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.rename(good)
    except OSError as error:  # a card that cannot be written is told by the journal
        log.info("%s: cannot be kept (%s).", good, error.strerror)
