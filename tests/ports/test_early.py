"""When a command may be acted on before the end-pointer: words and loudness made by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from narrator.messages import Form
from narrator.ports.early import Forms, Quiet, Standing

BLOCK = 0.025
SIZE = 400


def form(text: str, intent: str, *slots: int, at_once: bool = True) -> Form:
    """«номер пять|шесть»: words of a place are parted by «|»."""
    return Form(tuple(frozenset(place.split("|")) for place in text.split()), intent, slots, at_once)


FORMS = Forms(
    [
        form("пауза", "pause"),
        form("отмена", "undo", at_once=False),
        form("номер один|пять", "choose", 1),
        form("номер один|пять убит", "killed", 1),
        form("убит номер один|пять", "killed", 2),
        form("четыре", "count", 0),
        form("четыре голоса", "count", 0),
        form("один|пять за один|пять", "vote-for", 0, 2),
        form("один|пять за номер один|пять", "vote-for", 0, 3),
        form("одиннадцать пас", "pass", 0),
    ]
)


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("", Standing.BEGUN),
        ("номер", Standing.BEGUN),
        ("убит номер", Standing.BEGUN),
        ("пауза", Standing.SETTLED),
        ("убит номер пять", Standing.SETTLED),
        ("четыре голоса", Standing.SETTLED),
        ("четыре", Standing.SETTLED),  # «четыре голоса» would be the same
        ("номер пять", Standing.COMPLETE),  # «номер пять убит» would not
        ("отмена", Standing.COMPLETE),  # cannot be taken back
        ("пять за один", Standing.SETTLED),
        ("пауза пауза", Standing.NOTHING),
        ("номер шесть", Standing.NOTHING),
        ("убит [unk] пять", Standing.NOTHING),
    ],
)
def test_what_a_text_is_to_the_forms(text: str, standing: Standing) -> None:
    assert FORMS.standing(text.split()) is standing


def test_a_form_that_resembles_the_address_means_something_but_waits() -> None:
    late = Forms([dataclasses.replace(form("следующий", "next"), prompt=False), form("пауза", "pause")])
    assert late.meaning(["следующий"]) == {("next", ())}
    assert late.standing(["следующий"]) is Standing.NOTHING


@pytest.mark.parametrize(("word", "head"), [("один", True), ("пять", False), ("четыре", False), ("одиннадцать", False)])
def test_a_word_that_a_much_longer_one_begins_with(word: str, head: bool) -> None:
    assert FORMS.is_head(word) is head


def sound(level: float, seconds: float) -> list[NDArray[np.int16]]:
    noise = np.random.default_rng(3).normal(0, level, (round(seconds / BLOCK), SIZE))
    return list(noise.clip(-32768, 32767).astype(np.int16))


def heard(*parts: tuple[float, float]) -> Quiet:
    quiet = Quiet()
    for level, seconds in parts:
        for block in sound(level, seconds):
            quiet.add(block, BLOCK)
    return quiet


@pytest.mark.parametrize(
    ("parts", "seconds"),
    [
        ([(20, 1.0)], 0.0),  # nobody has spoken
        ([(20, 1.0), (3000, 0.5)], 0.0),
        ([(20, 1.0), (3000, 0.5), (20, 0.2)], 0.2),
        ([(20, 1.0), (3000, 0.5), (20, 0.2), (3000, 0.1)], 0.0),
        ([(0, 1.0), (3000, 0.5), (20, 0.2)], 0.2),  # exact zeros are no quieter than the quietest room
        ([(300, 1.0), (6000, 0.5), (300, 0.2)], 0.2),  # a noisy room, and a louder voice
        ([(1000, 1.0), (3000, 0.5), (1000, 0.2)], 0.0),  # a crowd: too little between the two
        ([(20, 1.0), (3000, 0.5), (20, 4.0)], 0.0),  # long ago
    ],
)
def test_quiet_is_measured_from_the_last_loud_block(parts: list[tuple[float, float]], seconds: float) -> None:
    assert heard(*parts).seconds == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("parts", "never"),
    [
        ([], True),
        ([(20, 1.0)], True),  # nobody has spoken
        ([(20, 1.0), (3000, 0.5)], False),
        ([(1000, 1.0), (3000, 0.5)], True),  # a crowd
        ([(20, 1.0), (3000, 4.0)], True),  # nobody has been silent for long
    ],
)
def test_whether_quiet_can_be_told(parts: list[tuple[float, float]], never: bool) -> None:
    assert heard(*parts).never is never
