"""Renders phrases before anybody waits for them: those of one table, of one meeting, or all there are.

Draws a bar on a terminal and says what went wrong in one line. Invariant: without a synthesiser nothing is raised
here; the evening goes on in silence, and the reason is told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from narrator.config import Settings
from narrator.game.moves import SetUp
from narrator.ports.phrases import phrase_cache
from narrator.speech.repertoire import repertoire


def render_table(settings: Settings, table: SetUp, notice: Callable[[str], None]) -> None:
    """Render all that can be said at a table that has been set."""
    assert table.rules is not None and table.seats is not None
    language, names = settings.game.language, settings.game.names
    render_texts(settings, repertoire(language, table.rules, table.seats, names), notice)


def render_texts(settings: Settings, texts: Iterable[str], notice: Callable[[str], None]) -> None:
    """Render what is not rendered yet; a missing synthesiser is said in one line."""
    cache = phrase_cache(settings.voice, settings.paths.cache_dir)
    try:
        todo = [text for text in texts if cache.get(text) is None]
        if todo:
            with _bar("Rendering phrases", len(todo)) as advance:
                cache.render_all(todo, advance)
    except RuntimeError as error:
        notice(f"voice: {error}")
    finally:
        cache.close()


@contextlib.contextmanager
def _bar(what: str, total: int) -> Iterator[Callable[[int, int], None]]:
    columns = (TextColumn("* {task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task(what, total=total)

        def advance(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)

        yield advance
