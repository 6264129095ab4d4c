"""What may be heard is understood, and only what is a command is: over the states of whole random games."""

from __future__ import annotations

import random
from functools import cache, lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narrator.game import moves as m
from narrator.game.guards import TABLE, allowed
from narrator.game.legal import legal
from narrator.game.roles import Host
from narrator.game.state import Phase, State
from narrator.speech.grammar import Grammar, Reading, grammar
from narrator.speech.intents import (
    Attention,
    Request,
    Unclear,
    attention,
    listen_for,
    live_readings,
    night_intents,
    understand,
)
from tests.speech import oracle
from tests.table import TABLES, whole_game


class Remembering(Grammar):
    """The grammar with what it has read kept: many states hear the same phrases."""

    @cache  # noqa: B019 - as long as the tests
    def read(self, text: str) -> tuple[Reading, ...]:
        return super().read(text)


GRAMMAR: Any = Remembering("ru")
GAMES = pytest.mark.parametrize(("key", "host"), TABLES)
WORDS = grammar("ru").words()


@lru_cache
def moments(key: str, host: Host) -> tuple[State, ...]:
    """States of a whole game: one of each phase, with and without a question."""
    chance = random.Random(key)
    found: dict[tuple[Phase, bool], list[State]] = {}
    for seed in (0, 1):
        for step in whole_game(key, host, seed):
            state = step.after.state
            found.setdefault((state.phase, state.question is not None), []).append(state)
    return tuple(chance.choice(states) for states in found.values())


@GAMES
def test_whatever_may_be_heard_is_understood(key: str, host: Host) -> None:
    chance = random.Random(key)
    for state in moments(key, host):
        for talk in (False, True):
            phrases = listen_for(GRAMMAR, state, talk=talk, can_undo=True)
            assert phrases, state.phase
            for phrase in chance.sample(phrases, min(40, len(phrases))):
                meaning = understand(GRAMMAR, phrase, state, talk=talk)
                assert not isinstance(meaning, Unclear), f"{phrase}: {meaning} in {state.phase}"
                if not isinstance(meaning, Request):
                    assert isinstance(meaning, m.Undo) or type(meaning) in TABLE[state.phase]


def spoken(state: State) -> set[m.Move | Request]:
    """The legal moves that have words (buttons and clocks have others), and what is always asked of the narrator."""
    silent = (m.Adjust, m.RaiseHand)
    moves = {move for move in legal(state) if not isinstance(move, silent) and move != m.Choose(0)}
    if not state.rules.thanks_ends_speech:
        moves.discard(m.EndSpeech())
    if attention(state) is Attention.NIGHT:
        moves &= {m.Next(), m.Pause(), m.Resume()}
        return {*moves, Request.REPEAT, Request.HUSH, m.Undo()}
    return {*moves, Request.REPEAT, Request.HUSH, Request.STATUS, Request.RULES, m.Undo()}


@GAMES
def test_every_legal_move_can_be_said(key: str, host: Host) -> None:
    """The pairs of words that the recogniser knows make a sentence for each of them, which means this and no more."""
    chance = random.Random(key)
    for state in moments(key, host):
        known = set().union(*map(oracle.pairs, listen_for(GRAMMAR, state, talk=True, can_undo=True)))
        found = set()
        for reading in _commands():
            if len(reading.slots) < 2:
                said = oracle.a_sentence(reading, chance)
                if said is not None and oracle.pairs(said) <= known:
                    found.add(understand(GRAMMAR, said, state, talk=True))
        wanted = {move for move in spoken(state) if not _two_seats(move)}
        assert wanted <= {_plain(meaning) for meaning in found}, wanted - found


def _two_seats(move: object) -> bool:
    return (isinstance(move, m.Nominate) and move.by is not None) or (
        isinstance(move, m.VoteFor) and move.candidate is not None
    )


def _plain(meaning: object) -> object:
    return m.TellDeath(meaning.seat) if isinstance(meaning, m.TellDeath) else meaning


