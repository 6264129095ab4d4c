"""Every rule has its words, in print and aloud."""

from __future__ import annotations

import typing
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest

from narrator.game.rulesets import FIELDS, RULESETS, Ruleset, Waker, extended
from narrator.speech.grammar import grammar
from narrator.speech.lang import ru, ru_print
from narrator.speech.rules_text import GROUPS, changed, printed_rules, printed_time, sentence, spoken_rules

TYPES = typing.get_type_hints(Ruleset)


def values(field: str) -> list[Any]:
    """Values of a field that its sentences must cover: every policy, both answers, none, one, some."""
    kind = TYPES[field]
    if kind is bool:
        return [True, False]
    if kind is str:
        return ["classic", "club"]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)
    if kind in (int, float):
        return [0, 1, 2, 5, 21, 60, 90]
    assert kind == tuple[Waker, ...]
    return [(), (Waker.MAFIA,), tuple(Waker)]


def test_every_field_stands_under_one_heading() -> None:
    grouped = [field for names in GROUPS.values() for field in names]
    assert sorted(grouped) == sorted(FIELDS)
    assert set(GROUPS) == set(ru_print.RULE_HEADINGS)
    assert set(ru_print.RULE_LINES) == set(FIELDS)


@pytest.mark.parametrize("spoken", [False, True])
@pytest.mark.parametrize("field", FIELDS)
def test_every_value_of_every_field_has_its_words(field: str, spoken: bool) -> None:
    told = []
    for value in values(field):
        rules = replace(RULESETS["classic"], **{field: value})
        text = sentence(rules, field, ru, spoken=spoken)
        assert text[0].isupper() or text[0] == "«"
        assert text.endswith(".")
        assert "{" not in text
        assert not (spoken and any(letter.isdigit() for letter in text))
        told.append(text)
    assert len(set(told)) > 1, "the value makes no difference"


def test_no_sentence_is_for_a_value_that_cannot_be() -> None:
    for field in fields(Ruleset):
        kind = TYPES[field.name]
        if isinstance(kind, type) and issubclass(kind, Enum):
            assert set(ru_print.RULE_LINES[field.name]) == {member.value for member in kind}
        elif kind is bool:
            assert set(ru_print.RULE_LINES[field.name]) == {"yes", "no"}


def test_a_value_without_words_is_an_error() -> None:
    with pytest.raises(ValueError, match="no words for opener"):
        sentence(replace(RULESETS["classic"], opener="nobody"), "opener", ru)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", list(RULESETS))
def test_what_is_spoken_is_short_and_no_command(key: str) -> None:
    told = spoken_rules(RULESETS[key], "ru")
    assert 4 <= len(told) <= 9
    words = grammar("ru")
    commands = {words.normal(line) for lines in ru.COMMANDS.values() for line in lines}
    for text in told:
        assert not any(letter.isdigit() for letter in text)
        assert len(text.split()) <= 16
        assert words.normal(text) not in commands


def test_a_change_is_spoken_and_printed_with_the_books_own_words() -> None:
    rules = replace(RULESETS["classic"], last_word_voted=0)
    assert changed(rules) == ("last_word_voted",)
    assert "У ушедшего по голосованию последнего слова нет." in spoken_rules(rules, "ru")
    (line,) = [line for lines in printed_rules(rules, "ru").values() for line in lines if line.book]
    assert (line.text, line.book) == (
        "У ушедшего по голосованию последнего слова нет.",
        "Последнее слово ушедшего по голосованию: 60 секунд.",
    )


def test_the_newcomers_times_are_changes() -> None:
    assert {"speech", "tie_speech", "meeting_time"} <= set(changed(extended(RULESETS["classic"])))


def test_what_means_nothing_is_not_told() -> None:
    told = {line.field for lines in printed_rules(RULESETS["forum"], "ru").values() for line in lines}
    assert not {"one_nomination", "count_step", "call_step", "maniac_duel", "short_speech"} & told
    assert {"changes", "pardon_day_one", "conference", "misses_lose"} <= told


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1, "1 секунда"),
        (0.5, "0,5 секунды"),
        (22, "22 секунды"),
        (60, "60 секунд"),
        (120, "120 секунд"),
        (180, "3 минуты"),
        (2832, "47 минут 12 секунд"),
        (3660, "1 час 1 минута"),
    ],
)
def test_lengths_of_time_in_digits(seconds: float, text: str) -> None:
    assert printed_time(ru, seconds) == text
