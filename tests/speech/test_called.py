"""Players called by name, and a club's own phrases: what is heard is the right seat, or nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from narrator.game import moves as m
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.speech import club
from narrator.speech.grammar import Grammar, grammar, reading
from narrator.speech.intents import listen_for, understand
from narrator.speech.lang import ru_names
from narrator.speech.names import Names
from narrator.speech.repertoire import repertoire
from tests.speech.oracle import pairs
from tests.table import placed

HUNDRED = tuple(
    name
    for line in (Path(__file__).parents[1] / "data" / "names.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
    for name in line.split()
)
BASE: Grammar = grammar("ru")
CASES = {
    "who": [("{} уходит", "leave"), ("{} встаёт из-за стола", "leave"), ("{} минута", "floor"), ("убита {}", "killed")],
    "whom": [
        ("выставляю {}", "nominate"),
        ("на голосование {}", "nominate"),
        ("удалить {}", "remove"),
        ("{}", "choose"),
    ],
    "to_whom": [("замечание {}", "warn"), ("{} фол", "warn"), ("слово {}", "floor"), ("минус фол {}", "unwarn")],
    "of_whom": [("снять замечание с {}", "unwarn")],
}


def tables() -> list[tuple[str, ...]]:
    """The hundred names at tables of ten, shuffled a few times; every seat with another name."""
    found = []
    for seed in range(3):
        names = list(HUNDRED)
        random.Random(seed).shuffle(names)
        found += [tuple(names[at : at + 10]) for at in range(0, len(names), 10)]
    return found


def test_there_are_a_hundred_names() -> None:
    assert len(set(HUNDRED)) == 100


@pytest.mark.parametrize("table", tables(), ids=lambda table: "-".join(table[:2]))
def test_every_form_of_every_name_is_the_right_seat(table: tuple[str, ...]) -> None:
    named = BASE.named(table)
    assert named.players is not None
    unheard = [int(re.findall(r"seat (\d+)", why)[0]) for why in named.players.unheard]
    for seat, name in enumerate(table, 1):
        for case, sentences in CASES.items():
            for sentence, intent in sentences:
                said = named.normal(sentence.format(ru_names.declined(name, case)))
                expected = () if seat in unheard else (reading(intent, seat=seat),)
                assert named.read(said) == expected, said


def test_of_a_hundred_at_one_table_three_pairs_cannot_be_told_apart() -> None:
    together = Names("ru", HUNDRED, {}, BASE.words())
    told = {re.findall("«(.+?)»", why)[0] for why in together.unheard}
    assert told == {"Александр", "Александра", "Валерий", "Валерия", "Евгений", "Евгения"}


def test_both_players_of_a_sentence_may_be_called() -> None:
    named = BASE.named(("Анна", "Борис", "Вера"))
    both = (reading("nominate", by=1, seat=2),)
    assert named.read("анна выставляет бориса") == named.read("номер один выставляет бориса") == both
    assert named.read("анна выставляет второго") == both
    assert named.read("вера голосует за анну") == (reading("vote-for", by=3, seat=1),)
    assert named.read("анну выставляет борис") == named.read("анна выставляет борису") == ()


@pytest.mark.parametrize(
    ("names", "heard", "why"),
    [
        (("Анна", "Анна"), {}, ["«Анна» (seat 2)", "«Анна» (seat 1)"]),
        (
            ("Александр", "Александра", "Глеб"),
            {3: "глеб"},
            ["it sounds like «Александра»", "it sounds like «Александр»"],
        ),
        (("Анна Седова", "Анна Круглова"), {1: "анна седова", 2: "анна круглова"}, []),
        (("Стоп", "Третий", "Ведущий"), {}, ["a word of the commands"] * 3),
        (("Jo", "П.", "Ник 7"), {}, ["in Russian letters"] * 3),
        (("", "Глеб", " "), {2: "глеб"}, []),
        (("Иван Третий",), {1: "иван"}, []),
    ],
)
def test_who_could_be_somebody_else_is_called_by_number(
    names: tuple[str, ...], heard: Mapping[int, str], why: list[str]
) -> None:
    players = Names("ru", names, {}, BASE.words())
    assert {seat: forms[0] for seat, forms in players.forms("who").items()} == heard
    assert len(players.unheard) == len(why)
    for told, part in zip(players.unheard, why, strict=True):
        assert part in told and "by number only" in told and told.endswith(".") and "\n" not in told


def test_what_a_model_must_know_has_its_yo() -> None:
    assert {"пётр", "петра", "алёну"} <= set(Names("ru", ("Петр", "Алёна"), {}, ()).vocabulary())


def test_names_are_listened_for_while_their_players_live() -> None:
    names = ("Анна", "Борис", "Вера", "Глеб", *[""] * 6)
    state = replace(placed(RULESETS["classic"], Phase.SPEECHES, alive=(1, 2, 3, 5, 6, 7, 8, 9)).state, names=names)
    heard = {pair for phrase in listen_for(BASE, state, talk=True, can_undo=True) for pair in pairs(phrase)}
    for said, meaning in (
        ("выставляю бориса", m.Nominate(2)),
        ("замечание вере", m.Warn(3)),
        ("борис минута", m.Next()),
    ):
        assert pairs(said) <= heard and understand(BASE, said, state, talk=True) == meaning
    assert not pairs("замечание глебу") <= heard


# --- a club's own phrases ----------------------------------------------------------------------------------------

CLUB = {
    "город засыпает": "дальше",
    "жёлтая карточка {кому}": "замечание {кому}",
    "на выход {кого}": "удалить {кого}",
    "рук {сколько}": "{сколько}",
}
SAID = tuple(text for rules in RULESETS.values() for text in repertoire("ru", rules, rules.seats))


def test_a_clubs_phrases_mean_their_commands() -> None:
    assert club.problems(BASE, CLUB, SAID) == []
    own = Grammar("ru", own=club.templates(BASE, CLUB))
    named = own.named(("Анна", "Борис"))
    assert own.read("город засыпает") == (reading("next"),)
    assert own.read("желтая карточка номеру пять") == (reading("warn", seat=5),)
    assert own.read("рук четыре") == own.read("рук четыре голоса") == (reading("count", count=4),)
    assert named.read("желтая карточка анне") == (reading("warn", seat=1),)
    assert named.read("на выход бориса") == named.read("на выход второго") == (reading("remove", seat=2),)
    assert named.read("желтая карточка анну") == named.read("рук анна") == ()
    assert {"желтая", "засыпает", "выход"} <= set(own.words())
    assert not {"желтая", "засыпает", "выход"} & set(BASE.words())
    assert set(own.everything()) == set(BASE.everything())


@pytest.mark.parametrize(
    ("phrase", "command", "why"),
    [
        ("дальше", "пауза", "it is a command already (next)"),
        ("номер {кого}", "удалить {кого}", "it is a command already (choose)"),
        ("Ура!", "дальше", "write it in small Russian letters"),
        ("тур 2", "дальше", "write it in small Russian letters"),
        ("", "дальше", "write it in small Russian letters"),
        ("{кого}", "удалить {кого}", "write it in small Russian letters"),
        ("(а|б)", "дальше", "write it in small Russian letters"),
        ("мафия удаляется", "дальше", "the narrator himself says «мафия удаляется»"),
        ("говорит {кого}", "удалить {кого}", "the narrator himself says «говорит номер один»"),
        ("ведущий вперед", "дальше", "leave «ведущий» out"),
        ("вперед", "идем дальше", "there is no such command"),
        ("вперед", "удалить номер пять", "there is no such command"),
        ("вперед {кто}", "дальше", "hold the same place"),
        ("на выход {кто}", "удалить {кого}", "hold the same place"),
        ("меняю {кого} на {кого}", "удалить {кого}", "hold the same place"),
        ("на выход {кем}", "удалить {кем}", "hold the same place"),
        ("на выход {сколько}", "удалить {сколько}", "there is no such command"),
    ],
)
def test_a_phrase_that_cannot_be_is_told_with_the_reason(phrase: str, command: str, why: str) -> None:
    (told,) = club.problems(BASE, {phrase: command}, SAID)
    assert told.startswith(f"«{phrase}» = «{command}»: ") and why in told and told.endswith(".")


def test_the_same_phrase_twice() -> None:
    (told,) = club.problems(BASE, {"всё": "дальше", "все": "пауза"}, ())
    assert "it is «всё» again" in told
