"""The ears with nothing replaced: child process, PulseAudio, recogniser, commands spoken by espeak-ng.

A test waits for signals, with long time-outs; a command that the machine was too busy to hear is said again,
as a person would. Times are asserted only where the requirement is a time.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import threading
import time
import wave
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from narrator.config import EarsSettings, load
from narrator.messages import Heard, PortBack, PortFailed, Signal
from narrator.ports.child import Child, Link
from narrator.ports.ears import MicrophoneEars
from narrator.ports.gate import Gate
from narrator.ports.hearing import Hearing, Listen, Orders
from narrator.ports.microphone import Microphone, choose, load_sounddevice
from narrator.ports.models import find_model
from narrator.ports.recogniser import Recogniser
from tests.lab import Pulse, need_sound_server, wait_for

pytestmark = pytest.mark.slow

FIVE, SIX, NEXT, STOP = "игрок номер пять", "игрок номер шесть", "дальше", "стоп"
WORDS = tuple(sorted({word for phrase in (FIVE, SIX, NEXT, STOP) for word in phrase.split()}))
NUMBERS, ORDERS = (FIVE, SIX), (NEXT, STOP)
LOADED = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # how much longer everything takes just now
REPORT = 2.0 * LOADED  # seconds from the loss of the microphone until it is reported
RECOVERY = 5.0 * LOADED  # seconds from the repair, or from the crash, until a command is heard

# Each bound to one source: when that goes, the sound server may not put another in its place.
ASOUNDRC = """
pcm.tablemic { type pulse device "usbmic" }
pcm.lapelmic { type pulse device "lapel" }
"""


class Inbox:
    """Signals in the order they came."""

    def __init__(self) -> None:
        self._queue: queue.Queue[Signal] = queue.Queue()
        self.put = self._queue.put
        self.seen: list[Signal] = []

    def wait(self, wanted: Callable[[Signal], bool], timeout: float) -> Signal | None:
        """The first signal from now on that is wanted, or None."""
        ends = time.monotonic() + timeout
        while (left := ends - time.monotonic()) > 0:
            try:
                signal = self._queue.get(timeout=left)
            except queue.Empty:
                return None
            self.seen.append(signal)
            if wanted(signal):
                return signal
        return None

    def expect(self, kind: type[Any], timeout: float = 20.0) -> Any:
        """The first signal of this kind; fails when none comes."""
        found = self.wait(lambda signal: isinstance(signal, kind), timeout)
        assert found is not None, f"no {kind.__name__} within {timeout:g} s; came: {self.seen}"
        return found

    def heard(self) -> list[Heard]:
        """Everything heard so far."""
        while not self._queue.empty():
            self.seen.append(self._queue.get_nowait())
        return [signal for signal in self.seen if isinstance(signal, Heard)]


class Room:
    """A synthetic person at a microphone of a private sound server."""

    def __init__(self, pulse: Pulse, folder: Path) -> None:
        self.pulse = pulse
        self._folder = folder

    def wav(self, text: str, voice: str) -> Path:
        """The text as sound, followed by 0.7 s of a room's noise."""
        path = self._folder / f"{voice}-{text}.wav"
        if not path.exists():
            subprocess.run(["espeak-ng", "-v", voice, "-s", "170", "-w", path, text], check=True)
            with wave.open(str(path), "rb") as spoken:
                rate = spoken.getframerate()
                speech = np.frombuffer(spoken.readframes(spoken.getnframes()), np.int16)
            noise = np.random.default_rng(1).normal(0, 20, rate * 7 // 10).astype(np.int16)
            with wave.open(str(path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(rate)
                file.writeframes(np.concatenate([speech, noise]).tobytes())
        return path

    def say(self, text: str, mic: str = "usbmic", voice: str = "ru+m4") -> None:
        """Speak into the microphone; returns when the last sound was played."""
        self.pulse.play_into_mic(self.wav(text, voice), mic)

    def say_until_heard(self, text: str, epoch: int, inbox: Inbox, mic: str = "usbmic", voice: str = "ru+m4") -> None:
        """Say it, again if need be, until it is heard under `epoch`."""
        ends = time.monotonic() + 25.0
        while time.monotonic() < ends:
            playing = self.pulse.start_into_mic(self.wav(text, voice), mic)
            found = inbox.wait(lambda signal: isinstance(signal, Heard) and signal.text == text, 3.5)
            playing.wait(20)
            if isinstance(found, Heard):
                assert found.epoch == epoch
                return
        raise AssertionError(f"«{text}» was not heard; came: {inbox.seen}")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    need_sound_server()
    home = tmp_path_factory.mktemp("home")
    (home / ".asoundrc").write_text(ASOUNDRC)
    # Without a loudspeaker: the server would listen to its monitor when the microphone is gone.
    with Pulse(sink=False) as pulse, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR"):
            patch.setenv(name, pulse.env[name])
        yield Room(pulse, tmp_path_factory.mktemp("spoken"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def settings(device: str = "tablemic") -> EarsSettings:
    return load(ears={"device": device}).ears


def wait_until_it_hears(ears: MicrophoneEars) -> None:
    """Until a second of sound has come in."""
    wait_for(lambda: ears.health is not None, 25, "a report of the microphone's level")


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def ears(room: Room, cache: Path, inbox: Inbox) -> Iterator[MicrophoneEars]:
    ears = MicrophoneEars(settings(), cache, WORDS, inbox.put)
    try:
        wait_until_it_hears(ears)
        yield ears
    finally:
        ears.close()
    assert ears.pid is None


# --- hearing ---


def test_commands_are_heard_under_the_epoch_of_their_grammar(room: Room, ears: MicrophoneEars, inbox: Inbox) -> None:
    for epoch, phrases, said, voice in (
        (7, NUMBERS, FIVE, "ru+f3"),
        (8, ORDERS, NEXT, "ru+m4"),
        (9, NUMBERS, SIX, "ru+m4"),
    ):
        ears.listen(epoch, phrases)
        room.say_until_heard(said, epoch, inbox, voice=voice)
    assert ears.health is not None
    assert (ears.health.device, ears.health.rate) == ("tablemic", 16000)
    assert ears.restarts == 0
    assert all(0 <= heard.confidence <= 1 for heard in inbox.heard())


def test_nothing_is_heard_while_the_gate_is_held_or_without_phrases(
    room: Room, ears: MicrophoneEars, inbox: Inbox
) -> None:
    gate = Gate(ears.mute, ears.unmute)
    ears.listen(1, NUMBERS)
    room.say_until_heard(SIX, 1, inbox)
    gate.hold()
    gate.hold()
    room.say(FIVE)
    gate.release()
    room.say(FIVE)  # somebody else still holds it
    gate.release()
    room.say_until_heard(SIX, 1, inbox)
    ears.listen(2, ())
    room.say(FIVE)
    ears.listen(3, NUMBERS)
    room.say_until_heard(SIX, 3, inbox)
    assert FIVE not in {heard.text for heard in inbox.heard()}


def test_switching_in_the_middle_of_words_gives_no_result_of_the_wrong_epoch(
    room: Room, ears: MicrophoneEars, inbox: Inbox
) -> None:
    ears.listen(0, NUMBERS)
    room.say_until_heard(FIVE, 0, inbox)
    random = np.random.default_rng(5)
    grammars: dict[int, tuple[str, ...]] = {0: NUMBERS}

    def talk() -> None:
        for text in (FIVE, NEXT, SIX, STOP):
            room.say(text)

    talking = threading.Thread(target=talk)
    talking.start()
    pause = threading.Event()
    epoch = 0
    while talking.is_alive():
        epoch += 1
        grammars[epoch] = ((), NUMBERS, ORDERS)[int(random.integers(3))]
        ears.listen(epoch, grammars[epoch])
        if random.random() < 0.2:
            ears.finish()
        pause.wait(float(random.uniform(0.02, 0.9)))
    talking.join()
    ears.listen(epoch + 1, ORDERS)
    grammars[epoch + 1] = ORDERS
    room.say_until_heard(NEXT, epoch + 1, inbox)
    assert ears.restarts == 0
    for heard in inbox.heard():
        allowed = {word for phrase in grammars[heard.epoch] for word in phrase.split()} | {"[unk]"}
        assert set(heard.text.split()) <= allowed


# --- the child dies ---


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGABRT, signal.SIGSTOP], ids=["kill", "abort", "hang"])
def test_a_dead_or_hung_child_is_replaced_in_time(
    room: Room, ears: MicrophoneEars, inbox: Inbox, how: signal.Signals
) -> None:
    ears.listen(3, NUMBERS)
    room.say_until_heard(FIVE, 3, inbox)
    ears.mute()
    first = ears.pid
    assert first is not None
    began = time.monotonic()
    os.kill(first, how)
    wait_for(lambda: ears.health is None, 20, "the death")
    wait_until_it_hears(ears)
    assert time.monotonic() - 1.0 - began < RECOVERY  # the report comes after a second of sound
    room.say(FIVE)
    ears.unmute()
    room.say_until_heard(SIX, 3, inbox)
    assert [heard.text for heard in inbox.heard()].count(FIVE) == 1  # the new child is as muted as the old
    assert ears.pid != first
    assert ears.restarts == 1
    assert not [signal for signal in inbox.seen if isinstance(signal, PortFailed)]


def test_names_are_learnt_and_known_again_after_a_death(room: Room, ears: MicrophoneEars, inbox: Inbox) -> None:
    name = "выставляю ольгу"
    ears.listen(4, (NEXT, name))
    ears.learn((*WORDS, *name.split()))
    room.say_until_heard(NEXT, 4, inbox)
    room.say_until_heard(name, 4, inbox)
    first = ears.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: ears.pid not in (None, first), 20, "another child")
    room.say_until_heard(name, 4, inbox)
    assert not [signal for signal in inbox.seen if isinstance(signal, PortFailed)]


def test_a_model_with_words_of_its_own_says_which_names_it_cannot_hear(room: Room, cache: Path, inbox: Inbox) -> None:
    settings = load(Path("/dev/null"), ears={"device": "tablemic"}).ears
    own = replace_model(settings, find_model(settings, cache, WORDS))
    ears = MicrophoneEars(own, cache, WORDS, inbox.put)
    try:
        ears.listen(5, (NEXT,))
        ears.learn((*WORDS, "ольга", "ольгу"))
        failed = inbox.expect(PortFailed, 60)
        assert failed.port == "vocabulary" and "cannot hear ольга, ольгу: call by number" in failed.why
        room.say_until_heard(NEXT, 5, inbox)
        ears.learn(WORDS)
        assert inbox.expect(PortBack, 60) == PortBack("vocabulary")
    finally:
        ears.close()


def replace_model(settings: EarsSettings, model: Path) -> EarsSettings:
    """The same with a model of the user's own."""
    return settings.model_copy(update={"model": str(model)})


# --- the microphone goes and comes ---


def test_an_unplugged_microphone_is_reported_once_and_found_again(
    room: Room, ears: MicrophoneEars, inbox: Inbox
) -> None:
    ears.listen(5, NUMBERS)
    room.say_until_heard(FIVE, 5, inbox)
    began = time.monotonic()
    room.pulse.unload_mic()
    try:
        failed = inbox.expect(PortFailed)
        assert time.monotonic() - began < REPORT
    finally:
        room.pulse.load_mic()
    began = time.monotonic()
    assert (failed.port, "tablemic" in failed.why) == ("ears", True)
    inbox.expect(PortBack)
    assert time.monotonic() - began < RECOVERY
    room.say_until_heard(SIX, 5, inbox)
    assert len([signal for signal in inbox.seen if isinstance(signal, PortFailed)]) == 1


def test_a_stream_that_just_falls_silent_is_a_fault(room: Room, ears: MicrophoneEars, inbox: Inbox) -> None:
    """As with a real unplugged card: no error, the stream says it is active, the callbacks stop."""
    ears.listen(5, NUMBERS)
    room.say_until_heard(FIVE, 5, inbox)
    server = room.pulse._server
    assert server is not None
    began = time.monotonic()
    os.kill(server.pid, signal.SIGSTOP)
    try:
        inbox.expect(PortFailed)
        assert time.monotonic() - began < REPORT
    finally:
        os.kill(server.pid, signal.SIGCONT)
    inbox.expect(PortBack)
    room.say_until_heard(SIX, 5, inbox)


def test_another_source_in_the_place_of_the_default_one_is_told_and_heard(
    room: Room, cache: Path, inbox: Inbox
) -> None:
    """The server moves the stream of a microphone that goes to one that is left, and the stream does not notice."""
    room.pulse.load_mic("lapel")
    room.pulse.pactl("set-default-source", "usbmic")
    ears = MicrophoneEars(settings("pulse"), cache, WORDS, inbox.put)
    try:
        ears.listen(4, NUMBERS)
        room.say_until_heard(FIVE, 4, inbox)
        began = time.monotonic()
        room.pulse.unload_mic()
        try:
            failed = inbox.expect(PortFailed)
            assert time.monotonic() - began < REPORT
            assert failed.port == "ears" and "in the place of" in failed.why
            began = time.monotonic()
            inbox.expect(PortBack)
            assert time.monotonic() - began < RECOVERY
            room.say_until_heard(SIX, 4, inbox, "lapel")
            assert len([signal for signal in inbox.seen if isinstance(signal, PortFailed)]) == 1
        finally:
            room.pulse.load_mic()
    finally:
        ears.close()
        room.pulse.unload_mic("lapel")


def test_a_model_that_comes_late_is_told_once_and_used_when_it_is_there(
    room: Room, cache: Path, inbox: Inbox, tmp_path: Path
) -> None:
    built = find_model(settings(), cache, WORDS)
    late = load(ears={"device": "tablemic", "model": str(tmp_path / "late")}).ears
    ears = MicrophoneEars(late, cache, WORDS, inbox.put)
    try:
        ears.listen(6, NUMBERS)
        assert "There is no model folder" in inbox.expect(PortFailed).why
        shutil.copytree(built, tmp_path / "copy")
        (tmp_path / "copy").rename(tmp_path / "late")
        began = time.monotonic()
        inbox.expect(PortBack)
        assert time.monotonic() - began < RECOVERY
        room.say_until_heard(SIX, 6, inbox)
        assert len([signal for signal in inbox.seen if isinstance(signal, PortFailed)]) == 1
        assert ears.restarts == 0
    finally:
        ears.close()


def test_a_microphone_that_comes_after_the_start_is_found(room: Room, cache: Path, inbox: Inbox) -> None:
    ears = MicrophoneEars(settings("lapel"), cache, WORDS, inbox.put)
    try:
        ears.listen(6, NUMBERS)
        failed = inbox.expect(PortFailed)
        assert "lapel" in failed.why
        assert ears.health is None
        pid = ears.pid
        room.pulse.load_mic("lapel")
        began = time.monotonic()
        inbox.expect(PortBack)
        assert time.monotonic() - began < RECOVERY
        room.say_until_heard(FIVE, 6, inbox, "lapel")
        assert ears.pid == pid  # looking costs no restart
    finally:
        ears.close()
    room.pulse.unload_mic("lapel")


def test_no_sound_server_at_all_is_an_absent_microphone(
    room: Room, cache: Path, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_SERVER", "unix:/nowhere")
    ears = MicrophoneEars(settings(""), cache, WORDS, inbox.put)
    try:
        assert "plug one in" in inbox.expect(PortFailed).why
    finally:
        ears.close()


def test_a_name_that_fits_two_microphones_is_refused_with_both(room: Room, cache: Path, inbox: Inbox) -> None:
    room.pulse.load_mic("lapel")
    ears = MicrophoneEars(settings("MIC"), cache, WORDS, inbox.put)
    try:
        why = inbox.expect(PortFailed).why
        assert "«tablemic», «lapelmic»" in why
    finally:
        ears.close()
        room.pulse.unload_mic("lapel")


# --- other rates and channels ---


def hear_with(link: Link, model: Path, rate: int, channels: int) -> None:
    """A child that opens the microphone as if it could do nothing else."""
    link.beat()
    sd = load_sounddevice()
    source = replace(choose(sd, "tablemic"), rate=rate, channels=channels)
    orders = Orders(Listen(1, NUMBERS))
    Hearing(link, orders, Recogniser(model, rate), lambda: Microphone(sd, source)).run()


@pytest.mark.parametrize(("rate", "channels"), [(44100, 1), (48000, 2)])
def test_the_microphones_own_rate_and_channels_are_understood(
    room: Room, cache: Path, inbox: Inbox, rate: int, channels: int
) -> None:
    model = find_model(settings(), cache, WORDS)
    child = Child("hear_with", hear_with, (model, rate, channels), on_message=inbox.put)
    try:
        room.say_until_heard(SIX, 1, inbox)
    finally:
        child.close()
