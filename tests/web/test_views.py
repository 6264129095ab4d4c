"""What the screens are given: nothing secret before the end, nothing but the night at night, choices that are legal."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narrator.game import moves as m
from narrator.game.guards import allowed
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS
from narrator.game.state import Check, Death, Phase, State
from narrator.messages import View
from narrator.ports.web.desk import view_text
from narrator.speech.choices import choices, chosen, moment
from narrator.speech.intents import Request
from narrator.speech.view import cards, host_view, public_view
from tests.table import TABLES, dealt, lobby, made, placed, whole_game
from tests.table import cards as dealt_cards

SEEDS = range(3)
GAMES = st.tuples(st.sampled_from(TABLES), st.sampled_from(SEEDS))


@cache
def moments(key: str, host: Host, seed: int) -> tuple[tuple[State, float], ...]:
    """Every state of a game played at random, with its time."""
    return tuple((step.after.state, step.at) for step in whole_game(key, host, seed))


def told(view: View) -> bytes:
    """What goes to every page that anybody may open."""
    return view_text(view, 0.0)(0.0).encode()


def other_secrets(state: State, chance: random.Random) -> State:
    """The same table with other cards, shots, answers and killers: all that the table may not know."""
    deal = dealt_cards(state.rules, state.seats, chance)
    seats = range(1, state.seats + 1)
    changed = replace(
        state,
        roles=deal if state.roles else (),
        check=Check(chance.choice(("don", "sheriff")), chance.choice(seats), "yes"),
        shootings=state.shootings + chance.randint(0, 3),
        misses=state.misses + chance.randint(0, 3),
    )
    if state.night is not None:
        night = replace(
            state.night,
            step=chance.randrange(len(state.night.steps)),
            shot=chance.choice((None, 0, *seats)),
            maniac=chance.choice((None, 0, *seats)),
            told=tuple(chance.sample(seats, 2)),
            checks=(Check("sheriff", chance.choice(seats), "black"),),
        )
        changed = replace(changed, night=night)
    if state.phase.is_night:
        entry, call = chance.choice((None, *seats)), None
        changed = replace(changed, phase=chance.choice(state.night.steps) if state.night else state.phase)
        changed = replace(changed, entry=entry, call=call, hands=frozenset(chance.sample(seats, 3)), timer=None)
    if state.phase is not Phase.VICTIM_VOTE:  # there the box itself says aloud who decides
        changed = replace(changed, died=tuple(Death(d.seat, chance.choice(("mafia", "maniac"))) for d in state.died))
    if state.best_move is not None:
        changed = replace(changed, best_move=replace(state.best_move, points=chance.choice((None, 0.0, 0.25, 0.5))))
    return changed


@given(game=GAMES, place=st.integers(0, 10**6), chance=st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_states_that_differ_only_in_secrets_look_alike(
    game: tuple[tuple[str, Host], int], place: int, chance: random.Random
) -> None:
    """Before the end, byte by byte, night and day."""
    (key, host), seed = game
    running = [now for now in moments(key, host, seed) if now[0].phase is not Phase.GAME_OVER]
    state, at = running[place % len(running)]
    assert told(public_view(state, at, "ru")) == told(public_view(other_secrets(state, chance), at, "ru"))


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_a_whole_night_is_one_view(key: str, host: Host) -> None:
    """So nothing is sent while roles wake and choose, unless somebody is warned or sent away aloud."""
    for seed in SEEDS:
        nights: dict[tuple[Any, ...], set[bytes]] = {}
        for state, at in moments(key, host, seed):
            if state.phase.is_night:
                known = (state.day, state.alive, state.warnings)
                view = public_view(state, at, "ru")
                assert (view.phase, view.title, view.note, view.time, view.lamp) == ("night", "Ночь", "", None, "off")
                nights.setdefault(known, set()).add(told(view))
        assert nights
        assert all(len(views) == 1 for views in nights.values())


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_no_word_of_a_role_is_public_before_the_end(key: str, host: Host) -> None:
    for seed in SEEDS:
        for state, at in moments(key, host, seed):
            seats = asdict(public_view(state, at, "ru"))["seats"]
            shown = {seat["role"] for seat in seats}
            if state.phase is Phase.GAME_OVER:
                assert (shown == {""}) == (not state.roles)
            else:
                assert shown == {""}


@pytest.mark.parametrize("key", RULESETS)
def test_with_no_host_nobody_sees_cards_or_answers(key: str) -> None:
    for seed in SEEDS:
        for state, at in moments(key, Host.NONE, seed):
            view = host_view(state, at, "ru", can_undo=True)
            assert (view.cards, view.private) == ((), ())


def test_the_moderator_sees_cards_and_the_answers_of_the_night() -> None:
    game = placed(RULESETS["classic"], Phase.NIGHT_SHERIFF)
    game = made(game, m.Choose(1))
    view = host_view(game.state, 0.0, "ru", can_undo=True)
    assert view.cards[:4] == ("don", "mafia", "mafia", "sheriff")
    assert view.private == ("Промах записан", "Шериф о номере 1: чёрный")
    assert view.caption == "Шериф проверяет"


def test_a_player_sees_his_own_card_only_as_the_box_knows_it() -> None:
    assert cards(lobby(RULESETS["classic"]).state) == ()
    assert cards(dealt(RULESETS["classic"]).state)[3] == Role.SHERIFF


# --- choices -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "host"), TABLES)
def test_everything_on_offer_is_legal_and_each_thing_once(key: str, host: Host) -> None:
    for state, _ in moments(key, host, 1)[::7]:
        offered = choices(state, "ru", can_undo=True)
        ids = [choice.id for choice in offered]
        assert len(ids) == len(set(ids))
        for choice in offered[:: max(len(offered) // 20, 1)]:
            meaning = chosen(choice.id, moment(state), state, "ru")
            assert meaning is not None
            assert isinstance(meaning, Request | m.Undo) or allowed(state, meaning) is None


def test_a_choice_of_another_moment_means_nothing() -> None:
    """Two moderators press «дальше» at the same moment: the game goes on once."""
    first = placed(RULESETS["classic"], Phase.SPEECHES)
    when = moment(first.state)
    assert chosen("next", when, first.state, "ru") == m.Next()
    second = made(first, m.Next())
    assert chosen("next", when, second.state, "ru") is None


def test_time_that_passes_does_not_make_another_moment() -> None:
    state = made(placed(RULESETS["classic"], Phase.SPEECHES), m.Ready()).state
    later = made(placed(RULESETS["classic"], Phase.SPEECHES), m.Ready(), m.Pause()).state
    assert moment(state) == moment(later)


@given(action=st.text(max_size=20), when=st.text(max_size=12))
def test_what_was_not_on_offer_means_nothing(action: str, when: str) -> None:
    state = lobby(RULESETS["classic"]).state
    offered = {choice.id for choice in choices(state, "ru", can_undo=True)}
    assert chosen(action, when, state, "ru") is None
    if action not in offered:
        assert chosen(action, moment(state), state, "ru") is None


def test_the_whole_of_the_lobby_is_on_offer() -> None:
    offered = {choice.id: choice.text for choice in choices(lobby(RULESETS["moscow"]).state, "ru", can_undo=False)}
    assert offered["next"] == "Начинаем игру"
    assert offered["rules.sport"] == "Спортивные правила"
    assert {"seats.7", "seats.15", "say.repeat"} <= set(offered)
    assert "undo" not in offered


# --- the countdown -------------------------------------------------------------------------------------------------


def test_the_countdown_is_told_for_the_moment_it_is_sent() -> None:
    """Game time 40 was our 1000; whoever connects 12.5 s later is told what is left then."""
    state = made(placed(RULESETS["classic"], Phase.SPEECHES), m.Ready(), at=40.0).state
    text = view_text(public_view(state, 40.0, "ru"), 40.0 - 1000.0)
    assert json.loads(text(1000.0))["time"] == {"total": 60, "warn": 10, "running": True, "left": 60.0}
    assert json.loads(text(1012.5))["time"]["left"] == 47.5
    assert json.loads(text(1063.0))["time"]["left"] == -3.0


def test_a_paused_countdown_stands() -> None:
    game = made(placed(RULESETS["classic"], Phase.SPEECHES), m.Ready(), at=40.0)
    game = made(game, m.Pause(), at=50.0)
    text = view_text(public_view(game.state, 50.0, "ru"), 0.0)
    assert json.loads(text(0.0))["time"] == {"total": 60, "warn": 10, "running": False, "left": 50.0}
    assert text(0.0) == text(500.0)
