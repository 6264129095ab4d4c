"""Russian speech for tests: espeak-ng's voices, and recordings of people where they are at hand."""

from __future__ import annotations

import csv
import subprocess
import wave
from pathlib import Path

import numpy as np
import pytest

from narrator.compact.build import cached_model

RATE = 16000
VOICES = ("ru+f3", "ru+m3")
HUMAN = Path(__file__).parents[2] / "shared" / "speech" / "human"

NUMBERS = [
    *("один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять"),
    *(tens + "надцать" for tens in ("один", "две", "три", "четыр", "пят")),
]
_HARD = ("ый", "ая", "ое", "ого", "ому", "ым", "ом", "ую", "ой")
_SOFT = ("ой", *_HARD[1:-1])
ORDINALS = [
    *(stem + end for stem in ("перв", "четвёрт", "пят", "девят", "десят") for end in _HARD),
    *(stem + end for stem in ("втор", "шест", "седьм", "восьм") for end in _SOFT),
    *(stem + "надцат" + end for stem in ("один", "две", "три", "четыр", "пят") for end in ("ый", "ого", "ому")),
    *(["третий", "третья", "третье", "третьего", "третьему", "третьим", "третьем", "третью", "третьей"]),
]
COMMANDS = [
    *(["дальше", "пауза", "продолжить", "отмена", "спасибо", "голосование", "проверка", "промах"]),
    *(f"игрок номер {number}" for number in NUMBERS),
    *(f"выставляю номер {number}" for number in NUMBERS),
    *(["чёрный игрок", "красный игрок", "закончить голосование", "минута закончилась"]),
]
WORDS = sorted({word for phrase in COMMANDS for word in phrase.split()} | {*NUMBERS, *ORDINALS, "да", "нет", "убит"})


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compact model for WORDS, built once."""
    return cached_model(tmp_path_factory.getbasetemp() / "models", WORDS)


def speak(voice: str, text: str, path: Path, *, rate: int = RATE, channels: int = 1) -> Path:
    """A 16-bit WAV of `text` with half a second of silence before it and a second after."""
    import soxr

    subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", str(path), text], check=True, timeout=60)
    with wave.open(str(path), "rb") as file:
        own, spoken = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2")
    samples = soxr.resample(spoken * 0.6, own, rate)
    samples = np.concatenate([np.zeros(rate // 2), samples, np.zeros(rate)])
    return write_wav(path, np.repeat(samples[:, None], channels, axis=1).astype("<i2").tobytes(), rate, channels)


def write_wav(path: Path, frames: bytes, rate: int = RATE, channels: int = 1, width: int = 2) -> Path:
    """A WAV of these frames, `width` bytes a sample."""
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(frames)
    return path


def _need_recordings() -> None:
    if not HUMAN.is_dir():
        pytest.skip(f"no recordings of people: {HUMAN} is not there")
    pytest.importorskip("soundfile", reason="the recordings of people are FLAC: pip install soundfile")


def recordings(wanted: set[str]) -> list[tuple[Path, str]]:
    """(file, text) of the recordings of people that say one of `wanted`; skips the test when there are none."""
    _need_recordings()
    with (HUMAN / "manifest.tsv").open(encoding="utf-8") as file:
        rows = [
            (HUMAN / row["file"], row["transcript"].lower().strip(" .")) for row in csv.DictReader(file, delimiter="\t")
        ]
    return [(path, text.replace("четвертый", "четвёртый")) for path, text in rows if text in wanted]


def talk() -> list[Path]:
    """Recordings of people reading sentences that hold no command."""
    _need_recordings()
    return sorted((HUMAN / "festvox").glob("*.flac"))
