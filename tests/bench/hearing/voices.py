"""The voices that hearing is measured with, and their sound, rendered once and kept.

HELD OUT: a voice of `COMMANDS` or `TALK`, and every room and noise of this package, may not be used to train or to tune
a model. Training has RHVoice's Elena, Aleksandr, Anna and Irina, whose licences allow it, and espeak-ng's other
variants. `SEEN` names what a model may have met: festival's voice is made of recordings that are in its training. A
voice that is not installed is said to be absent and its row is left out.
Invariant: the same text in the same voice is the same sound, here and after a rerun.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narrator.ports import rhvoice
from narrator.ports.recordings import read_sound

RATE = 16000
Sound = NDArray[np.float32]
"""Mono at 16 kHz, 1 is full scale."""

COMMANDS = (
    *(f"rhvoice:{name}" for name in ("Artemiy", "Arina", "Tatiana", "Mikhail", "Pavel", "Victoria")),
    *(f"espeak:ru+{name}" for name in ("f4", "m3", "Denis", "Alicia")),
)
"""Who says commands."""
SEEN = ("festival:msu_ru_nsh_clunits",)
"""Says commands too, in a row of its own."""
TALK = (
    *(f"rhvoice:{name}" for name in ("Yuriy", "Vitaliy", "Evgeniy-Rus")),
    *(f"espeak:ru+{name}" for name in ("f5", "linda")),
)
"""Who talks at the table and babbles behind a command."""

_FESTIVAL = Path("/usr/share/festival/voices/russian")
_WORDS_A_MINUTE = 150  # espeak-ng's speed that is RHVoice's 100 %


@dataclass(frozen=True, slots=True)
class Studio:
    """Renders texts and keeps them in `folder`."""

    folder: Path

    def say(self, voice: str, text: str) -> Sound:
        """`text` without silence around it, at an even loudness; a little faster or slower from text to text."""
        digest = hashlib.sha256(f"1 {voice} {text}".encode()).hexdigest()
        path = self.folder / voice.replace(":", "-") / f"{digest[:24]}.npy"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            speed = (0.9, 1.0, 1.1, 1.2)[int(digest[0], 16) % 4]
            rough = path.with_suffix(f".{os.getpid()}.npy")
            np.save(rough, (levelled(trimmed(_render(voice, text, speed))) * 32767).round().astype(np.int16))
            rough.replace(path)
        return np.asarray(np.load(path) / 32767, np.float32)


def present(voice: str) -> bool:
    """Whether a voice is installed."""
    engine, _, name = voice.partition(":")
    match engine:
        case "rhvoice":
            found = any((data / name.lower()).is_dir() for data in rhvoice.DATA)
            return found and shutil.which(rhvoice.PROGRAM) is not None
        case "festival":
            return (_FESTIVAL / name).is_dir() and shutil.which("text2wave") is not None
        case _:
            return shutil.which("espeak-ng") is not None


def trimmed(sound: Sound) -> Sound:
    """Without the silence at both ends: its first and last samples are the speech's."""
    loud = np.flatnonzero(np.abs(sound) > 0.02 * np.abs(sound).max())
    return sound[loud[0] : loud[-1] + 1]


def levelled(sound: Sound, rms: float = 0.05) -> Sound:
    """As loud as a person near the microphone (-26 dB of full scale), never clipped."""
    scale = rms / max(float(np.sqrt(np.mean(sound**2))), 1e-6)
    return np.asarray(sound * min(scale, 0.95 / float(np.abs(sound).max())), np.float32)


def resampled(frames: bytes, rate: int) -> Sound:
    """Mono 16-bit frames as a Sound."""
    import soxr

    samples = np.frombuffer(frames, "<i2").astype(np.float32) / 32768
    return np.asarray(soxr.resample(samples, rate, RATE), np.float32)


def _render(voice: str, text: str, speed: float) -> Sound:
    engine, _, name = voice.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.wav"
        _ENGINES[engine](name, text, speed, path)
        return resampled(*read_sound(path))


def _rhvoice(name: str, text: str, speed: float, path: Path) -> None:
    _run([rhvoice.PROGRAM, "-p", name, "-r", str(round(100 * speed)), "-o", str(path)], text)


def _espeak(name: str, text: str, speed: float, path: Path) -> None:
    _run(["espeak-ng", "-v", name, "-s", str(round(_WORDS_A_MINUTE * speed)), "-w", str(path), "--stdin"], text)


def _festival(name: str, text: str, speed: float, path: Path) -> None:
    select = f"(begin (voice_{name}) (Parameter.set 'Duration_Stretch {1 / speed:.2f}))"
    _run(["text2wave", "-eval", select, "-o", str(path)], text)


def _run(command: list[str], text: str) -> None:
    subprocess.run(command, input=text.encode(), check=True, capture_output=True, timeout=120)


_ENGINES: dict[str, Callable[..., Any]] = {"rhvoice": _rhvoice, "espeak": _espeak, "festival": _festival}
