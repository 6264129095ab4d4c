"""A room with a box in it: a loudspeaker that is listened to while it plays, a microphone that is never quite silent,
a leak from one to the other, and people who speak.

Voices are espeak-ng's variants, festival's Russian voice where it is installed, and recordings of people where they
are found beside the project. Knows sound only.
"""

from __future__ import annotations

import copy
import csv
import importlib
import importlib.util
import subprocess
import time
import wave
from functools import cache
from pathlib import Path
from uuid import uuid4

import numpy as np

from tests.e2e.box import ROOT
from tests.lab import MIC_RATE, RATE, Found, Pulse, Recording, Sound, read_sound, wait_for

HUMAN = ROOT.parent / "shared" / "speech" / "human"
SYNTHETIC = ("ru+f3", "ru+m3", "ru+f2", "ru+m7", "ru")
FESTIVAL = "festival"
_FESTIVAL_VOICE = Path("/usr/share/festival/voices/russian/msu_ru_nsh_clunits")
_LOUD = 0.01  # of full scale
_NOISE = 0.0006


class Listener(Recording):
    """A recording that can be asked while it goes on. `loud_at`: when it was last loud (monotonic seconds)."""

    loud_at = 0.0

    def _read(self) -> None:
        size = 0
        assert self._process.stdout
        while chunk := self._process.stdout.read(4096):
            now = time.monotonic()
            size += len(chunk)
            self.began = min(self.began, now - size / (2 * RATE))
            if np.abs(np.frombuffer(chunk[: len(chunk) // 2 * 2], np.int16)).max() > _LOUD * 32768:
                self.loud_at = now
            self._chunks.append(chunk)

    def between(self, begin: float, end: float) -> Listener:
        """The recording from one monotonic time to another."""
        part = copy.copy(self)
        first = max(0, round((begin - self.began) * RATE))
        part.samples = self.samples[first : round((end - self.began) * RATE)]
        part.began = self.began + first / RATE
        return part

    def find_between(self, sound: Sound, begin: float, end: float) -> Found:
        """Like `find`, between two monotonic times and in monotonic times."""
        part = self.between(begin, end)
        found = part.find(sound)
        return Found(part.began + found.begin, part.began + found.end, found.share)


class Room:
    """Sound in both directions. `spoken`: (begin, end) of everything that people said, monotonic seconds."""

    def __init__(self, pulse: Pulse, folder: Path) -> None:
        self.pulse, self.folder = pulse, folder
        self.spoken: list[tuple[float, float, str]] = []
        noise = np.random.default_rng(1).normal(0, _NOISE, MIC_RATE * 400)
        self._noise = pulse.start_into_mic(_write(folder / "noise.wav", noise, MIC_RATE))
        self.ear = Listener(pulse.env, "spk.monitor")
        self._files: dict[tuple[str, str], Path] = {}

    def leak(self) -> None:
        """The microphone hears the loudspeaker from now on, as in any room."""
        self.pulse.pactl("load-module", "module-loopback", "source=spk.monitor", "sink=usbmicsink", "latency_msec=20")

    @property
    def quiet_for(self) -> float:
        """Seconds since the loudspeaker was last heard."""
        return time.monotonic() - self.ear.loud_at

    def sound(self, text: str, voice: str) -> Path:
        """A file of `text` as `voice` says it: a synthetic voice, or «human» where somebody recorded it."""
        path = self._files.get((text, voice))
        if path is None:
            rough = self.folder / f"said-{uuid4().hex}.wav"
            (_copy if voice == "human" else _synthesise)(text, voice, rough)
            path = self._files[text, voice] = _level(rough)
        return path

    def say(self, text: str, voice: str) -> None:
        """Somebody speaks; returns when he has finished."""
        path = self.sound(text, voice)
        began = time.monotonic()
        self.pulse.play_into_mic(path)
        self.spoken.append((began, time.monotonic(), f"{voice}: {text}"))

    def close(self) -> None:
        """Silence."""
        self._noise.terminate()
        self._noise.wait(5)
        self.ear.stop()

    def listened_to(self) -> None:
        """Wait until a program has opened the microphone."""
        wait_for(lambda: "\tusbmic" in self._outputs(), 30, "a program that listens")

    def _outputs(self) -> str:
        numbers = {line.split("\t")[0]: line.split("\t")[1] for line in self._lines("sources")}
        return "".join(f"\t{numbers.get(line.split(chr(9))[1], '')}" for line in self._lines("source-outputs"))

    def _lines(self, what: str) -> list[str]:
        return self.pulse.pactl("list", "short", what).splitlines()


def voices(text: str) -> tuple[str, ...]:
    """Who can say `text`, in the order to be asked: a person who recorded it, then synthetic voices."""
    people = ("human",) if text in _recorded() else ()
    return (*people, *SYNTHETIC, *((FESTIVAL,) if _FESTIVAL_VOICE.exists() else ()))


def talk(seconds: float) -> tuple[str, ...]:
    """Recorded sentences of table talk, `seconds` in all; none where the recordings are not."""
    chosen: list[str] = []
    for text, (kind, length) in _recorded().items():
        if kind == "sentence" and length <= seconds:
            chosen.append(text)
            seconds -= length
    return tuple(chosen)


@cache
def _recorded() -> dict[str, tuple[str, float]]:
    """What people have recorded for us, and its kind and length."""
    return {row["transcript"]: (row["kind"], float(row["seconds"])) for row in _manifest()}


def _manifest() -> list[dict[str, str]]:
    path = HUMAN / "manifest.tsv"
    if not path.exists() or not importlib.util.find_spec("soundfile"):  # the recordings are FLAC
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _copy(text: str, voice: str, path: Path) -> None:
    soundfile = importlib.import_module("soundfile")

    name = next(row["file"] for row in _manifest() if row["transcript"] == text)
    samples, rate = soundfile.read(str(HUMAN / name))
    _write(path, samples, rate)


def _synthesise(text: str, voice: str, path: Path) -> None:
    if voice == FESTIVAL:
        command = ["text2wave", "-eval", "(voice_msu_ru_nsh_clunits)", "-o", str(path)]
        subprocess.run(command, input=text, text=True, check=True, timeout=60, capture_output=True)
    else:
        subprocess.run(["espeak-ng", "-v", voice, "-s", "165", "-w", str(path), text], check=True, timeout=60)


def _level(path: Path) -> Path:
    """The file at the loudness of speech at a table, with a breath before and after it."""
    sound = read_sound(path, MIC_RATE)
    loud = sound[np.abs(sound) > 0.05 * np.abs(sound).max()]
    sound = sound * min(0.12 / np.sqrt(np.mean(loud**2)), 0.9 / np.abs(sound).max())
    return _write(path, np.pad(sound, (MIC_RATE // 10, MIC_RATE // 20)), MIC_RATE)


def _write(path: Path, sound: Sound, rate: int) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return path
