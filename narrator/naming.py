"""What is a table's own, kept in step when its players change: the words it is listened for with, its sounds.

Owns the grammar that the settings describe. Renders and builds elsewhere, so that nobody waits for it here. Invariant:
a name that cannot be called is told, in a sentence, as long as it is at the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from narrator.config import ConfigError, Settings
from narrator.game.moves import SetUp
from narrator.game.rulesets import RULESETS
from narrator.game.state import State
from narrator.ports import Ears
from narrator.rendering import render_table
from narrator.speech import club
from narrator.speech.grammar import Grammar, grammar
from narrator.speech.repertoire import repertoire


def commands(settings: Settings) -> Grammar:
    """All that can be said to this box, a club's own phrases among it. Raises ConfigError for one that cannot be."""
    language, phrases = settings.game.language, settings.ears.phrases
    base: Grammar = grammar(language)
    if phrases:
        said = (text for rules in RULESETS.values() for text in repertoire(language, rules, rules.seats_max))
        wrong = club.problems(base, phrases, said)
        if wrong:
            raise ConfigError([f"[ears] phrases: {problem}" for problem in wrong])
    return Grammar(language, settings.voice.pronounce, club.templates(base, phrases))


def vocabulary(settings: Settings, spoken: Grammar, names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Every word that a recogniser must know for a table of `names`, with ё where it was written."""
    table = spoken.named(names)
    written = [word for phrase in settings.ears.phrases for word in phrase.split() if "{" not in word]
    written += table.players.vocabulary() if table.players else ()
    listed = {word: word for word in (*table.words(), *table.joined())}
    return tuple(sorted((listed | {spoken.normal(word): word for word in written}).values()))


class Naming:
    """Keeps ears and sounds in step with the table. `tell`: what is wrong with a name, "" when nothing is.

    `rendered`: the table whose phrases there are already.
    """

    def __init__(
        self,
        settings: Settings,
        spoken: Grammar,
        ears: Ears,
        tell: Callable[[str], None],
        notice: Callable[[str], None],
        rendered: SetUp,
    ) -> None:
        self._settings, self._spoken, self._ears = settings, spoken, ears
        self._tell, self._notice = tell, notice
        self._names: tuple[str, ...] = ()
        self._told = ""
        self._rendered = (rendered.rules, rendered.seats, _written(rendered))
        self._rendering = threading.Lock()

    def refresh(self, state: State) -> None:
        """The table may be another than before."""
        names = state.names if any(state.names) else ()
        if names != self._names:
            self._names = names
            self._ears.learn(vocabulary(self._settings, self._spoken, names))
            players = self._spoken.named(names).players
            told = " ".join(players.unheard) if players else ""
            if told != self._told:
                self._told = told
                self._tell(told)
        if self._settings.voice.enabled and (state.rules, state.seats, names) != self._rendered:
            self._rendered = (state.rules, state.seats, names)
            table = SetUp(state.seats, state.rules, state.host, dict(enumerate(names, 1)))
            threading.Thread(target=self._render, args=(table,), name="render-table", daemon=True).start()

    def _render(self, table: SetUp) -> None:
        with self._rendering:
            render_table(self._settings, table, self._notice, bar=False)


def _written(table: SetUp) -> tuple[str, ...]:
    """The names as the state has them, none when nobody has one."""
    names = tuple((table.names or {}).get(seat, "") for seat in range(1, (table.seats or 0) + 1))
    return names if any(names) else ()
