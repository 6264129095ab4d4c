"""The forms that the ears get: every command in full, and what must wait because it may go on otherwise."""

from __future__ import annotations

import random

import pytest

from narrator.game.roles import Host
from narrator.game.state import Phase, State
from narrator.ports.early import Forms, Standing
from narrator.speech.grammar import Reading, grammar
from narrator.speech.intents import UNHURRIED, Attention, attention, listening, live_readings
from narrator.speech.lang import ru
from tests.speech import oracle
from tests.speech.test_grammar import GAMES, moments

GRAMMAR = grammar("ru")


def commands(state: State, chance: random.Random, count: int) -> list[tuple[Reading, str]]:
    """Some sentences that may be said now with the talk button held."""
    live = [
        said for said in live_readings(state, True) if said.intent != "end-speech" or state.rules.thanks_ends_speech
    ]
    said = [(reading, oracle.a_sentence(reading, chance)) for reading in live]
    whole = [(reading, text) for reading, text in said if text is not None]
    return chance.sample(whole, min(count, len(whole)))


def standing(state: State, *, talk: bool) -> Forms:
    return Forms(listening(GRAMMAR, state, talk=talk, can_undo=True)[1])


def waits_for_its_end(text: str) -> bool:
    return not ru.LIKE_ADDRESS.isdisjoint(text.split()) or tuple(text.split()) in ru.GOES_ON


@GAMES
def test_every_command_is_whole_with_the_address_and_without(key: str, host: Host) -> None:
    chance = random.Random(key)
    for state in moments(key, host):
        forms = standing(state, talk=True)
        for reading, text in commands(state, chance, 60):
            if waits_for_its_end(text):
                assert forms.standing(text.split()) < Standing.COMPLETE
                continue
            for said in (text, f"ведущий {text}"):
                found = forms.standing(said.split())
                assert found >= Standing.COMPLETE, f"{said}: {found.name} in {state.phase}"
                assert found is Standing.COMPLETE or reading.intent not in UNHURRIED, said


@GAMES
def test_nothing_is_done_at_once_that_may_still_become_another_command(key: str, host: Host) -> None:
    """«Номер пять» while «номер пять уходит» may follow."""
    chance = random.Random(key)
    for state in moments(key, host):
        forms = standing(state, talk=True)
        for _, text in commands(state, chance, 60):
            words = text.split()
            whole = oracle.read(text)
            for count in range(1, len(words)):
                if forms.standing(words[:count]) is Standing.SETTLED:
                    assert oracle.read(" ".join(words[:count])) & whole, text


@GAMES
def test_while_players_talk_only_what_is_addressed_is_a_form(key: str, host: Host) -> None:
    chance = random.Random(key)
    talking = [state for state in moments(key, host) if attention(state) is Attention.ADDRESSED]
    assert talking
    for state in talking:
        forms = standing(state, talk=False)
        for reading, text in commands(state, chance, 60):
            if reading.intent not in ("end-speech", "ritual") and not {"ritual"} & {
                r.intent for r in oracle.read(text)
            }:
                assert forms.standing(text.split()) < Standing.COMPLETE, text
            if reading.intent != "ritual" and not waits_for_its_end(text):
                assert forms.standing(["ведущий", *text.split()]) >= Standing.COMPLETE, text


@pytest.mark.parametrize(
    ("text", "at_once"),
    [("дальше", True), ("пауза", True), ("отмена", False), ("ведущий пауза", True), ("ведущий отмена", False)],
)
def test_what_cannot_be_taken_back_is_not_done_at_once(text: str, at_once: bool) -> None:
    state = next(state for state in moments("classic", Host.FULL) if state.phase is Phase.SPEECHES)
    assert (standing(state, talk=True).standing(text.split()) is Standing.SETTLED) is at_once
