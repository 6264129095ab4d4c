"""The child's loop with sound from memory instead of a device: every block counted, nothing depends on time."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from narrator.config import load
from narrator.messages import Form, Heard
from narrator.ports import hearing
from narrator.ports.child import Link
from narrator.ports.devices import DeviceError
from narrator.ports.ears import TypedEars
from narrator.ports.hearing import Fault, Finish, Health, Hearing, Listen, Mute, Note, Orders, Works
from narrator.ports.microphone import BLOCK, KEPT, Microphone, Source, choose
from narrator.ports.models import find_model
from narrator.ports.recogniser import Recogniser
from tests.lab import read_sound

FIVE, SIX, NEXT, STOP = "игрок номер пять", "игрок номер шесть", "дальше", "стоп"
LONG = f"{FIVE} {NEXT}"
NUMBERS, ORDERS = (FIVE, SIX), (NEXT, STOP)
WORDS = tuple(sorted({word for phrase in (*NUMBERS, *ORDERS) for word in phrase.split()}))
RATE = 16000
SIZE = round(RATE * BLOCK)
SECOND = round(1 / BLOCK)
Block = NDArray[np.int16]


class Script:
    """Link and microphone in one: block n of the sound comes after the messages of `at[n]` have been read."""

    def __init__(self, sound: Block, at: dict[int, list[Any]] | None = None) -> None:
        self.blocks = [sound[i : i + SIZE] for i in range(0, len(sound) - SIZE + 1, SIZE)]
        self.at = defaultdict(list, {n: list(messages) for n, messages in (at or {}).items()})
        self.source = Source(0, "script", RATE, 1)
        self.lost = self.overflows = self.next = self.dropped = self.opened = self.closed_streams = 0
        self.active = True
        self.moved = ""
        self.sent: list[Any] = []

    # the link
    @property
    def closed(self) -> bool:
        return self.next >= len(self.blocks)

    def receive(self, timeout: float) -> Any:
        waiting = self.at[self.next]
        return waiting.pop(0) if waiting else None

    def send(self, message: Any) -> None:
        self.sent.append((self.next, message))

    def beat(self) -> None:
        return

    # the microphone
    def read(self, timeout: float) -> Block | None:
        self.next += 1
        block = self.blocks[self.next - 1]
        return block if len(block) else None

    def drop(self) -> None:
        self.dropped += 1

    def close(self) -> None:
        self.closed_streams += 1

    def open(self) -> Microphone:
        self.opened += 1
        return cast(Microphone, self)

    def of(self, kind: type[Any]) -> list[Any]:
        return [message for _, message in self.sent if isinstance(message, kind)]

    def when(self, kind: type[Any]) -> list[int]:
        return [n for n, message in self.sent if isinstance(message, kind)]


class Tape:
    """A recogniser that hears nothing and counts the blocks since it was reset."""

    def __init__(self) -> None:
        self.fed = self.resets = 0
        self.partial = ""

    def listen(self, phrases: Sequence[str], forms: Sequence[Form] | None = None) -> None:
        self.reset()

    def reset(self) -> None:
        self.fed = 0
        self.resets += 1

    def feed(self, frames: bytes) -> list[Any]:
        self.fed += 1
        return []

    def finish(self) -> None:
        return None


def run(script: Script, recogniser: Recogniser | Tape, listen: Listen | None = None) -> Script:
    orders = Orders(listen or Listen())
    Hearing(cast(Link, script), orders, cast(Recogniser, recogniser), script.open).run()
    return script


def seconds(n: float, level: float = 20.0) -> Block:
    """A quiet room, or exact zeros."""
    return np.random.default_rng(0).normal(0, level, round(n * RATE)).astype(np.int16)


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests may have made this process bigger than a recogniser's may be."""
    monkeypatch.setattr(hearing, "MEMORY", 1 << 40)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return find_model(load().ears, tmp_path_factory.mktemp("cache"), WORDS)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Block]:
    """espeak-ng's man at 16 kHz."""
    folder = tmp_path_factory.mktemp("spoken")

    def speak(text: str) -> Block:
        path = folder / f"{text}.wav"
        subprocess.run(["espeak-ng", "-v", "ru+m4", "-s", "160", "-w", path, text], check=True)
        return (read_sound(path, RATE) * 32767).astype(np.int16)

    return speak