@GAMES
def test_two_seats_in_one_sentence_can_be_said(key: str, host: Host) -> None:
    chance = random.Random(key)
    for state in moments(key, host):
        two = [move for move in legal(state) if _two_seats(move)]
        if attention(state) is Attention.NIGHT or not two:
            continue
        known = set().union(*map(oracle.pairs, listen_for(GRAMMAR, state, talk=True, can_undo=True)))
        for move in chance.sample(two, min(12, len(two))):
            if isinstance(move, m.Nominate):
                reading = Reading("nominate", (("by", move.by or 0), ("seat", move.seat)))
            else:
                assert isinstance(move, m.VoteFor)
                reading = Reading("vote-for", (("by", move.voter), ("seat", move.candidate or 0)))
            said = oracle.a_sentence(reading, chance)
            assert said is not None and oracle.pairs(said) <= known, said
            assert understand(GRAMMAR, said, state, talk=True) == move


@GAMES
def test_only_what_is_legal_is_listened_for(key: str, host: Host) -> None:
    """A sentence with one seat, or none, is never refused right after it was heard."""
    chance = random.Random(key)
    for state in moments(key, host):
        phrases = listen_for(GRAMMAR, state, talk=True, can_undo=True)
        for phrase in chance.sample(phrases, min(60, len(phrases))):
            meaning = understand(GRAMMAR, phrase, state, talk=True)
            if not isinstance(meaning, (Request, m.Undo, Unclear, m.SetUp)) and not _two_seats(meaning):
                assert allowed(state, meaning) is None, f"{phrase}: {meaning}"


# --- not a command -----------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_words_of_commands_in_any_order_are_commands_only_if_they_are_one(words: list[str]) -> None:
    text = " ".join(words)
    assert set(GRAMMAR.read(text)) == oracle.read(text)


@given(st.randoms(use_true_random=False), st.integers(0, 3), st.sampled_from(WORDS))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_a_command_with_a_word_more_less_or_changed(chance: random.Random, change: int, word: str) -> None:
    intent = chance.choice(GRAMMAR.intents)
    reading = chance.choice([r for r in _commands() if r.intent == intent])
    said = oracle.a_sentence(reading, chance)
    assert said is not None
    words = said.split()
    place = chance.randrange(len(words))
    match change:
        case 0:
            words[place] = word
        case 1:
            words.insert(place, word)
        case 2:
            del words[place]
        case _:
            words[place : place + 2] = reversed(words[place : place + 2])
    text = " ".join(words)
    assert set(GRAMMAR.read(text)) == oracle.read(text)


