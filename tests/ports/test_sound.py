"""The mixer to the sample, the earcons, and conversion to the device's rate; no device."""

from __future__ import annotations

import wave
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from narrator.messages import Earcon
from narrator.ports.sound import Mixer, Music, earcon_samples, load

RATE = 1000  # one frame is one millisecond


def ramp(first: int, count: int) -> npt.NDArray[np.int16]:
    return np.arange(first, first + count, dtype=np.int16)


def play(mixer: Mixer, frames: int, block: int) -> tuple[list[int], list[tuple[int, int]]]:
    """All samples, and (frame, seq) for each end, counted from the start."""
    out: list[int] = []
    ends: list[tuple[int, int]] = []
    while len(out) < frames:
        samples, ended = mixer.fill(block)
        ends += [(len(out) + frame, seq) for frame, seq in ended]
        out += samples.tolist()
    return out, ends


@pytest.mark.parametrize("block", [1, 7, 64, 500])
def test_phrases_follow_each_other_with_the_exact_pause(block: int) -> None:
    mixer = Mixer(RATE)
    mixer.add(1, ramp(100, 50), pause=0.02)
    mixer.add(2, ramp(300, 30), pause=0.0)
    mixer.add(3, ramp(500, 10), pause=0.1)
    out, ends = play(mixer, 200, block)
    expected = list(chain(range(100, 150), [0] * 20, range(300, 330), range(500, 510)))
    assert out[:110] == expected
    assert not any(out[110:])
    assert ends == [(50, 1), (100, 2), (110, 3)]
    assert mixer.idle


def test_a_phrase_that_comes_during_the_last_pause_waits_for_its_rest() -> None:
    mixer = Mixer(RATE)
    mixer.add(1, ramp(100, 10), pause=0.03)
    mixer.fill(20)
    mixer.add(2, ramp(200, 5), pause=0)
    out, ends = play(mixer, 40, 8)
    assert out[:25] == [0] * 20 + [200, 201, 202, 203, 204]
    assert ends == [(25, 2)]


def test_an_earcon_sounds_at_once_over_a_phrase_and_clips_instead_of_wrapping() -> None:
    mixer = Mixer(RATE)
    mixer.add(1, np.full(20, 20000, dtype=np.int16), pause=0)
    mixer.fill(5)
    mixer.overlay(2, np.full(4, 20000, dtype=np.int16))
    out, ends = play(mixer, 20, 3)
    assert out[:15] == [32767] * 4 + [20000] * 11
    assert ends == [(4, 2), (15, 1)]


@pytest.mark.parametrize("asked", range(7, 60, 7))
def test_a_beep_comes_as_punctually_as_it_was_asked_for_whenever_the_buffer_is_filled(asked: int) -> None:
    mixer = Mixer(RATE)
    heard: list[int] = []
    for now in range(0, 200, 20):  # the buffer is asked for every 20 ms, each sample is heard 50 ms later
        guess = now + 50 + (3 if now % 40 else -3)  # the device's time is a guess
        if now - 20 < asked <= now:
            mixer.overlay(1, np.full(5, 9, dtype=np.int16), due=100 + (asked + 80) / 1000)
        heard += mixer.fill(20, first=100 + guess / 1000)[0].tolist()
    begin = heard.index(9) + 50 - 3
    assert abs(begin - (asked + 80)) <= 2
    assert mixer.idle


def test_a_beep_whose_time_has_passed_comes_at_once_and_a_gap_in_the_stream_is_noticed() -> None:
    mixer = Mixer(RATE)
    mixer.fill(20, first=100.0)
    mixer.fill(20, first=107.0)  # the machine slept
    mixer.overlay(1, np.full(5, 9, dtype=np.int16), due=107.01)
    mixer.overlay(2, np.full(5, 1, dtype=np.int16), due=107.03)
    out = mixer.fill(20, first=107.02)[0].tolist()
    assert out[:5] == [9] * 5
    assert out[10:15] == [1] * 5


def test_hush_fades_within_eight_milliseconds_and_forgets_the_queue() -> None:
    mixer = Mixer(RATE)
    mixer.add(1, np.full(100, 8000, dtype=np.int16), pause=1)
    mixer.add(2, np.full(100, 8000, dtype=np.int16), pause=0)
    mixer.overlay(3, np.full(100, 800, dtype=np.int16))
    mixer.fill(10)
    mixer.hush(4)
    out, ends = play(mixer, 50, 5)
    assert out[0] == 8800
    assert out[:8] == sorted(out[:8], reverse=True)
    assert not any(out[8:])
    assert ends == [(8, 4)], "nothing that was dropped is reported as ended"
    mixer.add(5, ramp(1, 3), pause=0)
    assert play(mixer, 5, 5) == ([1, 2, 3, 0, 0], [(3, 5)])


def test_hush_in_a_pause_adds_no_sound() -> None:
    mixer = Mixer(RATE)
    mixer.add(1, ramp(100, 10), pause=0.5)
    mixer.add(2, ramp(900, 10), pause=0)
    mixer.fill(20)
    mixer.hush(3)
    out, ends = play(mixer, 600, 50)
    assert not any(out)
    assert [seq for _, seq in ends] == [3]


def pitch(samples: npt.NDArray[np.int16], rate: int) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(samples, rate))))


