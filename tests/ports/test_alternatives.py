"""What is taken of several guesses: scores made by hand, and forms of a real moment."""

from __future__ import annotations

import dataclasses
import math

import pytest

from narrator.game.state import Phase
from narrator.messages import Form
from narrator.ports.alternatives import Guess, certainty, choose, once, possible, shares, weighed
from narrator.ports.early import Forms
from narrator.speech.grammar import grammar
from narrator.speech.intents import listening
from narrator.speech.lang import ru
from narrator.speech.names import Names
from tests.ports.test_early import form as of_words
from tests.speech.positions import at
from tests.table import NAMES

WORDS = grammar("ru")

SEATS = {"два": (2,), "двойки": (2,), "двойке": (2,), "три": (3,), "тройки": (3,)}


def form(text: str, intent: str, *slots: int) -> Form:
    return dataclasses.replace(of_words(text, intent, *slots), numbers=SEATS)


FORMS = Forms(
    [
        form("номер два|двойки|двойке|три|тройки", "choose", 1),
        form("номер два|двойки|двойке|три|тройки фол", "warn", 1),
        form("фол номеру два|двойки|двойке|три|тройки", "warn", 2),
        form("пауза", "pause"),
    ]
)


def taken(said: dict[str, float]) -> tuple[str, float]:
    """Of texts and their probabilities."""
    guess, sure = choose([Guess(tuple(text.split()), share) for text, share in said.items()], FORMS)
    return " ".join(guess.words), round(sure, 2)


@pytest.mark.parametrize(
    ("said", "text", "sure"),
    [
        ({"пауза": 1.0}, "пауза", 1.0),
        # one seat, said in several ways
        ({"номер двойки": 0.5, "номер двойке": 0.5}, "номер двойки", 1.0),
        ({"номер двойки фол": 0.4, "фол номеру двойке": 0.3, "номер тройки фол": 0.3}, "номер двойки фол", 0.7),
        # the sum counts, not the best single text
        ({"номер тройки": 0.4, "номер двойки": 0.35, "номер двойке": 0.25}, "номер двойки", 0.6),
        # no sentence is no rival, other talk and silence are
        ({"номер два": 0.5, "номер фол": 0.5}, "номер два", 1.0),
        ({"номер два": 0.5, "номер [unk]": 0.5}, "номер два", 0.5),
        ({"номер два": 0.5, "": 0.5}, "номер два", 0.5),
        # a command that was not heard best, near enough and likelier than not
        ({"номер номер два": 0.8, "номер два": 0.2}, "номер два", 1.0),
        ({"номер номер два": 0.99, "номер два": 0.01}, "номер номер два", 0.99),
        ({"[unk]": 0.6, "номер два": 0.4}, "[unk]", 0.6),
        ({"номер номер": 0.5, "[unk]": 0.4, "номер два": 0.1}, "номер номер", 0.5),
        # but a command that was heard best is told even if it is uncertain: it is asked for again
        ({"номер два": 0.4, "номер тройки": 0.3, "[unk]": 0.3}, "номер два", 0.4),
        ({"": 1.0}, "", 1.0),
    ],
)
def test_meanings_are_weighed_and_not_texts(said: dict[str, float], text: str, sure: float) -> None:
    assert taken(said) == (text, sure)


def test_likelihoods_become_probabilities() -> None:
    assert shares([math.log(0.6) - 200, math.log(0.3) - 200, math.log(0.1) - 200]) == pytest.approx([0.6, 0.3, 0.1])


def test_a_word_is_as_certain_as_the_texts_that_hold_it() -> None:
    guesses = [Guess(("номер", "два"), 0.6), Guess(("номер", "три"), 0.4)]
    assert certainty("номер", guesses) == pytest.approx(1.0)
    assert certainty("два", guesses) == pytest.approx(0.6)


@pytest.mark.parametrize("names", [(), NAMES[:10]])
def test_all_forms_of_a_seat_mean_the_same_and_no_two_seats_do(names: tuple[str, ...]) -> None:
    state = dataclasses.replace(at("classic", Phase.SPEECHES), names=names)
    known = Forms(listening(WORDS, state, talk=True, can_undo=True)[1])
    meanings = {}
    for seat in state.alive:
        ways = [f"выставляю {form}" for form in ru.seat_forms(seat)]
        ways += [f"выставляю {Names('ru', names, {}, ()).forms('whom')[seat][0]}"] if names else []
        found = {known.meaning(WORDS.normal(way).split()) for way in ways}
        assert len(found) == 1 and all(found), (seat, ways)
        meanings[seat] = found.pop()
    assert len(set(meanings.values())) == len(state.alive)


@pytest.mark.parametrize("phase", [Phase.SPEECHES, Phase.VOTE, Phase.NIGHT_SHOOTING, Phase.MORNING])
def test_a_text_has_a_meaning_if_it_is_a_command_of_the_moment(phase: Phase) -> None:
    phrases, forms = listening(WORDS, at("forum", phase), talk=True, can_undo=True)
    known = Forms(forms)
    for phrase in phrases:
        bare, _ = WORDS.address(phrase)
        assert bool(known.meaning(phrase.split())) == bool(WORDS.read(bare)), phrase


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("пауза пауза пауза", "пауза"),
        ("номер два номер два", "номер два"),
        ("номер два номер три", "номер два номер три"),
        ("пауза пауза фол", "пауза пауза фол"),
        ("фол фол", "фол фол"),  # no command by itself
        ("", ""),
    ],
)
def test_a_command_said_several_times_is_said_once(said: str, meant: str) -> None:
    assert once(tuple(said.split()), FORMS) == tuple(meant.split())


def test_talk_after_the_first_words_counts_for_less() -> None:
    texts = [("пауза",), ("[unk]",), ("номер", "[unk]"), ("номер", "два", "[unk]")]
    scores = [0.0, 0.0, 0.0, 0.0]
    for first, lessened in ((1, 2), (2, 1)):
        found = weighed(texts, scores, first=first, late=math.log(10))
        assert [guess.words for guess in found] == texts
        assert sum(guess.share for guess in found) == pytest.approx(1)
        assert [guess.share * 10 == pytest.approx(found[0].share) for guess in found].count(True) == lessened


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ({"пауза": 1.0}, 1.0),
        ({"пауза": 0.2, "[unk]": 0.8}, 0.2),
        ({"пауза": 0.2, "": 0.8}, 0.2),
        ({"пауза": 0.2, "номер [unk]": 0.4, "пауза [unk]": 0.4}, 0.2),
        ({"пауза пауза": 0.5, "[unk]": 0.5}, 0.5),
        # another command and no sentence are no other talk
        ({"пауза": 0.2, "номер два": 0.6, "номер номер": 0.2}, 1.0),
        ({"номер два": 1.0}, 0.0),
        ({"[unk]": 1.0}, 0.0),
    ],
)
def test_how_possible_a_command_is_beside_talk(said: dict[str, float], share: float) -> None:
    guesses = [Guess(tuple(text.split()), part) for text, part in said.items()]
    assert possible(FORMS.meaning(("пауза",)), guesses, FORMS) == pytest.approx(share)
