"""What the narrator says: whole Russian phrases for everything that happens, rendered beforehand, never a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest

from narrator.game import events as e
from narrator.game import moves as m
from narrator.game.guards import Refusal, allowed
from narrator.game.reducer import play
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS, extended
from narrator.game.state import Phase
from narrator.messages import Buzz
from narrator.speech.director import Director
from narrator.speech.grammar import grammar
from narrator.speech.intents import Request, Unclear, understand
from narrator.speech.lang import ru
from narrator.speech.repertoire import repertoire
from narrator.speech.script import JOINT, Line, script_for
from tests.table import NAMES, TABLES, games, whole_game

GAMES = pytest.mark.parametrize(("key", "host"), TABLES)
DIRECTOR = Director("ru")
GRAMMAR: Any = grammar("ru")

WORDLESS = (e.SpeechEnded, e.PrivateAnswer, e.Shot)
"""For the protocol and for the moderator's screen."""


def phrases(cues: Iterable[object]) -> Iterator[str]:
    """Whole phrases: segments that follow one another without a breath belong together."""
    parts: list[str] = []
    for cue in cues:
        if isinstance(cue, Line):
            parts.append(cue.text)
            if cue.pause != JOINT:
                yield " ".join(parts)
                parts = []
    assert not parts


def is_said_well(phrase: str) -> bool:
    """A Russian sentence for a synthesiser: no digit, no open slot, one space, a capital letter, an end."""
    return re.fullmatch(r"[А-ЯЁ][А-Яа-яЁё ,.:;?!«»—-]*[.!?]", phrase) is not None and not re.search(
        r"  | [.,:;?!]", phrase
    )


@GAMES
def test_everything_that_happens_is_said_well(key: str, host: Host) -> None:
    for game in games(key, host):
        for step in game:
            for phrase in phrases(DIRECTOR.tell(step.events, step.after.state, step.at)):
                assert is_said_well(phrase), phrase
            for phrase in phrases(DIRECTOR.now(step.after.state, step.at)):
                assert is_said_well(phrase), phrase


@GAMES
def test_every_event_has_words_or_none_on_purpose(key: str, host: Host) -> None:
    for game in games(key, host):
        for step in game:
            for event in step.events:
                told = DIRECTOR.tell([event], step.after.state, step.at)
                hushed = (
                    isinstance(event, WORDLESS)
                    or (isinstance(event, e.CardsKnown) and step.after.state.phase is not Phase.LOBBY)
                    or (isinstance(event, e.CandidateUp) and event.last)  # his hands are told with the rest
                    or (isinstance(event, e.NumberShown) and step.after.state.phase.is_night)
                    or (isinstance(event, e.LiftDecided) and event.leave and event.votes is None)
                )
                assert bool(told) != hushed, event


RARE: tuple[e.Event, ...] = (
    e.DeathNoted(3),
    e.MissingVotes((2, 5)),
    e.NominationTakenBack(5),
    e.RoleAgain("mafia"),
    e.VictimAsked(9, (2, 5)),
)
"""Events that random games seldom bring."""


@pytest.mark.parametrize("event", RARE)
@pytest.mark.parametrize("key", RULESETS)
def test_rare_events_have_words(key: str, event: e.Event) -> None:
    state = whole_game(key, Host.NONE, 0)[-1].before.state
    said = list(phrases(DIRECTOR.tell([event], state, 0.0)))
    assert said and all(map(is_said_well, said)), said


def test_no_event_is_forgotten() -> None:
    seen = {type(event) for key, host in TABLES for game in games(key, host) for step in game for event in step.events}
    assert set(get_args(e.Event)) == seen | set(map(type, RARE))


@GAMES
def test_a_speech_has_its_buzzes(key: str, host: Host) -> None:
    for step in whole_game(key, host, 0):
        for event in step.events:
            cues = DIRECTOR.tell([event], step.after.state, step.at)
            buzzes = [cue for cue in cues if isinstance(cue, Buzz)]
            if isinstance(event, e.MarkPassed):
                assert buzzes == [Buzz.LONG if event.left == 0 else Buzz.SHORT if event.left > 0 else Buzz.OVERTIME]
            else:
                assert not buzzes


