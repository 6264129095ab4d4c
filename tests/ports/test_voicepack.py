"""Voice packs on real files: lists that keep their numbers, recordings that are judged, gaps that the engine fills."""

from __future__ import annotations

import logging
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from narrator.ports.phrases import PhraseCache
from narrator.ports.voicepack import LIST, PackError, VoicePack, new_pack
from narrator.ports.wav import read_wav

RATE = 22050
TEXTS = ["Город засыпает.", "Говорит номер один.", "Мафия промахнулась."]
Sound = npt.NDArray[np.float64]


def hum(seconds: float, level: float = 0.2) -> Sound:
    """Something like a voice: a tone that swells and falls."""
    t = np.arange(round(seconds * RATE)) / RATE
    return level * np.sin(2 * np.pi * 180 * t) * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * t))


def silence(seconds: float) -> Sound:
    return np.zeros(round(seconds * RATE))


def record(path: Path, sound: Sound, rate: int = RATE, channels: int = 1) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype(np.int16).repeat(channels).tobytes())


class Machine:
    """An engine that hums half a second for everything."""

    key = "machine"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def render(self, text: str, path: Path) -> None:
        self.asked.append(text)
        record(path, hum(0.5))

    def close(self) -> None:
        """Nothing to end."""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    assert new_pack(folder, TEXTS) == (3, 3)
    return folder


def test_the_list_is_one_line_for_each_phrase(pack: Path) -> None:
    assert (pack / LIST).read_text("utf-8").splitlines() == [
        "0001\tГород засыпает.",
        "0002\tГоворит номер один.",
        "0003\tМафия промахнулась.",
    ]


def test_a_new_version_adds_lines_and_keeps_numbers(pack: Path) -> None:
    assert new_pack(pack, ["Новая фраза.", *TEXTS[1:], "Новая фраза."]) == (4, 1)
    assert VoicePack(pack).texts == {1: TEXTS[0], 2: TEXTS[1], 3: TEXTS[2], 4: "Новая фраза."}


def test_a_partial_pack_is_filled_by_the_engine(pack: Path, tmp_path: Path) -> None:
    record(pack / "0002.wav", np.concatenate([silence(0.2), hum(1.2, 0.05), silence(0.2)]))
    engine = Machine()
    cache = PhraseCache(tmp_path / "cache", engine, pack=VoicePack(pack))
    cache.render_all(TEXTS)
    assert engine.asked == [TEXTS[0], TEXTS[2]]
    levels = {}
    for text in TEXTS[:2]:
        samples, rate = read_wav(cache.render(text))
        levels[text] = np.sqrt(np.mean((samples[rate // 10 : -rate // 10] / 32768.0) ** 2))
        assert len(samples) / rate == pytest.approx(1.24 if text == TEXTS[1] else 0.54, abs=0.03), "silence was cut"
    assert levels[TEXTS[1]] == pytest.approx(levels[TEXTS[0]], rel=0.1), "one loudness, whoever speaks"


def test_a_recording_that_was_made_again_is_heard(pack: Path, tmp_path: Path) -> None:
    cache = PhraseCache(tmp_path / "cache", Machine(), pack=VoicePack(pack))
    record(pack / "0001.wav", hum(1.0))
    first = cache.render(TEXTS[0])
    record(pack / "0001.wav", hum(1.5))
    assert cache.get(TEXTS[0]) is None
    assert cache.render(TEXTS[0]) != first


def test_a_broken_recording_is_left_to_the_engine(pack: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (pack / "0001.wav").write_bytes(b"RIFF")
    record(pack / "0003.wav", silence(1.0))
    engine = Machine()
    cache = PhraseCache(tmp_path / "cache", engine, pack=VoicePack(pack))
    with caplog.at_level(logging.WARNING):
        cache.render_all(TEXTS)
    assert engine.asked == TEXTS
    assert "«Город засыпает.» is not used" in caplog.text
    assert "«Мафия промахнулась.» is not used: it is silent" in caplog.text


FAULTS = {
    "good": (np.concatenate([silence(0.2), hum(1.0), silence(0.2)]), RATE, 1, ""),
    "clipped": (hum(1.0, 3.0), RATE, 1, "clipped"),
    "quiet": (hum(1.0, 0.005), RATE, 1, "too quiet"),
    "silent": (silence(1.0), RATE, 1, "silent"),
    "long start": (np.concatenate([silence(0.9), hum(1.0)]), RATE, 1, "0.9 s of silence before"),
    "long end": (np.concatenate([hum(1.0), silence(0.9)]), RATE, 1, "0.9 s of silence after"),
    "other words": (hum(9.0), RATE, 1, "does not fit these words"),
    "telephone": (hum(1.0)[::3], RATE // 3, 1, "recorded at 7350 Hz"),
    "stereo": (hum(1.0), RATE, 2, "must be mono"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_check_says_what_to_record_again(name: str, pack: Path) -> None:
    sound, rate, channels, fault = FAULTS[name]
    for number in (1, 2):
        record(pack / f"000{number}.wav", hum(1.0))
    record(pack / "0003.wav", sound, rate, channels)
    found = list(VoicePack(pack).check())
    if not fault:
        assert found == []
    else:
        assert len(found) == 1, found
        assert found[0].startswith("0003 «Мафия промахнулась.»: ")
        assert fault in found[0]


def test_the_check_says_what_is_missing_and_what_is_nobodys(pack: Path) -> None:
    record(pack / "0001.wav", hum(1.0))
    record(pack / "0009.wav", hum(1.0))
    record(pack / "take two.wav", hum(1.0))
    assert list(VoicePack(pack).check()) == [
        "0009.wav: no line of phrases.tsv has this number; rename or remove it.",
        "take two.wav: no line of phrases.tsv has this number; rename or remove it.",
        "0002 «Говорит номер один.»: not recorded; the engine speaks it.",
        "0003 «Мафия промахнулась.»: not recorded; the engine speaks it.",
    ]


def test_a_folder_that_is_no_pack_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="narrator voicepack new"):
        VoicePack(tmp_path)
    for line in ("one\tслово", "0001 слово", "0001\t", "0001\tраз\n0001\tдва"):
        (tmp_path / LIST).write_text(line, encoding="utf-8")
        with pytest.raises(PackError, match=r"phrases.tsv:\d: write a number"):
            VoicePack(tmp_path)