@given(st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_every_command_is_read(chance: random.Random) -> None:
    reading = chance.choice(_commands())
    said = oracle.a_sentence(reading, chance)
    assert said is not None
    assert reading in GRAMMAR.read(said) and set(GRAMMAR.read(said)) == oracle.read(said)


@lru_cache
def _commands() -> tuple[Reading, ...]:
    return tuple(GRAMMAR.everything())


@pytest.mark.parametrize(
    "text",
    ["", " ", "?!", "ведущий", "да да", "5", "номер 5", "five", "{seat}", "<who>", "[номер]", "а" * 5000],
)
def test_odd_texts_are_no_commands(text: str) -> None:
    bare, _ = GRAMMAR.address(GRAMMAR.normal(text))
    assert GRAMMAR.read(bare) == ()


# --- attention ---------------------------------------------------------------------------------------------------


@GAMES
def test_table_talk_is_no_command(key: str, host: Host) -> None:
    """While players talk, the same words without «ведущий» do nothing; with it, or the talk button, they do."""
    chance = random.Random(key)
    for state in moments(key, host):
        if attention(state) is not Attention.ADDRESSED:
            continue
        for _ in range(60):
            said = oracle.a_sentence(chance.choice(_commands()), chance)
            assert said is not None
            ignored = understand(GRAMMAR, said, state, talk=False)
            if isinstance(ignored, m.EndSpeech):
                assert state.rules.thanks_ends_speech
            elif isinstance(ignored, m.Nominate):
                assert host is Host.NONE and said.startswith("я выставляю на голосование ")
            else:
                # «заново» belongs to the speech timer: in a game it is no command at all
                assert ignored in (Unclear("not-addressed"), Unclear("not-understood")), said
            spoken_to = understand(GRAMMAR, "Ведущий, " + said, state, talk=False)
            assert spoken_to == understand(GRAMMAR, said, state, talk=True)
            assert spoken_to != Unclear("not-addressed")
        heard = listen_for(GRAMMAR, state, talk=False, can_undo=True)
        alone = [phrase for phrase in heard if not phrase.startswith("ведущий ")]
        for phrase in alone:
            assert isinstance(understand(GRAMMAR, phrase, state, talk=False), (m.EndSpeech, m.Nominate)), phrase
        assert bool(alone) == (state.rules.thanks_ends_speech or any(p.startswith("я выставляю") for p in alone))


@GAMES
def test_at_night_only_six_commands_live(key: str, host: Host) -> None:
    chance = random.Random(key)
    six = {m.Next(), m.Pause(), m.Resume(), m.Undo(), Request.REPEAT, Request.HUSH}
    answers = {m.Answer(True), m.Answer(False)}
    for state in moments(key, host):
        if not state.phase.is_night:
            continue
        asked = state.question is not None and state.question.firm
        assert night_intents(state) == {
            "next",
            "pause",
            "resume",
            "undo",
            "repeat",
            "hush",
            *["yes", "no"] * asked,
        }
        for said in [oracle.a_sentence(r, chance) for r in chance.sample(_commands(), 60)]:
            for talk in (False, True):
                meaning = understand(GRAMMAR, str(said), state, talk=talk)
                assert isinstance(meaning, Unclear) or meaning in (six | answers if asked else six), said
        for phrase in listen_for(GRAMMAR, state, talk=True, can_undo=True):
            readings = GRAMMAR.read(GRAMMAR.address(phrase)[0])
            assert any(reading.intent in night_intents(state) for reading in readings), phrase


@GAMES
def test_a_firm_question_is_answered_without_the_address(key: str, host: Host) -> None:
    asked = [state for state in moments(key, host) if state.question is not None and state.question.firm]
    for state in asked:
        if state.phase.is_night:
            continue
        assert understand(GRAMMAR, "да", state, talk=False) == m.Answer(True)
        assert understand(GRAMMAR, "нет", state, talk=False) == m.Answer(False)
        assert {"да", "нет"} <= set(listen_for(GRAMMAR, state, talk=False, can_undo=False))
        assert not [move for move in legal(state) if not isinstance(move, (m.Answer, m.Pause, m.Resume, m.RaiseHand))]


def test_words_are_small_russian_letters_once() -> None:
    assert len(set(WORDS)) == len(WORDS)
    assert not [word for word in WORDS if not all("а" <= letter <= "я" for letter in word)]


def test_words_that_always_follow_one_another_are_joined() -> None:
    joined = set(GRAMMAR.joined())
    assert {"номер_пять", "игроку_номер_пять", "снять_фол", "встает_из_за_стола", "пять_голосов"} <= joined
    assert all(set(text.split("_")) <= set(WORDS) for text in joined)
    assert not any("уходит" in text or text.startswith("ведущий") for text in joined)


@GAMES
def test_what_is_joined_is_covered_pair_by_pair(key: str, host: Host) -> None:
    """For a recogniser that knows the joined words as one, too, every command is a row of pairs that it was given."""
    joined, chance = set(GRAMMAR.joined()), random.Random(key)

    def as_joined(text: str) -> list[str]:
        words, found = text.split(), []
        while words:
            size = next((n for n in range(len(words), 1, -1) if "_".join(words[:n]) in joined), 1)
            found.append("_".join(words[:size]))
            words = words[size:]
        return found

    for state in moments(key, host)[::3]:
        known = {
            pair
            for phrase in listen_for(GRAMMAR, state, talk=True, can_undo=True)
            for pair in oracle.pairs(" ".join(as_joined(phrase)))
        }
        for reading in live_readings(state, True):
            text = oracle.a_sentence(reading, chance)
            if text is not None and (reading.intent != "end-speech" or state.rules.thanks_ends_speech):
                assert oracle.pairs(" ".join(as_joined(text))) <= known, text
