"""Debounce and gestures: presses with bouncing contacts against the signals a player meant."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrator.messages import Control, Held, PortBack, PortFailed, Pressed, Released, SeatDown, SeatUp, Signal
from narrator.ports.buttons import Buttons, Key

DEBOUNCE, HOLD, STUCK = 0.04, 0.5, 30.0
NEXT, BACK = Control.NEXT, Control.BACK
Edge = tuple[float, Key, bool]


def new() -> Buttons:
    return Buttons(DEBOUNCE, HOLD, STUCK)


def feed(buttons: Buttons, edges: list[Edge], until: float, *, prompt: bool = True) -> list[Signal]:
    """Signals of a train of edges; `prompt` also ticks at each deadline, as the panel's thread does."""
    signals: list[Signal] = []
    for at, key, down in edges:
        while prompt and (due := buttons.next_deadline) is not None and due <= at:
            signals += buttons.tick(due)
        signals += buttons.edge(key, down, at)
    return signals + buttons.tick(until)


def burst(key: Key, at: float, down: bool, bounces: list[float]) -> list[Edge]:
    """The contact goes to `down` and leaves it once more for each pair of bounces (offsets in seconds)."""
    edges: list[Edge] = [(at, key, down)]
    offsets = sorted(bounces)
    for first, second in zip(offsets[::2], offsets[1::2], strict=False):
        edges += [(at + first, key, not down), (at + second, key, down)]
    return edges


def meant(key: Key, length: float) -> list[Signal]:
    if not isinstance(key, Control):
        return [SeatDown(key), SeatUp(key)]
    return [Pressed(key)] if length < HOLD else [Held(key), Released(key)]


def test_a_press_is_reported_when_it_ends() -> None:
    buttons = new()
    assert buttons.edge(NEXT, True, 1.0) == []
    assert buttons.edge(NEXT, False, 1.2) == [Pressed(NEXT)]
    assert buttons.tick(9.0) == []
    assert buttons.next_deadline is None


def test_a_hold_is_reported_at_its_time_and_ends_in_released() -> None:
    buttons = new()
    buttons.edge(NEXT, True, 1.0)
    assert buttons.next_deadline == 1.0 + HOLD
    assert buttons.tick(1.0 + HOLD - 0.001) == []
    assert buttons.tick(1.0 + HOLD) == [Held(NEXT)]
    assert buttons.tick(5.0) == []
    assert buttons.edge(NEXT, False, 6.0) == [Released(NEXT)]


@pytest.mark.parametrize("ends_down", [True, False])
def test_five_bounces_in_20_ms_are_one_press(ends_down: bool) -> None:
    edges: list[Edge] = []
    for n in range(5):
        edges += [(1 + n * 0.004, NEXT, True), (1 + n * 0.004 + 0.002, NEXT, False)]
    if ends_down:
        edges[-1] = (1.3, NEXT, False)
    assert feed(new(), edges, until=3.0) == [Pressed(NEXT)]


def test_a_tap_shorter_than_the_debounce_time_counts() -> None:
    assert feed(new(), [(1.0, NEXT, True), (1.01, NEXT, False)], until=2.0) == [Pressed(NEXT)]


def test_a_seat_button_is_a_hand_up_and_down() -> None:
    buttons = new()
    assert buttons.edge(7, True, 1.0) == [SeatDown(7)]
    assert buttons.edge(7, False, 1.01) == []  # a bounce
    assert buttons.edge(7, True, 1.015) == []
    assert buttons.tick(4.0) == []  # no hold on a seat
    assert buttons.edge(7, False, 4.1) == [SeatUp(7)]


def test_the_first_edge_may_be_an_open_contact() -> None:
    assert feed(new(), [(0.0, NEXT, False)], until=1.0) == []


def test_two_buttons_at_once_do_not_disturb_each_other() -> None:
    edges: list[Edge] = [(1.0, NEXT, True), (1.1, BACK, True), (1.2, BACK, False), (2.0, NEXT, False)]
    assert feed(new(), edges, until=3.0) == [Pressed(BACK), Held(NEXT), Released(NEXT)]


@pytest.mark.parametrize(("one", "other"), [(Control.PLUS, Control.MINUS), (Control.MINUS, Control.PLUS)])
@pytest.mark.parametrize("length", [0.1, 2.0])
def test_plus_and_minus_together_are_one_press_of_the_menu(one: Control, other: Control, length: float) -> None:
    together = [(1.0, one, True), (1.2, other, True), (1.2 + length, one, False), (1.3 + length, other, False)]
    alone = [(5.0, other, True), (5.1, other, False)]
    assert feed(new(), [*together, *alone], until=6.0) == [Pressed(Control.MENU), Pressed(other)]


def test_a_plus_that_is_held_already_stays_a_plus() -> None:
    edges: list[Edge] = [(1.0, Control.PLUS, True), (2.0, Control.MINUS, True), (2.1, Control.MINUS, False)]
    edges += [(3.0, Control.PLUS, False)]
    signals = [Held(Control.PLUS), Pressed(Control.MINUS), Released(Control.PLUS)]
    assert feed(new(), edges, until=4.0) == signals


def test_a_jammed_menu_is_said_for_each_button_and_releases_nothing() -> None:
    signals = feed(new(), [(1.0, Control.PLUS, True), (1.1, Control.MINUS, True)], until=100.0)
    assert signals[0] == Pressed(Control.MENU)
    assert [type(signal) for signal in signals[1:]] == [PortFailed, PortFailed]


