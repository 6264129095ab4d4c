"""Renders phrases before anybody waits for them: those of one table, of one meeting, or all there are.

Draws a bar on a terminal and says what went wrong in one line. Invariant: without a synthesiser nothing is raised
here; the evening goes on in silence, and the reason is told.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from narrator.config import Settings
from narrator.game.moves import SetUp
from narrator.game.rulesets import RULESETS
from narrator.ports.phrases import phrase_cache
from narrator.rules import ruleset
from narrator.speech.names import read_names, said_name
from narrator.speech.repertoire import repertoire
from narrator.speech.stress import Stress
from narrator.timer.plans import PLANS
from narrator.timer.words import Teller

_SPEAKERS = 15
"""Speakers of the timer whose announcements are among the fixed phrases."""


def spoken(settings: Settings) -> Stress:
    """How texts are read: the language's stresses, and the names as the settings spell them."""
    language = settings.game.language
    return Stress(language, read_names(language, settings.voice.pronounce))


def said_names(settings: Settings) -> Callable[[Iterable[str]], tuple[str, ...]]:
    """From the names of a table to what the narrator says of them, "" for who is not called by name."""
    language, spelling = settings.game.language, settings.voice.pronounce

    def said(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(said_name(language, name, spelling) for name in names) if settings.game.say_names else ()

    return said


def render_table(settings: Settings, table: SetUp, notice: Callable[[str], None], *, bar: bool = True) -> None:
    """Render all that can be said at a table that has been set; `bar`: show it, when the terminal is ours alone."""
    assert table.rules is not None and table.seats is not None
    names = said_names(settings)((table.names or {}).get(seat, "") for seat in range(1, table.seats + 1))
    render_texts(settings, repertoire(settings.game.language, table.rules, table.seats, names), notice, bar=bar)


def everything(settings: Settings) -> tuple[str, ...]:
    """All fixed phrases: every ruleset with every table, the names of the settings, and the timer by itself."""
    language, names = settings.game.language, said_names(settings)(settings.game.names)
    texts: list[str] = []
    for key in RULESETS:
        rules = ruleset(key, settings.rules if key == settings.game.rules else {})
        for seats in range(rules.seats_min, rules.seats_max + 1):
            texts += repertoire(language, rules, seats, names)
    texts += [text for plan in PLANS.values() for text in Teller(language).everything(plan, _SPEAKERS)]
    return tuple(dict.fromkeys(texts))


def render_everything(settings: Settings, texts: Sequence[str]) -> tuple[int, int, float]:
    """Render all of `texts`; returns (rendered now, bytes of all of them, seconds it took). Raises EngineError."""
    cache = phrase_cache(settings.voice, settings.paths.cache_dir, spoken(settings))
    began = time.monotonic()
    try:
        with _bar("Rendering phrases", len(texts)) as advance:
            rendered = cache.render_all(texts, advance)
        return rendered, cache.size(texts), time.monotonic() - began
    finally:
        cache.close()


def render_texts(settings: Settings, texts: Iterable[str], notice: Callable[[str], None], *, bar: bool = True) -> None:
    """Render what is not rendered yet; a missing synthesiser is said in one line."""
    cache = phrase_cache(settings.voice, settings.paths.cache_dir, spoken(settings))
    try:
        todo = [text for text in texts if cache.get(text) is None]
        if todo:
            with _bar("Rendering phrases", len(todo), shown=bar) as advance:
                cache.render_all(todo, advance)
    except RuntimeError as error:
        notice(f"voice: {error}")
    finally:
        cache.close()


@contextlib.contextmanager
def _bar(what: str, total: int, *, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    columns = (TextColumn("* {task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, transient=True, disable=not shown) as progress:
        task = progress.add_task(what, total=total)

        def advance(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)

        yield advance
