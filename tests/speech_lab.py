"""Russian speech for tests: espeak-ng's voices, and recordings of people where they are at hand."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

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


def speak(voice: str, text: str, path: Path) -> Path:
    """A 16 kHz WAV of `text` with half a second of silence before it and a second after."""
    raw = path.with_suffix(".raw.wav")
    subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", str(raw), text], check=True, timeout=60)
    command = ["sox", "-D", str(raw), "-r", str(RATE), str(path), "vol", "0.6", "pad", "0.5", "1.0"]
    subprocess.run(command, check=True, timeout=60)
    raw.unlink()
    return path


def recordings(wanted: set[str]) -> list[tuple[Path, str]]:
    """(file, text) of the recordings of people that say one of `wanted`; skips the test when there are none."""
    if not HUMAN.is_dir():
        pytest.skip(f"no recordings of people: {HUMAN} is not there")
    with (HUMAN / "manifest.tsv").open(encoding="utf-8") as file:
        rows = [
            (HUMAN / row["file"], row["transcript"].lower().strip(" .")) for row in csv.DictReader(file, delimiter="\t")
        ]
    return [(path, text.replace("четвертый", "четвёртый")) for path, text in rows if text in wanted]


def talk() -> list[Path]:
    """Recordings of people reading sentences that hold no command."""
    if not HUMAN.is_dir():
        pytest.skip(f"no recordings of people: {HUMAN} is not there")
    return sorted((HUMAN / "festvox").glob("*.flac"))