# --- with the real recogniser ---


def test_the_talk_button_ends_an_utterance(model: Path, spoken: Callable[[str], Block]) -> None:
    """Before any end-pointer: the phrase could still go on, and no silence has come."""
    speech = spoken(FIVE)
    released = len(speech) // SIZE
    script = Script(np.concatenate([speech, seconds(0.3)]), {released: [Finish()]})
    run(script, Recogniser(model, RATE), Listen(4, (FIVE, LONG)))
    (heard,) = script.of(Heard)
    assert (heard.text, heard.epoch) == (FIVE, 4)
    assert script.when(Heard)[0] - released == round(hearing.RELEASE / BLOCK)


def test_what_is_said_over_a_switch_belongs_to_nobody(model: Path, spoken: Callable[[str], Block]) -> None:
    speech = spoken(FIVE)
    middle = len(speech) // SIZE * 2 // 3
    script = Script(np.concatenate([speech, seconds(1), spoken(NEXT), seconds(1)]), {middle: [Listen(2, ORDERS)]})
    run(script, Recogniser(model, RATE), Listen(1, NUMBERS))
    heard = script.of(Heard)
    assert Heard(NEXT, heard[-1].confidence, 2) == heard[-1]
    assert not [h for h in heard if h.epoch == 1]


def test_a_thousand_switches_at_random_moments(model: Path, spoken: Callable[[str], Block]) -> None:
    """No abort, no wrong epoch; and whole utterances between switches are still heard."""
    random = np.random.default_rng(11)
    sound = np.concatenate([part for text in (FIVE, NEXT, SIX, STOP) for part in (spoken(text), seconds(0.6))])
    script = Script(np.tile(sound, 40))
    grammars: dict[int, tuple[str, ...]] = {0: NUMBERS}
    for n in np.sort(random.integers(0, len(script.blocks), 1000)):
        kind = int(random.integers(6))
        if kind == 0:
            script.at[int(n)] += [Mute(int(random.integers(2)))]
        elif kind == 1:
            script.at[int(n)] += [Finish()]
        else:
            epoch = len(grammars)
            grammars[epoch] = (NUMBERS, ORDERS, NUMBERS, ())[kind - 2]
            script.at[int(n)] += [Listen(epoch, grammars[epoch])]
    run(script, Recogniser(model, RATE, early=True), Listen(0, NUMBERS))
    heard = script.of(Heard)
    assert len(heard) > 10
    for h in heard:
        assert set(h.text.split()) <= {w for phrase in grammars[h.epoch] for w in phrase.split()} | {"[unk]"}


def test_what_is_cut_off_is_heard_without_any_confidence(model: Path, spoken: Callable[[str], Block]) -> None:
    """The gate opens while somebody speaks."""
    speech = spoken(FIVE)
    speech = speech[np.flatnonzero(np.abs(speech) > 300)[0] :]
    script = run(Script(np.concatenate([speech, seconds(1)])), Recogniser(model, RATE), Listen(1, NUMBERS))
    (heard,) = script.of(Heard)
    assert (heard.text, heard.confidence) == (FIVE, 0.0)
    assert len(script.of(Note)) == 1


def test_phrases_that_cannot_be_heard_are_noted_and_nothing_is_heard(model: Path) -> None:
    script = run(Script(seconds(1)), Recogniser(model, RATE), Listen(1, ("абракадабра",)))
    assert len(script.of(Note)) == 1
    assert not script.of(Heard)


# --- the loop ---


def test_the_same_orders_again_disturb_nothing() -> None:
    tape = Tape()
    run(Script(seconds(1), {5: [Listen(1, NUMBERS), Mute(0)], 9: [Listen(1, NUMBERS)]}), tape, Listen(1, NUMBERS))
    assert tape.fed == SECOND


