"""The spoken menu: what has no button of its own is offered aloud, one thing after another.

The menu button (Plus and Minus together) opens it and goes on to the next offer, Plus and Minus step, Next takes what
was offered last, Back leaves; any other button is meant as always. Knows states and moves, no device.
Invariant: only what is legal now is offered, and at night nothing is, because the voice itself could tell something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from narrator.game import moves as m
from narrator.game.guards import TABLE, allowed
from narrator.game.rulesets import RULESETS
from narrator.game.state import State
from narrator.game.tally import voters_missing
from narrator.game.timing import Kind
from narrator.messages import Control, Pressed, Signal
from narrator.speech.intents import Meaning, Request, concerned, pressed

PATIENCE = 15.0
"""Seconds after which an offer that nobody took is forgotten, and Next is only «дальше» again."""

_STEPS = {Control.MENU: 1, Control.PLUS: 1, Control.MINUS: -1}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing on offer: what it means, the phrase that offers it, and whom or what it is about (0, "": nobody)."""

    meaning: Meaning
    key: str
    seat: int = 0
    voter: int = 0
    rules: str = ""


def items(state: State) -> tuple[Item, ...]:
    """Everything on offer now, the usual things first."""
    return tuple(item for item in _all(state) if _makes_sense(item.meaning, state))


class Menu:
    """The menu as it stands; `press` for everything that is pressed."""

    def __init__(self) -> None:
        self._items: tuple[Item, ...] = ()
        self._place, self._until = 0, 0.0

    def press(self, signal: Signal, state: State, at: float) -> Meaning | Item | None:
        """What `signal` means at the game's time `at`: an item to say, what was offered, or what it always means."""
        control = signal.control if isinstance(signal, Pressed) else None
        now = items(state)
        is_open = bool(now) and now == self._items and at <= self._until
        if control is Control.MENU or (is_open and control in _STEPS):
            assert control is not None
            self._place = self._place + _STEPS[control] if is_open else 0
            self._items, self._until = now, at + PATIENCE
            return now[self._place % len(now)] if now else None
        self._items = ()
        if is_open and control is Control.NEXT:
            return now[self._place % len(now)].meaning
        if is_open and control is Control.BACK:
            return Request.HUSH
        return pressed(signal, state)


def _makes_sense(meaning: Meaning, state: State) -> bool:
    return isinstance(meaning, Request) or (type(meaning) in TABLE[state.phase] and allowed(state, meaning) is None)


def _all(state: State) -> Iterator[Item]:
    if state.phase.is_night:
        return
    yield Item(Request.REPEAT, "menu-repeat")
    if state.timer is not None and state.timer.kind is Kind.SPEECH:
        yield Item(Request.TIME_LEFT, "menu-time-left")
    yield Item(m.OpenVote(), "menu-open-vote")
    voter = next(iter(voters_missing(state)), 0) if m.VoteFor in TABLE[state.phase] else 0
    if voter:  # one voter at a time, as at a table
        yield from (Item(m.VoteFor(voter, seat), "menu-vote", seat, voter) for seat in state.living)
        yield Item(m.VoteFor(voter, None), "menu-vote-pass", voter=voter)
    yield Item(m.ListDeaths(), "menu-killed-list")
    yield Item(Request.STATUS, "menu-status")
    yield Item(m.Order(), "menu-order")
    yield from (Item(m.Unwarn(seat), "menu-unwarn", seat) for seat in state.living)
    seat = concerned(state)
    if seat:
        yield Item(m.Leave(seat), "menu-leave", seat)
        yield Item(m.Remove(seat), "menu-remove", seat)
    yield Item(Request.RULES, "menu-rules")
    for key, rules in RULESETS.items():
        if key != state.rules.key:
            yield Item(m.SetUp(rules=rules), "menu-change-rules", rules=rules.script)
    yield from (Item(m.TellWinner(who), f"ask-winner-{who}") for who in ("town", "mafia", "maniac", "draw"))
    yield Item(m.NewGame(), "ask-new-game")
