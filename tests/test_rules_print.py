"""The rules in print: sentences, the table of moves, the diagram that was found by playing."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from narrator import cli
from narrator.explore import STILL, TRIED, Edges, explore
from narrator.game.guards import TABLE
from narrator.game.rulesets import RULESETS
from narrator.game.state import Ask, Phase
from narrator.rules_print import as_diagram, as_table, as_text, kind_name, move_kinds
from narrator.speech.lang import ru_print

WALKS = 200
"""Few are enough to see the course of a game; the printed diagram takes ten times as many."""


@cache
def found(key: str) -> Edges:
    return explore(RULESETS[key], walks=WALKS)


# --- words -------------------------------------------------------------------------------------------------------


def test_every_phase_move_and_question_has_its_name() -> None:
    assert set(ru_print.PHASES) == {phase.value for phase in Phase}
    assert set(ru_print.MOVES) == {kind_name(kind) for kind in move_kinds()}
    assert set(ru_print.ASKED) == {ask.value for ask in Ask}


def test_a_clubs_change_is_marked() -> None:
    lines = list(as_text(replace(RULESETS["moscow"], speech=90), "ru"))
    assert lines[0] == "Московские правила (moscow)"
    marked = [line for line in lines if line.startswith("*")]
    assert marked == ["* Речь: 90 секунд. (изменено клубом; в книге: Речь: 60 секунд.)"]


# --- the table ---------------------------------------------------------------------------------------------------


def test_the_table_is_the_games_own() -> None:
    read: dict[str, set[str]] = {phase: set() for phase in TABLE}
    for line in as_table(RULESETS["classic"], "ru"):
        if named := re.match(r"\| .*`([a-z-]+)` *\|(.*)\|$", line):
            for phase, cell in zip(TABLE, named[2].split("|"), strict=True):
                if cell.strip():
                    read[phase].add(named[1])
    assert read == {phase: {kind_name(kind) for kind in kinds} for phase, kinds in TABLE.items()}


# --- the diagram -------------------------------------------------------------------------------------------------


def test_every_kind_of_move_is_tried_or_left_out_for_a_reason() -> None:
    in_table = {kind for kinds in TABLE.values() for kind in kinds}
    assert in_table == set(TRIED) | set(STILL)
    assert not set(TRIED) & set(STILL)


COURSE = {
    "classic": [("lobby", "night-meeting"), ("night-meeting", "speeches"), ("vote", "tie-speech"), ("vote", "lift")],
    "moscow": [("lobby", "introductions"), ("introductions", "night-meeting"), ("night-sheriff", "night-maniac")],
    "forum": [("lobby", "night-conference"), ("tie-speech", "lift"), ("night-sheriff", "best-move")],
    "sport": [("vote", "tie-speech"), ("vote", "lift"), ("night-sheriff", "best-move"), ("vote", "last-word")],
}
NEVER = {
    "classic": ["introductions", "best-move", "victim-vote", "night-maniac", "night-conference"],
    "moscow": ["lift", "best-move", "night-conference", "last-word"],
    "forum": ["introductions", "victim-vote", "night-maniac"],
    "sport": ["introductions", "victim-vote", "night-maniac", "night-conference"],
}


@pytest.mark.parametrize("key", list(RULESETS))
def test_the_map_shows_the_course_of_the_rulebook(key: str) -> None:
    edges = found(key)
    assert {(Phase(before), Phase(after)) for before, after in COURSE[key]} <= set(edges)
    assert not {phase.value for edge in edges for phase in edge} & set(NEVER[key])
    assert edges[Phase.GAME_OVER, Phase.LOBBY] == {"next"}
    for (before, _), labels in edges.items():
        kinds = {kind_name(kind) for kind in TABLE[before]}
        assert {label if not label.startswith("answer-") else "answer" for label in labels} <= kinds


def test_the_same_seed_finds_the_same_map() -> None:
    rules = RULESETS["sport"]
    assert explore(rules, seed=3, walks=40) == explore(rules, seed=3, walks=40)


def test_the_diagram_is_mermaid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("narrator.rules_print.explore", lambda rules: found(rules.key))
    lines = list(as_diagram(RULESETS["classic"], "ru"))
    assert lines[1] == "stateDiagram-v2"
    named = {name[1] for line in lines if (name := re.fullmatch(r'    state "[^"]+" as ([a-z_]+)', line))}
    arrow_line = re.compile(r"    ([a-z_]+|\[\*]) --> ([a-z_]+|\[\*])( : [^:]+)?")
    arrows = [arrow_line.fullmatch(line) for line in lines[2 + len(named) :]]
    assert all(arrows)
    assert {end for arrow in arrows if arrow for end in (arrow[1], arrow[2])} == named | {"[*]"}
    assert len(arrows) == len(found("classic")) + 2


# --- the command -------------------------------------------------------------------------------------------------


def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: str, *words: str) -> int:
    config = tmp_path / "config.toml"
    config.write_text(settings, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["narrator", "rules", "--config", str(config), *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_without_a_key_the_rulesets_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command(monkeypatch, tmp_path, '[game]\nrules = "forum"\n') == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[0] for line in lines] == [" ", " ", "*", " "]
    assert lines[0].endswith("за столом 7–15")


def test_the_settings_changes_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command(monkeypatch, tmp_path, "[rules]\nspeech = 45\n", "classic") == 0
    assert "* Речь: 45 секунд." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "words", "sentence"),
    [
        ("", ("clasic",), "There are no rules 'clasic' (did you mean classic?)"),
        ("", ("--table",), "Say which rules"),
        ("[rules]\nspeach = 45\n", ("classic",), "has no setting speach (did you mean speech?)"),
        ("[rules]\nspeech = 0\n", ("classic", "--table"), "a day needs speeches"),
    ],
)
def test_a_mistake_is_one_sentence(
    settings: str,
    words: tuple[str, ...],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert command(monkeypatch, tmp_path, settings, *words) == 2
    out, told = capsys.readouterr()
    assert out == ""
    assert sentence in told
    assert told.count("\n") == 1
