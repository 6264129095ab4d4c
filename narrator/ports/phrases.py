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
import logging
import os
import shutil
import tempfile
import threading
import wave
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from narrator.config import VoiceSettings
from narrator.ports.engines import Engine, EngineError, check_text, engine_for
from narrator.ports.voicepack import PackError, VoicePack
from narrator.ports.wav import Samples as Samples
from narrator.ports.wav import read_wav as read_wav

log = logging.getLogger(__name__)

Spoken = Callable[[str], str]
"""A text as it is to be read aloud: with stress marks, names as their owners say them."""
Progress = Callable[[int, int], None]
"""Called with (done, all) after every phrase."""

_FINISH = "2"  # part of the key; raise it when `finish` changes the sound
_LOUDNESS = 0.1  # RMS of the sounding parts, of full scale (-20 dB)
_PEAK = 0.89  # of full scale (-1 dB)
_BEFORE, _AFTER = 0.01, 0.03  # seconds of silence kept; what stands before is waited for


def as_written(text: str) -> str:
    """The text itself."""
    return text


class PhraseCache:
    """Rendered phrases of one engine. `render` may be called from any thread.

    `spoken`: how a text is to be read (stress marks, names). `pack`: recordings that are taken instead of the engine.
    """

    def __init__(
        self,
        cache_dir: Path,
        engine: Engine,
        *,
        spoken: Spoken = as_written,
        pack: VoicePack | None = None,
    ) -> None:
        self._folder = cache_dir / "phrases"
        self._engine, self._spoken, self._pack = engine, spoken, pack

    def path(self, text: str) -> Path:
        """Where the phrase is, or will be."""
        recording = self._pack.find(text) if self._pack else None
        by = self._engine.key if recording is None else recording.key
        key = "\n".join((by, _FINISH, self._spoken(text)))
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
            self._folder.mkdir(parents=True, exist_ok=True)  # where it cannot be, nothing need be rendered
            samples, rate = self._recorded(text) or self._synthesised(text)
            self._folder.mkdir(parents=True, exist_ok=True)  # it may have been deleted meanwhile
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

    def _synthesised(self, text: str) -> tuple[Samples, int]:
        """What the engine says, written where nobody clears meanwhile: the cache may be deleted while it works."""
        with tempfile.TemporaryDirectory() as folder:
            rough = Path(folder) / "spoken.wav"
            self._engine.render(self._spoken(text), rough)
            return read_wav(rough)

    def _recorded(self, text: str) -> tuple[Samples, int] | None:
        """What the pack has of the phrase; a recording that cannot be used is told and left to the engine."""
        recording = self._pack.find(text) if self._pack else None
        if recording is None:
            return None
        try:
            samples, rate = read_wav(recording.path)
            finish(samples, rate)
        except ValueError as error:
            log.warning("the recording of «%s» is not used: %s", text, error)
            return None
        return samples, rate

    def size(self, texts: Iterable[str]) -> int:
        """Bytes that these phrases take on the disk."""
        paths = {self.path(text) for text in texts}
        return sum(path.stat().st_size for path in paths if path.exists())

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


def phrase_cache(settings: VoiceSettings, cache_dir: Path, spoken: Spoken = as_written) -> PhraseCache:
    """The cache for the engine and the pack that the settings name; a pack that is none is said in the log."""
    pack = None
    if settings.pack:
        try:
            pack = VoicePack(Path(settings.pack).expanduser())
        except PackError as error:
            log.warning("[voice] pack is not used: %s", error)
    return PhraseCache(cache_dir, engine_for(settings), spoken=spoken, pack=pack)


def say_to_file(settings: VoiceSettings, cache_dir: Path, text: str, out: Path, spoken: Spoken = as_written) -> None:
    """Write the phrase to `out` as the game would play it at full volume. Raises like `render`."""
    cache = phrase_cache(settings, cache_dir, spoken)
    try:
        shutil.copyfile(cache.render(text), out)
    finally:
        cache.close()


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
