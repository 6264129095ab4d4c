"""Makes ahead of time what the box would otherwise make at its start: its phrases and the compact model.

Starts no device. Invariant: what is there already is not made again, so it may be run as often as one likes.
"""

from __future__ import annotations

from narrator.config import Settings
from narrator.naming import commands, vocabulary
from narrator.ports.models import RecogniserError, check_model, find_model
from narrator.rendering import render_table
from narrator.rules import ruleset
from narrator.wiring import table_of


def prepare(settings: Settings) -> list[str]:
    """Make everything for the table of the settings; returns a sentence for each thing that could not be made."""
    troubles: list[str] = []
    table = table_of(settings, ruleset(settings.game.rules, settings.rules))
    if settings.voice.enabled:
        render_table(settings, table, troubles.append)
    if settings.ears.enabled:
        words = vocabulary(settings, commands(settings), tuple(settings.game.names))
        try:
            model = check_model(find_model(settings.ears, settings.paths.cache_dir, words))
        except RecogniserError as error:
            troubles.append(str(error))
        else:
            missing = model.missing_words(words)
            if missing:
                troubles.append(f"The model {model.folder} does not know: {', '.join(missing)}; these are never heard.")
    return troubles
