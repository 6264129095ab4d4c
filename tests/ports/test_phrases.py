"""The phrase cache: rendered once, complete or not there, one loudness, exact length."""

from __future__ import annotations

import shutil
import wave
from pathlib import Path

import numpy as np
import pytest

from narrator.config import load
from narrator.ports.engines import EngineError
from narrator.ports.phrases import PhraseCache, finish, read_wav, say_to_file

RATE = 22050


class ToneEngine:
    """Writes a tone between two stretches of silence; `level` of full scale."""

    def __init__(self, key: str = "tone 1", level: float = 0.3) -> None:
        self.key, self.level = key, level
        self.rendered: list[str] = []

    def render(self, text: str, path: Path) -> None:
        self.rendered.append(text)
        t = np.arange(round(0.5 * RATE)) / RATE
        tone = np.pad(self.level * np.sin(2 * np.pi * 440 * t), round(0.4 * RATE))
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((tone * 32767).astype(np.int16).tobytes())

    def close(self) -> None:
        self.rendered.clear()


class BrokenEngine(ToneEngine):
    """Writes the beginning of a file and dies."""

    def render(self, text: str, path: Path) -> None:
        path.write_bytes(b"RIFF")
        raise EngineError("it died")


def test_a_phrase_is_rendered_once(tmp_path: Path) -> None:
    engine = ToneEngine()
    cache = PhraseCache(tmp_path, engine)
    assert cache.get("Стоп.") is None
    path = cache.render("Стоп.")
    assert path.parent == tmp_path / "phrases"
    assert cache.get("Стоп.") == cache.render("Стоп.") == path
    assert engine.rendered == ["Стоп."]
    assert PhraseCache(tmp_path, ToneEngine()).get("Стоп.") == path, "the next start finds it"


def test_another_engine_voice_or_text_is_another_sound(tmp_path: Path) -> None:
    cache = PhraseCache(tmp_path, ToneEngine("tone 1"))
    assert cache.path("Стоп.") != cache.path("Стоп!")
    assert cache.path("Стоп.") != PhraseCache(tmp_path, ToneEngine("tone 2")).path("Стоп.")


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "zeros", "header only", "silent"])
def test_a_damaged_file_is_rendered_again(damage: str, tmp_path: Path) -> None:
    engine = ToneEngine()
    cache = PhraseCache(tmp_path, engine)
    path = cache.render("Стоп.")
    good = path.read_bytes()
    damaged = {
        "empty": b"",
        "cut": good[: len(good) // 2],
        "garbage": b"no sound at all" * 50,
        "zeros": bytes(len(good)),
        "header only": good[:44],
        "silent": good[:44] + bytes(len(good) - 44),
    }
    path.write_bytes(damaged[damage])
    assert cache.get("Стоп.") is None
    assert cache.render("Стоп.").read_bytes() == good
    assert engine.rendered == ["Стоп."] * 2


def test_an_engine_that_dies_half_way_leaves_nothing(tmp_path: Path) -> None:
    cache = PhraseCache(tmp_path, BrokenEngine())
    with pytest.raises(EngineError, match="it died"):
        cache.render("Стоп.")
    assert list((tmp_path / "phrases").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(EngineError, match=r"cannot be written.*check its rights"):
        PhraseCache(tmp_path / "file", ToneEngine()).render("Стоп.")


def test_silence_is_not_taken_for_a_phrase(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"no usable sound of «Стоп\.»"):
        PhraseCache(tmp_path, ToneEngine(level=0)).render("Стоп.")


def test_quiet_and_loud_come_out_alike_and_cut_to_the_sound(tmp_path: Path) -> None:
    levels = []
    for level in (0.02, 0.3, 0.99):
        samples, rate = read_wav(PhraseCache(tmp_path, ToneEngine(f"{level}", level)).render("Стоп."))
        assert len(samples) / rate == pytest.approx(0.54, abs=0.003)
        loud = np.flatnonzero(np.abs(samples) > 100) / rate
        assert loud[0] == pytest.approx(0.01, abs=0.003)
        assert loud[-1] == pytest.approx(len(samples) / rate - 0.03, abs=0.003)
        levels.append(float(np.sqrt(np.mean((samples / 32768.0) ** 2))))
    assert max(levels) / min(levels) < 1.02


def test_a_peak_is_never_clipped() -> None:
    quiet = 0.02 * np.sin(np.arange(RATE) / 5)
    quiet[::2205] = 0.9  # clicks far above the rest
    finished = finish((quiet * 32767).astype(np.int16), RATE)
    assert np.abs(finished.astype(int)).max() <= round(0.9 * 32767)


def test_render_all_tells_its_progress_and_does_nothing_twice(tmp_path: Path) -> None:
    engine = ToneEngine()
    cache = PhraseCache(tmp_path, engine)
    cache.render("Два.")
    told: list[tuple[int, int]] = []
    assert cache.render_all(["Раз.", "Два.", "Раз.", "Три."], lambda done, of: told.append((done, of))) == 2
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert engine.rendered == ["Два.", "Раз.", "Три."]
    assert cache.render_all(["Раз.", "Два.", "Три."]) == 0


def test_a_digit_is_refused_before_any_work(tmp_path: Path) -> None:
    engine = ToneEngine()
    with pytest.raises(ValueError, match="in words"):
        PhraseCache(tmp_path, engine).render_all(["Раз.", "Игрок 2."])
    assert engine.rendered == []


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="no espeak-ng; apt install espeak-ng")
def test_say_to_file_writes_the_phrase_of_the_game(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    say_to_file(load().voice, tmp_path, "Мафия просыпается.", out)
    samples, rate = read_wav(out)
    assert 0.8 < len(samples) / rate < 2.5
    first, last = np.flatnonzero(np.abs(samples) > 300)[[0, -1]] / rate
    assert first < 0.08
    assert last > len(samples) / rate - 0.15
    block = samples[: len(samples) // 220 * 220].reshape(-1, 220) / 32768.0
    levels = np.sqrt(np.mean(block**2, axis=1))
    assert np.sqrt(np.mean(levels[levels > 0.05 * levels.max()] ** 2)) == pytest.approx(0.1, rel=0.15)
