"""Every transcript is a test of the whole box; and a transcript that cannot be read is told by file and line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from narrator.transcript import TranscriptError, parse, replay

FOLDER = Path(__file__).parent / "data" / "transcripts"
PENDING = "pending"
"""Transcripts in this folder say what is right and is not so yet."""


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of synced moves are not the subject here."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)


def transcripts() -> list[object]:
    """Every file, those that are known to differ marked so."""
    return [
        pytest.param(
            path,
            id=path.relative_to(FOLDER).as_posix(),
            marks=pytest.mark.xfail(strict=True, reason="pending") if PENDING in path.parts else (),
        )
        for path in sorted(FOLDER.rglob("*.txt"))
    ]


@pytest.mark.parametrize("path", transcripts())
def test_a_transcript_plays_as_it_is_written(path: Path) -> None:
    wrong, _ = replay(parse(path.name, path.read_text(encoding="utf-8")))
    assert wrong == ""


START = "rules classic\nroles 1=don 2=mafia 3=mafia 4=sheriff\nstart day 2 speeches\n"


def played(text: str) -> str:
    """The first difference of a transcript."""
    return replay(parse("game.txt", text))[0]


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        ("= speaker 2", "= speaker 2: it is 1"),
        ("= phase vote", "it is speeches"),
        ("= day 3", "it is day 2"),
        ("= night 2", "it is day 2"),
        ("= left 37", "it is 60"),
        ("= paused yes", "it is no"),
        ("= alive 1 2 3", "it is 1 2 3 4 5 6 7 8 9 10"),
        ("= out 1", "it is none"),
        ("= candidates 5", "it is none"),
        ("= tally 5:1", "it is none"),
        ("= warnings 5=1", "it is none"),
        ("= lamp red", "it is green"),
        ("= buzzer 1", "it is 0"),
        ("= winner mafia", "it is none"),
        ("= check don 5 yes", "it is none"),
        ("= points 5=0.5", "it is none"),
        ("= called 5", "it is none"),
        ("= refused", "it is accepted"),
        ("< шериф", "«шериф» was not said; said since: "),
        ("<! говорит номер один", "«говорит номер один» was said"),
    ],
)
def test_a_difference_is_told_with_its_line(step: str, wrong: str) -> None:
    told = played(f"{START}{step}\n")
    assert told.startswith(f"game.txt:4: {step}: ") and wrong in told


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("rulez classic", "unknown line «rulez …» (did you mean rules?)"),
        ("rules clasic", "no ruleset clasic (did you mean classic?)"),
        ("rules", "«rules»"),
        ("set speach 30", "no rule speach (did you mean speech?)"),
        ("host somebody", "somebody"),
        ("seats ten", "ten"),
        ("roles 1", "write SEAT=VALUE"),
        ("roles 1=boss", "boss"),
        ("roles one=don", "one"),
        ("start evening 2 vote", "say start day N PHASE or start night N PHASE"),
        ("start day 2 brunch", "brunch"),
        ("start day", "«start day»"),
        ("alive all", "all"),
        ("died x", "x"),
        ("warnings 5", "write SEAT=VALUE"),
        ("misses some", "some"),
        ("дальше", "unknown line «дальше …»"),
    ],
)
def test_a_header_that_is_not_understood(line: str, why: str) -> None:
    with pytest.raises(TranscriptError) as error:
        parse("game.txt", f"# a comment\n\n{line}\n")
    assert str(error.value).startswith("game.txt:3: ") and why in str(error.value)
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("! nexxt", "nexxt"),
        ("! next sideways", "sideways"),
        ("* two", "two"),
        ("* 2 sideways", "sideways"),
        ("@ five", "five"),
        ("+ soon", "soon"),
        ("~ reboot", "reboot"),
        ("= phaze vote", "unknown state «phaze» (did you mean phase?)"),
        ("= alive one", "one"),
        ("= left", "«= left»"),
        ("= tally 5-1", "«= tally 5-1»"),
        ("=", "«= »"),
    ],
)
def test_a_step_that_is_not_understood(step: str, why: str) -> None:
    with pytest.raises(TranscriptError) as error:
        played(f"{START}{step}\n")
    assert str(error.value).startswith("game.txt:4: ") and why in str(error.value)
    assert "\n" not in str(error.value)


def test_a_header_after_the_first_step_is_no_step() -> None:
    with pytest.raises(TranscriptError, match=r"game.txt:2: «seats 9» is not a step; steps begin with"):
        parse("game.txt", "! next\nseats 9\n")


@pytest.mark.parametrize("text", ["rules classic\nseats 3\n", "rules moscow\nseats 16\n"])
def test_a_table_that_cannot_be_set_is_told(text: str) -> None:
    with pytest.raises(TranscriptError, match=r"game\.txt: the table cannot be set"):
        played(text)


@pytest.mark.parametrize(("text", "why"), [("set speech -5", "below zero"), ("set ties sometimes", "ties")])
def test_rules_that_cannot_be_played_are_told(text: str, why: str) -> None:
    with pytest.raises(TranscriptError, match=why):
        played(f"rules classic\n{text}\n")


def test_comments_case_and_punctuation_do_not_count() -> None:
    assert played(f"{START}< ГОВОРИТ, номер один!   # that is so\n> Ведущий, кто в игре?\n< в игре номер один\n") == ""


def test_what_was_said_is_used_up_in_order() -> None:
    text = f"{START}! next\n! next\n< говорит номер один\n< говорит номер два\n"
    assert played(text + "< говорит номер три\n") == ""
    assert "was not said" in played(text + "< говорит номер два\n")


def test_everything_said_and_lit_can_be_shown() -> None:
    wrong, shown = replay(parse("game.txt", f"{START}+ 50\n! next\n"), show=True)
    assert not wrong
    assert {"+ 50", "! next", "«Говорит номер один.»", "lamp green", "lamp yellow"} <= set(shown)
