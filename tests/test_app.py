"""The whole box with twins for its devices and a clock moved by hand: what is heard, said, kept and survived."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from narrator.game.moves import Move
from narrator.game.state import Phase
from narrator.journal import Journal, read
from narrator.messages import (
    Buzz,
    Control,
    Earcon,
    Heard,
    Held,
    Lamp,
    PortBack,
    PortFailed,
    Pressed,
    Quit,
    Released,
    Say,
    SeatDown,
    SeatUp,
    Signal,
    SpeechDone,
    Typed,
    Wrote,
)
from narrator.ports.voice import SilentVoice
from narrator.speech.grammar import Grammar
from narrator.speech.lang import ru
from narrator.stage import Ports
from narrator.transcript import Player, parse
from narrator.wiring import deal_cards

ROLES = "roles 1=don 2=mafia 3=mafia 4=sheriff\n"
SPEECH = f"rules classic\n{ROLES}start day 2 speeches\n"
VOTE = f"rules classic\n{ROLES}start day 2 vote\ncandidates 2 9 5\n"
NIGHT = f"rules classic\n{ROLES}start night 2 night-shooting\n"


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk has its own tests."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)


@pytest.fixture
def box(tmp_path: Path) -> Callable[[str], Player]:
    """A box at the table that a transcript's header describes."""
    return lambda header: Player(parse("test", header), tmp_path)


def put(player: Player, *signals: Signal) -> str:
    """Signals arrive; returns why the last one changed nothing."""
    for signal in signals:
        player.app.refused = ""
        player.app.step(signal)
        player.settle()
    return player.app.refused


def hear(player: Player, text: str, confidence: float = 1.0) -> str:
    """The recogniser has heard `text` under the grammar of this moment."""
    return put(player, Heard(text, confidence, player.ears.epoch))


def lamp(player: Player) -> Lamp:
    """The lamp that is lit."""
    return player.panel.scene.lamp


class SlowVoice(SilentVoice):
    """A voice that speaks until `finish` or `hush`, as a loudspeaker does."""

    def __init__(self, put: Callable[[Signal], None]) -> None:
        super().__init__(put)
        self._report = put
        self.speaking: list[int] = []

    def say(self, phrases: Sequence[Say]) -> None:
        self.speaking += [phrase.utterance for phrase in phrases]
        self.said += [phrase.text for phrase in phrases]

    def finish(self, count: int = 1000) -> None:
        """The next phrases have sounded to their end."""
        done, self.speaking = self.speaking[:count], self.speaking[count:]
        for utterance in done:
            self._report(SpeechDone(utterance))

    def hush(self) -> None:
        super().hush()
        self.finish()


def slowly(player: Player) -> SlowVoice:
    """Give the box a voice that takes its time."""
    voice = SlowVoice(player.inbox.put)
    ports = player.app.stage.ports
    player.app.stage.ports = Ports(voice, ports.ears, ports.panel, ports.screen)
    return voice


# --- hearing -----------------------------------------------------------------------------------------------------


