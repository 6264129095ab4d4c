"""The spoken menu: what it offers, how it is walked through with buttons alone, and that it is silent at night."""

from __future__ import annotations

import pytest

from narrator.game import moves as m
from narrator.game.guards import allowed
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase, State
from narrator.messages import Control, Held, Pressed, Typed
from narrator.speech.director import Director
from narrator.speech.intents import Request, pressed
from narrator.speech.menu import PATIENCE, Item, Menu, items
from tests.table import TABLES, made, placed, whole_game

MENU, NEXT, BACK = Pressed(Control.MENU), Pressed(Control.NEXT), Pressed(Control.BACK)
PLUS, MINUS = Pressed(Control.PLUS), Pressed(Control.MINUS)


def speech(day: int = 2) -> State:
    """Somebody is about to speak."""
    return placed(RULESETS["classic"], Phase.SPEECHES, day=day).state


def named_vote() -> State:
    return placed(RULESETS["forum"], Phase.NOMINATIONS, day=2).state


def test_the_menu_is_walked_through_and_something_is_taken() -> None:
    state, menu = speech(), Menu()
    offered = items(state)
    assert menu.press(MENU, state, 0.0) == offered[0]
    assert menu.press(MENU, state, 1.0) == offered[1]
    assert menu.press(PLUS, state, 2.0) == offered[2]
    assert menu.press(MINUS, state, 3.0) == offered[1]
    assert menu.press(NEXT, state, 4.0) == offered[1].meaning
    assert menu.press(NEXT, state, 5.0) == m.Next(), "it is closed"


def test_it_goes_round() -> None:
    state, menu = speech(), Menu()
    assert menu.press(MENU, state, 0.0) == items(state)[0]
    assert menu.press(MINUS, state, 0.0) == items(state)[-1]
    assert menu.press(PLUS, state, 0.0) == items(state)[0]


def test_back_leaves_it_and_takes_nothing_back() -> None:
    state, menu = speech(), Menu()
    menu.press(MENU, state, 0.0)
    assert menu.press(BACK, state, 1.0) is Request.HUSH
    assert menu.press(BACK, state, 2.0) == m.Undo()


def test_an_offer_that_is_old_or_no_longer_there_is_not_taken() -> None:
    state, menu = speech(), Menu()
    menu.press(MENU, state, 0.0)
    assert menu.press(NEXT, state, PATIENCE + 0.1) == m.Next()
    menu.press(MENU, state, 20.0)
    assert menu.press(NEXT, named_vote(), 21.0) == m.Next()


@pytest.mark.parametrize("signal", [Held(Control.BACK), Held(Control.PLUS), Typed(5)])
def test_other_buttons_mean_what_they_always_do_and_close_it(signal: Held | Typed) -> None:
    state, menu = speech(), Menu()
    menu.press(MENU, state, 0.0)
    assert menu.press(signal, state, 1.0) == pressed(signal, state)
    assert menu.press(NEXT, state, 2.0) == m.Next()


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_only_what_is_legal_is_offered_in_words_and_nothing_at_night(key: str, host: Host) -> None:
    director = Director("ru")
    for step in whole_game(key, host, 0):
        state = step.after.state
        offered = items(state)
        assert bool(offered) is not state.phase.is_night
        for item in offered:
            assert isinstance(item.meaning, Request) or allowed(state, item.meaning) is None
        assert len({director.offer(item, state) for item in offered}) == len(offered), "no two sound alike"


def test_a_named_vote_is_entered_voter_by_voter_or_as_one_number() -> None:
    state = named_vote()
    voters = {item.voter for item in items(state) if item.voter}
    assert voters == {state.living[0]}
    assert m.VoteFor(1, 5) in [item.meaning for item in items(state)]
    assert pressed(Typed(1205), state) == m.VoteFor(12, 5)
    assert pressed(Typed(300), state) == m.VoteFor(3, None)
    after = made(placed(RULESETS["forum"], Phase.NOMINATIONS, day=2), m.VoteFor(1, 5)).state
    assert {item.voter for item in items(after) if item.voter} == {2}


def test_before_the_game_plus_minus_and_digits_are_seats() -> None:
    state = State(RULESETS["classic"], seats=10)
    assert pressed(PLUS, state) == m.SetUp(seats=11)
    assert pressed(MINUS, state) == m.SetUp(seats=9)
    assert pressed(Typed(12), state) == m.SetUp(seats=12)
    assert Item(m.SetUp(rules=RULESETS["moscow"]), "menu-change-rules", rules="moscow") in items(state)