def echoes(key: str, host: Host, skip: tuple[type, ...]) -> Iterator[str]:
    """Phrases that would be obeyed if the microphone heard them, with what they would do."""
    for game in games(key, host):
        for step in game:
            state = step.after.state
            for event in step.events:
                if not isinstance(event, skip):
                    for phrase in phrases(DIRECTOR.tell([event], state, step.at)):
                        meaning = understand(GRAMMAR, phrase, state, talk=False)
                        if isinstance(meaning, (Request, m.Undo)) or (
                            not isinstance(meaning, Unclear) and allowed(state, meaning) is None
                        ):
                            yield f"{phrase} = {meaning} in {state.phase}"


@GAMES
def test_no_phrase_is_a_command_of_its_moment(key: str, host: Host) -> None:
    """A microphone that hears the narrator would hear no command. Only «два» and «три» of the hosts' old way to count
    hands could be taken for one; while they sound the microphone is shut."""
    assert list(echoes(key, host, (e.CountWord,))) == []


@pytest.mark.parametrize("key", RULESETS)
def test_the_repertoire_is_said_well(key: str) -> None:
    rules = RULESETS[key]
    for text in repertoire("ru", rules, rules.seats_max, NAMES):
        assert re.fullmatch(r"[А-Яа-яЁё ,.:;?!«»—-]+[.,:;?!]?", text), text
        assert "  " not in text and text == text.strip()


ECHOES = {"number-called", "pin-digit", "count-word-two", "count-word-three"}
ECHOES |= {"ask-warn", "ask-remove", "best-move-told"}
"""Phrases that have the form of a command and are said where it is none; see the test above."""


@pytest.mark.parametrize("key", RULESETS)
def test_no_other_phrase_has_the_form_of_a_command(key: str) -> None:
    script = script_for("ru", RULESETS[key].script)
    slots = {
        "seat": 5,
        "voter": 3,
        "seats": (5,),
        "dead": (5,),
        "seconds": 60.0,
        "count": 4,
        "table": 10,
    }
    more = {"rules": ru.RULES_NAMES[key], "Role": "Дон", "Now": "Сейчас утро.", "Rules": "Речь одна минута."}
    more["commands"] = "Пауза или тишина"
    for name in script:
        if not name.startswith("private-") and name not in ECHOES:
            text = script.text(name, **slots, **more)
            assert GRAMMAR.read(GRAMMAR.address(GRAMMAR.normal(text))[0]) == (), f"{name}: {text}"


@pytest.mark.parametrize("key", RULESETS)
@pytest.mark.parametrize("slow", [False, True])
def test_what_a_game_says_was_rendered_before_it(key: str, slow: bool) -> None:
    """All that the events of a game bring to the speaker is in the repertoire; a rest of a speech may be any time."""
    rules = extended(RULESETS[key]) if slow else RULESETS[key]
    if slow:
        assert set(repertoire("ru", rules, rules.seats, ())) - set(repertoire("ru", RULESETS[key], rules.seats, ()))
        return
    for host in Host:
        for game in games(key, host):
            state = game[-1].after.state
            known = set(repertoire("ru", rules, state.seats, state.names))
            for step in game:
                if not any(isinstance(event, (e.Undone, e.Asked)) for event in step.events):
                    said = {
                        c.text for c in DIRECTOR.tell(step.events, step.after.state, step.at) if isinstance(c, Line)
                    }
                    assert said <= known, said - known


@GAMES
def test_a_refusal_is_one_sentence_and_none_at_night(key: str, host: Host) -> None:
    seen = set()
    for step in whole_game(key, host, 0)[::7]:
        state = step.after.state
        for move in (m.Nominate(1), m.CastVotes(99), m.Next(), m.Warn(99), m.Start(), m.OpenVote(), m.Undo()):
            result = play(step.after, move, step.at)
            if isinstance(result, Refusal):
                lines = DIRECTOR.refuse(result, state)
                assert len(list(phrases(lines))) <= 1 and not (lines and state.phase.is_night)
                assert all(map(is_said_well, phrases(lines))), lines
                whispered = DIRECTOR.whisper(result, state)
                assert bool(whispered) == (state.phase.is_night and host is not Host.NONE)
                seen.add(result.reason)
    assert len(seen) >= 3