def test_edges_that_arrive_late_keep_their_meaning() -> None:
    """A process that slept through a press and a hold: what counts is when the contact moved."""
    edges: list[Edge] = [(1.0, NEXT, True), (1.1, NEXT, False), (2.0, NEXT, True), (2.8, NEXT, False)]
    assert feed(new(), edges, until=60.0, prompt=False) == [Pressed(NEXT), Held(NEXT), Released(NEXT)]


def test_a_stuck_control_is_said_once_and_ignored_until_it_comes_up() -> None:
    buttons = new()
    buttons.edge(NEXT, True, 0.0)
    assert buttons.tick(HOLD) == [Held(NEXT)]
    released, failed = buttons.tick(STUCK)
    assert released == Released(NEXT)
    assert isinstance(failed, PortFailed) and "next button" in failed.why
    assert buttons.tick(500.0) == []
    assert buttons.next_deadline is None
    assert buttons.edge(NEXT, False, 501.0) == [PortBack(failed.port)]
    assert feed(buttons, [(502.0, NEXT, True), (502.1, NEXT, False)], until=503.0) == [Pressed(NEXT)]


def test_a_stuck_seat_is_no_raised_hand() -> None:
    buttons = new()
    buttons.edge(3, True, 0.0)
    up, failed = buttons.tick(100.0)
    assert up == SeatUp(3)
    assert isinstance(failed, PortFailed) and "seat 3" in failed.why
    assert buttons.edge(3, False, 101.0) == [PortBack(failed.port)]


def test_an_edge_told_after_a_later_tick_keeps_its_time() -> None:
    buttons = new()
    buttons.edge(BACK, True, 8.0)
    assert buttons.tick(9.0) == [Held(BACK)]
    assert buttons.edge(NEXT, True, 8.9) == []
    assert buttons.next_deadline == 8.9 + HOLD
    assert buttons.edge(BACK, False, 8.95) == [Released(BACK)]


def test_the_time_of_a_contact_never_runs_backwards() -> None:
    buttons = new()
    buttons.edge(NEXT, True, 5.0)
    assert buttons.edge(NEXT, False, 5.2) == [Pressed(NEXT)]
    assert buttons.edge(NEXT, True, 4.0) == []  # taken as 5.2: inside the deaf time of the release
    assert buttons.tick(5.2 + DEBOUNCE + HOLD) == [Held(NEXT)]


Press = tuple[Key, float, float, list[float], list[float]]
presses = st.lists(
    st.tuples(
        st.sampled_from([NEXT, BACK, 1, 15]),
        st.floats(0.09, 1.0),  # rest before
        st.floats(0.06, 0.45) | st.floats(0.55, 2.0),  # length
        st.lists(st.floats(0.0005, 0.02), max_size=6),  # bounces when it closes
        st.lists(st.floats(0.0005, 0.02), max_size=6),  # and when it opens
    ),
    max_size=30,
)


@given(presses, st.booleans())
def test_n_presses_give_n_events(train: list[Press], prompt: bool) -> None:
    edges: list[Edge] = []
    expected: list[Signal] = []
    now = 0.0
    for key, rest, length, closing, opening in train:
        edges += burst(key, now + rest, True, closing) + burst(key, now + rest + length, False, opening)
        now += rest + length
        expected += meant(key, length)
    assert feed(new(), edges, until=now + 1, prompt=prompt) == expected


@given(st.lists(st.tuples(st.floats(0, 0.2), st.sampled_from([NEXT, 4]), st.booleans()), max_size=80))
def test_any_train_alternates_and_ends_with_the_last_level(steps: list[tuple[float, Key, bool]]) -> None:
    """Whatever the contacts do, no gesture is left open or closed twice."""
    buttons, now = new(), 0.0
    edges: list[Edge] = []
    for wait, key, down in steps:
        now += wait
        edges.append((now, key, down))
    edges += [(now + 0.3, NEXT, False), (now + 0.3, 4, False)]
    signals = feed(buttons, edges, until=now + 1)
    seat = [signal for signal in signals if isinstance(signal, SeatDown | SeatUp)]
    assert seat == [SeatDown(4), SeatUp(4)] * (len(seat) // 2)
    holds = [signal for signal in signals if isinstance(signal, Held | Released)]
    assert holds == [Held(NEXT), Released(NEXT)] * (len(holds) // 2)
    assert buttons.next_deadline is None


def test_ten_thousand_bouncing_presses_on_five_buttons_at_once() -> None:
    chance = random.Random(1)
    edges: list[Edge] = []
    expected: dict[Key, list[Signal]] = {}
    total = 0.0
    for key in (NEXT, BACK, Control.PLUS, 2, 9):  # without Minus, which together with Plus is another button
        now = 0.0
        for _ in range(2000):
            now += chance.uniform(0.09, 0.6)
            length = chance.choice([chance.uniform(0.05, 0.45), chance.uniform(0.55, 1.5)])
            for at, down in ((now, True), (now + length, False)):
                bounces = [chance.uniform(0.0005, 0.02) for _ in range(chance.randrange(8))]
                edges += burst(key, at, down, bounces)
            now += length
            expected.setdefault(key, []).extend(meant(key, length))
        total = max(total, now)
    edges.sort(key=lambda edge: edge[0])
    got: dict[Key, list[Signal]] = {}
    for signal in feed(new(), edges, until=total + 1):
        assert isinstance(signal, Pressed | Held | Released | SeatDown | SeatUp)
        key = signal.seat if isinstance(signal, SeatDown | SeatUp) else signal.control
        got.setdefault(key, []).append(signal)
    assert got == expected
