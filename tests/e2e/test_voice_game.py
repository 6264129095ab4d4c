"""A whole classic game by voice: the real program, a loudspeaker, a microphone that also hears the loudspeaker."""

from __future__ import annotations

from concurrent.futures import Future
from statistics import median

import pytest

from tests.e2e.evening import Evening
from tests.e2e.game import MOVES, RULES, check_end, last_state
from tests.e2e.room import voices
from tests.lab import RATE, read_sound

pytestmark = pytest.mark.slow
LATE = 0.15
"""Seconds by which a lamp or the end of a sound may be late on a busy machine."""
HEARD = 0.5
"""Share of a phrase, in quarter seconds, that must be found note for note; a busy machine leaves gaps."""


@pytest.fixture
def evening(voice_game: Future[Evening]) -> Evening:
    """The game, which began with the first test of this folder and is played while others run."""
    return voice_game.result()


def test_the_journal_holds_the_moves_of_the_script(evening: Evening, capsys: pytest.CaptureFixture[str]) -> None:
    assert tuple(evening.box.moves()) == MOVES
    check_end(last_state(evening.box.journal))
    with capsys.disabled():
        print(f"\nvoice game: {len(MOVES)} moves, said again: {len(evening.repeated)} {evening.repeated}")


def test_every_phrase_was_heard_in_the_room_in_order(evening: Evening) -> None:
    done = {e["utterance"]: e["at"] for e in evening.box.told("signal", kind="SpeechDone")}
    said = evening.box.told("say")
    assert len(said) > 80 and {e["utterance"] for e in said} == set(done)
    shares: dict[str, float] = {}
    before = 0.0
    for phrase in said:
        path = evening.phrases.get(phrase["text"])
        assert path is not None, f"«{phrase['text']}» was never rendered"
        end, sound = done[phrase["utterance"]], read_sound(path)
        found = evening.room.ear.find_between(sound, max(before, end - len(sound) / RATE - 1), end + 0.5)
        shares[f"{phrase['utterance']} {phrase['text']}"] = found.share
        if found.share < HEARD:
            continue
        assert before <= found.begin, f"«{phrase['text']}» came too early"
        assert found.end <= end + LATE, f"«{phrase['text']}» was called done {found.end - end:.3f} s too early"
        before = found.end - LATE
    poor = {phrase: share for phrase, share in shares.items() if share < HEARD}
    assert len(poor) <= len(shares) / 20 and median(shares.values()) > 0.95, poor


def test_lamps_and_buzzer_keep_the_time_of_a_speech(evening: Evening) -> None:
    begun = evening.when_said("говорит номер один")
    zero = next(e["at"] for e in evening.box.told("move", kind="ready") if e["at"] > begun)
    marks = (zero + RULES["speech"] - 10, zero + RULES["speech"])
    over = marks[1] + 1
    on = {name: evening.lit(name, zero - LATE, over) for name in ("green", "yellow", "red", "buzzer")}
    assert next(at for at, level in on["green"] if level == 1) == pytest.approx(zero, abs=LATE)
    assert [level for _, level in on["yellow"]] == [1, 0]
    assert [at for at, _ in on["yellow"]] == pytest.approx(marks, abs=LATE)
    (at, level), *_ = on["red"]
    assert level == 1 and at == pytest.approx(marks[1], abs=LATE)
    assert [level for _, level in on["buzzer"]] == [1, 0, 1, 0]
    times = [at for at, _ in on["buzzer"]]
    assert times == pytest.approx([marks[0], marks[0] + 0.15, marks[1], marks[1] + 0.8], abs=LATE)


def test_the_night_is_dark_and_still(evening: Evening) -> None:
    begin = evening.when_said("мафия выходит на охоту")
    end = next(e["at"] for e in evening.box.told("say") if "Утро" in e["text"] and e["at"] > begin)
    assert not any(evening.lit(name, begin, end) for name in ("yellow", "red", "buzzer"))
    assert max(level for _, level in evening.lit("green", begin, end)) < 0.5  # the dim pulse of listening


def test_nothing_was_heard_that_no_person_said(evening: Evening) -> None:
    for heard in evening.box.told("signal", kind="Heard"):
        near = [what for begin, end, what in evening.room.spoken if begin <= heard["at"] <= end + 3]
        assert near, f"«{heard['text']}» was heard when nobody spoke\n{evening.box.story()}"


def test_people_took_part(evening: Evening) -> None:
    if "human" not in voices("пять"):
        pytest.skip("no recordings of people beside the project (shared/speech/human) or no soundfile")
    assert any(what.startswith("human") for _, _, what in evening.room.spoken)
