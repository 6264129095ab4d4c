"""Settings: every mistake is told at once, each in a sentence that says where it stands and what to write."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from narrator.config import DEFAULTS, ConfigError, Settings, default_path, did_you_mean, load, pins_of


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of whoever runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def problems(tmp_path: Path, text: str | bytes) -> list[str]:
    """What is wrong with a settings file of this text."""
    path = tmp_path / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as error:
        load(path)
    assert all(problem.startswith(f"{path}: ") and problem.endswith(".") for problem in error.value.problems)
    assert str(error.value) == "\n".join(error.value.problems)
    return [problem.removeprefix(f"{path}: ") for problem in error.value.problems]


def test_the_defaults_are_complete_and_good() -> None:
    settings = load()
    assert settings == Settings.model_validate(tomllib.loads(DEFAULTS.read_text(encoding="utf-8")))
    pins = [pin for _, pin in pins_of(settings.panel)]
    assert len(set(pins)) == len(pins)


def test_the_users_file_is_found_and_a_named_one_comes_first(tmp_path: Path) -> None:
    default_path().parent.mkdir(parents=True)
    default_path().write_text("[voice]\nrate = 140\n")
    named = tmp_path / "mine.toml"
    named.write_text("[voice]\nvolume = 0.5\n")
    assert (load().voice.rate, load().voice.volume) == (140, 1.0)
    assert (load(named).voice.rate, load(named).voice.volume) == (150, 0.5)
    assert load(named, voice={"volume": 0.25}).voice.volume == 0.25


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        "[gmae]\nrules = 'classic'\n[game]\nhots = 'full'\nlanguage = 'en'\n"
        "[voice]\nrate = 1000\nvolume = 'loud'\n[panel]\ngreen = 99\n[paths]\nstate = 5\n[colours]\nred = 1\n",
    )
    assert len(found) == 8
    text = "\n".join(found)
    assert "there is no section [gmae] (did you mean game?)." in found
    assert "[game] has no setting hots (did you mean host?)." in found
    assert "there is no section [colours]." in found
    for part in (
        "[game] language = 'en'",
        "[voice] rate = 1000",
        "[voice] volume = 'loud'",
        "[panel] green = 99",
    ):
        assert part in text
    assert "[paths] state = 5" in text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[game]\nhost = 'nobody'\n", "[game] host = 'nobody': input should be 'full', 'light' or 'none'."),
        ("[ears]\nconfidence = 1.5\n", "[ears] confidence = 1.5: input should be less than or equal to 1."),
        ("[voice]\nvolume = -0.1\n", "[voice] volume = -0.1: input should be greater than or equal to 0."),
        ("[panel]\nhold = 0.0\n", "[panel] hold = 0.0: input should be greater than or equal to 0.2."),
        ("[voice]\nengine = 'festival'\n", "[voice] engine = 'festival'"),
        ("game = 5\n", "[game] must be a section with settings below it."),
        ("[panel]\ngreen = 27\n", "[panel] yellow and green both use pin 27; give each its own."),
        (
            '[game]\nhost = "none"\ncards = "box"\n',
            "shows the cards on phones: set [screen] open_to_lan = true, or take",
        ),
        ("[panel]\nseats = [17]\n", "[panel] seat 1 and green both use pin 17; give each its own."),
        ("[panel]\nseats = [2, 2]\n", "[panel] seat 2 and seat 1 both use pin 2; give each its own."),
        ("[game]\nrules = \n", "is not valid TOML"),
        (b"[game]\nrules = '\xff\xfe'\n", "is not valid TOML"),
    ],
)
def test_a_mistake_is_told(tmp_path: Path, text: str | bytes, problem: str) -> None:
    (found,) = problems(tmp_path, text)
    assert problem in found


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("setting", ["[voice]\nvolume", "[voice]\ntail", "[ears]\nconfidence", "[panel]\nhold"])
def test_a_number_must_be_one(tmp_path: Path, setting: str, number: str) -> None:
    assert len(problems(tmp_path, f"{setting} = {number}\n")) == 1


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.toml", tmp_path):
        with pytest.raises(ConfigError, match=r"cannot be read \(.*\); check the name and the rights\.") as error:
            load(path)
        assert str(path) in str(error.value)


def test_folders_follow_the_settings_then_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    paths = load().paths
    assert paths.state_dir == tmp_path / "s" / "narrator"
    assert paths.cache_dir == tmp_path / ".cache" / "narrator"
    assert load(None, paths={"state": "~/games"}).paths.state_dir == tmp_path / "games"


def test_a_hint_is_near_or_none() -> None:
    assert did_you_mean("clasic", ["classic", "forum"]) == " (did you mean classic?)"
    assert did_you_mean("zzz", ["classic", "forum"]) == ""
