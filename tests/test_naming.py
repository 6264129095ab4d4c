"""A table's names and a club's phrases from the settings and the page into grammar, ears and sounds."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from narrator import rendering
from narrator.config import ConfigError, Settings, load
from narrator.game import moves as m
from narrator.game.lobby import first_state
from narrator.game.reducer import Played, play
from narrator.game.state import Game, State
from narrator.messages import Named
from narrator.naming import Naming, commands, vocabulary
from narrator.ports.ears import TypedEars
from narrator.speech.intents import pressed
from narrator.unattended import settings_for_a_box

CLUB = {"город засыпает": "дальше", "жёлтая карточка {кому}": "замечание {кому}"}


def settings(tmp_path: Path, **ears: Any) -> Settings:
    paths = {"state": str(tmp_path / "state"), "cache": str(tmp_path / "cache")}
    return load(Path("/dev/null"), ears=ears, paths=paths, voice={"pronounce": {"Jo": "Джо"}})


def table(*names: str, seats: int = 10) -> m.SetUp:
    return m.SetUp(seats, first_state().rules, None, dict(enumerate(names, 1)) or None)


def after(*moves: m.Move) -> State:
    game = Game(first_state())
    for move in moves:
        result = play(game, move, 0.0)
        assert isinstance(result, Played), result
        game = result.game
    return game.state


class Table:
    """Naming with ears that record, a synthesiser that is not there, and everything told."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, set_up: m.SetUp, **ears: Any) -> None:
        self.told: list[str] = []
        self.rendered: list[tuple[str, ...]] = []
        self.done = threading.Semaphore(0)

        def render(settings: Settings, texts: Any, notice: Any, *, bar: bool) -> None:
            assert not bar, "the terminal belongs to the console"
            self.rendered.append(tuple(texts))
            self.done.release()

        monkeypatch.setattr(rendering, "render_texts", render)
        self.ears = TypedEars(lambda signal: None)
        of = settings(tmp_path, **ears)
        self.naming = Naming(of, commands(of), self.ears, self.told.append, lambda text: None, set_up)
        self.set_up = set_up

    def see(self, *moves: m.Move) -> None:
        self.naming.refresh(after(self.set_up, *moves))


def test_names_of_the_settings_are_learnt_once_and_not_rendered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Table(tmp_path, monkeypatch, table("Анна", "Борис"))
    one.see()
    one.see()
    assert [{"анну", "борису"} <= set(words) for words in one.ears.learnt] == [True]
    assert one.told == [] and one.rendered == []


def test_names_written_on_the_page_are_learnt_told_and_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Table(tmp_path, monkeypatch, table())
    one.see()
    assert one.ears.learnt == [] and one.told == []
    named = pressed(Named(("Анна", "Анна", "Jo", "Пётр", "X", *[""] * 5)), first_state())
    assert isinstance(named, m.SetUp)
    one.see(named)
    assert {"джо", "петра", "пётр"} <= set(one.ears.learnt[0]) and "анну" not in one.ears.learnt[0]
    assert "петр" not in one.ears.learnt[0], "ё is pronounced"
    assert {"убита", "со"} <= set(one.ears.learnt[0]), "words that only names need"
    (told,) = one.told
    assert "«Анна» (seat 1)" in told and "«Анна» (seat 2)" in told and "«X» (seat 5)" in told and "Jo" not in told
    assert one.done.acquire(timeout=5)
    assert "Говорит номер четыре, Пётр." in one.rendered[0] and "Говорит номер три, Джо." in one.rendered[0]
    one.see(named, m.SetUp(names={1: "Анна", 3: "Вера"}))
    assert one.told[1:] == [""] and len(one.ears.learnt) == 2
    assert one.done.acquire(timeout=5)
    assert "Говорит номер один, Анна." in one.rendered[1]


def test_another_number_of_seats_is_rendered_and_keeps_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moscow = load(Path("/dev/null"), game={"rules": "moscow"})
    from narrator.rules import ruleset

    rules = ruleset(moscow.game.rules, {})
    one = Table(tmp_path, monkeypatch, m.SetUp(10, rules, None, {1: "Анна", 10: "Борис"}))
    one.see(m.SetUp(seats=9))
    assert after(one.set_up, m.SetUp(seats=9)).names == ("Анна", *[""] * 8)
    assert after(one.set_up, m.SetUp(seats=9), m.SetUp(seats=12)).names == ("Анна", *[""] * 11)
    assert one.done.acquire(timeout=5)
    assert "Игроков за столом: девять." in one.rendered[0]


def test_names_are_not_changed_in_a_game() -> None:
    assert pressed(Named(()), first_state()) == m.SetUp(names={})
    assert after(table("Анна"), m.SetUp(names={})).names == ("",) * 10


def test_a_clubs_phrases_come_from_the_settings(tmp_path: Path) -> None:
    of = settings(tmp_path, phrases=CLUB)
    words = commands(of)
    assert [reading.intent for reading in words.read("город засыпает")] == ["next"]
    known = vocabulary(of, words)
    assert "жёлтая" in known and "желтая" not in known and "засыпает" in known and "пауза" in known


def test_a_wrong_phrase_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        commands(settings(tmp_path, phrases={"дальше": "пауза", "мафия удаляется": "дальше"}))
    assert len(error.value.problems) == 2
    assert error.value.problems[0].startswith("[ears] phrases: «дальше» = «пауза»: it is a command already")


def test_a_box_that_nobody_watches_passes_over_a_wrong_phrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "config.toml"
    file.write_text('[ears]\nphrases = { "дальше" = "пауза" }\n', "utf-8")
    found, problems = settings_for_a_box(file)
    assert found.ears.phrases == {} and "it is a command already" in problems[0]


def test_setting_names_never_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Table(tmp_path, monkeypatch, table())
    held = threading.Event()
    monkeypatch.setattr(rendering, "render_texts", lambda *_, **__: held.wait(10))
    for name in ("Анна", "Борис", "Вера"):
        one.see(m.SetUp(names={1: name}))
    assert [next(w for w in words if w in ("анна", "борис", "вера")) for words in one.ears.learnt] == [
        "анна",
        "борис",
        "вера",
    ]
    held.set()
