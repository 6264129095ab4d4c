"""How much louder a command is than what was before it and what comes after it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from narrator.ports.loudness import Loudness

BLOCK = 0.025


def heard(*parts: tuple[float, float]) -> Loudness:
    """Noise of these levels, each for so many seconds."""
    loudness, now, dice = Loudness(), 0.0, np.random.default_rng(1)
    for level, seconds in parts:
        for _ in range(round(seconds / BLOCK)):
            loudness.add(dice.normal(0, level, 400).astype(np.int16), now, now + BLOCK)
            now += BLOCK
    return loudness


@pytest.mark.parametrize(
    ("before", "rise"),
    [
        ([(100, 1.0)], 20),  # a room, and somebody begins to speak
        ([(500, 1.0)], 6),  # a crowd
        ([(1000, 1.0)], 0),  # the middle of a sentence
        ([(1000, 0.7), (100, 0.3)], 3.6),  # a sentence that ended just before
        ([(100, 0.8), (1000, 0.2)], 0),  # a word right before it
        ([(1000, 0.5), (100, 0.5)], 20),  # half a second is enough
        ([(2000, 1.0)], -6),
    ],
)
def test_the_rise_is_measured_from_the_louder_of_two_stretches(before: list[tuple[float, float]], rise: float) -> None:
    assert heard(*before, (1000, 0.6)).rise(1.0, 1.6) == pytest.approx(rise, abs=0.5)


@pytest.mark.parametrize(
    ("after", "fall"),
    [
        ([(100, 1.0)], 20),  # the room again
        ([(500, 1.0)], 6),  # a crowd
        ([(900, 1.0)], 0.9),  # a sentence that goes on
        ([(100, 0.35), (1000, 0.6)], 20),  # somebody else's turn
        ([(300, 0.1), (100, 0.9)], 20),  # an echo
        ([(1000, 0.05)], math.inf),  # nothing was heard yet
    ],
)
def test_the_fall_is_measured_to_what_comes_right_after(after: list[tuple[float, float]], fall: float) -> None:
    assert heard((100, 1.0), (1000, 0.6), *after).fall(1.0, 1.6) == pytest.approx(fall, abs=0.5)


def test_nothing_before_is_no_sentence() -> None:
    assert heard((1000, 0.6)).rise(0.0, 0.6) == math.inf
    assert heard((0, 1.0), (1000, 0.6)).rise(1.0, 1.6) == math.inf  # digital silence


def test_what_was_cleared_is_not_compared_with() -> None:
    loudness = heard((1000, 1.0))
    loudness.clear()
    loudness.add(np.full(400, 1000, np.int16), 1.0, 1.0 + BLOCK)
    assert loudness.rise(1.0, 1.0 + BLOCK) == math.inf


def test_ten_seconds_are_kept() -> None:
    loudness = heard((1000, 15.0))
    assert loudness.rise(4.0, 4.5) == math.inf
    assert loudness.rise(14.0, 14.5) == pytest.approx(0, abs=0.5)


@pytest.mark.parametrize(
    ("before", "after", "amid", "alone"),
    [
        ((100, 100, 0.0), 100, False, False),  # into a quiet room
        ((100, 1000, 0.3), 100, False, True),  # soon after somebody: a whole command, but no bare number
        ((100, 1000, 0.1), 100, True, True),
        ((550, 550, 0.0), 550, False, False),  # a crowd
        ((400, 850, 0.0), 400, False, False),  # it was as loud just then
        ((900, 900, 0.0), 900, True, True),  # and all the time: it is a word of the crowd
        ((0, 0, 0.0), 100, False, False),  # digital silence
        ((100, 100, 0.0), 800, True, True),  # who began goes on
    ],
)
def test_a_number_that_is_all_of_a_command_must_stand_apart(
    before: tuple[float, float, float], after: float, amid: bool, alone: bool
) -> None:
    room, voice, gap = before
    loudness = heard((room, 0.5), (voice, 0.5 - gap), (room, gap), (1000, 0.6), (after, 1.0))
    assert loudness.is_amid(1.0, 1.6) is amid
    assert loudness.is_amid(1.0, 1.6, alone=True) is alone
