"""The voice through real sound: what the loudspeaker played is recorded and compared; and every way it can fail."""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import statistics
import threading
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from narrator.config import load
from narrator.messages import Earcon, PortBack, PortFailed, Say, Signal, SpeechDone
from narrator.ports.engines import EngineMissing, engine_for
from narrator.ports.gate import Gate
from narrator.ports.phrases import phrase_cache
from narrator.ports.sound import earcon_samples
from narrator.ports.voice import PACE, SilentVoice, SpeakerVoice
from tests.lab import RATE, Pulse, need_sound_server, read_sound, use, wait_for

pytestmark = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="no espeak-ng; apt install espeak-ng")

MORNING = "Доброе утро, город! Этой ночью никто не был убит."
STOP = "Стоп."
TURN = "Игрок номер десять, ваша речь."
AFTER = 0.03  # seconds of silence that end a phrase


class Rig:
    """A voice and all that came out of it, with times."""

    def __init__(self, cache: Path, **options: object) -> None:
        self.signals: list[tuple[float, Signal]] = []
        self.gate_told: list[tuple[float, str]] = []
        self.gate = Gate(
            lambda: self.gate_told.append((time.monotonic(), "close")),
            lambda: self.gate_told.append((time.monotonic(), "open")),
        )
        device = options.pop("device", "pulse")
        more = options.pop("more", {})
        settings = load(voice={"device": device, "tail": 0.2, **more}).voice  # type: ignore[dict-item]
        self.voice = SpeakerVoice(
            settings,
            cache,
            lambda signal: self.signals.append((time.monotonic(), signal)),
            self.gate,
            **options,  # type: ignore[arg-type]
        )

    def wait(self, kind: type[Signal], count: int = 1, seconds: float = 15) -> tuple[float, Signal]:
        """Time and value of the `count`-th signal of a kind."""

        def there() -> list[tuple[float, Signal]]:
            found = [s for s in self.signals if isinstance(s[1], kind)]
            return found if len(found) >= count else []

        found: list[tuple[float, Signal]] = wait_for(there, seconds, f"{count} × {kind.__name__}")
        return found[count - 1]

    def done(self) -> list[int]:
        return [s.utterance for _, s in self.signals if isinstance(s, SpeechDone)]

    def ready(self) -> None:
        """Return when the speaker is open."""
        wait_for(lambda: self.voice.sound_works, 15, "an open speaker")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    phrases = phrase_cache(load().voice, folder)
    phrases.render_all([MORNING, STOP, TURN])
    phrases.close()
    return folder


@pytest.fixture
def rig(cache: Path) -> Iterator[Callable[..., Rig]]:
    rigs: list[Rig] = []

    def make(folder: Path = cache, **options: object) -> Rig:
        rigs.append(Rig(folder, **options))
        return rigs[-1]

    yield make
    for each in rigs:
        each.voice.close()


@pytest.fixture
def lone_speaker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    """A server with a loudspeaker alone, so that a stream has nowhere to go when it is unplugged."""
    need_sound_server()
    with Pulse(mic=False) as server:
        yield use(server, monkeypatch)


def file_of(folder: Path, text: str) -> Path:
    found = phrase_cache(load().voice, folder).get(text)
    assert found, text
    return found


# --- what is heard -----------------------------------------------------------------------------------------------


def test_phrases_are_heard_in_order_with_their_pause_and_done_comes_at_the_true_end(
    pulse: Pulse, rig: Callable[..., Rig], cache: Path
) -> None:
    it = rig()
    it.ready()
    with pulse.recording() as heard:
        it.voice.say([Say(1, MORNING, 0.5), Say(2, STOP)])
        it.wait(SpeechDone, 2)
        wait_for(lambda: not it.gate.held, 5, "an open gate")
    first, second = (heard.find(read_sound(file_of(cache, text))) for text in (MORNING, STOP))
    assert min(first.share, second.share) > 0.7
    assert second.begin - first.end == pytest.approx(0.5, abs=0.03)
    assert it.done() == [1, 2]
    for place, (when, _) in zip((first, second), it.signals, strict=True):
        late = when - (heard.began + place.end - AFTER)
        assert -0.02 < late < 0.3  # a recording's clock is late by its latency, so a hair below zero is no fault
    assert [told for _, told in it.gate_told] == ["close", "open"], "closed all the time, pause included"
    start, end = (heard.began + second for second in heard.sounding())
    assert it.gate_told[0][0] < start
    assert it.gate_told[1][0] > end + 0.15


