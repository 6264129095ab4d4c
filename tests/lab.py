"""A sound lab without a sound card: a private PulseAudio server with a loudspeaker that can be recorded and a
microphone that can be spoken into.

The loudspeaker is a null sink in real time; its monitor is what a microphone in the room would hear. The microphone
«usbmic» is apart from it. Both can be unplugged. Nothing here knows the product's code.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

RATE = 48000  # of the loudspeaker and of its recordings
MIC_RATE = 16000
Sound = npt.NDArray[np.float64]
FIRST = ["chrt", "--rr", "2"] if shutil.which("chrt") and os.geteuid() == 0 else []
"""Puts server and recorder before all that is measured, as hardware is: a starved ruler measures itself."""


def wait_for(condition: Callable[[], Any], seconds: float, what: str) -> Any:
    """The first true value of `condition`; fails the test when there is none within `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds:g} s: {what}")


def read_sound(path: Path, rate: int = RATE) -> Sound:
    """A mono 16-bit WAV as -1…1 at `rate`."""
    import soxr

    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16) / 32768
        own = file.getframerate()
    return np.asarray(samples if own == rate else soxr.resample(samples, own, rate), dtype=np.float64)


class Found(NamedTuple):
    """Where a sound begins and ends in a recording, in seconds, and the share of it that was heard (0…1)."""

    begin: float
    end: float
    share: float


def _match(samples: Sound, sound: Sound) -> tuple[int, float]:
    """The place where `sound` fits best, and the correlation there (0…1)."""
    if len(samples) < len(sound):
        return 0, 0.0
    size = 1 << (len(samples) + len(sound)).bit_length()
    spectrum = np.fft.rfft(samples, size) * np.conj(np.fft.rfft(sound, size))
    scores = np.fft.irfft(spectrum, size)[: len(samples) - len(sound) + 1]
    energy = np.concatenate(([0.0], np.cumsum(samples**2)))
    there = np.sqrt(np.maximum(energy[len(sound) :] - energy[: -len(sound)], 0))
    own = float(np.linalg.norm(sound))
    alike = scores / (own * np.maximum(there, 0.1 * own) + 1e-9)  # near silence is like nothing
    at = int(np.argmax(alike))
    return at, float(alike[at])


class Recording:
    """What the loudspeaker played: `samples` (mono, -1…1, 48 kHz), complete once the recording has stopped.

    `began` is the monotonic time of the first sample, as the quickest delivery shows it: never too early, and late by
    the least latency seen (some 10 ms).
    """

    def __init__(self, env: dict[str, str], source: str) -> None:
        self.samples: Sound = np.zeros(0)
        self.began = float("inf")
        self._chunks: list[bytes] = []
        self._process = subprocess.Popen(
            [
                *FIRST,
                "parec",
                "-d",
                source,
                "--raw",
                "--format=s16le",
                f"--rate={RATE}",
                "--channels=1",
                "--latency-msec=10",
            ],
            env=env,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        wait_for(lambda: self._chunks, 10, "the first sample of a recording")

    def _read(self) -> None:
        size = 0
        assert self._process.stdout
        while chunk := self._process.stdout.read(4096):
            size += len(chunk)
            self.began = min(self.began, time.monotonic() - size / (2 * RATE))
            self._chunks.append(chunk)

    def stop(self) -> None:
        """End the recording and fill `samples`."""
        self._process.terminate()
        self._process.wait(5)
        self._thread.join(5)
        data = b"".join(self._chunks)
        self.samples = np.frombuffer(data[: len(data) // 2 * 2], dtype=np.int16) / 32768

    def find(self, sound: Sound) -> Found:
        """Where `sound` was heard. It is looked for in pieces of a quarter second, so that a gap of a busy machine
        shifts the rest but does not hide it.
        """
        size = RATE // 4
        pieces = [(i, sound[i : i + size]) for i in range(0, max(1, len(sound) - size // 2), size)]
        loudest = max(float(np.linalg.norm(piece)) for _, piece in pieces)
        pieces = [(i, piece) for i, piece in pieces if np.linalg.norm(piece) > 0.1 * loudest]
        about, _ = _match(self.samples, sound)
        matches = []
        for i, piece in pieces:
            begin = max(0, about + i - RATE // 2)
            at, alike = _match(self.samples[begin : about + i + RATE // 2 + len(piece)], piece)
            if alike > 0.9:
                matches.append((begin + at, i))
        if not matches:
            return Found(0.0, 0.0, 0.0)
        (first, offset), (last, rest) = matches[0], matches[-1]
        return Found((first - offset) / RATE, (last + len(sound) - rest) / RATE, len(matches) / len(pieces))

    def sounding(self, level: float = 0.01) -> tuple[float, float]:
        """First and last second at which anything louder than `level` is heard; fails when there is nothing."""
        loud = np.flatnonzero(np.abs(self.samples) > level)
        assert len(loud), "nothing was heard"
        return loud[0] / RATE, loud[-1] / RATE

    def silent(self, level: float = 0.01) -> bool:
        """True when nothing louder than `level` is heard."""
        return not bool((np.abs(self.samples) > level).any())


class Pulse:
    """The server. `env` is what a program needs in its environment to use it.

    A device that is asked for by name is «pulse» (or «default»). When the loudspeaker is unplugged while the
    microphone remains, the server moves a playing stream into the microphone's sink and nobody is told; use
    `Pulse(mic=False)` to see a stream die.
    """

    def __init__(self, *, sink: bool = True, mic: bool = True, start: bool = True) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="lab-"))
        self._socket = self._folder / "native"
        self.env = os.environ | {
            "PULSE_SERVER": f"unix:{self._socket}",
            "PULSE_COOKIE": str(self._folder / "cookie"),
            "XDG_RUNTIME_DIR": str(self._folder),
        }
        self._sink, self._mic = sink, mic
        self._server: subprocess.Popen[bytes] | None = None
        self._modules: dict[str, list[str]] = {}
        if start:
            self.start()

    def start(self) -> None:
        """Start the server and plug in what the constructor was told to."""
        socket = f"module-native-protocol-unix socket={self._socket} auth-anonymous=1"
        self._server = subprocess.Popen(
            [*FIRST, "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "-L", socket],
            env=self.env | {"HOME": str(self._folder)},
            stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: self._ready(), 10, "the sound server")
        if self._sink:
            self.load_sink()
        if self._mic:
            self.load_mic()

    def stop(self) -> None:
        """Kill the server: every sound device of the machine is gone."""
        if self._server:
            self._server.terminate()
            try:
                self._server.wait(5)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait(5)
        self._server = None
        self._modules.clear()
        self._socket.unlink(missing_ok=True)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the server's process during the block: devices say nothing and take nothing, as some pulled plugs."""
        assert self._server
        self._server.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._server.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Leave nothing behind."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Pulse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def pactl(self, *words: str) -> str:
        """The answer of a `pactl` command."""
        return subprocess.run(
            ["pactl", *words], env=self.env, check=True, capture_output=True, text=True, timeout=10
        ).stdout.strip()

    def load_sink(self, name: str = "spk") -> None:
        """Plug in a loudspeaker."""
        null = ("module-null-sink", f"sink_name={name}", f"rate={RATE}", "channels=2", "norewinds=1")
        self._modules[name] = [self.pactl("load-module", *null)]

    def unload_sink(self, name: str = "spk") -> None:
        """Pull the loudspeaker's plug."""
        self._unload(name)

    def load_mic(self, name: str = "usbmic") -> None:
        """Plug in a microphone and make it the default source."""
        null = ("module-null-sink", f"sink_name={name}sink", f"rate={MIC_RATE}", "channels=1", "norewinds=1")
        remap = ("module-remap-source", f"master={name}sink.monitor", f"source_name={name}")
        self._modules[name] = [self.pactl("load-module", *null), self.pactl("load-module", *remap)]
        self.pactl("set-default-source", name)

    def unload_mic(self, name: str = "usbmic") -> None:
        """Pull the microphone's plug."""
        self._unload(name)

    def play_into_mic(self, wav: Path, name: str = "usbmic") -> None:
        """Play a WAV into the microphone; returns when it has been played."""
        seconds = len(read_sound(wav, MIC_RATE)) / MIC_RATE
        self.start_into_mic(wav, name).wait(seconds + 20)

    def start_into_mic(self, wav: Path, name: str = "usbmic") -> subprocess.Popen[bytes]:
        """Begin to play a WAV into the microphone; the process ends with the sound."""
        return subprocess.Popen(["paplay", "-d", f"{name}sink", str(wav)], env=self.env)

    @contextlib.contextmanager
    def recording(self, source: str = "spk.monitor") -> Iterator[Recording]:
        """Record the loudspeaker during the block."""
        recording = Recording(self.env, source)
        try:
            yield recording
        finally:
            recording.stop()

    def record(self, seconds: float, source: str = "spk.monitor") -> Recording:
        """Record the loudspeaker for a while."""
        with self.recording(source) as recording:
            time.sleep(seconds)
        return recording

    def _ready(self) -> bool:
        info = subprocess.run(["pactl", "info"], env=self.env, capture_output=True, timeout=10)
        return info.returncode == 0

    def _unload(self, name: str) -> None:
        for module in reversed(self._modules.pop(name)):
            self.pactl("unload-module", module)


def need_sound_server() -> None:
    """Skip the test, and say why, on a machine that has no PulseAudio."""
    missing = [tool for tool in ("pulseaudio", "pactl", "parec", "paplay") if not shutil.which(tool)]
    if missing:
        pytest.skip(f"no {', '.join(missing)}; apt install pulseaudio pulseaudio-utils libasound2-plugins")


def use(pulse: Pulse, monkeypatch: pytest.MonkeyPatch) -> Pulse:
    """Point this process, and the children it starts, at a server."""
    for name in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, pulse.env[name])
    return pulse


@pytest.fixture
def pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    """A running server with loudspeaker and microphone, and this process's environment pointing at it."""
    need_sound_server()
    with Pulse() as server:
        yield use(server, monkeypatch)
