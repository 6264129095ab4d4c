"""Everything a moderator can say, as a table; and no template that the table never exercises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narrator.game import moves as m
from narrator.game.guards import allowed
from narrator.speech.grammar import grammar
from narrator.speech.intents import Request, Unclear, listen_for, understand
from narrator.speech.lang import ru
from tests.speech.oracle import pairs, read, written_out
from tests.speech.positions import position, written

DATA = Path(__file__).parents[1] / "data"
GRAMMAR: Any = grammar("ru")


def table(name: str) -> list[list[str]]:
    """Rows of a tab-separated file without its comments."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


SPOKEN = table("spoken.tsv")
NUMERALS = table("numerals.tsv")
CONTEXTS = [("замечание ", ""), ("удалить ", ""), ("выставляю ", ""), ("я выбираю ", "")]


@pytest.mark.parametrize(("where", "said", "meaning"), SPOKEN, ids=[f"{row[0]}: {row[1]}" for row in SPOKEN])
def test_what_is_said_means(where: str, said: str, meaning: str) -> None:
    found = understand(GRAMMAR, said, position(where), talk=where.endswith("talk"))
    assert written(found) == meaning


@pytest.mark.parametrize(("where", "said", "meaning"), SPOKEN, ids=[f"{row[0]}: {row[1]}" for row in SPOKEN])
def test_what_is_said_can_be_heard(where: str, said: str, meaning: str) -> None:
    """The recogniser's phrases cover every pair of words of a command that is legal now."""
    state = position(where)
    found = understand(GRAMMAR, said, state, talk=where.endswith("talk"))
    if isinstance(found, Unclear) or (not isinstance(found, (Request, m.Undo)) and allowed(state, found) is not None):
        return  # nothing that is legal now
    heard = listen_for(GRAMMAR, state, talk=where.endswith("talk"), can_undo=True)
    assert pairs(GRAMMAR.normal(said)) <= set().union(*map(pairs, heard))


def test_every_template_is_exercised() -> None:
    said = {GRAMMAR.address(GRAMMAR.normal(row[1]))[0] for row in SPOKEN if not row[2].startswith("(")}
    unsaid = []
    for intent, templates in ru.COMMANDS.items():
        if intent == "restart":
            continue  # the speech timer's own word
        texts = [text for text in said if any(reading.intent == intent for reading in read(text))]
        for template in templates:
            shapes = {" ".join(sentence) for sentence in written_out(template)}
            if not any(_shape(text, shape) for text in texts for shape in shapes):
                unsaid.append(f"{intent}: {template}")
    assert not unsaid, "add rows to tests/data/spoken.tsv for " + "; ".join(unsaid)


def _shape(text: str, shape: str) -> bool:
    words, tokens = text.split(), shape.split()
    return len(words) == len(tokens) and all(t[0] == "{" or t == w for t, w in zip(tokens, words, strict=True))


@pytest.mark.parametrize(
    ("number", "cardinal", "ordinals", "nouns"),
    NUMERALS,
)
def test_every_form_of_a_seats_number(number: str, cardinal: str, ordinals: str, nouns: str) -> None:
    for form in (cardinal, *ordinals.split(), *nouns.split()):
        for said in (form, form.replace("ё", "е"), form.capitalize() + "!"):
            for before, after in CONTEXTS:
                readings = GRAMMAR.read(GRAMMAR.normal(before + said + after))
                assert [dict(reading.slots) for reading in readings] == [{"seat": int(number)}], before + said + after


@pytest.mark.parametrize(
    ("said", "is_command"),
    [
        ("пятый уходит", True),
        ("пятая уходит", True),
        ("номер пять уходит", True),
        ("игрок пять уходит", True),
        ("пятого уходит", False),
        ("пятый замечание", True),
        ("пятому замечание", True),
        ("пятой фол", True),
        ("номеру пять фол", True),
        ("пятого замечание", False),
        ("пятым фол", False),
        ("пятого убит", False),
        ("третий голосует за пятого", True),
        ("третьего голосует за пятого", False),
        ("замечание игроку номер пять", True),
        ("замечание номер пятым", False),
    ],
)
def test_a_number_in_the_wrong_case_is_the_middle_of_a_sentence(said: str, is_command: bool) -> None:
    assert bool(GRAMMAR.read(said)) == is_command == bool(read(said))


def test_no_word_names_two_seats() -> None:
    named: dict[str, str] = {}
    for number, cardinal, ordinals, nouns in NUMERALS:
        for form in {cardinal, *ordinals.split(), *nouns.split()}:
            assert named.setdefault(form, number) == number
