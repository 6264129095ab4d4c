"""Commands that sound alike: the known ones and no others, and a new one is seen."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from narrator.config import load
from narrator.confusable import close_pairs, commands_spoken, report
from narrator.explore import moments
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.rendering import everything
from narrator.speech.grammar import Grammar
from tests.confusable import found, known

SAID_TOO = {"choose", "count", "warn", "remove", "rules-classic", "rules-moscow", "rules-forum", "rules-sport"}
"""Commands that the narrator reads back in the same words; the microphone is deaf while he speaks."""


def test_no_pair_of_commands_has_come_to_sound_alike() -> None:
    now = set(found(Grammar("ru")))
    new, gone = now - set(known()), set(known()) - now
    assert not new, f"choose clearer words, or accept the pairs: python -m tests.confusable --write: {new}"
    assert not gone, f"no longer alike: python -m tests.confusable --write: {gone}"


@pytest.mark.parametrize(
    ("intent", "phrase", "against", "distance"),
    [
        ("undo", "бауза", "пауза", 0.5),  # voice alone tells them apart
        ("undo", "пауза", "пауза", 0.0),  # two meanings
    ],
)
def test_a_new_phrase_that_sounds_like_a_command_is_seen(
    intent: str, phrase: str, against: str, distance: float
) -> None:
    pairs = close_pairs(Grammar("ru", own={intent: [phrase]}))
    (pair,) = (pair for pair in pairs if {pair.one, pair.other} == {phrase, against})
    assert pair.distance == pytest.approx(distance)


def test_a_clear_phrase_adds_nothing() -> None:
    assert found(Grammar("ru", own={"undo": ["берем этот шаг обратно"]})) == known()


def test_what_is_never_live_together_is_no_pair() -> None:
    """«готово» is told after a list, «начинаем» in the lobby: alike or not, nobody can take one for the other."""
    assert not [pair for pair in found(Grammar("ru", own={"done": ["начинаем"]})) if "начинаем" in pair]


def test_the_narrator_says_no_command_but_to_read_it_back() -> None:
    said = commands_spoken(Grammar("ru"), everything(load(Path("/dev/null"))))
    assert set(said) <= SAID_TOO, {intent: texts[:3] for intent, texts in said.items() if intent not in SAID_TOO}


def test_the_report_names_pairs_words_and_phrases(tmp_path: Path) -> None:
    settings = load(Path("/dev/null"), paths={"cache": str(tmp_path)})
    lines = list(report(settings))
    assert "«девять» and «десять» sound alike (1)." in lines
    assert any("is the command choose" in line for line in lines)
    assert not any("cannot be heard" in line for line in lines)


@pytest.mark.parametrize("key", RULESETS)
def test_moments_are_of_nearly_every_phase_and_each_once(key: str) -> None:
    states = list(moments(RULESETS[key]))
    assert all(one != other for one, other in pairwise(states))
    assert {Phase.LOBBY, Phase.SPEECHES, Phase.VOTE, Phase.NIGHT_SHOOTING, Phase.MORNING, Phase.GAME_OVER} <= {
        state.phase for state in states
    }
    assert any(state.question is not None for state in states)
