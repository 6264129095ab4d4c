"""Whole games with no host, pressed at random: they end, stay sane, never wait for nobody, and no night tells a thing.

The thousand games of each ruleset are played by `python -m tests.bench.hostless_games`; here is a sample of them.
"""

from __future__ import annotations

import pytest

from narrator.game import moves as m
from narrator.game.guards import HOLD, deadline
from narrator.game.night import owner_alive
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS, Ruleset, Voting
from narrator.game.state import Phase, State
from narrator.game.timing import Kind
from narrator.messages import Lamp
from tests.game.sane import step_is_sane
from tests.hostless import (
    DIRECTOR,
    OVER,
    PRESSERS,
    Evening,
    Heard,
    Press,
    anybody,
    everybody,
    made_up,
    nobody,
    played,
    players,
    the_dead,
)
from tests.table import Step, made, placed

RULES = pytest.mark.parametrize("key", RULESETS)
SAMPLE = 8
CHECKS = (Phase.NIGHT_DON, Phase.NIGHT_SHERIFF)
SECRETS = ("шериф", "комиссар", "маньяк", "мафи", " дон", "дон ")
"""What no sentence of a day names, before the game is over."""


def watched(rules: Ruleset, seed: int, press: Press) -> Evening:
    """A whole game in which every step is looked at."""
    evening = Evening(rules, seed, press)
    lamps = Lamps()

    def look(step: Step) -> None:
        step_is_sane(step)
        lamps.look(step)

    evening.on_step = look
    evening.play()
    return evening


class Lamps:
    """At night the lamps are dark, but for the answer: from the press on, through the whole of the next number."""

    def __init__(self) -> None:
        self.answers = 0
        self._lit_at = 0

    def look(self, step: Step) -> None:
        before, after = step.before.state, step.after.state
        if not after.phase.is_night:
            return
        lamp = DIRECTOR.scene(after, step.at, listening=False).lamp
        place = after.call.place if after.call is not None else 0
        if after.phase not in CHECKS:
            assert lamp is Lamp.OFF
            return
        answered = after.night is not None and before.night is not None and after.night.checks > before.night.checks
        if answered:
            assert isinstance(step.move, m.RaiseHand), "an answer comes with a press, at once"
            assert owner_alive(after) and after.role(step.move.seat) in (Role.DON, Role.SHERIFF)
            self.answers += 1
            self._lit_at = place
        mine = after.check is not None and lamp is not Lamp.OFF
        assert (lamp is not Lamp.OFF) == (mine and self._lit_at <= place < self._lit_at + 2 and after.call is not None)


def without_misses(night: list[Heard]) -> list[Heard]:
    """A night as it sounds when nobody has missed: only where the rulebook tells it, a miss is told at once."""
    return [heard for heard in night if "промах" not in heard[1]]


def days_are_discreet(evening: Evening) -> None:
    """No sentence of a day gives a card away."""
    for _, text in evening.days:
        assert not any(word in f" {text.lower()}" for word in SECRETS), text


def check_game(rules: Ruleset, seed: int) -> int:
    """Everything that is asked of game `seed`; returns how many moves it had."""
    evening = watched(rules, seed, made_up(seed))
    assert evening.state.phase is Phase.GAME_OVER
    first, *others = evening.nights
    assert all(without_misses(night) == without_misses(others[0]) for night in others[1:])
    assert first[-1][1] == OVER
    days_are_discreet(evening)
    return evening.moves


@RULES
@pytest.mark.parametrize("seed", range(SAMPLE))
def test_a_game_ends_stays_sane_and_tells_nothing(key: str, seed: int) -> None:
    assert check_game(RULESETS[key], seed) > 100