def test_the_moderator_reads_why_the_first_night_does_not_go_on() -> None:
    game = next(step.after for step in whole_game("classic", Host.FULL, 0) if step.after.state.phase.is_night)
    state = replace(game.state, roles=())  # cards that nobody has told the box
    refusal = play(replace(game, state=state), m.Next(), 0.0)
    assert isinstance(refusal, Refusal)
    assert DIRECTOR.refuse(refusal, state) == ()
    assert DIRECTOR.whisper(refusal, state) == "Сначала введите номера тех, кто проснулся. Осталось: 3"


@GAMES
def test_what_is_asked_of_the_narrator_is_answered(key: str, host: Host) -> None:
    for step in whole_game(key, host, 0)[::5]:
        state, at = step.after.state, step.at
        for lines in (DIRECTOR.status(state), DIRECTOR.time_left(state, at), DIRECTOR.rules(state)):
            assert list(phrases(lines)) and all(map(is_said_well, phrases(lines))), lines


@GAMES
def test_repeat_is_never_answered_with_silence(key: str, host: Host) -> None:
    for game in games(key, host):
        for step in game:
            assert list(phrases(DIRECTOR.now(step.after.state, step.at))), step.after.state.phase


def test_every_request_is_understood_in_the_lobby() -> None:
    state = whole_game("classic", Host.FULL, 0)[0].after.state
    said = {"повтори", "стоп", "сколько времени", "статус", "правила", "код доступа"}
    assert {understand(GRAMMAR, text, state, talk=False) for text in said} == set(Request)


@pytest.mark.parametrize("key", RULESETS)
def test_every_wording_fills(key: str) -> None:
    script = script_for("ru", RULESETS[key].script)
    assert set(ru.SCRIPTS[key]) <= set(ru.BASE), "a wording without a phrase"
    assert key in ru.RULES_NAMES and set(ru.BASE) == set(script)


# --- Russian -----------------------------------------------------------------------------------------------------

VOTES = "0 голосов,1 голос,2 голоса,3 голоса,4 голоса,5 голосов,6 голосов,7 голосов,8 голосов,9 голосов,10 голосов"
VOTES += ",11 голосов,12 голосов,13 голосов,14 голосов,15 голосов,16 голосов,17 голосов,18 голосов,19 голосов"
VOTES += ",20 голосов,21 голос,22 голоса,25 голосов,101 голос,111 голосов,112 голосов,124 голоса"


@pytest.mark.parametrize("pair", VOTES.split(","))
def test_plurals(pair: str) -> None:
    number, noun = pair.split()
    assert ru.plural(int(number), "голос/голоса/голосов") == noun


@pytest.mark.parametrize(
    ("number", "forms", "said"),
    [
        (0, "голос/голоса/голосов", "ноль голосов"),
        (1, "голос/голоса/голосов", "один голос"),
        (2, "голос/голоса/голосов", "два голоса"),
        (1, "минута/минуты/минут", "одна минута"),
        (2, "минута/минуты/минут", "две минуты"),
        (21, "секунда/секунды/секунд", "двадцать одна секунда"),
        (22, "секунда/секунды/секунд", "двадцать две секунды"),
        (1, "замечание/замечания/замечаний", "одно замечание"),
        (3, "замечание/замечания/замечаний", "три замечания"),
        (11, "замечание/замечания/замечаний", "одиннадцать замечаний"),
    ],
)
def test_numbers_agree_with_their_nouns(number: int, forms: str, said: str) -> None:
    assert ru.counted(number, forms) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "ноль секунд"),
        (1, "одна секунда"),
        (2, "две секунды"),
        (10, "десять секунд"),
        (15, "пятнадцать секунд"),
        (21, "двадцать одна секунда"),
        (30, "тридцать секунд"),
        (37.4, "тридцать семь секунд"),
        (59.6, "одна минута"),
        (60, "одна минута"),
        (61, "одна минута одна секунда"),
        (75, "одна минута пятнадцать секунд"),
        (90, "полторы минуты"),
        (120, "две минуты"),
        (123, "две минуты три секунды"),
        (300, "пять минут"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert ru.duration(seconds) == said


def test_texts_are_compared_without_case_yo_and_punctuation() -> None:
    assert ru.normal("  Пятый встаёт из-за стола!  ") == "пятый встает из за стола"
    assert ru.normal("ВЕДУЩИЙ, ЕЩЁ РАЗ…") == "ведущий еще раз"
    assert ru.normal("—?!") == ""
