"""Protocols of games that were played as transcripts or at random: what is told, what undo takes back, what is kept
secret, and which journal is meant."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from datetime import datetime
from pathlib import Path

import pytest

from narrator import archive, cli
from narrator.game import moves as m
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS
from narrator.journal import Entry, Journal
from narrator.protocol import Protocol, ProtocolError, from_json, protocols, to_csv, to_json, to_text
from narrator.protocol.files import latest, read
from narrator.protocol.text import COLUMNS
from narrator.transcript import Player, parse
from tests.table import whole_game

TRANSCRIPTS = Path(__file__).parent / "data" / "transcripts"
EVENING = datetime(2026, 3, 14, 21, 0)


def played(text: str, folder: Path) -> Protocol:
    """The protocol of a transcript, read from the journal that playing it leaves."""
    player = Player(parse("game", text), folder)
    for step in player.script.steps:
        assert player.step(step) == "", f"line {step.line}"
    player.app.close()
    return read(folder / archive.CURRENT).protocol


def of_file(name: str, folder: Path) -> Protocol:
    return played((TRANSCRIPTS / name).read_text(encoding="utf-8"), folder)


def entries(key: str, host: Host, seed: int) -> list[Entry]:
    return [Entry(step.move, step.at) for step in whole_game(key, host, seed)]


# --- the day -----------------------------------------------------------------------------------------------------


def test_rounds_ties_and_a_lift(tmp_path: Path) -> None:
    (day,) = of_file("classic/b12-lift.txt", tmp_path).days
    assert [[(votes.seat, votes.votes, votes.rest) for votes in r.votes] for r in day.rounds] == [
        [(2, 5, False), (9, 5, True)],
        [(2, 5, False), (9, 5, True)],
    ]
    assert [r.tied for r in day.rounds] == [(2, 9), (2, 9)]
    (lift,) = day.lifts
    assert (lift.seats, lift.leave, lift.votes) == ((2, 9), True, 6)
    assert [(gone.seat, gone.how) for gone in day.departures] == [(2, "voted"), (9, "voted")]
    assert [(s.kind, s.seat) for s in day.speeches] == [
        ("tie-speech", 2), ("tie-speech", 9), ("last-word", 2), ("last-word", 9),
    ]  # fmt: skip


def test_what_was_undone_is_not_told(tmp_path: Path) -> None:
    protocol = of_file("classic/e02-undo-count.txt", tmp_path)
    (day,) = protocol.days
    (vote,) = day.rounds
    assert [(votes.seat, votes.votes) for votes in vote.votes] == [(2, 5), (5, 0), (9, 5)]
    assert day.departures == ()
    assert all(player.out == "" for player in protocol.players)


def test_warnings_with_their_running_count(tmp_path: Path) -> None:
    protocol = of_file("classic/warnings.txt", tmp_path)
    (day,) = protocol.days
    assert [(w.seat, w.count, w.taken_back) for w in day.warnings] == [
        (5, 3, False), (5, 4, False), (5, 3, True), (5, 4, False),
    ]  # fmt: skip
    assert (protocol.players[4].warnings, protocol.players[4].out) == (4, "removed")
    assert "Замечания: 5 – 3 из 4; 5 – 4 из 4; 5 – снято, осталось 3; 5 – 4 из 4" in to_text(protocol)


def test_a_speech_tells_what_it_took_with_time_added_and_time_over(tmp_path: Path) -> None:
    game = "rules classic\nroles 1=don 2=mafia 3=mafia 4=sheriff\nstart day 1 speeches\n"
    steps = "> ведущий, выставляю номер пять\n+ 50\n> ведущий, плюс десять\n+ 23\n! next\n+ 4\n! next\n"
    (day,) = played(game + steps, tmp_path).days
    first, second, third = day.speeches
    assert (first.given, first.used, first.over) == (70, 73, 3)
    assert (second.given, second.used, second.over) == (60, 4, 0)
    assert third.used is None
    assert [(n.seat, n.by) for n in day.nominations] == [(5, 1)]


def test_named_votes_with_a_change_and_a_pass(tmp_path: Path) -> None:
    game = "rules forum\nroles 1=don 2=mafia 3=mafia 4=sheriff\nstart day 2 vote\nalive 1 3 4 5 6 7\n"
    told = ["третий за пятого", "третий за шестого", "первый пас", "четвертый за шестого"]
    told += ["пятый за шестого", "шестой за пятого", "седьмой за шестого"]
    steps = "".join(f"> {line}\n" for line in told) + "! next\n"
    protocol = played(game + steps, tmp_path)
    (vote,) = protocol.days[0].rounds
    told_first = [(b.voter, b.candidate, b.change) for b in vote.ballots[:3]]
    assert told_first == [(3, 5, False), (3, 6, True), (1, None, False)]
    assert {votes.seat: votes.votes for votes in vote.votes} == {5: 1, 6: 4}
    assert protocol.players[5].out == "voted"
    assert "3 за 5, 3 меняет голос: 6, 1 пас" in to_text(protocol)


def test_the_victim_decides(tmp_path: Path) -> None:
    protocol = of_file("moscow/a06-victim-decides.txt", tmp_path)
    (asked,) = protocol.days[0].victim_votes
    assert (asked.victim, asked.seats, asked.chosen) == (9, (1, 4), 4)


def test_one_of_two_candidates_takes_the_other_along(tmp_path: Path) -> None:
    protocol = of_file("moscow/a11-one-of-two-leaves.txt", tmp_path)
    assert [(gone.seat, gone.how) for gone in protocol.days[0].departures] == [(4, "left"), (8, "with-other")]


def test_a_removal_is_a_modkill_where_the_book_says_so(tmp_path: Path) -> None:
    protocol = of_file("forum/c11-modkill-cancels-the-vote.txt", tmp_path)
    assert "модкилл: удалён" in to_text(protocol)
    assert [no.cancelled for day in protocol.days for no in day.no_vote] == [True]


# --- the night and the end ---------------------------------------------------------------------------------------


def test_the_best_move_in_the_rulebooks_form(tmp_path: Path) -> None:
    told = (TRANSCRIPTS / "forum/c17-best-move.txt").read_text(encoding="utf-8")
    running = played(told, tmp_path)
    assert "  ЛХ: 1, 2, 3 (назвал 5)\n" in to_text(running)
    over = [*_entries(tmp_path), Entry(m.Remove(1), 9), Entry(m.Answer(True), 9), Entry(m.Remove(2), 9)]
    over += [Entry(m.Answer(True), 9), Entry(m.Remove(3), 9), Entry(m.Answer(True), 9)]
    (protocol,) = protocols(over)
    assert protocol.winner == "town"
    assert "  ЛХ: 1, 2, 3 (назвал 5, баллы 0,5)\n" in to_text(protocol)


def _entries(folder: Path) -> list[Entry]:
    from narrator.journal import read as read_journal

    return list(read_journal(folder / archive.CURRENT).entries)


def test_a_whole_game_with_its_nights(tmp_path: Path) -> None:
    protocol = of_file("hostless/whole-moscow.txt", tmp_path)
    night = next(night for night in protocol.nights if night.number == 2)
    assert [(shot.by, shot.seat) for shot in night.shots] == [("mafia", 1), ("maniac", 9)]
    assert [(c.by, c.seat, c.answer) for c in night.checks] == [("don", 3, "yes"), ("sheriff", 11, "red")]
    assert [(gone.seat, gone.by) for gone in night.departures] == [(1, "mafia"), (9, "maniac")]
    assert (protocol.state, protocol.winner, protocol.why) == ("over", "mafia", "numbers")
    assert protocol.players[1].role is Role.DON
    text = to_text(protocol)
    assert "Выстрел мафии: промах" in text
    assert text.rstrip().endswith("Итог: победа мафии – у мафии перевес")


def test_a_changed_rule_is_told(tmp_path: Path) -> None:
    text = "rules classic\nset speech 90\nnames 1=Анна 2=Борис\nroles 1=don 2=mafia 3=mafia 4=sheriff\n"
    protocol = played(text + "start day 1 speeches\n", tmp_path)
    assert protocol.changed == ("speech",)
    assert "  * Речь: 90 секунд.\n" in to_text(protocol)
    assert [player.name for player in protocol.players][:3] == ["Анна", "Борис", ""]


# --- games at random ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", list(Host))
@pytest.mark.parametrize("key", list(RULESETS))
def test_any_game_agrees_with_its_end(key: str, host: Host) -> None:
    steps = whole_game(key, host, 1)
    (protocol,) = protocols([Entry(step.move, step.at) for step in steps], EVENING)
    state = steps[-1].after.state
    assert state.outcome is not None
    assert {player.seat for player in protocol.players if not player.out} == state.alive
    assert tuple(player.warnings for player in protocol.players) == state.warnings
    assert protocol.winner == state.outcome.winner
    assert protocol.ended == EVENING
    left = [gone.seat for day in protocol.days for gone in day.departures]
    left += [gone.seat for night in protocol.nights for gone in night.departures]
    assert sorted(left) == [seat for seat in range(1, state.seats + 1) if seat not in state.alive]
    assert from_json(to_json(protocol)) == protocol


@pytest.mark.parametrize("key", list(RULESETS))
def test_a_game_that_goes_on_keeps_its_secrets(key: str) -> None:
    moves = entries(key, Host.FULL, 2)
    for length in range(4, len(moves) - 1, max(len(moves) // 12, 1)):
        for protocol in protocols(moves[:length]):
            assert protocol.state == "running"
            assert {player.role for player in protocol.players} == {None}
            assert not any(night.shots or night.checks or night.seconds for night in protocol.nights)
            assert not any(gone.by for night in protocol.nights for gone in night.departures)
            assert not any(best.points for night in protocol.nights for best in night.best_moves)
            assert not {"role", "shot", "check"} & {row["event"] for row in rows(protocol)}


def rows(protocol: Protocol) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(protocol))))


def test_the_table_has_a_row_for_each_event_in_order(tmp_path: Path) -> None:
    protocol = of_file("hostless/whole-moscow.txt", tmp_path)
    table = rows(protocol)
    assert tuple(table[0]) == COLUMNS
    places = [int(row["no"]) for row in table if row["no"]]
    assert places == sorted(places)
    assert table[-1] == dict.fromkeys(COLUMNS, "") | {
        "at": "372.0", "event": "result", "by": "numbers", "value": "mafia",
    }  # fmt: skip
    votes = [(row["seat"], row["value"]) for row in table if row["event"].startswith("votes") and row["number"] == "2"]
    assert votes == [("1", "2"), ("4", "2"), ("6", "7")]


# --- journals ----------------------------------------------------------------------------------------------------


def write(path: Path, moves: list[Entry]) -> None:
    journal = Journal.create(path, "ru")
    for entry in moves:
        journal.append(entry.move, entry.at)
    journal.close()


def test_the_last_finished_game_is_meant_else_the_one_that_goes_on(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="no game was played here yet"):
        latest(tmp_path)
    game = entries("classic", Host.FULL, 2)
    write(tmp_path / archive.CURRENT, game[:-2])
    assert latest(tmp_path).protocol.state == "running"
    kept = archive.games_dir(tmp_path)
    kept.mkdir()
    (kept / "2026-01-01-200000.journal").write_text("nonsense", encoding="utf-8")
    write(kept / "2025-12-31-200000.journal", game)
    write(kept / "2025-12-30-200000.journal", game)
    assert latest(tmp_path).path.stem == "2025-12-31-200000"
    write(tmp_path / archive.CURRENT, game)
    assert latest(tmp_path).path.name == archive.CURRENT


def test_a_game_is_dated_by_its_journal(tmp_path: Path) -> None:
    path = tmp_path / "2026-03-14-230000.journal"
    write(path, entries("classic", Host.FULL, 2))
    os.utime(path, (EVENING.timestamp(), EVENING.timestamp()))
    protocol = read(path).protocol
    assert protocol.ended == EVENING
    os.utime(path)  # a copy looks newer than the name says
    ended = read(path).protocol.ended
    assert ended is not None
    assert abs((ended - datetime(2026, 3, 14, 23, 0)).total_seconds()) < 1


def test_so_many_games_are_kept_and_never_the_new_one_is_lost(tmp_path: Path) -> None:
    game = entries("classic", Host.FULL, 2)
    for year in (2090, 2091, 2092):  # a clock that has gone back: the new game looks oldest
        write(_made(archive.games_dir(tmp_path)) / f"{year}-01-01-200000.journal", [])
    write(tmp_path / archive.CURRENT, game)
    archive.clear(tmp_path, keep=2)
    stems = [path.stem[:4] for path in archive.kept(tmp_path)]
    assert stems == ["2092", f"{datetime.now():%Y}"]
    assert not (tmp_path / archive.CURRENT).exists()


def test_a_lobby_in_which_nobody_played_is_not_kept(tmp_path: Path) -> None:
    write(tmp_path / archive.CURRENT, entries("classic", Host.FULL, 2)[:1])
    archive.clear(tmp_path, keep=5)
    assert archive.kept(tmp_path) == ()
    assert not (tmp_path / archive.CURRENT).exists()


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# --- the command -------------------------------------------------------------------------------------------------


def command(monkeypatch: pytest.MonkeyPatch, state: Path, *words: str) -> int:
    """Run `narrator protocol …` on a state folder; returns the exit code."""
    config = state / "config.toml"
    config.write_text(f'[paths]\nstate = "{state}"\n', encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["narrator", "protocol", "--config", str(config), *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_the_command_prints_lists_and_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command(monkeypatch, tmp_path, "--list") == 0
    assert capsys.readouterr().out == "Игр пока нет.\n"
    write(_made(archive.games_dir(tmp_path)) / "2025-12-31-200000.journal", entries("classic", Host.FULL, 2))
    assert command(monkeypatch, tmp_path) == 0
    assert capsys.readouterr().out.startswith("Протокол игры\n")
    assert command(monkeypatch, tmp_path, "2025-12-31-200000", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["rules"]["key"] == "classic"
    assert command(monkeypatch, tmp_path, "--format", "csv") == 0
    assert capsys.readouterr().out.startswith(",".join(COLUMNS))
    assert command(monkeypatch, tmp_path, "--list") == 0
    assert "2025-12-31-200000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read"),
        (b"", "is empty"),
        (b"\x00\xff nonsense\n", "is not a journal of this program"),
        ("lobby", "no game was begun"),
        ("unfit", "Move 2 (cast-votes) does not fit the game (not-now)"),
    ],
)
def test_a_bad_file_is_one_sentence(
    content: object,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    path = tmp_path / "bad.journal"
    set_up = Entry(m.SetUp(10, RULESETS["classic"], Host.FULL), 0.0)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "lobby":
        write(path, [set_up])
    elif content == "unfit":
        write(path, [set_up, Entry(m.CastVotes(3), 1.0)])
    assert command(monkeypatch, tmp_path, str(path)) == 2
    out, told = capsys.readouterr()
    assert out == ""
    assert sentence in told
    assert told.count("\n") == 1