def test_only_an_open_gate_with_phrases_lets_sound_through() -> None:
    tape = Tape()
    script = Script(
        seconds(2),
        {10: [Mute(1)], 12: [Mute(2)], 14: [Mute(1)], 20: [Mute(0)], 30: [Listen(2, ())], 35: [Listen(3, ORDERS)]},
    )
    fed: list[tuple[int, int]] = []
    tape.feed = lambda frames: fed.append((script.next, len(frames))) or []  # type: ignore[method-assign,func-returns-value]
    run(script, tape, Listen(1, NUMBERS))
    assert [n for n, _ in fed] == [*range(1, 11), *range(21, 31), *range(36, 2 * SECOND + 1)]
    assert {size for _, size in fed} == {2 * SIZE}
    assert script.dropped == 4  # at the start, when the gate opened, at both switches: nothing old is recognised


def test_exact_zeros_are_reported_once_and_the_stream_is_opened_again() -> None:
    quiet = seconds(hearing.ALL_ZERO * 4, level=0)
    script = run(Script(np.concatenate([seconds(1), quiet, seconds(1)])), Tape())
    (fault,) = script.of(Fault)
    assert "script" in fault.why
    assert script.when(Fault) == [round((1 + hearing.ALL_ZERO) / BLOCK)]
    assert script.when(Works)[1] == round((1 + 4 * hearing.ALL_ZERO) / BLOCK) + 1
    assert (script.opened, script.closed_streams) == (3, 3)  # at the start, after 10 s and after 20 s more


def test_short_zeros_are_a_quiet_source() -> None:
    script = run(Script(np.concatenate([seconds(1), seconds(hearing.ALL_ZERO - 0.1, level=0), seconds(1)])), Tape())
    assert not script.of(Fault)
    assert script.opened == 1


def test_no_blocks_for_two_seconds_is_a_fault() -> None:
    script = Script(seconds(5))
    script.blocks[10:] = [np.zeros(0, np.int16)] * 100
    with pytest.raises(DeviceError, match="script"):
        run(script, Tape())
    assert script.next == 10 + round(hearing.NO_SOUND / 0.1)


def test_a_stream_that_says_it_stopped_is_a_fault_at_once() -> None:
    script = Script(seconds(5))
    script.blocks[10:] = [np.zeros(0, np.int16)] * 100
    script.active = False
    with pytest.raises(DeviceError):
        run(script, Tape())
    assert script.next == 11


def test_another_microphone_in_the_place_of_ours_is_a_fault_at_once() -> None:
    script = Script(seconds(5))
    read = script.read

    def swapped(timeout: float) -> Block | None:
        script.moved = "The sound server has put «HDMI» in the place of the microphone «script»" * (script.next >= 10)
        return read(timeout)

    script.read = swapped  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match=r"«HDMI».*; plug that in again"):
        run(script, Tape())
    assert script.next == 11


def test_lost_sound_is_noted_and_the_utterance_forgotten() -> None:
    tape = Tape()
    script = Script(seconds(1))
    read = script.read

    def losing(timeout: float) -> Block | None:
        script.lost = 3 * (script.next >= 10)
        return read(timeout)

    script.read = losing  # type: ignore[method-assign]
    run(script, tape, Listen(1, NUMBERS))
    assert len(script.of(Note)) == 1
    assert tape.fed == SECOND - 11  # the block that came with the loss and all before it are gone


def test_health_is_reported_every_second() -> None:
    sound = np.concatenate([np.full(RATE, 16384, np.int16), np.full(RATE, -32768, np.int16)])
    script = run(Script(sound), Tape())
    first, second = cast(list[Health], script.of(Health))
    assert (first.peak, first.device, first.rate) == (0.5, "script", RATE)
    assert [first.rms, second.rms] == pytest.approx([0.5, 1.0])
    assert second.peak == 1.0
    assert first.memory > 1 << 20


def test_too_much_memory_ends_the_process_only_while_nobody_is_listened_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hearing, "MEMORY", 1)
    script = run(Script(seconds(9), {3 * SECOND + 5: [Mute(1)]}), Tape(), Listen(1, NUMBERS))
    assert script.next == 4 * SECOND
    assert len(script.of(Note)) == 1


