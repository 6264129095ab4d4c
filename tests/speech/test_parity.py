"""Whatever can be said can be pressed: every command that is listened for has a button, a key or a place on the page.

The page is the moderator's, on any telephone; `BUTTONS` are what the box and a number pad have, and the spoken menu
is pressed with them. What buttons alone cannot do would be listed in `PAGE_ONLY`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from narrator.game import moves as m
from narrator.game.guards import allowed
from narrator.game.roles import Host
from narrator.game.state import State
from narrator.messages import Control, Held, Pressed, Signal, Typed
from narrator.speech.choices import _all
from narrator.speech.grammar import grammar
from narrator.speech.intents import _MEANINGS, Request, _meaning, live_readings, pressed
from narrator.speech.lang import load
from narrator.speech.menu import items
from tests.table import TABLES, whole_game

GRAMMAR: Any = grammar("ru")
BUTTONS: tuple[Signal, ...] = (
    *(Pressed(control) for control in Control),
    *(Held(control) for control in Control),
    *(Typed(number) for number in range(16)),
)
PAGE_ONLY: set[str] = set()
"""Commands for which only the page has a place and never a button of the box or a number."""
NEEDS_NO_BUTTON = {"pin", "hush"}
"""The code of the page is printed where the program was started; whatever is pressed by day hushes what is said."""


def moments(key: str, host: Host) -> Iterator[State]:
    """A few states of a whole game: each phase with and without a question, running and paused."""
    seen: Counter[object] = Counter()
    for step in whole_game(key, host, 1):
        state = step.after.state
        kind = (state.phase, state.question and state.question.ask, state.paused, state.timer is None)
        seen[kind] += 1
        if seen[kind] <= 2:
            yield state


def by_button(state: State) -> set[object]:
    """Everything that a button means now and that is legal."""
    pad = (Typed(100 * voter + candidate) for voter in state.living for candidate in (0, *state.living))
    meant = {meaning for signal in (*BUTTONS, *pad) if (meaning := pressed(signal, state)) is not None}
    return meant | {item.meaning for item in items(state)}


def by_page(state: State) -> Iterator[object]:
    """Everything that the moderator's page offers now."""
    yield from (meaning for _, meaning in _all(state, load("ru"), True))


def plainest(meaning: object, state: State) -> object:
    """The shortest way to say the same: «дальше», and a speaker who need not name himself."""
    match meaning:
        case m.Start() | m.EndSpeech() | m.OpenVote() | m.Done() if allowed(state, m.Next()) is None:
            return m.Next()
        case m.Nominate(seat, by) if by is not None and by == state.speaker:
            return m.Nominate(seat)
    return meaning


def changes_nothing(meaning: object, state: State) -> bool:
    """Rules or a number of seats that are set already."""
    return isinstance(meaning, m.SetUp) and (meaning.seats == state.seats or meaning.rules == state.rules)


def spoken(state: State) -> Iterator[tuple[str, object]]:
    """Every command that is listened for and legal now."""
    for reading in live_readings(state, True):
        if reading.intent in _MEANINGS:
            meaning = _meaning(reading, state)
            if isinstance(meaning, Request | m.Undo) or allowed(state, meaning) is None:
                yield reading.intent, meaning


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_every_command_has_another_way(key: str, host: Host) -> None:
    only_said: dict[str, object] = {}
    pressable: set[str] = set()
    page_only: set[str] = set()
    for state in moments(key, host):
        buttons, page = by_button(state), set(by_page(state))
        for intent, meaning in spoken(state):
            same = plainest(meaning, state)
            if changes_nothing(same, state):
                continue
            (pressable if same in buttons else page_only).add(str(intent))
            if same not in buttons and same not in page:
                only_said.setdefault(intent, (meaning, state.phase))
    assert {intent: where for intent, where in only_said.items() if intent not in NEEDS_NO_BUTTON} == {}
    assert page_only - pressable - NEEDS_NO_BUTTON <= PAGE_ONLY
