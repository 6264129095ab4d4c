"""The night: who is called, what is learnt, who is dead in the morning."""

from __future__ import annotations

import pytest

from narrator.game import moves as m
from narrator.game.events import CardsKnown, DeathsTold, MissTold, NumberCalled, RoleWoke
from narrator.game.legal import legal
from narrator.game.night import mafia_count
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS, DonCheck
from narrator.game.state import Game, Phase
from tests.table import cards, dealt, lobby, made, placed, refused

DON, MAFIA, SHERIFF, MANIAC = 1, 2, 4, 5
"""Seats of the deal used here; where there is no Maniac, 5 is a civilian."""


def night(key: str, alive: tuple[int, ...] = (1, 2, 4, 5, 6, 7, 8, 9)) -> Game:
    """The mafia is called in night 3."""
    return placed(RULESETS[key], Phase.NIGHT_SHOOTING, day=3, alive=alive)


def choose(game: Game, *seats: int) -> Game:
    """What the host enters, role after role, each closed with «дальше»."""
    for seat in seats:
        game = made(game, m.Choose(seat), m.Next())
    return game


def morning(game: Game) -> tuple[tuple[int, str], ...]:
    """The dead that the last «дальше» brings."""
    result = play(game, m.Next(), 0.0)
    assert isinstance(result, Played), result
    told = [event for event in result.events if isinstance(event, DeathsTold)]
    assert len(told) == 1
    return tuple((death.seat, death.by) for death in told[0].deaths)


@pytest.mark.parametrize(
    ("shot", "maniac", "dead"),
    [
        (4, 4, [(4, "maniac")]),  # A18: two killers on one seat
        (0, 2, [(2, "maniac")]),  # A19
        (0, 0, []),
        (8, 6, [(6, "maniac"), (8, "mafia")]),  # told in seat order
        (5, 1, [(1, "maniac"), (5, "mafia")]),  # they shoot each other
    ],
)
def test_mafia_and_maniac(shot: int, maniac: int, dead: list[tuple[int, str]]) -> None:
    game = choose(night("moscow"), shot, 6, 6)
    assert game.state.phase is Phase.NIGHT_MANIAC
    assert morning(made(game, m.Choose(maniac))) == tuple(dead)


@pytest.mark.parametrize("key", RULESETS)
def test_what_was_not_told_is_a_miss(key: str) -> None:
    game = night(key)
    result = play(game, m.Next(), 0.0)
    assert isinstance(result, Played)
    assert (MissTold() in result.events) == RULESETS[key].miss_at_night
    game = result.game
    while game.state.phase is not Phase.NIGHT_SHERIFF:
        game = made(game, m.Next())
    if RULESETS[key].maniac:
        game = made(game, m.Next())
    assert morning(game) == ()


@pytest.mark.parametrize("key", RULESETS)
def test_the_last_choice_before_next_counts(key: str) -> None:
    game = made(night(key), m.Choose(6), m.Choose(0), m.Choose(8), m.Next(), m.Next())
    game = made(game, m.Next()) if RULESETS[key].maniac else game
    assert morning(game) == ((8, "mafia"),)


@pytest.mark.parametrize("key", RULESETS)
def test_what_the_don_and_the_sheriff_learn(key: str) -> None:
    rules = RULESETS[key]
    exact = rules.don_check is DonCheck.EXACT_ROLE
    for seat, role in enumerate(cards(rules, 11 if rules.maniac else 10), 1):
        if seat == 3:  # out already
            continue
        game = made(night(key, (1, 2, 4, 5, 6, 7, 8, 9, 10, 11)[: 10 if rules.maniac else 9]), m.Next())
        don = made(game, m.Choose(seat)).state.check
        assert don is not None and (don.by, don.seat) == ("don", seat)
        assert don.answer == (role if exact else "yes" if role is Role.SHERIFF else "no")
        sheriff = made(made(game, m.Next()), m.Choose(seat)).state.check
        assert sheriff is not None and sheriff.by == "sheriff"
        assert sheriff.answer == ("black" if role in (Role.DON, Role.MAFIA) else "red")


def test_the_maniac_looks_peaceful() -> None:
    """A24."""
    game = made(night("moscow"), m.Next(), m.Next(), m.Choose(MANIAC))
    assert game.state.check is not None and game.state.check.answer == "red"


@pytest.mark.parametrize("key", RULESETS)
def test_one_check_a_night(key: str) -> None:
    game = made(night(key), m.Next(), m.Choose(6))
    assert refused(game, m.Choose(7)).reason == "already-checked"