@RULES
def test_a_night_sounds_the_same_in_every_game_at_such_a_table(key: str) -> None:
    rules = RULESETS[key]
    games = [played(rules, seed, press) for press in PRESSERS for seed in (90, 91)]
    games += [played(rules, 92, press) for press in (players, anybody)]
    tables: dict[tuple[int, bool], list[list[Heard]]] = {}
    for evening in games:
        table = (evening.seats, Role.MANIAC in evening.cards)
        tables.setdefault(table, []).extend(without_misses(night) for night in evening.nights[1:-1])
    alike = [nights for nights in tables.values() if len(nights) > 1]
    assert alike
    for nights in alike:
        assert all(night == nights[0] for night in nights)


@RULES
@pytest.mark.parametrize("press", [nobody, the_dead])
def test_a_table_that_never_presses_is_warned_out_of_the_game(key: str, press: Press) -> None:
    rules = RULESETS[key]
    evening = played(rules, 5, press)
    speeches = sum("Время вышло" in text for _, text in evening.days)
    assert speeches >= evening.seats
    assert evening.state.day <= rules.warning_limit + 1
    if key != "forum":  # there three misses end it first
        assert any(evening.state.warned(seat) >= rules.warning_limit - 1 for seat in range(1, evening.seats + 1))


@RULES
def test_everybody_at_every_number_is_a_miss(key: str) -> None:
    evening = played(RULESETS[key], 6, everybody)
    killed = [text for _, text in evening.days if "ночью был" in text.lower() and "никто" not in text.lower()]
    assert not killed


@RULES
def test_people_who_play_come_to_every_part_of_the_rules(key: str) -> None:
    seen: set[Phase] = set()
    for seed in range(100, 106):
        evening = Evening(RULESETS[key], seed, players)
        evening.on_step = lambda step: seen.add(step.after.state.phase)
        evening.play()
    expected = {Phase.NIGHT_MEETING, Phase.SPEECHES, Phase.VOTE, Phase.NIGHT_SHOOTING, *CHECKS, Phase.GAME_OVER}
    expected |= {Phase.NOMINATIONS} if RULESETS[key].voting is Voting.HANDS else set()
    expected |= {Phase.INTRODUCTIONS, Phase.NIGHT_MANIAC} if RULESETS[key].maniac else {Phase.LAST_WORD}
    expected |= {Phase.BEST_MOVE} if RULESETS[key].best_move else set()
    assert expected <= seen


# --- two buttons held --------------------------------------------------------------------------------------------


def hold(state: State) -> float:
    """Seconds from now, 0, until the clock does something."""
    due = deadline(state)
    assert due is not None
    return due


@RULES
def test_any_two_buttons_held_pause_and_go_on(key: str) -> None:
    game = made(placed(RULESETS[key], Phase.SPEECHES, Host.NONE, alive=(1, 2, 3, 4, 5, 6, 7)), m.Ready())
    others = [seat for seat in game.state.living if seat != game.state.speaker]
    for one, other in ((a, b) for a in others for b in others if a < b):
        held = made(game, m.RaiseHand(one, True), m.RaiseHand(other, True))
        assert hold(held.state) == HOLD
        assert deadline(made(held, m.RaiseHand(one, False)).state) == deadline(game.state)
        paused = made(held, m.TimeUp(), at=HOLD)
        assert paused.state.paused and deadline(paused.state) is None
        again = made(paused, m.RaiseHand(one, False), m.RaiseHand(one, True), at=60.0)
        going = made(again, m.TimeUp(), at=60.0 + HOLD)
        assert not going.state.paused
        timer = going.state.timer
        assert timer is not None and timer.kind is Kind.SPEECH
        assert timer.left_at(60.0 + HOLD) == pytest.approx(RULESETS[key].speech - HOLD)


@RULES
def test_a_dead_hand_and_a_living_one_do_not_pause(key: str) -> None:
    game = made(placed(RULESETS[key], Phase.SPEECHES, Host.NONE, alive=(1, 2, 3, 4, 5, 6, 7)), m.Ready())
    assert made(game, m.RaiseHand(3, True)).state.held_since is None