@pytest.mark.parametrize("rate", [22050, 44100, 48000])
def test_heard_rises_and_again_falls(rate: int) -> None:
    for earcon, rises in ((Earcon.HEARD, True), (Earcon.AGAIN, False)):
        samples = earcon_samples(earcon, rate)
        first, last = pitch(samples[: round(0.07 * rate)], rate), pitch(samples[round(0.12 * rate) :], rate)
        assert (first < last) is rises
        assert len(samples) / rate < 0.25
        assert 5000 < np.abs(samples).max() < 16000
        assert abs(int(samples[0])) < 50, "no click at the start"
        assert abs(int(samples[-1])) < 50, "no click at the end"


def tone_file(path: Path, hertz: float, rate: int) -> Path:
    t = np.arange(rate) / rate
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((10000 * np.sin(2 * np.pi * hertz * t)).astype(np.int16).tobytes())
    return path


@pytest.mark.parametrize(("own", "wanted"), [(22050, 48000), (22050, 44100), (48000, 22050)])
def test_conversion_keeps_the_tone_and_adds_no_ghosts(own: int, wanted: int, tmp_path: Path) -> None:
    samples = load(tone_file(tmp_path / "x.wav", 9000, own), wanted, 1.0)
    assert len(samples) == pytest.approx(wanted, abs=2)
    middle = samples[wanted // 4 : 3 * wanted // 4] * np.hanning(wanted // 2)
    spectrum = np.abs(np.fft.rfft(middle))
    peak = int(np.argmax(spectrum))
    assert peak * 2 == pytest.approx(9000, abs=4)
    spectrum[peak - 40 : peak + 40] = 0
    assert spectrum.max() < 10 ** (-60 / 20) * np.abs(np.fft.rfft(middle)).max()


def test_conversion_drops_what_the_device_cannot_play(tmp_path: Path) -> None:
    samples = load(tone_file(tmp_path / "x.wav", 15000, 48000), 22050, 1.0)
    assert np.abs(samples[2000:-2000]).max() < 20


def test_volume_is_a_factor(tmp_path: Path) -> None:
    path = tone_file(tmp_path / "x.wav", 440, 22050)
    assert np.abs(load(path, 22050, 0.5)).max() == pytest.approx(5000, abs=2)
    with pytest.raises(ValueError, match="not a readable WAV"):
        load(tmp_path / "absent.wav", 22050, 1.0)


# --- music ---


def music(mixer: Mixer, volume: float = 0.5) -> npt.NDArray[np.int16]:
    """A loop of 700 samples of one height, with a mark at its first sample."""
    loop = np.full(700, 10000, dtype=np.int16)
    loop[0] = 30000
    mixer.music = Music(loop, volume, mixer.rate)
    return loop


def level(mixer: Mixer, frames: int) -> int:
    """The most usual sample of the next frames."""
    samples, _ = mixer.fill(frames)
    return int(np.median(samples))


def test_music_swells_loops_and_fades_away() -> None:
    mixer = Mixer(RATE)
    music(mixer)
    assert level(mixer, 100) == 0, "not before it is told to"
    mixer.music.play(True)  # type: ignore[union-attr]
    first, _ = mixer.fill(600)
    assert np.all(np.diff(first[1:].astype(int)) >= 0)
    assert level(mixer, 600) == 5000
    loops = mixer.fill(1400)[0]
    assert np.count_nonzero(loops == 15000) == 2
    mixer.music.play(False)  # type: ignore[union-attr]
    mixer.fill(600)
    assert level(mixer, 100) == 0


def test_music_ducks_under_speech_and_comes_back() -> None:
    mixer = Mixer(RATE)
    music(mixer)
    mixer.music.play(True)  # type: ignore[union-attr]
    mixer.fill(1000)
    mixer.add(1, np.zeros(2000, dtype=np.int16), pause=0)
    mixer.fill(600)
    assert level(mixer, 300) == 1250
    mixer.fill(1200)
    mixer.fill(600)
    assert level(mixer, 300) == 5000


@pytest.mark.parametrize("block", [32, 500])
def test_every_night_begins_with_the_same_sound(block: int) -> None:
    mixer = Mixer(RATE)
    music(mixer)
    nights = []
    for silence in (0, 777, 1501):
        mixer.fill(silence + 1)
        mixer.music.play(True)  # type: ignore[union-attr]
        nights.append(play(mixer, 3000, block)[0])
        mixer.music.play(False)  # type: ignore[union-attr]
        mixer.fill(1000)
    assert nights[0] == nights[1] == nights[2]


def test_music_is_no_utterance_and_hushing_does_not_stop_it() -> None:
    mixer = Mixer(RATE)
    music(mixer)
    mixer.music.play(True)  # type: ignore[union-attr]
    assert mixer.idle
    mixer.fill(1000)
    mixer.hush(5)
    assert mixer.fill(100)[1] == [(8, 5)]
    assert level(mixer, 1000) == 5000


@pytest.mark.parametrize("earcon", Earcon)
def test_every_short_sound_is_short_soft_at_its_edges_and_not_too_loud(earcon: Earcon) -> None:
    samples = earcon_samples(earcon, 22050)
    seconds = len(samples) / 22050
    assert 0.1 < seconds < (2.0 if earcon in (Earcon.BELL, Earcon.BELLS) else 0.9)
    assert 0.2 < np.abs(samples).max() / 32768 < 0.6
    assert max(abs(int(samples[0])), abs(int(samples[-1]))) < 400