def test_hush_is_silence_within_150_milliseconds(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig()
    it.ready()
    took = []
    for i in range(3):
        with pulse.recording() as heard:
            it.voice.say([Say(2 * i, MORNING), Say(2 * i + 1, STOP)])
            time.sleep(0.9)
            asked = time.monotonic()
            it.voice.hush()
            it.wait(SpeechDone, 2 * i + 2, 1.0)
            wait_for(lambda: not it.gate.held, 5, "an open gate")
        took.append(heard.began + heard.sounding()[1] - asked)
    assert statistics.median(took) < 0.15
    assert it.done() == list(range(6))


def test_after_a_hush_the_next_phrase_is_heard(pulse: Pulse, rig: Callable[..., Rig], cache: Path) -> None:
    it = rig()
    it.ready()
    with pulse.recording() as heard:
        it.voice.say([Say(1, MORNING, 2.0)])
        it.voice.hush()
        it.voice.say([Say(2, TURN)])
        it.wait(SpeechDone, 2, 8)
    assert it.done() == [1, 2]
    assert heard.find(read_sound(file_of(cache, TURN))).share > 0.7


def test_earcons_are_heard_and_close_the_gate(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig()
    it.ready()
    for i, earcon in enumerate(Earcon):
        with pulse.recording() as heard:
            it.voice.earcon(earcon)
            wait_for(lambda n=i: len(it.gate_told) == 2 * n + 2, 5, "closed and opened")  # type: ignore[misc]
        assert heard.find(earcon_samples(earcon, RATE) / 32768).share > 0.7
        first, last = (heard.began + second for second in heard.sounding())
        assert it.gate_told[-2][0] < first
        assert it.gate_told[-1][0] > last + 0.1
    assert it.signals == [], "an earcon is no utterance"


def test_earcons_can_be_muted_and_bells_and_beeps_sound_all_the_same(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig(more={"earcons": False})
    it.ready()
    with pulse.recording() as heard:
        it.voice.earcon(Earcon.HEARD)
        it.voice.earcon(Earcon.AGAIN)
        it.voice.earcon(Earcon.BEEP)
        wait_for(lambda: len(it.gate_told) == 2, 5, "closed and opened")
    assert heard.find(earcon_samples(Earcon.BEEP, RATE) / 32768).share > 0.7
    first, last = heard.sounding()
    assert last - first < 0.3, "nothing but the beep"


def test_music_is_played_by_night_and_does_not_close_the_gate(
    pulse: Pulse, rig: Callable[..., Rig], tmp_path: Path
) -> None:
    t = np.arange(2 * 22050) / 22050
    with wave.open(str(tmp_path / "night.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes((12000 * np.sin(2 * np.pi * 330 * t)).astype(np.int16).tobytes())
    it = rig(more={"music": str(tmp_path / "night.wav"), "music_volume": 0.5})
    it.ready()
    assert pulse.record(0.3).silent()
    it.voice.music(True)
    wait_for(lambda: not pulse.record(0.2).silent(0.1), 10, "music")
    it.voice.music(False)
    wait_for(lambda: pulse.record(0.2).silent(), 10, "no music")
    assert it.gate_told == []


def test_music_that_cannot_be_read_is_told_and_the_voice_speaks(
    pulse: Pulse, rig: Callable[..., Rig], caplog: pytest.LogCaptureFixture
) -> None:
    it = rig(more={"music": "/nowhere/night.wav"})
    it.ready()
    it.voice.music(True)
    it.voice.say([Say(1, STOP)])
    it.wait(SpeechDone)
    wait_for(lambda: "[voice] music is not played: /nowhere/night.wav" in caplog.text, 5, "a word about the music")


def test_a_text_that_is_not_cached_is_rendered_and_heard_in_its_turn(
    pulse: Pulse, rig: Callable[..., Rig], tmp_path: Path
) -> None:
    it = rig(tmp_path)
    it.ready()
    asked = time.monotonic()
    it.voice.say([Say(1, TURN), Say(2, STOP)])
    assert time.monotonic() - asked < 0.1, "the caller does not wait for the synthesiser"
    with pulse.recording() as heard:
        it.wait(SpeechDone, 2)
    places = [heard.find(read_sound(file_of(tmp_path, text))) for text in (TURN, STOP)]
    assert min(place.share for place in places) > 0.7
    assert places[0].end < places[1].begin + 0.05
    assert it.done() == [1, 2]


def test_a_damaged_cache_file_is_rendered_again_and_heard(
    pulse: Pulse, rig: Callable[..., Rig], cache: Path, tmp_path: Path
) -> None:
    shutil.copytree(cache, tmp_path, dirs_exist_ok=True)
    path = file_of(tmp_path, TURN)
    path.write_bytes(path.read_bytes()[:3000])
    it = rig(tmp_path)
    it.ready()
    with pulse.recording() as heard:
        it.voice.say([Say(1, TURN)])
        it.wait(SpeechDone)
    assert heard.find(read_sound(path)).share > 0.7


def test_a_digit_is_an_error_in_the_log_and_no_sound(
    pulse: Pulse, rig: Callable[..., Rig], caplog: pytest.LogCaptureFixture
) -> None:
    it = rig(paced=False)
    it.ready()
    with pulse.recording() as heard, caplog.at_level(logging.ERROR):
        it.voice.say([Say(1, "Игрок 10, ваша речь.")])
        it.wait(SpeechDone)
    assert heard.silent()
    assert "in words" in caplog.text


# --- what fails --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_sound_process_ends_its_phrase_and_the_next_is_heard(
    pulse: Pulse, rig: Callable[..., Rig], cache: Path
) -> None:
    it = rig()
    it.ready()
    with pulse.recording() as heard:
        it.voice.say([Say(1, MORNING), Say(2, TURN)])
        time.sleep(0.5)
        pid = it.voice.sound_pid
        assert pid
        os.kill(pid, signal.SIGKILL)
        it.wait(SpeechDone, 1, 1.0)
        it.wait(PortBack)
        it.wait(SpeechDone, 2)
    assert it.done() == [1, 2]
    assert heard.find(read_sound(file_of(cache, TURN))).share > 0.7
    assert it.wait(PortFailed)[1] == PortFailed(
        "voice", "The sound process failed: the process ended (-9); it is started again."
    )
    assert len([s for _, s in it.signals if isinstance(s, PortFailed)]) == 1
    assert it.voice.sound_pid != pid


@pytest.mark.slow
def test_a_pulled_plug_ends_its_phrase_and_is_found_again(
    lone_speaker: Pulse, rig: Callable[..., Rig], cache: Path
) -> None:
    it = rig()
    it.ready()
    it.voice.say([Say(1, MORNING), Say(2, STOP)])
    time.sleep(0.5)
    lone_speaker.unload_sink()
    it.wait(SpeechDone, 1, 1.5)
    it.wait(PortFailed, 1, 1.5)
    it.wait(SpeechDone, 2, 5)
    assert it.done() == [1, 2]
    wait_for(lambda: not it.gate.held, 2, "an open gate: nothing sounds")
    lone_speaker.load_sink()
    it.wait(PortBack, 1, 10)
    with lone_speaker.recording() as heard:
        it.voice.say([Say(3, TURN)])
        it.wait(SpeechDone, 3)
    assert heard.find(read_sound(file_of(cache, TURN))).share > 0.7


@pytest.mark.slow
def test_a_device_that_goes_quiet_without_a_word_is_noticed(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig()
    it.ready()
    it.voice.say([Say(1, MORNING)])
    with pulse.frozen():
        it.wait(PortFailed, 1, 8)
        it.wait(SpeechDone, 1, 1)
    it.wait(PortBack, 1, 20)


@pytest.mark.slow
def test_a_speaker_that_appears_later_is_found(
    rig: Callable[..., Rig], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_sound_server()
    with Pulse(start=False) as pulse:
        use(pulse, monkeypatch)
        it = rig()
        _, failed = it.wait(PortFailed)
        assert isinstance(failed, PortFailed)
        assert failed.port == "voice"
        pulse.start()
        it.wait(PortBack, 1, 10)
        with pulse.recording() as heard:
            it.voice.say([Say(1, TURN)])
            it.wait(SpeechDone)
        assert heard.find(read_sound(file_of(cache, TURN))).share > 0.7
        assert len([s for _, s in it.signals if isinstance(s, PortFailed)]) == 1, "told once, not at every try"
        it.voice.close()


def test_without_a_device_the_flow_keeps_the_pace_of_speech(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig(device="no such speaker")
    _, failed = it.wait(PortFailed)
    assert isinstance(failed, PortFailed)
    assert "no such speaker" in failed.why
    assert "pulse" in failed.why, "the names to choose from"
    asked = time.monotonic()
    it.voice.say([Say(1, TURN, 0.4), Say(2, STOP)])
    it.voice.earcon(Earcon.HEARD)
    first, last = it.wait(SpeechDone)[0] - asked, it.wait(SpeechDone, 2)[0] - asked
    assert PACE * len(TURN) <= first < PACE * len(TURN) + 0.5
    assert first + 0.4 + PACE * len(STOP) - 0.01 <= last
    assert it.gate_told == [], "the microphone may listen: nothing sounds"


def test_an_ambiguous_name_is_refused_with_the_names(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig(device="ul", paced=False)  # pulse and default
    _, failed = it.wait(PortFailed)
    assert isinstance(failed, PortFailed)
    assert "pulse" in failed.why
    assert "default" in failed.why
    asked = time.monotonic()
    it.voice.say([Say(i, MORNING, 1.0) for i in range(20)])
    it.wait(SpeechDone, 20, 1)
    assert it.done() == list(range(20))
    assert time.monotonic() - asked < 1.0, "not paced"


class NoEngine:
    """An engine that is not installed; its key is the real one, so that cached phrases are found."""

    def __init__(self) -> None:
        self.key = engine_for(load().voice).key

    def render(self, text: str, path: Path) -> None:
        raise EngineMissing("the synthesiser cannot start; run: sudo apt install espeak-ng")

    def close(self) -> None:
        return


def test_without_an_engine_what_is_cached_is_still_heard(pulse: Pulse, rig: Callable[..., Rig], cache: Path) -> None:
    it = rig(engine=NoEngine())
    it.ready()
    with pulse.recording() as heard:
        it.voice.say([Say(1, "Этого нет."), Say(2, TURN), Say(3, "И этого нет.")])
        it.wait(SpeechDone, 3)
    assert it.done() == [1, 2, 3]
    assert heard.find(read_sound(file_of(cache, TURN))).share > 0.7
    failed = [s for _, s in it.signals if isinstance(s, PortFailed)]
    assert failed == [PortFailed("synthesiser", "The synthesiser cannot start; run: sudo apt install espeak-ng.")]


@pytest.mark.slow
def test_every_utterance_is_done_exactly_once_whatever_happens(
    pulse: Pulse, rig: Callable[..., Rig], cache: Path
) -> None:
    chance = random.Random(7)
    it = rig(paced=False, engine=NoEngine())
    said = 0
    for _ in range(120):  # from the first moment, when no speaker is open yet
        match chance.choice(("say", "say", "say", "hush", "earcon", "kill", "wait")):
            case "say":
                count = chance.randint(1, 3)
                texts = [chance.choice((STOP, "Этого нет.", "Цифра 5.")) for _ in range(count)]
                it.voice.say([Say(said + i, text, 0.01) for i, text in enumerate(texts)])
                said += count
            case "hush":
                it.voice.hush()
            case "earcon":
                it.voice.earcon(chance.choice(list(Earcon)))
            case "kill":
                pid = it.voice.sound_pid
                if pid and chance.random() < 0.4:
                    os.kill(pid, signal.SIGKILL)
            case "wait":
                time.sleep(chance.random() / 3)
    it.voice.hush()
    it.wait(SpeechDone, said)
    wait_for(lambda: not it.gate.held, 10, "an open gate")
    assert it.done() == list(range(said)), "each once, in order"
    closing = [told for _, told in it.gate_told]
    assert closing == ["close", "open"] * (len(closing) // 2)


def test_close_while_speaking_leaves_silence_no_process_and_an_open_gate(pulse: Pulse, rig: Callable[..., Rig]) -> None:
    it = rig()
    it.ready()
    it.voice.say([Say(1, MORNING)])
    wait_for(lambda: it.gate.held, 5, "speech")
    pid = it.voice.sound_pid
    asked = time.monotonic()
    it.voice.close()
    assert time.monotonic() - asked < 3
    assert not it.gate.held
    assert it.voice.sound_pid is None
    assert not Path(f"/proc/{pid}").exists()
    assert not [t for t in threading.enumerate() if t.name.startswith(("voice", "speaker"))]


def test_the_silent_twin_keeps_what_it_was_told() -> None:
    signals: list[Signal] = []
    voice = SilentVoice(signals.append)
    voice.say([Say(1, MORNING), Say(2, STOP, 0.5)])
    voice.earcon(Earcon.AGAIN)
    voice.hush()
    voice.close()
    assert voice.said == [MORNING, STOP]
    assert voice.earcons == [Earcon.AGAIN]
    assert signals == [SpeechDone(1), SpeechDone(2)]