def test_what_was_heard_under_an_older_grammar_is_dropped(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    old = player.ears.epoch
    hear(player, "ведущий дальше")
    assert player.state.speaker == 2 and player.ears.epoch > old
    before = player.app.table.game
    put(player, Heard("ведущий дальше", 1.0, old), Heard("ведущий дальше", 1.0, player.ears.epoch + 1))
    assert player.app.table.game is before
    hear(player, "ведущий дальше")
    assert player.state.speaker == 3


def test_the_same_grammar_is_not_loaded_twice(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    listening = list(player.ears.listening)
    player.wait(30)
    put(player, SeatDown(5), SeatUp(5))
    assert player.ears.listening == listening
    assert [epoch for epoch, _ in listening] == sorted({epoch for epoch, _ in listening})


def test_what_was_not_heard_surely_is_asked_again(box: Callable[[str], Player]) -> None:
    player = box(VOTE)
    before = player.app.table.game
    assert hear(player, "четыре", 0.3) == "low-confidence"
    assert player.app.table.game is before
    assert player.voice.said[-1] == "Повторите, пожалуйста." and player.voice.earcons == [Earcon.AGAIN]
    assert hear(player, "четыре", 0.64) == "low-confidence"
    assert hear(player, "четыре", 0.93) == ""
    assert player.voice.earcons[-1] is Earcon.HEARD and player.state.vote is not None
    assert player.state.vote.told == 4


def test_what_costs_nothing_may_be_heard_less_surely(box: Callable[[str], Player]) -> None:
    player = box(VOTE)
    assert hear(player, "повтори", 0.52) == "low-confidence"
    assert hear(player, "повтори", 0.55) == ""
    assert hear(player, "пауза", 0.55) == "" and player.state.paused
    assert hear(player, "отмена", 0.64) == "low-confidence", "a step of the game must be surer"


def test_what_is_asked_back_anyway_may_be_heard_less_surely_but_not_the_answer(box: Callable[[str], Player]) -> None:
    player = box(VOTE)
    assert hear(player, "удалить номер пять", 0.52) == "low-confidence"
    assert hear(player, "удалить номер пять", 0.55) == ""
    assert player.voice.said[-1] == "Удалить игрока номер пять?"
    assert hear(player, "да", 0.55) == "low-confidence"
    assert 5 in player.state.alive


def test_of_two_meanings_both_are_read_out(box: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch) -> None:
    """A word may have got a second meaning from a club's own phrases."""
    player = box(SPEECH)
    monkeypatch.setitem(ru.COMMANDS, "pause", ["пауза", "стоп"])
    player.app.grammar = Grammar("ru")
    before = player.app.table.game
    assert hear(player, "ведущий стоп") == "two-readings"
    assert player.voice.said[-2:] == ["Скажите точнее.", "Тишина или пауза?"]
    assert player.voice.earcons == [Earcon.AGAIN] and player.app.table.game is before
    assert hear(player, "ведущий пауза") == "" and player.state.paused


def test_talk_at_the_table_is_neither_obeyed_nor_answered(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    said = list(player.voice.said)
    for text in ("голосование", "номер пять уходит", "пауза", "да", "я думаю это пятый"):
        for confidence in (0.2, 1.0):
            assert hear(player, text, confidence) in ("not-addressed", "not-understood")
    assert player.voice.said == said and player.voice.earcons == []


def test_a_doubtful_night_is_silent(box: Callable[[str], Player]) -> None:
    player = box(NIGHT)
    said = list(player.voice.said)
    hear(player, "дальше", 0.1)
    hear(player, "номер пять")
    hear(player, "голосование")
    put(player, Typed(99), Pressed(Control.PLUS), Wrote("номер пять"))
    assert player.voice.said == said and player.state.phase is Phase.NIGHT_SHOOTING


def test_while_the_talk_button_is_held_no_address_is_needed(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    assert hear(player, "пауза") == "not-addressed"
    put(player, Held(Control.NEXT))
    assert "пауза" in player.ears.phrases
    assert hear(player, "пауза") == "" and player.state.paused
    assert hear(player, "абракадабра") == "not-understood"
    assert player.voice.said[-1] == "Повторите, пожалуйста."
    assert player.ears.finished == 0
    put(player, Released(Control.NEXT))
    assert player.ears.finished == 1 and "продолжить" not in player.ears.phrases
    assert hear(player, "продолжить") == "not-addressed"


def test_what_the_moderator_types_is_meant_for_the_box(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    put(player, Wrote("выставляю номер пять"))
    assert player.state.candidates == (5,)


def test_a_lost_microphone_is_told_once_and_never_at_night(box: Callable[[str], Player]) -> None:
    player = box(NIGHT)
    said = list(player.voice.said)
    put(player, PortFailed("ears", "There is no microphone; plug one in."))
    assert player.voice.said == said
    assert "[ears: There is no microphone; plug one in.]" in player.screen.lines
    put(player, *[Pressed(Control.NEXT)] * 3)
    assert player.state.phase is Phase.SPEECHES
    assert sum("не слышу микрофон" in text for text in player.voice.said) == 1
    put(player, PortBack("ears"), PortFailed("panel", "The pins are busy."))
    assert sum("не слышу микрофон" in text for text in player.voice.said) == 1


# --- speaking ----------------------------------------------------------------------------------------------------


def test_time_starts_when_the_narrator_has_finished(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    voice = slowly(player)
    put(player, Pressed(Control.NEXT))
    assert len(voice.speaking) > 1 and lamp(player) is Lamp.OFF
    player.clock.advance(20)
    voice.finish(1)
    player.settle()
    timer = player.state.timer
    assert timer is not None and timer.waiting
    voice.finish()
    player.settle()
    timer = player.state.timer
    assert timer is not None and timer.left_at(player.app.table.at()) == 60
    assert lamp(player) is Lamp.GREEN


def test_next_ends_the_announcement_first_and_then_the_speech(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    voice = slowly(player)
    put(player, Pressed(Control.NEXT))
    assert player.state.speaker == 2 and voice.speaking
    put(player, Pressed(Control.NEXT))
    assert player.state.speaker == 2 and not voice.speaking
    assert lamp(player) is Lamp.GREEN
    put(player, Pressed(Control.NEXT))
    assert player.state.speaker == 3


def test_hush_is_silence_and_nothing_else(box: Callable[[str], Player]) -> None:
    player = box(VOTE)
    voice = slowly(player)
    hear(player, "кто в игре")
    before = player.app.table.game
    assert voice.speaking
    hear(player, "хватит")
    assert not voice.speaking and player.app.table.game.state.candidates == before.state.candidates


def test_at_night_nothing_that_is_being_said_is_cut_off(box: Callable[[str], Player]) -> None:
    player = box(NIGHT)
    voice = slowly(player)
    put(player, Pressed(Control.NEXT), Pressed(Control.NEXT))
    assert voice.hushes == 0 and len(voice.speaking) == len(voice.said)


def test_the_scene_says_when_the_box_listens(box: Callable[[str], Player]) -> None:
    player = box(VOTE)
    voice = slowly(player)
    hear(player, "статус")
    assert not player.panel.scene.listening
    voice.finish()
    player.settle()
    assert player.panel.scene.listening


# --- time --------------------------------------------------------------------------------------------------------


def test_a_process_that_slept_sounds_once(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    player.clock.advance(500)
    player.app.step(None)
    player.settle()
    assert player.panel.buzzes.count(Buzz.LONG) == 1 and len(player.panel.buzzes) == 1
    assert lamp(player) is Lamp.RED


def test_the_deadline_is_the_next_mark_or_a_beat(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    beats = 0
    while not player.panel.buzzes:
        ahead = player.app.table.deadline()
        assert ahead is not None and 0 < ahead - player.app.table.at() <= 1.0
        player.clock.advance(ahead - player.app.table.at())
        player.app.step(None)
        beats += 1
    assert 49 <= beats <= 52 and player.app.table.at() == pytest.approx(50)
    put(player, Held(Control.BACK))
    assert player.state.paused and player.app.table.deadline() is None


def test_quit_leaves_and_closes_everything(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    player.inbox.put(Quit())
    player.app.run()
    player.app.close()
    assert player.app.quitting and player.panel.closed and lamp(player) is Lamp.OFF


# --- the journal -------------------------------------------------------------------------------------------------


def full(descriptor: int) -> None:
    """A disk that takes nothing."""
    raise OSError(28, "No space left on device")


def test_every_move_is_on_the_disk_before_anything_is_heard(
    box: Callable[[str], Player], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = box(SPEECH)
    order: list[str] = []
    append, say = Journal.append, player.voice.say

    def appending(journal: Journal, move: Move, at: float, *, wait: bool) -> None:
        assert wait
        append(journal, move, at, wait=wait)
        order.append(move.kind)

    def saying(phrases: Sequence[Say]) -> None:
        assert read(tmp_path / "current.journal").entries[-1].move.kind == order[-1]
        order.append("says")
        say(phrases)

    monkeypatch.setattr(Journal, "append", appending)
    monkeypatch.setattr(player.voice, "say", saying)
    put(player, Pressed(Control.NEXT), Wrote("выставляю номер пять"), Pressed(Control.BACK))
    assert order == ["next", "says", "ready", "nominate", "says", "undo", "says"]


def test_the_menu_is_heard_over_what_was_being_said_and_does_what_is_taken(box: Callable[[str], Player]) -> None:
    player = box(SPEECH)
    put(player, Pressed(Control.MENU))
    assert player.voice.said[-1] == "Напомнить, что сейчас?" and player.voice.hushes
    while player.voice.said[-1] != "Призвать к порядку?":
        put(player, Pressed(Control.PLUS))
    put(player, Pressed(Control.NEXT))
    assert player.state.paused and "Тишина за столом" in player.voice.said[-1]
    assert player.state.speaker == 1, "Next took the offer and did not end the speech"


def test_a_mark_of_time_does_not_wait_for_the_card_and_is_written_all_the_same(
    box: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    player = box(SPEECH)
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    for left in (10.0, 0.0):
        while player.state.timer is not None and player.state.timer.left_at(player.app.table.at()) > left:
            player.clock.advance(0.5)
            player.app.step(None)
    kinds = [entry.move.kind for entry in read(tmp_path / "current.journal").entries]
    assert kinds[-2:] == ["time-up", "time-up"]
    journal = player.app.table._journal._file.fileno()
    assert journal not in synced
    put(player, Pressed(Control.NEXT))
    assert journal in synced


def test_a_full_disk_is_told_and_the_game_goes_on(
    box: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    player = box(SPEECH)
    monkeypatch.setattr(os, "fdatasync", full)
    put(player, Pressed(Control.NEXT))
    assert player.state.speaker == 2 and any("номер два" in text for text in player.voice.said)
    told = [line for line in player.screen.lines if "free some space" in line]
    assert told and "current.journal: cannot be written" in told[0]


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
def test_after_a_disk_that_failed_for_a_while_a_restart_finds_a_state_that_was(
    box: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """Moves that could not be written may be lost, but later ones must not be played without them."""
    player = box(SPEECH)
    seen = [player.state]
    texts = (
        "выставляю номер пять",
        "дальше",
        "выставляю номер семь",
        "дальше",
        "замечание номер два",
        "дальше",
    )
    for number, text in enumerate(texts):
        with monkeypatch.context() as patch:
            if number == lost:
                patch.setattr(os, "fdatasync", full)
            put(player, Wrote(text))
        seen.append(player.state)
    player.crash()
    known = [(s.speaker, s.candidates, s.warnings) for s in seen]
    state = player.state
    assert (state.speaker, state.candidates, state.warnings) in known


def test_nothing_of_the_last_game_can_be_taken_back_in_the_next(tmp_path: Path) -> None:
    player = Player(parse("test", SPEECH), tmp_path)
    pages: list[Path] = []

    def new_page() -> Journal:
        pages.append(tmp_path / f"page-{len(pages)}.journal")
        return Journal.create(pages[-1], "ru")

    monkey = player.app.table
    monkey._new_page = new_page
    put(player, Wrote("новая игра"), Wrote("да"))
    assert player.state.phase is Phase.LOBBY and len(pages) == 1
    assert put(player, Pressed(Control.BACK)) == "nothing-to-undo"
    assert [entry.move.kind for entry in read(pages[0]).entries] == ["set-up"]


# --- the box deals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("host", "phase"), [("full", Phase.NIGHT_MEETING), ("none", Phase.LOBBY)])
def test_the_box_deals_and_with_no_host_waits_until_everybody_has_seen_his_card(
    box: Callable[[str], Player], host: str, phase: Phase
) -> None:
    player = box(f"rules classic\nhost {host}\n")
    player.app._deal = deal_cards
    assert put(player, Pressed(Control.NEXT)) == ""
    assert sorted(map(str, player.app.state.roles)) == ["civilian"] * 6 + ["don", "mafia", "mafia", "sheriff"]
    assert player.app.state.phase is phase
    dealt = player.app.state.roles
    put(player, Pressed(Control.NEXT))
    assert player.app.state.phase.is_night and player.app.state.roles == dealt
