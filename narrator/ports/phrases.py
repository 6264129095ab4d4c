"""The phrase cache: every sentence is rendered once and then only played.

A phrase is a mono 16-bit WAV in `cache_dir/phrases`, named by a hash of everything that changes its sound,
cut to its sound (10 ms before it, 30 ms after) and brought to one loudness, so that its length is its timing
and no phrase shouts. Knows engines and files, no sound device.

Invariant: a file under its final name is complete (written aside, synced, renamed); one that is not, is
rendered again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import threading
import wave
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from narrator.config import VoiceSettings
from narrator.ports.engines import Engine, EngineError, check_text, engine_for

Samples = npt.NDArray[np.int16]
Progress = Callable[[int, int], None]
"""Called with (done, all) after every phrase."""

_FINISH = "2"  # part of the key; raise it when `finish` changes the sound
_LOUDNESS = 0.1  # RMS of the sounding parts, of full scale (-20 dB)
_PEAK = 0.89  # of full scale (-1 dB)
_BEFORE, _AFTER = 0.01, 0.03  # seconds of silence kept; what stands before is waited for


class PhraseCache:
    """Rendered phrases of one engine. `render` may be called from any thread."""

    def __init__(self, cache_dir: Path, engine: Engine) -> None:
        self._folder = cache_dir / "phrases"
        self._engine = engine

    def path(self, text: str) -> Path:
        """Where the phrase is, or will be."""
        key = "\n".join((self._engine.key, _FINISH, text))
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.wav"

    def get(self, text: str) -> Path | None:
        """The phrase's file if it is there, complete and not silent."""
        path = self.path(text)
        try:
            samples, _ = read_wav(path)
        except ValueError:
            return None
        return path if samples.any() else None

    def render(self, text: str) -> Path:
        """The phrase's file, rendered now if need be; blocks.

        Raises ValueError for a text that may not be spoken, EngineError when there is no engine or no room.
        """
        check_text(text)
        found = self.get(text)
        if found:
            return found
        path = self.path(text)
        rough = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._engine.render(text, rough)
            samples, rate = read_wav(rough)
            _write_wav(rough, finish(samples, rate), rate)
            rough.replace(path)
        except OSError as error:
            why = f"{self._folder}: cannot be written ({error}); check its rights and the free space"
            raise EngineError(why) from error
        except ValueError as error:
            raise EngineError(f"the synthesiser made no usable sound of «{text}»: {error}") from error
        finally:
            with contextlib.suppress(OSError):  # already renamed, or the folder itself is the fault
                rough.unlink()
        return path

    def render_all(self, texts: Iterable[str], progress: Progress = lambda done, of: None) -> int:
        """Render what is not there yet; returns how many were. Raises like `render`, at the first fault."""
        todo = list(dict.fromkeys(texts))
        for text in todo:
            check_text(text)  # all of them before the first minute of work
        rendered = 0
        for done, text in enumerate(todo, 1):
            if self.get(text) is None:
                self.render(text)
                rendered += 1
            progress(done, len(todo))
        return rendered

    def close(self) -> None:
        """End the engine's process; the next `render` starts it again."""
        self._engine.close()


def phrase_cache(settings: VoiceSettings, cache_dir: Path) -> PhraseCache:
    """The cache for the engine that the settings name."""
    return PhraseCache(cache_dir, engine_for(settings))


def say_to_file(settings: VoiceSettings, cache_dir: Path, text: str, out: Path) -> None:
    """Write the phrase to `out` as the game would play it at full volume. Raises like `render`."""
    cache = phrase_cache(settings, cache_dir)
    try:
        shutil.copyfile(cache.render(text), out)
    finally:
        cache.close()


def read_wav(path: Path) -> tuple[Samples, int]:
    """Samples and rate of a mono 16-bit WAV. Raises ValueError when it is absent, cut short or other."""
    try:
        with wave.open(str(path), "rb") as file:
            kind = (file.getnchannels(), file.getsampwidth())
            frames, rate = file.getnframes(), file.getframerate()
            data = file.readframes(frames)
    except (OSError, EOFError, wave.Error) as error:
        raise ValueError(f"{path}: is not a readable WAV ({error or 'too short'})") from error
    if kind != (1, 2):
        raise ValueError(f"{path}: must be mono and 16 bits, not {kind[0]} channels and {8 * kind[1]} bits")
    if not frames or len(data) != 2 * frames:
        raise ValueError(f"{path}: has {len(data) // 2} of {frames} frames")
    return np.frombuffer(data, dtype=np.int16), rate


def finish(samples: Samples, rate: int) -> Samples:
    """One loudness, 10 ms of silence before and 30 ms after, no click. Raises ValueError when nothing sounds."""
    sound = samples.astype(np.float64) / 32768
    block = max(1, rate // 100)
    levels = np.sqrt(np.mean(sound[: len(sound) // block * block].reshape(-1, block) ** 2, axis=1))
    if not len(levels) or levels.max() < 1e-3:
        raise ValueError("it is silent")
    active = levels[levels > 0.05 * levels.max()]  # pauses inside a phrase must not make it louder
    edge = np.flatnonzero(np.abs(sound) > 0.01 * np.abs(sound).max())
    sound = sound[edge[0] : edge[-1] + 1]
    sound = sound * min(_LOUDNESS / np.sqrt(np.mean(active**2)), _PEAK / np.abs(sound).max())
    ramp = np.linspace(0, 1, min(len(sound), rate // 500))  # 2 ms
    sound[: len(ramp)] *= ramp
    sound[len(sound) - len(ramp) :] *= ramp[::-1]
    return np.round(np.pad(sound, (round(_BEFORE * rate), round(_AFTER * rate))) * 32767).astype(np.int16)


def _write_wav(path: Path, samples: Samples, rate: int) -> None:
    with path.open("wb") as raw:
        with wave.open(raw, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(samples.tobytes())
        raw.flush()
        os.fsync(raw.fileno())  # or a power cut leaves a named file full of zeros
