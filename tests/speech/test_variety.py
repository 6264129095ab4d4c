"""A host says the same thing in several ways, the same way on every replay, and never changes a ritual."""

from __future__ import annotations

import pytest

from narrator.game.rulesets import RULESETS
from narrator.speech.grammar import grammar
from narrator.speech.lang import ru
from narrator.speech.script import script_for

KEYS = pytest.mark.parametrize("key", ru.VARIANTS)
KEPT = {
    "speech-speeches": "говорит номер пять",
    "time-over": "время вышло",
    "order": "тишина за столом",
    "vote-began": "переходим к голосованию",
    "votes-counted-none": "ни одного голоса",
    "nobody-out": "никто не покидает стол",
}


def said(key: str, day: int, seat: int, wording: str = "classic") -> str:
    return script_for("ru", wording, day).text(key, seat=seat, seconds=60.0)


@KEYS
def test_every_wording_is_heard_sooner_or_later(key: str) -> None:
    heard = {said(key, day, seat) for day in range(1, 31) for seat in range(1, 11)}
    seats = 10 if key == "speech-speeches" else 1
    assert len(heard) == seats * (1 + len(ru.VARIANTS[key]))


@KEYS
def test_the_words_that_people_wait_for_are_in_every_wording(key: str) -> None:
    for day in range(1, 20):
        assert KEPT.get(key, "") in ru.normal(said(key, day, 5))


@KEYS
def test_the_same_day_and_seat_get_the_same_words(key: str) -> None:
    for day, seat in ((1, 1), (2, 7), (3, 3)):
        assert said(key, day, seat) == script_for.__wrapped__("ru", "classic", day).text(key, seat=seat, seconds=60.0)


@pytest.mark.parametrize("wording", sorted(RULESETS))
def test_a_rulesets_own_wording_stands_alone(wording: str) -> None:
    for key, text in ru.SCRIPTS[wording].items():
        assert script_for("ru", wording).segments(key) == tuple(dict.fromkeys(text.split("|")))


def test_no_variant_is_a_command() -> None:
    for key in ru.VARIANTS:
        for segment in script_for("ru", "classic").segments(key):
            assert grammar("ru").read(ru.normal(segment)) == ()
