"""Keeps the screens that show more than lamps in step with the game: levels after every step, the story at its end.

Sends values, never decides about the game. Invariant: nothing is built or sent again while nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable

from narrator.game.state import Phase, State
from narrator.messages import Countdown, Story
from narrator.ports import Screen
from narrator.speech.view import cards, host_view, public_view
from narrator.table import Table


class Looks:
    """What `screen` sees of a table. `story` tells the game that has just ended, None if it cannot be told.

    `count` is told the countdown that everybody may see, and the game time at which it was looked at.
    """

    def __init__(
        self,
        screen: Screen,
        language: str,
        story: Callable[[], Story | None],
        count: Callable[[Countdown | None, float], None] = lambda countdown, at: None,
    ) -> None:
        self._screen, self._language, self._story, self._count = screen, language, story, count
        self._seen: State | None = None

    def refresh(self, table: Table) -> None:
        """Show the state as it is now, if it is another than was shown."""
        state, before = table.state, self._seen
        if state is before:
            return
        self._seen = state
        at, language = table.at(), self._language
        host = host_view(state, at, language, can_undo=table.game.past is not None)
        view = public_view(state, at, language)
        self._screen.look(view, host, cards(state), at)
        self._count(view.time, at)
        was_over = before is not None and before.phase is Phase.GAME_OVER
        if state.phase is Phase.GAME_OVER and not was_over:
            self._screen.story(self._story())
        elif was_over and state.phase not in (Phase.GAME_OVER, Phase.LOBBY):
            self._screen.story(None)  # the end was taken back: everything in it is secret again
