"""The command line: a mistake is one sentence on standard error and code 2, never a traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from narrator import __version__
from narrator.cli import main
from narrator.game import moves as m
from narrator.journal import Journal, read

GOOD = "rules classic\nroles 1=don 2=mafia 3=mafia 4=sheriff\nstart day 2 speeches\n! next\n= speaker 2\n"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the program in a home of its own; returns its code and what it wrote to both streams."""
    for name in ("STATE", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("COLUMNS", "200")

    def with_arguments(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["narrator", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1 if error.code else 0
        out, err = capsys.readouterr()
        return code, out, err

    return with_arguments


def file(path: Path, text: str | bytes) -> Path:
    """A file of this text."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def one_sentence(err: str) -> str:
    """The one line of a mistake."""
    assert "Traceback" not in err
    (line,) = err.splitlines()
    assert line.endswith(".")
    return line


def test_the_version_and_the_help(run: Run) -> None:
    assert run("version") == (0, f"narrator {__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    for verb in ("play", "timer", "replay", "hear", "say", "render", "wiring", "rules", "protocol"):
        assert re.search(rf"\b{verb}\b", out), verb


@pytest.mark.parametrize(
    "arguments",
    [
        ["dance"],
        ["play", "--what"],
        ["replay"],
        ["say"],
        ["rules", "classic", "moscow"],
        ["wiring", "--seats", "x"],
    ],
)
def test_wrong_words_are_explained(run: Run, arguments: list[str]) -> None:
    code, _, err = run(*arguments)
    assert code == 2 and "Traceback" not in err and "Usage:" in err


# --- settings ----------------------------------------------------------------------------------------------------


def test_every_mistake_in_the_settings_is_listed(run: Run, tmp_path: Path) -> None:
    config = file(
        tmp_path / "c.toml",
        "[game]\nhots = 'full'\n[voice]\nrate = 9\n[panel]\ngreen = 99\n[pannel]\nx = 1\n",
    )
    code, out, err = run("play", "--config", config)
    assert (code, out) == (2, "") and "Traceback" not in err
    assert len(err.splitlines()) == 4 and all(line.startswith(f"{config}: ") for line in err.splitlines())
    assert "(did you mean host?)" in err and "(did you mean panel?)" in err


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[game]\nrules = 'clasic'\n", "There are no rules 'clasic' (did you mean classic?)"),
        ("[game]\nhost = 'me'\n", "[game] host = 'me'"),
        ("[game]\nlanguage = 'xx'\n", "[game] language = 'xx'"),
        ("[game]\nseats = 12\n", "12"),
        ("[rules]\nspeach = 3\n", "[rules] has no setting speach (did you mean speech?)."),
        ("[rules]\nspeech = nan\n", "speech"),
        ("this is no TOML", "is not valid TOML"),
    ],
)
def test_a_game_is_not_begun_with_wrong_settings(run: Run, tmp_path: Path, text: str, part: str) -> None:
    code, out, err = run("play", "--config", file(tmp_path / "c.toml", text))
    assert (code, out) == (2, "")
    assert part in one_sentence(err)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["play", "--config", "nowhere.toml"], "nowhere.toml: cannot be read (No such file or directory)"),
        (["play", "--rules", "clasic"], "did you mean classic?"),
        (["play", "--host", "me"], "[game] host = 'me'"),
        (["rules", "clasic"], "did you mean classic?"),
        (["rules", "--table"], "narrator rules classic --table"),
        (["timer", "soon"], "soon"),
        (["wiring", "--seats", "99"], "99"),
        (["wiring", "--seats", "5", "--keep", "x"], "--keep x"),
        (["replay", "nowhere.txt"], "nowhere.txt: cannot be read (No such file or directory)."),
        (["protocol", "nowhere.journal"], "nowhere"),
        (["hear", "nowhere.wav"], "nowhere.wav cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence(run: Run, arguments: list[str], part: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert part in one_sentence(err)


def test_the_log_level_is_one_of_four(run: Run) -> None:
    code, _, err = run("play", "--log", "loud")
    assert code == 2 and "Traceback" not in err and "loud" in err


# --- transcripts -------------------------------------------------------------------------------------------------


def test_transcripts_that_agree_and_one_that_does_not(run: Run, tmp_path: Path) -> None:
    good, bad = file(tmp_path / "good.txt", GOOD), file(tmp_path / "bad.txt", GOOD + "= speaker 7\n")
    assert run("replay", good) == (0, f"{good}: ok\n", "")
    code, out, err = run("replay", bad, good)
    assert (code, err) == (1, "")
    assert out.splitlines() == [f"{bad}:6: = speaker 7: it is 2", f"{good}: ok"]
    code, out, _ = run("replay", "--show", good)
    assert code == 0 and "«Говорит номер один.»" in out.splitlines() and "! next" in out.splitlines()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (GOOD + "дальше\n", ":6: «дальше» is not a step"),
        ("rulez classic\n", ":1: unknown line «rulez …» (did you mean rules?)."),
        (GOOD + "= phaze vote\n", ":6: «= phaze vote»: unknown state «phaze» (did you mean phase?)."),
        (GOOD + "! nxt\n", ":6: «! nxt»"),
        (b"\xff\xfe\x00", "it is no UTF-8 text"),
        ("rules classic\nset speech -3\n", "below zero"),
        ("rules classic\nset ties never\n", "ties = 'never'"),
        ("rules classic\nseats 44\n", "the table cannot be set"),
    ],
)
def test_a_transcript_that_cannot_be_read(run: Run, tmp_path: Path, text: str | bytes, part: str) -> None:
    path = file(tmp_path / "game.txt", text)
    code, out, err = run("replay", path)
    assert (code, out) == (2, "")
    assert part in one_sentence(err) and str(path) in err


# --- files of other kinds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no sound at all", b"RIFF\x24\0\0\0WAVEfmt " + bytes(20)])
def test_a_broken_sound_file_is_told(run: Run, tmp_path: Path, content: bytes) -> None:
    code, out, err = run("hear", file(tmp_path / "broken.wav", content))
    assert (code, out) == (2, "")
    assert "broken.wav is no 16-bit WAV file" in one_sentence(err)


def test_a_sound_file_of_another_kind_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "eight.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(16000)
        sound.writeframes(bytes(1600))
    code, _, err = run("hear", path)
    assert code == 2 and "it has 8 bits a sample" in one_sentence(err)


def test_the_protocol_of_a_foreign_file_is_refused(run: Run, tmp_path: Path) -> None:
    code, out, err = run("protocol", file(tmp_path / "x.journal", b"Dear diary\n"))
    assert (code, out) == (2, "")
    assert "is not a journal of this program" in one_sentence(err)


# --- the whole program -------------------------------------------------------------------------------------------

SILENT = "[voice]\nenabled = false\n[ears]\nenabled = false\n[panel]\npins = 'off'\n[screen]\nenabled = false\n"


def started(tmp_path: Path, typed: str) -> subprocess.CompletedProcess[str]:
    """The program with every device off, its home below `tmp_path`, and these lines typed."""
    config = file(tmp_path / "c.toml", SILENT + f"[paths]\nstate = '{tmp_path}/state'\ncache = '{tmp_path}/cache'\n")
    return subprocess.run(
        [sys.executable, "-m", "narrator.cli", "play", "--config", str(config)],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )


def test_a_foreign_journal_is_moved_away_and_the_evening_begins(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    file(tmp_path / "state" / "current.journal", b"Dear diary\n")
    done = started(tmp_path, "статус\nq\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "is not a journal of this program" in done.stdout and "It was moved to" in done.stdout
    (kept,) = (tmp_path / "state" / "games").iterdir()
    assert kept.read_bytes() == b"Dear diary\n"
    assert "«Добрый вечер.»" in done.stdout


def test_an_interrupted_game_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    journal = Journal.create(tmp_path / "state" / "current.journal", "ru")
    journal.append(m.Start(), 1.0)
    journal.close()
    done = started(tmp_path, "да\nq\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Продолжать игру?»" in done.stdout and "«Время пошло.»" in done.stdout
    kinds = [entry.move.kind for entry in read(tmp_path / "state" / "current.journal").entries]
    assert kinds == ["start", "propose", "answer"]
    assert started(tmp_path, "q\n").stdout.count("Продолжать игру?»") == 1