def test_too_much_memory_ends_the_process_with_the_next_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the gate never closes, because nothing speaks."""
    monkeypatch.setattr(hearing, "MEMORY", 1)
    at = 2 * SECOND + 5
    script = run(Script(seconds(9), {at: [Listen(2, ORDERS)]}), Tape(), Listen(1, NUMBERS))
    assert script.next == at + 1
    assert len(script.of(Note)) == 1


def test_an_idle_recogniser_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "RENEW", 0.0)
    tape = Tape()
    run(Script(seconds(3)), tape)
    assert tape.resets == 1 + 3


# --- the microphone ---


class NoSound(Exception):
    """PortAudio's error."""


class Cards:
    """sounddevice with one microphone that opens only as listed in `takes` (rate, channels)."""

    PortAudioError = NoSound

    def __init__(self, takes: set[tuple[int, int]], channels: int = 2, rate: float = 32000.0) -> None:
        self.takes = takes
        self.default = type("Default", (), {"device": (3, -1)})
        self._device = {
            "index": 3,
            "name": "USB Audio: card (hw:1,0)",
            "max_input_channels": channels,
            "default_samplerate": rate,
        }

    def query_devices(self) -> list[dict[str, Any]]:
        return [self._device, {"index": 0, "name": "HDMI", "max_input_channels": 0, "default_samplerate": 48000.0}]

    def check_input_settings(self, *, device: int, channels: int, samplerate: int, dtype: str) -> None:
        assert (device, dtype) == (3, "int16")
        if (samplerate, channels) not in self.takes:
            raise NoSound("Invalid sample rate")

    def RawInputStream(self, **_: Any) -> Any:
        return type("Stream", (), {"start": lambda self: None, "active": True})()


@pytest.mark.parametrize(
    ("takes", "channels", "chosen"),
    [
        ({(16000, 1), (48000, 1), (48000, 2)}, 2, (16000, 1)),
        ({(44100, 1), (48000, 1)}, 2, (48000, 1)),
        ({(44100, 1)}, 1, (44100, 1)),
        ({(48000, 2), (44100, 2)}, 2, (48000, 2)),
        ({(32000, 1)}, 1, (32000, 1)),  # its own rate
        ({(16000, 6)}, 6, (16000, 6)),  # a ring of microphones
    ],
)
def test_the_first_rate_and_the_fewest_channels_that_the_device_takes(
    takes: set[tuple[int, int]], channels: int, chosen: tuple[int, int]
) -> None:
    source = choose(Cards(takes, channels), "usb audio")
    assert (source.rate, source.channels, source.index) == (*chosen, 3)


def test_a_device_that_takes_nothing_is_refused_with_the_reason() -> None:
    with pytest.raises(DeviceError, match=r"«USB Audio: card \(hw:1,0\)» cannot be opened \(Invalid sample rate\)"):
        choose(Cards(set()), "")


def test_a_full_queue_counts_and_keeps_the_oldest_second() -> None:
    microphone = Microphone(Cards(set()), Source(3, "card", RATE, 2))
    sound = np.arange(2 * SIZE, dtype=np.int16)
    for _ in range(round(KEPT / BLOCK) + 4):
        microphone.take(sound.tobytes(), SIZE, None, None)
    assert microphone.lost == 4
    block = microphone.read(0)
    assert block is not None
    assert block.tolist() == list(range(0, 2 * SIZE, 2))  # the first of two channels
    microphone.drop()
    assert microphone.read(0) is None


# --- the keyboard ---


@pytest.fixture
def typed() -> Iterator[tuple[TypedEars, list[Any]]]:
    signals: list[Any] = []
    yield TypedEars(signals.append), signals


def test_typed_text_is_heard_with_certainty_under_the_current_epoch(
    typed: tuple[TypedEars, list[Any]],
) -> None:
    ears, signals = typed
    ears.type("раньше")
    ears.listen(3, [NEXT, STOP])
    ears.type(NEXT)
    ears.mute()
    ears.type(STOP)
    assert signals == [Heard("раньше", 1.0, 0), Heard(NEXT, 1.0, 3), Heard(STOP, 1.0, 3)]
    assert ears.listening == [(3, (NEXT, STOP))]
    assert ears.phrases == (NEXT, STOP)
    assert ears.muted
    ears.unmute()
    assert not ears.muted
    with pytest.raises(ValueError, match="without"):
        ears.unmute()