@pytest.mark.parametrize("key", RULESETS)
@pytest.mark.parametrize("gone", [DON, SHERIFF])
def test_a_dead_role_is_called_and_its_time_passes_by_itself(key: str, gone: int) -> None:
    rules = RULESETS[key]
    game = made(night(key, tuple(s for s in (1, 2, 4, 5, 6, 7, 8, 9) if s != gone)), m.Next())
    if gone == SHERIFF:
        game = made(game, m.Next())
    phase = game.state.phase
    assert phase is (Phase.NIGHT_DON if gone == DON else Phase.NIGHT_SHERIFF)
    assert refused(game, m.Choose(6)).reason == "nobody-there"
    game = made(game, m.Ready())
    timer = game.state.timer
    assert timer is not None and timer.deadline == rules.role_pause
    assert made(game, m.TimeUp(), at=rules.role_pause).state.phase is not phase


@pytest.mark.parametrize("key", RULESETS)
def test_a_sheriff_killed_tonight_still_learns_tonights_check(key: str) -> None:
    game = choose(night(key), SHERIFF, SHERIFF)
    game = made(game, m.Choose(DON))
    assert game.state.check is not None and game.state.check.answer == "black"


@pytest.mark.parametrize("key", [key for key, rules in RULESETS.items() if rules.shooting == "called"])
def test_every_number_is_called_the_dead_ones_too(key: str) -> None:
    game = dealt(RULESETS[key])
    result = play(game, m.Place("night-shooting", 2, True, (2, 3, 4, 6, 7, 8, 9)), 0.0)
    assert isinstance(result, Played)
    called = [event.number for event in result.events if isinstance(event, NumberCalled)]
    assert called == list(range(1, game.state.seats + 1))


@pytest.mark.parametrize("key", RULESETS)
@pytest.mark.parametrize("seats", range(7, 16))
def test_cards_told_silently_in_the_first_night_are_known_afterwards(key: str, seats: int) -> None:
    """The host enters who showed himself; nobody can go on before the number is right."""
    rules = RULESETS[key]
    if not rules.seats_min <= seats <= rules.seats_max:
        seats = rules.seats
    black = mafia_count(rules, seats)
    game = made(lobby(rules, Host.FULL, seats), m.Start())
    while game.state.phase is Phase.INTRODUCTIONS:
        game = made(game, m.Next())
    assert game.state.phase is Phase.NIGHT_MEETING
    events: list[object] = []
    while game.state.phase is Phase.NIGHT_MEETING:
        while m.Next() not in legal(game.state):
            assert refused(game, m.Next()).reason == "needs-answer"
            choices = sorted(move.seat for move in legal(game.state) if isinstance(move, m.Choose))
            game = made(game, m.Choose(choices[-1]))
        result = play(game, m.Next(), 0.0)
        assert isinstance(result, Played)
        events += result.events
        game = result.game
    roles = game.state.roles
    assert CardsKnown() in events and None not in roles
    assert sum(role in (Role.DON, Role.MAFIA) for role in roles) == black
    assert roles.count(Role.DON) == roles.count(Role.SHERIFF) == 1
    assert roles.count(Role.MANIAC) == (rules.maniac if seats >= 10 else 0)


@pytest.mark.parametrize("key", RULESETS)
def test_the_sequence_of_calls_is_the_same_every_night(key: str) -> None:
    seen = set()
    for alive in ((1, 2, 4, 5, 6, 7, 8, 9), (2, 4, 6, 7, 8, 9), (1, 2, 5, 6, 7, 8, 9), (1, 2, 4, 6, 7, 8, 9)):
        game = night(key, alive)
        woken = []
        while game.state.phase.is_night:
            woken.append(game.state.phase)
            result = play(game, m.Next(), 0.0)
            assert isinstance(result, Played)
            assert not [e for e in result.events if isinstance(e, RoleWoke) and e.phase is not result.game.state.phase]
            game = result.game
        seen.add(tuple(woken))
    assert len(seen) == 1


@pytest.mark.parametrize("key", RULESETS)
def test_three_misses_in_a_row_or_not(key: str) -> None:
    game = made(dealt(RULESETS[key]), m.Place("night-shooting", 4, True, (1, 4, 5, 6, 7, 8, 9, 10), misses=2))
    game = made(game, m.Next(), m.Next())
    while game.state.phase.is_night:
        game = made(game, m.Next())
    lost = bool(RULESETS[key].misses_lose)
    assert (game.state.phase is Phase.GAME_OVER) == lost
