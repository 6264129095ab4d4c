"""Stress through the real default engine: phonemes are spoken and not spelt out."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from narrator.ports.engines import Pyttsx3Engine
from narrator.ports.wav import read_wav

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="no espeak-ng; apt install espeak-ng")


def spoken(engine: Pyttsx3Engine, text: str, folder: Path) -> npt.NDArray[np.int16]:
    path = folder / "x.wav"
    engine.render(text, path)
    samples, _ = read_wav(path)
    return np.trim_zeros(samples)


@needs_espeak
def test_phonemes_are_spoken_and_not_spelt_out(tmp_path: Path) -> None:
    engine = Pyttsx3Engine("ru", 150)
    try:
        by_itself = spoken(engine, "Осталось: сорок секунд.", tmp_path)
        marked = spoken(engine, "Осталось: со\u0301рок секунд.", tmp_path)
        spelt_out = spoken(engine, "Осталось: эс апостроф о эр вэ ка секунд.", tmp_path)
        unknown = spoken(engine, "Оста\u0301лось: сорок секунд.", tmp_path)
    finally:
        engine.close()
    assert len(marked) < 1.15 * len(by_itself) < len(spelt_out)
    assert len(unknown) == pytest.approx(len(by_itself), rel=0.03), "a mark without phonemes is dropped"
